//! Requirements on imports: empty answers, resuming at a cursor, and stable keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::calls::is_of_form;
use super::{Found, Mistake, Suite};
use crate::cassette::Cassette;
use lustra_sandbox::CallFailure;
use lustra_sandbox::manifest::DatasetKind;
use lustra_sandbox::recording::forms::{company_json, item_json};
use lustra_sandbox::recording::{CallOutcome, RecordedCall, RecordingMode};
use lustra_sandbox::replay::MAX_BATCHES;

const NO_IMPORTS: &str = "there is no cassette of an import";

/// Most cursors at which a run is resumed.
const MAX_RESUMED: usize = 40;

/// Smallest list that is conclusive: if none of its entries is in the next list, its keys are not stable.
const MIN_CONCLUSIVE: usize = 10;

/// A batch: its content, and the cursor of the next one.
struct Step {
    records: Vec<String>,
    cursor: String,
}

impl Suite<'_> {
    /// Cassettes of successful imports, with their datasets.
    pub(super) fn imports(&self) -> impl Iterator<Item = (&String, &Cassette, &String)> {
        self.cassettes.iter().filter_map(|(name, cassette)| {
            let RecordedCall::Import { dataset, .. } = &cassette.recording.call else {
                return None;
            };
            let gave = matches!(cassette.recording.outcome, CallOutcome::Gave(_));
            gave.then_some((name, cassette, dataset))
        })
    }

    pub(super) async fn empty_lists(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let (mut mistakes, mut count) = (Vec::new(), 0);
        for (name, cassette, dataset) in self.imports() {
            let may_be_empty = self
                .on_bench
                .manifest()
                .dataset(dataset)
                .is_some_and(|dataset| dataset.may_be_empty);
            if may_be_empty {
                continue;
            }
            count += 1;
            if let CallOutcome::Gave(value) = &cassette.recording.outcome
                && is_empty(value)
            {
                mistakes.push(Mistake::new(
                    name,
                    "the list is empty, and the manifest does not say may_be_empty",
                ));
            }
            for number in 0..cassette.recording.exchanges.len() {
                let mut derived = cassette.recording.clone();
                let Some(Ok(answer)) = derived
                    .exchanges
                    .get_mut(number)
                    .map(|one| one.answer.as_mut())
                else {
                    continue;
                };
                answer.body.clear();
                on_call();
                let replayed = self.derived(cassette, &derived).await;
                let why = match (&replayed.failure, &replayed.outcome) {
                    (Some(failure), _) if is_of_form(failure) => continue,
                    (Some(failure), _) => format!("the failure is {failure}"),
                    (None, CallOutcome::Gave(value)) if is_empty(value) => {
                        "it is taken for an empty list".to_owned()
                    }
                    (None, _) => continue,
                };
                mistakes.push(Mistake::new(
                    format!("{name}: empty body at answer {}", number + 1),
                    why,
                ));
            }
        }
        let missing = if self.imports().next().is_some() {
            "every list that was recorded may be empty"
        } else {
            NO_IMPORTS
        };
        Found::of(mistakes, count, "imports", missing)
    }

    pub(super) async fn resumed(&self, on_call: &mut (dyn FnMut() + Send)) -> Found {
        let (mut mistakes, mut count) = (Vec::new(), 0);
        for (name, cassette, dataset) in self.imports() {
            let begin = match &cassette.recording.call {
                RecordedCall::Import { cursor, .. } => cursor.as_deref(),
                RecordedCall::Enrich { .. } | RecordedCall::FetchCompany { .. } => None,
            };
            let whole = match self.steps(cassette, dataset, begin).await {
                Ok(whole) => whole,
                Err(failure) => {
                    mistakes.push(Mistake::new(name, failure.to_string()));
                    continue;
                }
            };
            let mut all: Vec<&String> = whole.iter().flat_map(|step| &step.records).collect();
            all.sort();
            let stride = whole.len().div_ceil(MAX_RESUMED).max(1);
            for number in (0..whole.len()).step_by(stride) {
                let Some(at) = whole.get(number) else {
                    continue;
                };
                on_call();
                count += 1;
                let place = format!("{name}: after batch {} of {}", number + 1, whole.len());
                let rest = match self.steps(cassette, dataset, Some(&at.cursor)).await {
                    Ok(rest) => rest,
                    Err(failure) => {
                        mistakes.push(Mistake::new(place, failure.to_string()));
                        continue;
                    }
                };
                let before = whole.iter().take(number + 1);
                let mut together: Vec<&String> =
                    before.chain(&rest).flat_map(|step| &step.records).collect();
                together.sort();
                if together != all {
                    let why = format!("{} records in place of {}", together.len(), all.len());
                    let why = if together.len() == all.len() {
                        "other records".to_owned()
                    } else {
                        why
                    };
                    mistakes.push(Mistake::new(
                        place,
                        format!("the run that goes on there gives {why}"),
                    ));
                }
            }
        }
        Found::of(mistakes, count, "places to go on at", NO_IMPORTS)
    }

    /// Runs an import and returns its batches.
    async fn steps(
        &self,
        cassette: &Cassette,
        dataset: &str,
        cursor: Option<&str>,
    ) -> Result<Vec<Step>, CallFailure> {
        let replayer = cassette.replayer(self.on_bench.manifest(), &cassette.recording);
        let opened = self.on_bench.loaded.open_recorded(
            &self.bench.services,
            dataset,
            cursor,
            RecordingMode::Replay(replayer),
        );
        let mut run = opened.await.map_err(|(failure, _)| failure)?;
        let mut steps = Vec::new();
        while steps.len() < MAX_BATCHES {
            let Some(batch) = run.next().await? else {
                break;
            };
            let items = batch.items.iter().map(|item| item_json(item).to_string());
            let companies = batch
                .companies
                .iter()
                .map(|company| company_json(company).to_string());
            steps.push(Step {
                records: items.chain(companies).collect(),
                cursor: batch.cursor,
            });
        }
        Ok(steps)
    }

    /// Keys must identify entries and not positions: an entry in the lists of two days has the same key in both.
    pub(super) fn two_days(&self) -> Found {
        let mut by_dataset: BTreeMap<&str, Vec<(&String, &Cassette)>> = BTreeMap::new();
        for (name, cassette, dataset) in self.imports() {
            let manifest = self.on_bench.manifest().dataset(dataset);
            if manifest.is_some_and(|dataset| dataset.kind == DatasetKind::Snapshot) {
                by_dataset
                    .entry(dataset)
                    .or_default()
                    .push((name, cassette));
            }
        }
        let (mut mistakes, mut summary, mut single) = (Vec::new(), Vec::new(), Vec::new());
        for (dataset, mut cassettes) in by_dataset {
            cassettes.sort_by_key(|(_, cassette)| cassette.recording.now);
            for (name, cassette) in &cassettes {
                mistakes.extend(twice(name, cassette));
            }
            let ([.., before, after], [_, ..]) = (cassettes.as_slice(), cassettes.as_slice())
            else {
                single.push(dataset);
                continue;
            };
            let (old, new) = (entries(before.1), entries(after.1));
            let key_of: BTreeMap<&String, &String> =
                old.iter().map(|(key, entry)| (entry, key)).collect();
            for (key, entry) in &new {
                if let Some(other) = key_of.get(entry)
                    && *other != key
                    && !old.contains_key(key)
                {
                    mistakes.push(Mistake::new(
                        after.0,
                        format!(
                            "an entry that had the key {other:?} in {} has {key:?} here",
                            before.0
                        ),
                    ));
                }
            }
            let removed = old.keys().filter(|key| !new.contains_key(*key)).count();
            let added = new.keys().filter(|key| !old.contains_key(*key)).count();
            let changed = new
                .iter()
                .filter(|(key, entry)| old.get(*key).is_some_and(|before| before != *entry))
                .count();
            // In a short list, all entries may really have been removed.
            if removed == old.len() && old.len() >= MIN_CONCLUSIVE {
                mistakes.push(Mistake::new(
                    after.0,
                    format!("it has no key of {}", before.0),
                ));
            }
            summary.push(format!(
                "{dataset}: {added} added, {removed} removed, {changed} changed"
            ));
        }
        if !mistakes.is_empty() {
            Found::Failed { mistakes }
        } else if summary.is_empty() {
            Found::skipped("no snapshot has cassettes of two days")
        } else if single.is_empty() {
            Found::passed(summary.join("; "))
        } else {
            Found::passed(format!(
                "{}; of one day only, so not looked at: {}",
                summary.join("; "),
                single.join(", ")
            ))
        }
    }
}

fn is_empty(value: &Value) -> bool {
    ["records", "companies"].iter().all(|name| {
        let records = value.get(*name).and_then(Value::as_array);
        records.is_none_or(Vec::is_empty)
    })
}

fn records(cassette: &Cassette) -> &[Value] {
    let CallOutcome::Gave(value) = &cassette.recording.outcome else {
        return &[];
    };
    let records = value.get("records").and_then(Value::as_array);
    records.map(Vec::as_slice).unwrap_or_default()
}

fn key(record: &Value) -> String {
    record
        .get("key")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Entries of a list by key.
fn entries(cassette: &Cassette) -> BTreeMap<String, String> {
    let entry = |record: &Value| {
        let mut entry = record.clone();
        if let Some(members) = entry.as_object_mut() {
            members.remove("key");
        }
        entry.to_string()
    };
    records(cassette)
        .iter()
        .map(|record| (key(record), entry(record)))
        .collect()
}

/// Finds duplicate keys in a list.
fn twice(name: &str, cassette: &Cassette) -> Vec<Mistake> {
    let mut seen = BTreeSet::new();
    records(cassette)
        .iter()
        .map(key)
        .filter(|key| !seen.insert(key.clone()))
        .map(|key| Mistake::new(name, format!("the key {key:?} is there twice")))
        .collect()
}
