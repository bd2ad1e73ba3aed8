//! Every folder of `fixtures/` is a case: the input, and the expected result.

use std::collections::BTreeMap;

use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::tax_lists::{ListRun, ListSettings};
use lustra_sdk::testing::TestHost;
use lustra_sdk::testing::fixtures::{every_case, failed};
use lustra_sdk::{Failure, ImportRun};
use lustra_tax_lists::catalogue;
use lustra_tax_lists::dataset::Dataset;

#[test]
fn every_fixture_matches() {
    // A case has few rows, most of them odd.
    TestHost::new()
        .setting("max_odd_percent", &json!(100))
        .install();
    every_case(29, &["format"], |case| {
        let format = case.expected["format"].as_str().unwrap();
        let read = match format {
            "lists" => catalogue(&case.input),
            dataset => list(Dataset::of(dataset).unwrap(), &case.input),
        };
        read.unwrap_or_else(|failure| failed(&failure))
    });
}

fn catalogue(input: &[u8]) -> Result<Value, Failure> {
    let catalogue = catalogue::read(std::str::from_utf8(input).unwrap())?;
    let lists: Vec<Value> = catalogue
        .lists
        .iter()
        .map(|list| json!({"name": list.name, "slug": list.slug}))
        .collect();
    Ok(json!({ "lists": lists }))
}

fn list(dataset: Dataset, input: &[u8]) -> Result<Value, Failure> {
    let mut list = ListSettings::default_of(dataset);
    if list.slug.is_empty() {
        "ds_found".clone_into(&mut list.slug);
    }
    let mut run = ListRun::open(dataset, list, input, None)?;
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
