//! Every folder of `fixtures/` is a case: the input, and the expected result. `UPDATE_FIXTURES=1` writes the results;
//! review the diff before you commit it.

use lustra_nbs::agents::{self, AgentsColumns};
use lustra_nbs::dataset::Dataset;
use lustra_nbs::settings::Psd2Members;
use lustra_nbs::{institutions, psd2};
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use lustra_sdk::{Failure, Notes};
use serde_json::{Map, Value, from_value, json};

#[test]
fn every_fixture_matches() {
    every_case(35, &["format", "members"], |case| {
        read(&case.expected, &case.input).unwrap_or_else(|failure| of_failure(&failure))
    });
}

fn read(expected: &Value, input: &[u8]) -> Result<Value, Failure> {
    let text = || str::from_utf8(input).unwrap();
    match Dataset::of(expected["format"].as_str().unwrap()).unwrap() {
        Dataset::Institutions => {
            let list = institutions::read(text())?;
            let subjects = list.entries.iter().map(|(identity, subject)| {
                let mut subject = json!(subject);
                subject["entity_id"] = json!(identity.entity_id(0));
                subject
            });
            Ok(json!({ "subjects": subjects.collect::<Vec<_>>(), "notes": counted(&list.notes) }))
        }
        Dataset::Psd2Services => {
            let members = expected.get("members").cloned();
            let members: Psd2Members = from_value(members.unwrap_or(json!({}))).unwrap();
            let list = psd2::read(text(), &members)?;
            Ok(json!({ "licences": list.entries, "notes": counted(&list.notes) }))
        }
        Dataset::Agents => {
            // The lists are short, so that one odd row is a large share of them.
            let host = TestHost::new().setting("max_odd_percent", &json!(75));
            host.install();
            let (items, notes) = agents::read(input, &AgentsColumns::default())?;
            let records = items.into_iter().map(|item| {
                let content: Value = serde_json::from_str(&item.content).unwrap();
                (item.key, json!({ "ico": item.ico, "content": content }))
            });
            Ok(json!({ "records": records.collect::<Map<_, _>>(), "notes": counted(&notes) }))
        }
    }
}

fn counted(notes: &Notes) -> Map<String, Value> {
    let fields = notes.fields().into_iter();
    fields.map(|note| (note.name, json!(note.value))).collect()
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
            let cut = read(&json!({ "format": format }), &whole.as_bytes()[..length]);
            assert!(cut.is_err(), "{case} cut at {length} is taken for whole");
        }
    }
}
