//! The requirement that a verdict is never a bare `false` while one of its sources was not read.
//!
//! Each answer of a look-up is made to fail, one at a time and all together, and each dataset is treated as never
//! imported. A verdict of `false` despite such a gap claims an absence that was not established.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Found, Mistake, Suite};
use crate::cassette::Cassette;
use lustra_sandbox::call_failure::unread_kind;
use lustra_sandbox::recording::{CallOutcome, RecordedCall, RecordedFailure, Recording};
use lustra_store::FailureKind;

/// Schema keyword: the sources that a verdict depends on, by their names in `unread`. An empty list means that the
/// member is not a verdict.
const SOURCES: &str = "x-lustra-verdict";

/// Most answers of one call that are made to fail individually.
const MAX_ANSWERS: usize = 12;

/// A verdict of a section.
struct Verdict<'a> {
    name: &'a str,
    /// `None` if it depends on all sources.
    sources: Option<Vec<&'a str>>,
}

impl Verdict<'_> {
    fn depends_on(&self, source: &str) -> bool {
        let sources = self.sources.as_deref();
        sources.is_none_or(|sources| sources.contains(&source))
    }
}

/// The verdicts in a scope's schema: top-level booleans named `is_…`, `has_…` or `listed`.
fn verdicts(schema: &Value) -> Vec<Verdict<'_>> {
    let members = schema.get("properties").and_then(Value::as_object);
    members
        .into_iter()
        .flatten()
        .filter(|(name, member)| is_verdict(name, member))
        .map(|(name, member)| Verdict {
            name,
            sources: member
                .get(SOURCES)
                .and_then(Value::as_array)
                .map(|sources| sources.iter().filter_map(Value::as_str).collect()),
        })
        .filter(|verdict| {
            verdict
                .sources
                .as_ref()
                .is_none_or(|sources| !sources.is_empty())
        })
        .collect()
}

fn is_verdict(name: &str, member: &Value) -> bool {
    let is_named = name.starts_with("is_") || name.starts_with("has_") || name == "listed";
    let kind = member.get("type").unwrap_or(&Value::Null);
    let kinds = kind
        .as_array()
        .map_or(std::slice::from_ref(kind), Vec::as_slice);
    is_named && kinds.contains(&json!("boolean"))
}

/// The verdicts of a section that are `false` although one of their sources was not read, with that source.
///
/// `never_imported` lists datasets that the section must report as unread.
fn bare_verdicts(
    schema: &Value,
    given: &Value,
    never_imported: &BTreeSet<String>,
) -> Vec<(String, String)> {
    let section = given.get("section").unwrap_or(&Value::Null);
    let unread = given.get("unread").and_then(Value::as_object);
    // A source that the operator disabled does not count.
    let gaps = unread
        .into_iter()
        .flatten()
        .filter(|(_, why)| !why.as_str().is_some_and(is_off))
        .map(|(source, _)| source)
        .chain(never_imported);
    let gaps: BTreeSet<&String> = gaps.collect();
    verdicts(schema)
        .iter()
        .filter(|verdict| section.get(verdict.name) == Some(&Value::Bool(false)))
        .filter_map(|verdict| {
            let gap = gaps.iter().find(|source| verdict.depends_on(source))?;
            Some((verdict.name.to_owned(), (*gap).clone()))
        })
        .collect()
}

fn is_off(why: &str) -> bool {
    unread_kind(why) == FailureKind::Off
}

/// A call with missing answers.
struct Gap {
    /// Display name of the gap.
    place: String,
    recording: Recording,
    /// Datasets that are treated as never imported.
    datasets: BTreeSet<String>,
}

impl Suite<'_> {
    pub(super) async fn verdicts(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let (mut mistakes, mut looked_at) = (Vec::new(), 0);
        for (name, cassette) in self.look_ups() {
            let RecordedCall::Enrich { scope, .. } = &cassette.recording.call else {
                continue;
            };
            let Some(offered) = self.on_bench.manifest().scope(scope.as_str()) else {
                continue;
            };
            if verdicts(&offered.schema).is_empty() {
                continue;
            }
            for gap in gaps(name, &cassette.recording) {
                on_call();
                looked_at += 1;
                let CallOutcome::Gave(given) = self.with_gap(cassette, &gap.recording).await else {
                    continue;
                };
                for (verdict, source) in bare_verdicts(&offered.schema, &given, &gap.datasets) {
                    let why = format!("{verdict} is false although {source} was not read");
                    mistakes.push(Mistake::new(&gap.place, why));
                }
            }
        }
        Found::of(
            mistakes,
            looked_at,
            "calls with a source that was not read",
            "no scope with a verdict has a cassette",
        )
    }

    /// Replays a call; records that were not recorded count as absent.
    async fn with_gap(&self, cassette: &Cassette, recording: &Recording) -> CallOutcome {
        let mut replayer = cassette.replayer(self.on_bench.manifest(), recording);
        replayer.absent_records = true;
        self.replay(&recording.call, replayer).await.outcome
    }
}

/// The unchanged call, and variants with one gap each.
fn gaps(name: &str, recording: &Recording) -> Vec<Gap> {
    let plain = Gap {
        place: name.to_owned(),
        recording: recording.clone(),
        datasets: BTreeSet::new(),
    };
    let count = recording.exchanges.len();
    let mut failing: Vec<Vec<usize>> = (0..count.min(MAX_ANSWERS)).map(|one| vec![one]).collect();
    if count > 1 {
        failing.push((0..count).collect());
    }
    let of_answers = failing.into_iter().map(|numbers| {
        let mut recording = recording.clone();
        for number in &numbers {
            if let Some(exchange) = recording.exchanges.get_mut(*number) {
                let why = "the register does not answer (a fault of this test)".to_owned();
                exchange.answer = Err(RecordedFailure::Unavailable(why));
            }
        }
        let what = match numbers.as_slice() {
            [one] => format!("answer {} is unavailable", one + 1),
            _ => "no answer is available".to_owned(),
        };
        Gap {
            place: format!("{name}: {what}"),
            recording,
            datasets: BTreeSet::new(),
        }
    });
    let datasets = datasets(recording).into_iter().map(|dataset| Gap {
        place: format!("{name}: {dataset} was never imported"),
        recording: never_imported(recording, &dataset),
        datasets: BTreeSet::from([dataset]),
    });
    [plain]
        .into_iter()
        .chain(of_answers)
        .chain(datasets)
        .collect()
}

/// Datasets whose state the call requested and that were imported.
fn datasets(recording: &Recording) -> BTreeSet<String> {
    let states = recording.host_answers.iter();
    states
        .filter(|answer| answer.function == "records.state")
        .filter(|answer| answer.answer.pointer("/ok/off") == Some(&Value::Bool(false)))
        .filter_map(|answer| dataset_of(&answer.arguments))
        .collect()
}

fn dataset_of(arguments: &Value) -> Option<String> {
    arguments.get(0)?.as_str().map(str::to_owned)
}

/// The call with a dataset that has no records and was never imported.
fn never_imported(recording: &Recording, dataset: &str) -> Recording {
    let mut recording = recording.clone();
    for answer in &mut recording.host_answers {
        if dataset_of(&answer.arguments).as_deref() != Some(dataset) {
            continue;
        }
        if answer.function == "records.state" {
            answer.answer = json!({ "ok": {
                "imported_at": null, "list_date": null, "records": 0, "failure": null, "off": false, "details": [],
            } });
        } else if answer.function.starts_with("records.") {
            answer.answer = json!({ "ok": [] });
        }
    }
    recording
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({ "properties": {
            "is_debtor": { "type": ["boolean", "null"] },
            "listed": { "type": "boolean", "x-lustra-verdict": ["list"] },
            "is_person": { "type": "boolean", "x-lustra-verdict": [] },
            "has_note": { "type": "string" },
        } })
    }

    fn bare_of(section: &Value, unread: &Value, never: &[&str]) -> Vec<(String, String)> {
        let never = never.iter().map(|one| (*one).to_owned()).collect();
        let given = json!({ "section": section, "unread": unread });
        bare_verdicts(&schema(), &given, &never)
    }

    #[test]
    fn false_verdict_beside_unread_source_is_named() {
        let all = json!({ "is_debtor": false, "listed": false, "is_person": false });
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(bare_of(&all, &json!({}), &[]), []);
        assert_eq!(
            bare_of(&all, &json!({ "page": "unavailable: down" }), &[]),
            [pair("is_debtor", "page")]
        );
        assert_eq!(
            bare_of(&all, &json!({ "list": "never imported" }), &[]),
            [pair("is_debtor", "list"), pair("listed", "list")]
        );
        let off = json!({ "page": "off: switched off by the operator" });
        assert_eq!(bare_of(&all, &off, &[]), []);
        assert_eq!(
            bare_of(&all, &json!({}), &["list"]),
            [pair("is_debtor", "list"), pair("listed", "list")],
            "a dataset that is passed over in silence"
        );
        let unknown = json!({ "is_debtor": null, "listed": true });
        assert_eq!(bare_of(&unknown, &json!({ "list": "x" }), &["list"]), []);
    }

    #[test]
    fn never_imported_dataset_has_no_records() {
        let answer = |function: &str, arguments: Value, answer: Value| {
            lustra_sandbox::recording::HostAnswer {
                function: function.to_owned(),
                arguments,
                answer,
            }
        };
        let recording = Recording {
            call: RecordedCall::Import {
                dataset: "x".to_owned(),
                cursor: None,
            },
            now: time::OffsetDateTime::UNIX_EPOCH,
            exchanges: Vec::new(),
            host_answers: vec![
                answer(
                    "records.state",
                    json!(["a"]),
                    json!({ "ok": { "off": false } }),
                ),
                answer(
                    "records.state",
                    json!(["b"]),
                    json!({ "ok": { "off": true } }),
                ),
                answer(
                    "records.by-company",
                    json!(["a", "1"]),
                    json!({ "ok": [1] }),
                ),
                answer(
                    "records.by-company",
                    json!(["b", "1"]),
                    json!({ "ok": [2] }),
                ),
            ],
            outcome: CallOutcome::Gave(Value::Null),
        };
        assert_eq!(datasets(&recording), BTreeSet::from(["a".to_owned()]));
        let derived = never_imported(&recording, "a").host_answers;
        assert_eq!(derived[0].answer["ok"]["imported_at"], Value::Null);
        assert_eq!(derived[2].answer, json!({ "ok": [] }));
        assert_eq!(derived[3].answer, json!({ "ok": [2] }));
    }
}
