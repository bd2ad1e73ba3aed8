//! Every folder of `fixtures/` is a case: a first page of the mirror, and the expected result. Those starting
//! with `entries-` belong to the table of register entries.

use std::collections::BTreeMap;

use lustra_commercial_bulletin::feed;
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, from_slice, from_str, json};
use lustra_sdk::testing::Answer;
use lustra_sdk::testing::fixtures::{every_case, failed};

use super::world::{ENTRIES, NOTICES, batches, behind, first, host};

#[test]
fn every_fixture_matches() {
    every_case(36, &[], |case| {
        let dataset = if case.name.starts_with("entries-") {
            ENTRIES
        } else {
            NOTICES
        };
        read(dataset, &case.input)
    });
}

fn read(dataset: &str, input: &[u8]) -> Value {
    let mut host = host().answer(feed::UPSTREAM, &first(dataset), Answer::ok(input));
    if let Ok(rows) = from_slice::<Vec<Value>>(input)
        && rows
            .last()
            .is_some_and(|last| last["updated_at"].is_string())
    {
        host = host.answer(feed::UPSTREAM, &behind(dataset, &rows), Answer::ok("[]"));
    }
    host.install();
    let batches = match batches(dataset, None) {
        Ok(batches) => batches,
        Err(failure) => return of_failure(&failure),
    };
    let mut notes = BTreeMap::new();
    let mut items = Vec::new();
    for batch in batches {
        notes.extend(batch.notes.into_iter().map(|note| (note.name, note.value)));
        for item in batch.items {
            let content: Value = from_str(&item.content).unwrap();
            items.push(if item.removed {
                json!({"key": item.key, "ico": item.ico, "removed": true})
            } else {
                json!({"key": item.key, "ico": item.ico, "content": content})
            });
        }
    }
    json!({"items": items, "notes": notes})
}

fn of_failure(failure: &Failure) -> Value {
    let mut found = failed(failure);
    if let Failure::Malformed(drift) = failure {
        found["expected"] = json!(drift.expected);
        found["found"] = json!(drift.found);
    }
    found
}
