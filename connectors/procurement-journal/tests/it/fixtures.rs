//! Every folder of `fixtures/` is a case: the input, and the expected result. `UPDATE_FIXTURES=1` writes the results;
//! review the diff before you commit it.

use std::collections::BTreeMap;

use lustra_procurement_journal::cursor::IssueNumber;
use lustra_procurement_journal::pending::Pending;
use lustra_procurement_journal::settings::Settings;
use lustra_procurement_journal::{issue, listing};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Map, Value, from_str, json};
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::{every_case, told};

#[test]
fn every_fixture_matches() {
    TestHost::new().install();
    every_case(42, &["format"], |case| {
        let format = case.expected["format"].as_str().unwrap();
        read(format, case.input.clone()).unwrap_or_else(|failure| told(&failure))
    });
}

fn read(format: &str, input: Vec<u8>) -> Result<Value, Failure> {
    if format == "search" {
        let page = listing::read(&String::from_utf8(input).unwrap())?;
        let issues: Vec<Value> = page
            .issues
            .iter()
            .map(|(issue, url)| json!({ "issue": issue.to_string(), "url": url }))
            .collect();
        return Ok(json!({ "issues": issues, "datasets": page.datasets, "other": page.other }));
    }
    let number = IssueNumber {
        year: 2026,
        number: 23,
    };
    let text = issue::text_of(number, input)?;
    let issue = issue::read(number, &text)?;
    let settings = Settings::read()?;
    let mut pending = Pending::default();
    for (place, item) in issue.items.iter().enumerate() {
        pending.add(&issue, place, item, &settings)?;
    }
    pending.check(&issue, true)?;
    let (items, notes) = pending.finish();
    let items: Vec<Value> = items
        .iter()
        .map(|item| {
            let mut shown = Map::new();
            shown.insert("key".to_owned(), json!(item.key));
            shown.insert("ico".to_owned(), json!(item.ico));
            if item.removed {
                shown.insert("removed".to_owned(), json!(true));
            } else {
                shown.insert("content".to_owned(), from_str(&item.content).unwrap());
            }
            Value::Object(shown)
        })
        .collect();
    let notes: BTreeMap<String, String> = notes
        .fields()
        .into_iter()
        .map(|field| (field.name, field.value))
        .collect();
    Ok(json!({ "published_at": issue.published_at, "items": items, "notes": notes }))
}
