//! Requirements on successful calls and on calls with hostile keys.

use super::{Found, Mistake, Suite};
use crate::cassette::Cassette;
use crate::repeat::{repeat, replay};
use lustra_sandbox::CallFailure;
use lustra_sandbox::bindings::types::Failure;
use lustra_sandbox::limits::Limits;
use lustra_sandbox::manifest::KeyKind;
use lustra_sandbox::recording::{CallOutcome, RecordedCall, RecordedSubject, Recording, Replayer};
use lustra_sandbox::replay::Replayed;

/// Number of calls that must return the same.
const REPETITIONS: usize = 1_000;

const NO_CASSETTES: &str = "there are no cassettes";
const NO_LOOK_UPS: &str = "there is no cassette of a look-up";

/// Results of replaying the cassettes.
pub(super) struct Expected {
    pub(super) upstreams: Found,
    pub(super) outputs: Found,
    pub(super) repeated: Found,
    pub(super) limits: Found,
    pub(super) earlier: Found,
}

/// Keys that a connector must handle, each with a display name.
fn hostile() -> Vec<(&'static str, String)> {
    vec![
        ("an empty key", String::new()),
        ("a key of 1 MB", "9".repeat(1_000_000)),
        ("a key with NUL", "9999\u{0}9994".to_owned()),
        (
            "a key from right to left",
            "\u{202e}49999999\u{202c} \u{627}\u{628}".to_owned(),
        ),
        (
            "a key of SQL",
            "99999994' OR '1'='1'; DROP TABLE company;--".to_owned(),
        ),
        (
            "a key that leaves its path",
            "../../etc/passwd?x=1&y=%00#\r\nHost: x".to_owned(),
        ),
        ("a key of emoji", "👩‍👩‍👧‍👦\u{fffd}\u{feff}".to_owned()),
    ]
}

impl Suite<'_> {
    pub(super) async fn expected(
        &self,
        of_others: Vec<Mistake>,
        on_call: &mut (dyn FnMut() + Send),
    ) -> Expected {
        let version = &self.on_bench.manifest().version;
        let (mut upstreams, mut outputs, mut repeated) = (Vec::new(), of_others, Vec::new());
        let (mut limits, mut earlier, mut of_earlier) = (Vec::new(), Vec::new(), 0);
        for (name, cassette) in self.cassettes {
            let first = repeat(self.bench, self.on_bench, cassette).await;
            let again = repeat(self.bench, self.on_bench, cassette).await;
            on_call();
            let declared = &self.on_bench.manifest().upstreams;
            let asked = cassette.recording.exchanges.iter();
            let mut foreign: Vec<&String> = asked
                .map(|exchange| &exchange.question.upstream)
                .filter(|upstream| !declared.contains_key(*upstream))
                .collect();
            foreign.extend(&first.replayed.undeclared);
            foreign.dedup();
            let why = |upstream| {
                format!("it requests the upstream {upstream}, which the manifest does not declare")
            };
            upstreams.extend(
                foreign
                    .into_iter()
                    .map(|upstream| Mistake::new(name, why(upstream))),
            );
            let mut wrong = Vec::new();
            if let Some(failure @ CallFailure::Schema { .. }) = &first.replayed.failure {
                wrong.push(Mistake::new(name, failure.to_string()));
            } else if let Some(difference) = &first.difference {
                let why = shortened(difference) + &last_log_lines(&first.replayed);
                wrong.push(Mistake::new(name, why));
            }
            for what in &first.replayed.unmatched {
                wrong.push(Mistake::new(
                    name,
                    format!("it sends a request that was not recorded: {what}"),
                ));
            }
            if cassette.version != *version {
                of_earlier += 1;
                earlier.extend(wrong.iter().cloned());
            }
            outputs.extend(wrong);
            if text(&first.replayed.outcome) != text(&again.replayed.outcome) {
                repeated.push(Mistake::new(name, "the second call returns other bytes"));
            }
            limits.extend(self.over_half(name, cassette, &first.replayed));
        }
        let count = self.cassettes.len();
        Expected {
            upstreams: Found::of(upstreams, count, "cassettes", NO_CASSETTES),
            outputs: Found::of(outputs, count, "cassettes", NO_CASSETTES),
            repeated: Found::of(repeated, count, "cassettes", NO_CASSETTES),
            limits: Found::of(limits, count, "cassettes", NO_CASSETTES),
            earlier: Found::of(
                earlier,
                of_earlier,
                "cassettes",
                "no cassette is of another version than this one",
            ),
        }
    }

    /// The limits that a call used to more than half.
    fn over_half(&self, name: &str, cassette: &Cassette, replayed: &Replayed) -> Vec<Mistake> {
        let loaded = &self.on_bench.loaded;
        let limits: &Limits = match cassette.recording.call {
            RecordedCall::Import { .. } => &loaded.import_limits,
            RecordedCall::Enrich { .. } | RecordedCall::FetchCompany { .. } => {
                &loaded.lookup_limits
            }
        };
        let answers = cassette.recording.exchanges.iter();
        let bodies: Vec<u64> = answers
            .filter_map(|exchange| exchange.answer.as_ref().ok())
            .map(|answer| answer.body.len() as u64)
            .collect();
        let log: usize = replayed.log.iter().map(|(_, line)| line.len()).sum();
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let cost = &replayed.cost;
        [
            ("memory", cost.memory_high, limits.memory),
            ("CPU milliseconds", millis(cost.cpu), millis(limits.cpu)),
            ("requests", cost.requests, limits.requests),
            ("bytes of answers", bodies.iter().sum(), limits.bytes),
            (
                "bytes of one answer",
                bodies.iter().copied().max().unwrap_or(0),
                limits.body,
            ),
            (
                "lines in the log",
                replayed.log.len() as u64,
                limits.log_lines,
            ),
            ("bytes in the log", log as u64, limits.log_bytes),
        ]
        .into_iter()
        .filter(|(_, used, most)| *used > most / 2)
        .map(|(what, used, most)| {
            Mistake::new(name, format!("{what}: {used}, more than half of {most}"))
        })
        .collect()
    }

    pub(super) fn look_ups(&self) -> Vec<&(String, Cassette)> {
        let of_look_up = |(_, cassette): &&(String, Cassette)| {
            !matches!(cassette.recording.call, RecordedCall::Import { .. })
        };
        self.cassettes.iter().filter(of_look_up).collect()
    }

    pub(super) async fn many_calls(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let look_ups = self.look_ups();
        let mut mistakes = Vec::new();
        for (number, (name, cassette)) in look_ups.iter().cycle().take(REPETITIONS).enumerate() {
            let repeated = repeat(self.bench, self.on_bench, cassette).await;
            if number % 50 == 0 {
                on_call();
            }
            if !repeated.is_good() {
                mistakes.push(Mistake::new(
                    name,
                    format!("call {} returns another result than expected", number + 1),
                ));
                break;
            }
        }
        Found::of(
            mistakes,
            look_ups.len().min(1) * REPETITIONS,
            "calls",
            NO_LOOK_UPS,
        )
    }

    pub(super) async fn unknown_company(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let manifest = self.on_bench.manifest();
        let (mut mistakes, mut looked_at, mut missing) = (Vec::new(), 0, Vec::new());
        if manifest.company_source.is_some() {
            let is_unknown = |cassette: &Cassette| {
                matches!(cassette.recording.call, RecordedCall::FetchCompany { .. })
                    && cassette.recording.outcome == CallOutcome::Gave(serde_json::Value::Null)
            };
            let unknown = self
                .cassettes
                .iter()
                .filter(|(_, cassette)| is_unknown(cassette));
            match unknown.count() {
                0 => missing.push("a company that the register does not know".to_owned()),
                count => looked_at += count,
            }
        }
        for scope in &manifest.scopes {
            // If no call of the scope makes requests, it is made from records only, and the recording can be changed to
            // one without records.
            let mut of_scope = self.cassettes.iter().filter(|(_, cassette)| {
                let call = &cassette.recording.call;
                matches!(call, RecordedCall::Enrich { scope: of, .. } if *of == scope.scope)
            });
            let is_live = of_scope
                .clone()
                .any(|(_, cassette)| !cassette.recording.exchanges.is_empty());
            let of_scope = of_scope.next().filter(|_| !is_live);
            match of_scope {
                Some((name, cassette)) => {
                    looked_at += 1;
                    on_call();
                    let recording = without_records(&cassette.recording);
                    let mut replayer = cassette.replayer(manifest, &recording);
                    replayer.absent_records = true;
                    let replayed = self.replay(&recording.call, replayer).await;
                    if let Some(failure) = replayed.failure {
                        mistakes.push(Mistake::new(
                            name,
                            format!("of a company that is in no list: {failure}"),
                        ));
                    }
                }
                None => missing.push(format!("the scope {} of such a company", scope.scope)),
            }
        }
        let missing = missing.join(", ");
        match Found::of(mistakes, looked_at, "of them", "") {
            Found::Skipped { .. } => Found::skipped(if missing.is_empty() {
                "it provides neither companies nor sections".to_owned()
            } else {
                format!("there is no cassette of {missing}")
            }),
            Found::Passed { how } if !missing.is_empty() => Found::passed(format!(
                "{how}; not checked, because there is no cassette of it: {missing}"
            )),
            found @ (Found::Passed { .. } | Found::Failed { .. }) => found,
        }
    }

    pub(super) async fn hostile_keys(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let manifest = self.on_bench.manifest();
        let mut calls = Vec::new();
        for (name, key) in hostile() {
            for kind in manifest
                .company_source
                .iter()
                .flat_map(|source| &source.keys)
            {
                let kind = match kind {
                    KeyKind::Ico => "ico",
                    KeyKind::RegisterId => "register-id",
                };
                let call = RecordedCall::FetchCompany {
                    key: kind.to_owned(),
                    value: key.clone(),
                };
                calls.push((format!("{name} as {kind}"), call));
            }
            for scope in &manifest.scopes {
                let call = RecordedCall::Enrich {
                    scope: scope.scope.clone(),
                    subject: subject(&key),
                };
                calls.push((format!("{name} for {}", scope.scope), call));
            }
            for dataset in &manifest.datasets {
                let call = RecordedCall::Import {
                    dataset: dataset.id.clone(),
                    cursor: Some(key.clone()),
                };
                calls.push((format!("{name} as cursor of {}", dataset.id), call));
            }
        }
        let count = calls.len();
        let mut mistakes = Vec::new();
        for (name, call) in calls {
            on_call();
            let nothing = Recording {
                call: call.clone(),
                now: self.bench.services.clock.now(),
                exchanges: Vec::new(),
                host_answers: Vec::new(),
                outcome: CallOutcome::Gave(serde_json::Value::Null),
            };
            let mut replayer = Replayer::new(&nothing);
            replayer.absent_records = true;
            let replayed = self.replay(&call, replayer).await;
            match replayed.failure {
                None | Some(CallFailure::Failed(_)) => {}
                Some(failure) => mistakes.push(Mistake::new(name, failure.to_string())),
            }
        }
        Found::of(mistakes, count, "calls", "it offers nothing to request")
    }

    pub(super) async fn replay(&self, call: &RecordedCall, replayer: Replayer) -> Replayed {
        let loaded = &self.on_bench.loaded;
        loaded
            .replay_with(&self.bench.services, call, replayer)
            .await
    }

    pub(super) async fn derived(&self, cassette: &Cassette, recording: &Recording) -> Replayed {
        replay(self.bench, self.on_bench, cassette, recording, None).await
    }
}

/// Whether a failure is a valid reaction to a malformed answer.
pub(super) fn is_of_form(failure: &CallFailure) -> bool {
    matches!(
        failure,
        CallFailure::Failed(Failure::Malformed(_) | Failure::Unavailable(_) | Failure::Refused(_))
    )
}

fn without_records(recording: &Recording) -> Recording {
    let mut recording = recording.clone();
    recording
        .host_answers
        .retain(|answer| answer.function == "records.state");
    if let RecordedCall::Enrich { subject: of, .. } = &mut recording.call {
        *of = subject("00000000");
    }
    recording
}

fn subject(key: &str) -> RecordedSubject {
    RecordedSubject {
        ico: key.to_owned(),
        name: key.to_owned(),
        city: Some(key.to_owned()),
        postal_code: Some(key.to_owned()),
        nace_code: None,
        facts: Vec::new(),
        company: serde_json::json!({ "ico": key, "name": key }).to_string(),
        previous: None,
    }
}

fn text(outcome: &CallOutcome) -> String {
    serde_json::to_string(outcome).unwrap_or_default()
}

/// The guest's last log lines, if the call failed: for example, an interpreter's traceback.
fn last_log_lines(replayed: &Replayed) -> String {
    const LINES: usize = 20;
    if replayed.failure.is_none() {
        return String::new();
    }
    let skipped = replayed.log.len().saturating_sub(LINES);
    let lines = replayed.log.iter().skip(skipped);
    lines
        .map(|(level, line)| format!("\n          log {level}: {line}"))
        .collect()
}

fn shortened(difference: &str) -> String {
    const LINES: usize = 12;
    let lines: Vec<&str> = difference.lines().take(LINES).collect();
    let more = difference.lines().count().saturating_sub(LINES);
    let rest = if more > 0 {
        format!("\n          … and {more} more lines")
    } else {
        String::new()
    };
    format!(
        "- expected, + actual\n          {}{rest}",
        lines.join("\n          ")
    )
}
