//! Every folder of `fixtures/` is a case: the input and the expected result.

use std::collections::BTreeMap;

use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::{every_case, failed};
use lustra_sdk::{Failure, ImportRun};
use lustra_tax_authority::api;
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::lists::run::ListRun;
use lustra_tax_authority::settings::ListSettings;
use lustra_tax_authority::vies::{self, Verdict};

#[test]
fn every_fixture_matches() {
    // A case has few rows, most of them odd.
    TestHost::new()
        .setting("max_odd_percent", &json!(100))
        .install();
    every_case(31, &["format", "number"], |case| {
        let format = case.expected["format"].as_str().unwrap();
        read(format, &case.expected, &case.input)
            .unwrap_or_else(|failure| of_failure(&failure, &case.expected))
    });
}

fn read(format: &str, expected: &Value, input: &[u8]) -> Result<Value, Failure> {
    let text = || String::from_utf8(input.to_vec()).unwrap();
    match format {
        "vies" => {
            let verdict = vies::read_answer(expected["number"].as_str().unwrap(), &text())?;
            Ok(match verdict {
                Verdict::Valid => json!({"verdict": "valid"}),
                Verdict::Invalid => json!({"verdict": "invalid"}),
                Verdict::Unknown(code) => json!({"verdict": "unknown", "code": code}),
            })
        }
        "fs-api" => {
            let page = api::read_page(&text(), "ICO")?;
            Ok(json!({"pages": page.pages, "rows": page.rows}))
        }
        "fs-api-404" => api::read_miss(&text(), "ds_dphs").map(|()| json!({"miss": true})),
        dataset => list(Dataset::of(dataset).unwrap(), input),
    }
}

fn list(dataset: Dataset, input: &[u8]) -> Result<Value, Failure> {
    let mut run = ListRun::open(dataset, ListSettings::default_of(dataset), input, None)?;
    let (mut items, mut notes, mut list_date) = (Vec::new(), BTreeMap::new(), None);
    while let Some(batch) = run.next()? {
        notes.extend(batch.notes.into_iter().map(|note| (note.name, note.value)));
        list_date = batch.list_date;
        for item in batch.items {
            let content: Value = from_str(&item.content).unwrap();
            items.push(json!({"key": item.key, "ico": item.ico, "content": content}));
        }
    }
    Ok(json!({"list_date": list_date, "items": items, "notes": notes}))
}

/// A failure in the form of the expected result. The place is compared if the case names one.
fn of_failure(failure: &Failure, expected: &Value) -> Value {
    let mut found = failed(failure);
    if let (Some(found), None) = (found.as_object_mut(), expected.get("what")) {
        found.remove("what");
    }
    found
}
