//! Every folder of `fixtures/` is a case: an answer of the service, and the expected result.
//! `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_gleif::parent::{Parent, Which, reported};
use lustra_gleif::settings::Settings;
use lustra_gleif::{answer, choice, section};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::fixtures::{every_case, failed};
use lustra_sdk::{Failure, unread};

use super::manifest::manifest;
use super::world::{ICO, LEI};

#[test]
fn every_fixture_matches() {
    every_case(20, &["kind"], |case| {
        let read = match case.expected["kind"].as_str() {
            Some("parent") => parent(case.text()),
            Some("exception") => exception(case.text()),
            Some(_) | None => records(case.text()),
        };
        read.unwrap_or_else(|failure| failed(&failure))
    });
}

/// A list of records: the section without its parents, and the requests for the parents.
fn records(text: &str) -> Result<Value, Failure> {
    let settings = Settings::default();
    let found = answer::records(text)?;
    let Some(chosen) = choice::of_company(found, ICO, &settings.authorities)? else {
        let section = unread::section(&(), &[], Vec::new())?;
        return Ok(json!({ "section": manifest().content("gleif", &section) }));
    };
    let nothing = Parent::default;
    let content = section::of(&chosen, nothing(), nothing(), Vec::new(), &settings)?;
    let section = unread::section(&content, &[], Vec::new())?;
    let asked = Which::ALL.map(|which| format!("{:?}", reported(&chosen.record, which)));
    Ok(json!({ "section": manifest().content("gleif", &section), "parents": asked }))
}

fn parent(text: &str) -> Result<Value, Failure> {
    let (lei, name) = answer::named(text)?;
    Ok(json!({ "lei": lei, "name": name }))
}

fn exception(text: &str) -> Result<Value, Failure> {
    let reason = answer::exception(text, LEI, Which::Direct.category())?;
    Ok(json!({ "reason": reason }))
}
