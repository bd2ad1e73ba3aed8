//! Every folder of `fixtures/` is a case: the input, and the expected result. `UPDATE_FIXTURES=1` writes the results;
//! review the diff before you commit it.

use lustra_sanctions::dataset::Dataset;
use lustra_sanctions::settings::MAX_ODD_SHARE;
use lustra_sanctions::{eu, ofac};
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use lustra_sdk::testing::samples;
use serde_json::{Map, Value, json};

#[test]
fn every_fixture_matches() {
    every_case(30, &["format"], |case| {
        let format = case.expected["format"].as_str().unwrap();
        read(format, &case.input).unwrap_or_else(|failure| of_failure(&failure))
    });
}

fn read(format: &str, input: &[u8]) -> Result<Value, Failure> {
    let list = match Dataset::of(format).unwrap() {
        Dataset::EuFsf => eu::read(input, MAX_ODD_SHARE)?,
        Dataset::OfacSdn | Dataset::OfacConsolidated => ofac::read(input, MAX_ODD_SHARE)?,
    };
    let notes = list.notes.fields().into_iter();
    let notes: Map<String, Value> = notes.map(|note| (note.name, json!(note.value))).collect();
    Ok(json!({ "entries": list.entries, "date": list.date, "notes": notes }))
}

fn of_failure(failure: &Failure) -> Value {
    let mut found = failed(failure);
    if let Failure::Malformed(drift) = failure {
        found["expected"] = json!(drift.expected);
        found["found"] = json!(drift.found);
    }
    found
}

#[test]
fn truncated_list_is_refused() {
    for (case, format) in [("eu-ordinary", "eu-fsf"), ("ofac-ordinary", "ofac-sdn")] {
        let whole = Case::of(case);
        let whole = whole.text().trim_end();
        for length in (0..whole.len()).filter(|length| whole.is_char_boundary(*length)) {
            let cut = read(format, &whole.as_bytes()[..length]);
            assert!(cut.is_err(), "{case} cut at {length} is taken for whole");
        }
    }
}

#[test]
fn recorded_lists_are_read() {
    for file in samples("eu-fsf", ".xml") {
        let list = eu::read(std::fs::read(&file).unwrap().as_slice(), MAX_ODD_SHARE).unwrap();
        assert!(list.entries.len() >= 5, "{}", file.display());
        assert!(list.entries.iter().all(|entry| entry.listed_on.is_some()));
    }
    for file in samples("ofac", ".xml") {
        // The file is a part of a list and says so.
        let failure = ofac::read(std::fs::read(&file).unwrap().as_slice(), MAX_ODD_SHARE).err();
        assert!(
            matches!(&failure, Some(Failure::Malformed(drift)) if drift.expected == "375 entries"),
            "{failure:?}"
        );
    }
}
