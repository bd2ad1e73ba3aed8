//! Every folder of `fixtures/` is a case: an answer of the service, and the expected result.
//! `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_rpvs::question::{Breadth, FILES};
use lustra_rpvs::settings::Settings;
use lustra_rpvs::{page, section};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::fixtures::{every_case, failed};

use super::manifest::manifest;

/// The day on which the cases are read.
const TODAY: &str = "2026-01-15";

#[test]
fn every_fixture_matches() {
    every_case(41, &["ico", "breadth"], |case| {
        read(case.text(), &case.expected).unwrap_or_else(|failure| failed(&failure))
    });
}

fn read(text: &str, expected: &Value) -> Result<Value, Failure> {
    let ico = expected["ico"].as_str().unwrap();
    let breadth = if expected["breadth"] == "confirmed" {
        Breadth::Confirmed
    } else {
        Breadth::Wide
    };
    let page = page::read(text, &[FILES.to_owned()])?;
    let partner = section::read(&page.rows, ico, breadth, &Settings::default(), TODAY)?;
    let section = partner.section(Vec::new())?;
    Ok(json!({ "section": manifest().content("rpvs", &section) }))
}
