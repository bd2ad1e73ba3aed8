//! Every folder of `fixtures/` is a case: a first page of the mirror, and what must come of it. Those that begin with
//! `entries-` are of the table of register entries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lustra_commercial_bulletin::feed;
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, from_slice, from_str, json, to_string_pretty};
use lustra_sdk::testing::Answer;

use super::world::{ENTRIES, NOTICES, batches, behind, first, host};

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let dataset = if name.starts_with("entries-") {
            ENTRIES
        } else {
            NOTICES
        };
        let found = read(dataset, &fs::read(case.join("input.json")).unwrap());
        let expected = case.join("expected.json");
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&expected, to_string_pretty(&found).unwrap() + "\n").unwrap();
        }
        let expected: Value = from_slice(&fs::read(expected).unwrap()).unwrap();
        assert_eq!(found, expected, "the case {}", case.display());
        cases += 1;
    }
    assert!(cases > 35, "only {cases} cases were found");
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
    match failure {
        Failure::Unavailable(_) => json!({"failure": "unavailable"}),
        Failure::Malformed(drift) => json!({
            "failure": "malformed", "what": drift.what, "expected": drift.expected, "found": drift.found,
        }),
        Failure::Misconfigured(_)
        | Failure::Throttled(_)
        | Failure::Refused(_)
        | Failure::Other(_) => json!({"failure": "another"}),
    }
}
