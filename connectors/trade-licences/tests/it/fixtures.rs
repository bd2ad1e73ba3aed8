//! Every folder of `fixtures/` is a case: an entity of the register, and the expected section on a day.

use lustra_rpo_records::answers;
use lustra_rpo_records::live::Found;
use lustra_sdk::testing::fixtures::{Case, every_case, told};
use lustra_sdk::{Failure, Section, unread};
use lustra_trade_licences::section;
use serde_json::{Value, json};

use crate::manifest::manifest;
use crate::world::ID;

const TODAY: &str = "2026-01-15";

fn read(text: &str) -> Result<Section, Failure> {
    let found = Found {
        record: answers::entity(text, ID)?,
        text: text.to_owned(),
        evidence: Vec::new(),
    };
    let (trades, unread) = section::trades(&found, TODAY)?;
    unread::section(&trades, &unread, Vec::new())
}

fn outcome(text: &str) -> Value {
    match read(text) {
        Ok(section) => {
            let content = manifest().content("trade_license_activities", &section);
            match section.unread.as_slice() {
                [] => content,
                [unread, ..] => {
                    json!({ "section": content, "unread": { &unread.name: &unread.value } })
                }
            }
        }
        Err(failure) => told(&failure),
    }
}

#[test]
fn every_case_is_read_as_expected() {
    every_case(24, &[], |case| outcome(case.text()));
}

#[test]
fn truncated_answer_is_refused() {
    let case = Case::of("entity-trader-every-state");
    let whole = case.text().trim_end();
    for (length, _) in whole.char_indices() {
        assert!(read(&whole[..length]).is_err(), "cut at {length}");
    }
}
