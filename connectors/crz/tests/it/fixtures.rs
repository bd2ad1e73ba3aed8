//! Every folder of `fixtures/` is a case: a day's file or a company's contracts, and what must come out of it.
//! `UPDATE_FIXTURES=1` writes what comes out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lustra_crz::contract::Contract;
use lustra_crz::export::DayFile;
use lustra_crz::section::{self, Imported};
use lustra_crz::settings::Settings;
use lustra_sdk::serde_json::{Value, from_slice, json, to_string_pretty, to_value};
use lustra_sdk::{Failure, failure};

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let is_updated = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let found = if name.starts_with("section-") {
            section(&fs::read(case.join("input.json")).unwrap())
        } else {
            day(&fs::read(case.join("input.xml")).unwrap())
        };
        let found = found.unwrap_or_else(|failure| json!({ "failure": failure::reason(&failure) }));
        let file = case.join("expected.json");
        if is_updated {
            fs::write(&file, to_string_pretty(&found).unwrap() + "\n").unwrap();
        }
        let expected: Value = from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(found, expected, "the case {name}");
        cases += 1;
    }
    assert!(cases > 45, "only {cases} cases were found");
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
        let standing = read.contract.standing(&settings);
        contracts.push(json!({
            "id": read.id,
            "supplier": read.supplier,
            "changed": read.changed,
            "kept": to_value(&read.contract).unwrap(),
            "standing": standing.map(|standing| format!("{standing:?}")),
        }));
    }
    Ok(json!({ "contracts": contracts, "notes": notes }))
}

fn section(input: &[u8]) -> Result<Value, Failure> {
    let contracts: Vec<(String, Contract)> = from_slice(input).unwrap();
    let imported = Imported {
        since: Some("2011-01-01".to_owned()),
        until: "2026-01-14".to_owned(),
    };
    section::summary(&contracts, &imported, &[], &Settings::default())
}
