//! Every folder of `fixtures/` is a case: a page of the service, and the expected result for a company.
//! `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_courts::ask::{LeftOut, Read};
use lustra_courts::settings::Settings;
use lustra_courts::{page, section};
use lustra_sdk::testing::fixtures::{every_case, failed};
use lustra_sdk::{Failure, unread};
use serde_json::{Value, json};

use super::manifest::manifest;
use super::world::{ICO, SCOPE};

/// The day on which the cases are read.
const TODAY: &str = "2026-01-15";

#[test]
fn every_fixture_matches() {
    every_case(20, &["ico"], |case| {
        let ico = case.expected["ico"].as_str().unwrap_or(ICO);
        read(case.text(), ico).unwrap_or_else(|failure| failed(&failure))
    });
}

fn read(text: &str, ico: &str) -> Result<Value, Failure> {
    let page = page::read(text)?;
    let is_cut = page.found > page.decisions.len() as u64 + page.odd.left_out;
    let mut read = Read {
        left_out: is_cut.then_some(LeftOut::BySetting),
        ..Read::default()
    };
    read.add(page)?;
    let content = section::content(&read, ico, TODAY, &Settings::default())?;
    let section = unread::section(&content, &content.unread, Vec::new())?;
    Ok(json!({ "section": manifest().content(SCOPE, &section) }))
}
