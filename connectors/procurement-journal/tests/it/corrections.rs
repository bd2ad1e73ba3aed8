//! Corrections whose winners are not all readable. They keep the lot's earlier awards.

use lustra_procurement_journal::{DATASET, ProcurementJournal};
use lustra_sdk::Batch;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::batches;

use super::world::{ICO, OTHER, portal, result, written};

const RESULT: &str = "Oznámenie o výsledku verejného obstarávania (D24)";
const CORRECTION: &str = "Oprava oznámenia o výsledku verejného obstarávania (D24)";
const AWARD: &str = "award/00000000-0000-4000-8000-000000000001/LOT-0001/99000024";

/// Imports a result that the company won, and a correction of it. Returns whether the award is still there.
fn is_kept_after(correction: Value) -> (bool, Batch) {
    let notices = vec![result(1, RESULT, 1, ICO, "100"), correction];
    portal(&[notices]).install();
    let batch = batches::<ProcurementJournal>(DATASET, None)
        .unwrap()
        .remove(0);
    let items = written(Vec::new(), batch.items.clone());
    (items.iter().any(|item| item.key == AWARD), batch)
}

/// A correction that names another winner, with one change.
fn correction(change: impl Fn(&mut Vec<Value>)) -> Value {
    let mut notice = result(2, CORRECTION, 1, OTHER, "200");
    change(notice["components"].as_array_mut().unwrap());
    notice
}

/// Sets a value in the panel with the key, the last one if there are several. Null removes it.
fn set(components: &mut [Value], panel: &str, key: &str, value: &Value) {
    let is_panel = |component: &&mut Value| component["key"] == panel;
    let panel = components.iter_mut().rfind(is_panel).unwrap();
    let members = panel["components"].as_array_mut().unwrap();
    members.retain(|member| member["key"] != key);
    if !value.is_null() {
        members.push(json!({ "key": key, "value": value }));
    }
}

#[test]
fn unreadable_winner_of_correction_removes_no_award() {
    const NUMBER: &str = "BT-501-Organization-Company-CIN";
    for (panel, key, value, is_kept) in [
        ("GR-Organisations_panel", NUMBER, json!(OTHER), false),
        ("GR-Organisations_panel", NUMBER, json!("99x00024"), true),
        ("GR-Organisations_panel", NUMBER, json!("neuvedené"), true),
        ("GR-Organisations_panel", NUMBER, json!("2999999904"), true),
        ("GR-Organisations_panel", NUMBER, Value::Null, true),
        // Only the office, which wins nothing.
        ("GR-Organisations_panel", NUMBER, json!("31797903"), true),
        (
            "GR-TenderingParty_panel",
            "OPT-300-Tenderer",
            json!("ORG-0009"),
            true,
        ),
        (
            "GR-TenderingParty_panel",
            "OPT-300-Tenderer",
            json!(["ORG-0002", "ORG-0009"]),
            true,
        ),
        (
            "GR-TenderingParty_panel",
            "OPT-300-Tenderer",
            Value::Null,
            true,
        ),
        (
            "GR-LotTender_panel",
            "OPT-310-Tender",
            json!("TPA-0009"),
            true,
        ),
        (
            "GR-LotResult_panel",
            "OPT-320-LotResult",
            json!("TEN-0009"),
            true,
        ),
        (
            "GR-LotResult_panel",
            "OPT-320-LotResult",
            json!(["TEN-0001", "x"]),
            true,
        ),
        ("GR-LotResult_panel", "OPT-320-LotResult", Value::Null, true),
        (
            "GR-LotResult_panel",
            "BT-142-LotResult",
            json!("clos-nw"),
            false,
        ),
        (
            "GR-LotResult_panel",
            "BT-142-LotResult",
            json!("open-nw"),
            false,
        ),
        // No outcome, but a winner.
        ("GR-LotResult_panel", "BT-142-LotResult", Value::Null, false),
    ] {
        let notice = correction(|components| set(components, panel, key, &value));
        assert_eq!(is_kept_after(notice).0, is_kept, "{key} {value}");
    }
    let nothing = correction(|components| {
        set(
            components,
            "GR-LotResult_panel",
            "BT-142-LotResult",
            &Value::Null,
        );
        set(
            components,
            "GR-LotResult_panel",
            "OPT-320-LotResult",
            &Value::Null,
        );
    });
    assert!(is_kept_after(nothing).0, "neither outcome nor winner");
}

#[test]
fn winner_from_abroad_removes_the_award() {
    let notice = correction(|components| {
        let panel = "GR-Organisations_panel";
        set(
            components,
            panel,
            "BT-514-Organization-Company",
            &json!("CZE"),
        );
    });
    assert!(!is_kept_after(notice).0);
}

#[test]
fn unreadable_company_number_is_counted() {
    for (number, is_counted) in [("99x00024", true), ("neuvedené", false)] {
        let (_, batch) = is_kept_after(result(2, CORRECTION, 1, number, "200"));
        let mut names = batch.notes.iter().map(|note| &*note.name);
        let found = names.any(|name| name == "unreadable_company_numbers");
        assert_eq!(found, is_counted, "{number}");
    }
}
