//! Every folder of `fixtures/` is a case: the input, and the expected result. `UPDATE_FIXTURES=1` writes the results;
//! review the diff before you commit it.

use lustra_nbs::dataset::Dataset;
use lustra_nbs::settings::Psd2Members;
use lustra_nbs::{institutions, psd2};
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use serde_json::{Map, Value, from_value, json};

#[test]
fn every_fixture_matches() {
    every_case(31, &["format", "members"], |case| {
        read(&case.expected, case.text()).unwrap_or_else(|failure| of_failure(&failure))
    });
}

fn read(expected: &Value, input: &str) -> Result<Value, Failure> {
    let list = match Dataset::of(expected["format"].as_str().unwrap()).unwrap() {
        Dataset::Institutions => institutions::read(input)?,
        Dataset::Psd2Services => {
            let members = expected.get("members").cloned();
            let members: Psd2Members = from_value(members.unwrap_or(json!({}))).unwrap();
            psd2::read(input, &members)?
        }
    };
    let notes: Map<String, Value> = list
        .notes
        .fields()
        .into_iter()
        .map(|note| (note.name, json!(note.value)))
        .collect();
    Ok(json!({ "licences": list.licences, "notes": notes }))
}

fn of_failure(failure: &Failure) -> Value {
    let mut found = failed(failure);
    if let Failure::Malformed(drift) = failure {
        found["expected"] = json!(drift.expected);
        found["found"] = json!(drift.found);
    }
    if let Failure::Unavailable(why) = failure {
        found["why"] = json!(why);
    }
    found
}

#[test]
fn a_list_cut_anywhere_is_refused() {
    for (case, format) in [
        ("institutions-odd-ids", "institutions"),
        ("psd2-ordinary", "psd2-services"),
    ] {
        let whole = Case::of(case);
        let whole = whole.text().trim_end();
        for length in (0..whole.len()).filter(|length| whole.is_char_boundary(*length)) {
            let cut = read(&json!({ "format": format }), &whole[..length]);
            assert!(cut.is_err(), "{case} cut at {length} is taken for whole");
        }
    }
}
