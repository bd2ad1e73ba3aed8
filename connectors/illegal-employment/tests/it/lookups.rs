//! Whole look-ups of `illegal_employment`.

use lustra_illegal_employment::IllegalEmployment;
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Item};
use serde_json::{Value, json};

use crate::world::{ICO, IMPORTED, enrich, record};

fn imported(items: Vec<Item>) -> TestHost {
    TestHost::new().dataset("fines", IMPORTED, None, items)
}

#[test]
fn company_not_on_the_list_is_not_listed() {
    let others = vec![record("a", "99900017", "2025-03-31")];
    let (section, content) = enrich(imported(others), subject(ICO));
    assert_eq!(
        content,
        json!({ "listed": false, "count": 0, "since": null, "entries": [] })
    );
    assert!(section.unread.is_empty());
    assert!(TestHost::requests().is_empty(), "no request is sent");
}

#[test]
fn entries_come_newest_first() {
    let items = vec![
        record("a", ICO, "2023-01-02"),
        record("b", ICO, "2025-03-31"),
        record("c", ICO, "2024-05-06"),
    ];
    let (_, content) = enrich(imported(items), subject(ICO));
    assert_eq!(content["listed"], true);
    assert_eq!(content["count"], 3);
    assert_eq!(content["since"], "2023-01-02");
    let numbers: Vec<&Value> = content["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["decision_number"])
        .collect();
    assert_eq!(numbers, ["b", "c", "a"]);
}

#[test]
fn switched_off_list_leaves_the_verdict_null() {
    let (section, content) = enrich(TestHost::new().off("fines"), subject(ICO));
    let why = "off: switched off by the operator";
    assert_eq!(
        content,
        json!({
            "listed": null, "count": null, "since": null, "entries": [],
            "unread": [{ "source": "fines", "since": null, "why": why }],
        })
    );
    assert_eq!(section.unread.len(), 1);
}

#[test]
fn missing_import_gives_no_section() {
    for host in [
        TestHost::new(),
        TestHost::new().failed("fines", "malformed: row of Ján Skúšobný"),
    ] {
        host.install();
        match IllegalEmployment::enrich("illegal_employment", subject(ICO)) {
            Err(Failure::Unavailable(why)) => {
                assert!(
                    why.contains("never imported") && !why.contains("Skúšobný"),
                    "{why}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn hostile_keys_scopes_and_records_are_refused() {
    for key in ["", "\0", "9999990", "' or 1=1 --"] {
        imported(Vec::new()).install();
        assert!(
            IllegalEmployment::enrich("illegal_employment", subject(key)).is_err(),
            "{key}"
        );
    }
    assert!(
        matches!(IllegalEmployment::enrich("x", subject(ICO)), Err(Failure::Other((code, _))) if code == "not-offered")
    );
    let strange = lustra_sdk::records::item("a", Some(ICO), &json!([])).unwrap();
    imported(vec![strange]).install();
    assert!(matches!(
        IllegalEmployment::enrich("illegal_employment", subject(ICO)),
        Err(Failure::Malformed(_))
    ));
}
