//! Every folder of `fixtures/` is a case: a list, and the expected result. `UPDATE_FIXTURES=1` writes the results;
//! review the diff before you commit it.

use lustra_food_establishments::list::Establishments;
use lustra_food_establishments::settings::Columns;
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{Case, every_case, told};
use serde_json::{Map, Value, from_value, json};

#[test]
fn every_fixture_matches() {
    every_case(21, &["section", "columns"], |case| {
        read(&case.expected, &case.input).unwrap_or_else(|failure| told(&failure))
    });
}

fn read(expected: &Value, input: &[u8]) -> Result<Value, Failure> {
    let columns = expected.get("columns").cloned();
    let columns: Columns = from_value(columns.unwrap_or(json!({}))).unwrap();
    let mut all = Establishments::default();
    all.take("list", input, expected["section"].as_str(), &columns)?;
    let notes: Map<String, Value> = all
        .notes
        .fields()
        .into_iter()
        .map(|note| (note.name, json!(note.value)))
        .collect();
    Ok(json!({ "establishments": all.by_key, "notes": notes }))
}

#[test]
fn no_failure_quotes_a_cell() {
    for case in Case::all() {
        if let Err(failure) = read(&case.expected, &case.input) {
            let told = told(&failure).to_string();
            for cell in ["Vzor", "Bitúnok", "Fiktívny", "Nitra"] {
                assert!(!told.contains(cell), "{}: {told}", case.name);
            }
        }
    }
}
