//! Every folder of `fixtures/` is a case: a page or a file, and the expected result. `UPDATE_FIXTURES=1` writes the
//! results; review the diff before you commit it.

use lustra_illegal_employment::list::Fines;
use lustra_illegal_employment::page;
use lustra_illegal_employment::settings::Columns;
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{Case, every_case, told};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use serde_json::{Map, Value, from_str, from_value, json};

#[test]
fn every_fixture_matches() {
    every_case(24, &["format", "columns"], |case| {
        read(&case.expected, &case.input).unwrap_or_else(|failure| told(&failure))
    });
}

fn read(expected: &Value, input: &[u8]) -> Result<Value, Failure> {
    let columns = expected.get("columns").cloned();
    let columns: Columns = from_value(columns.unwrap_or(json!({}))).unwrap();
    let (total, fines) = if expected["format"] == "page" {
        let text = decode_utf8_or_windows_1250(input);
        let page = page::read("page 1", &text, "Počet záznamov", &columns)?;
        (Some(page.total), page.fines)
    } else {
        (None, Fines::read("file", input, &columns)?)
    };
    let (items, notes) = fines.into_items("list")?;
    let items: Map<String, Value> = items
        .into_iter()
        .map(|item| {
            assert!(item.name.is_none(), "no names are kept");
            (item.key, from_str(&item.content).unwrap())
        })
        .collect();
    let notes: Map<String, Value> = notes
        .fields()
        .into_iter()
        .map(|note| (note.name, json!(note.value)))
        .collect();
    Ok(json!({ "total": total, "records": items, "notes": notes }))
}

#[test]
fn records_and_failures_contain_no_names() {
    for case in Case::all() {
        let told = match read(&case.expected, &case.input) {
            Ok(records) => records.to_string(),
            Err(failure) => told(&failure).to_string(),
        };
        for name in ["Vymyslený", "Vzorová", "Fiktívna"] {
            assert!(!told.contains(name), "{}: {told}", case.name);
        }
    }
}
