//! Every folder of `fixtures/` is a case: a day's file or a company's contracts, and the expected result.
//! `UPDATE_FIXTURES=1` writes the results.

use std::collections::BTreeMap;

use lustra_crz::contract::Summed;
use lustra_crz::export::DayFile;
use lustra_crz::section::{Imported, Summary};
use lustra_crz::settings::Settings;
use lustra_sdk::Failure;
use lustra_sdk::records::Stored;
use lustra_sdk::serde_json::{Value, from_slice, from_str, json, to_value};
use lustra_sdk::testing::fixtures::{every_case, told};

#[test]
fn every_fixture_matches() {
    every_case(46, &[], |case| {
        let found = if case.name.starts_with("section-") {
            section(&case.input)
        } else {
            day(&case.input)
        };
        found.unwrap_or_else(|failure| told(&failure))
    });
}

fn day(input: &[u8]) -> Result<Value, Failure> {
    let settings = Settings::default();
    let Some(mut file) = DayFile::open("2026-03-02", input)? else {
        return Ok(json!({ "bytes": 0 }));
    };
    let (mut contracts, mut notes) = (Vec::new(), BTreeMap::<&str, u64>::new());
    while let Some(read) = file.next_contract(&settings)? {
        for oddity in &read.oddities {
            *notes.entry(oddity).or_default() += 1;
        }
        let kept = to_value(&read.contract).unwrap();
        let text = kept.to_string();
        let summed: Summed = from_str(&text).unwrap();
        let standing = summed.status(&settings);
        contracts.push(json!({
            "id": read.id,
            "supplier": read.supplier,
            "changed": read.changed,
            "kept": kept,
            "standing": standing.map(|standing| format!("{standing:?}")),
        }));
    }
    Ok(json!({ "contracts": contracts, "notes": notes }))
}

fn section(input: &[u8]) -> Result<Value, Failure> {
    let contracts: Vec<(String, Value)> = from_slice(input).unwrap();
    let imported = Imported {
        since: Some("2011-01-01".to_owned()),
        until: "2026-01-14".to_owned(),
    };
    let (mut summary, settings) = (Summary::default(), Settings::default());
    for (key, content) in contracts {
        let stored = Stored {
            key,
            ico: None,
            name: None,
            city: None,
            postal_code: None,
            content: content.to_string(),
        };
        summary.add(stored, &settings)?;
    }
    summary.content(&imported, &[], &settings)
}
