//! Recorded answers of the register, where they are at hand.

use std::fs;

use lustra_itms21::{application, list, project};
use lustra_sdk::Notes;
use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::testing::samples;

/// The rows of a recorded list, which was requested with the limit -1.
fn rows(ending: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for file in samples("itms21", ending) {
        let recorded: Value = from_str(&fs::read_to_string(file).unwrap()).unwrap();
        rows.extend(recorded["results"].as_array().unwrap().clone());
    }
    assert!(rows.iter().all(|row| list::id(row).is_some()));
    rows
}

#[test]
fn recorded_projects_are_read() {
    let mut notes = Notes::default();
    for row in rows("projekt_call_3165-first2.json") {
        let (project, partners) = project::read(&row, &mut notes).unwrap();
        assert!(project.recipient_ico.is_some() && project.recipient.is_some());
        assert!(project.contracted_total.is_some() && project.program.is_some());
        assert!(project.contract_effective_at.is_some() && project.provider.is_some());
        assert!(project.in_progress && partners.is_empty());
    }
    assert_eq!(notes.odd_rows(), 0);
}

#[test]
fn recorded_applications_are_read() {
    let mut notes = Notes::default();
    let mut all = rows("zonfp_call_3165-first2.json");
    for file in samples("itms21", "zonfp-detail-201164.json") {
        all.push(from_str(&fs::read_to_string(file).unwrap()).unwrap());
    }
    for row in all {
        let (application, _) = application::read(&row, &mut notes).unwrap();
        assert!(application.applicant_ico.is_some() && application.call_name.is_some());
        assert!(application.requested_nfp.is_some() && application.submitted_at.is_some());
        assert!(application.approved && !application.rejected);
    }
    assert_eq!(notes.odd_rows(), 0);
}
