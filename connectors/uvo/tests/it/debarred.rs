//! Look-ups of `debarred` over imported records.

use lustra_sdk::testing::TestHost;
use lustra_sdk::{Failure, Item, records};
use lustra_uvo::ban::{Ban, RelatedPerson, Status, StoredBan};
use lustra_uvo::import::DATASET;
use serde_json::{Value, json};

use crate::world::{ICO, failure, section};

const IMPORTED: &str = "2026-01-15T05:20:00Z";

/// A record of the company's ban by decision 1, as of the import.
fn record(decision: &str, from: &str, until: Option<&str>, removed_on: Option<&str>) -> Item {
    let ban = Ban {
        ico: ICO.to_owned(),
        decision_number: Some(decision.to_owned()),
        decision_date: None,
        final_on: None,
        legal_basis: None,
        violation_reason: Some(format!("dôvod {decision}")),
        banned_from: from.to_owned(),
        banned_until: until.map(str::to_owned),
        related_persons: vec![RelatedPerson {
            name: "Jana Skúšobná".to_owned(),
            role: Some("konateľka".to_owned()),
        }],
    };
    let kept = StoredBan {
        status: Status::Active,
        first_seen_on: "2025-01-01".to_owned(),
        removed_on: removed_on.map(str::to_owned),
        ban,
    };
    records::item(kept.ban.key(), Some(ICO), &kept).unwrap()
}

fn told(items: Vec<Item>) -> Value {
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset(DATASET, IMPORTED, None, items)
        .install();
    section("debarred")
}

#[test]
fn company_never_listed_is_not_barred() {
    let none = told(Vec::new());
    assert_eq!(
        none,
        json!({
            "is_debarred": false, "is_listed": false, "status": null, "violation_reason": null,
            "banned_from": null, "banned_until": null, "related_persons": [], "bans": [],
        })
    );
    assert!(TestHost::requests().is_empty(), "no request is sent");
}

#[test]
fn ban_is_active_from_first_to_last_day() {
    for (from, until, removed, status) in [
        ("2026-01-15", Some("2026-01-15"), None, "active"),
        ("2026-01-16", Some("2028-01-15"), None, "upcoming"),
        ("2024-01-15", Some("2026-01-14"), None, "ended"),
        ("2024-01-15", None, None, "active"),
        (
            "2024-01-15",
            Some("2028-01-14"),
            Some("2026-01-10"),
            "removed",
        ),
        ("2024-01-15", None, Some("2026-01-10"), "removed"),
        (
            "2024-01-15",
            Some("2026-01-09"),
            Some("2026-01-10"),
            "ended",
        ),
    ] {
        let section = told(vec![record("1/2025", from, until, removed)]);
        assert_eq!(section["status"], status, "{from} to {until:?}");
        assert_eq!(section["is_debarred"], status == "active", "{section}");
        assert_eq!(section["is_listed"], true, "is or was");
        assert_eq!(section["banned_from"], from);
        assert_eq!(section["banned_until"], json!(until));
        assert_eq!(section["related_persons"][0]["name"], "Jana Skúšobná");
    }
}

#[test]
fn unreadable_entry_clears_no_company() {
    let unreadable = || records::item("unreadable/99999994", Some(ICO), &json!({})).unwrap();
    let section = told(vec![unreadable()]);
    assert_eq!(section["is_debarred"], Value::Null);
    assert_eq!(section["is_listed"], true);
    assert_eq!(section["unread"][0]["source"], DATASET);
    let ban = record("1/2025", "2025-01-01", None, None);
    assert_eq!(told(vec![unreadable(), ban])["is_debarred"], true);
}

#[test]
fn active_ban_comes_first() {
    let section = told(vec![
        record("3/2025", "2025-12-01", Some("2025-12-31"), None),
        record("1/2025", "2025-01-01", Some("2027-01-01"), None),
        record(
            "2/2020",
            "2020-01-01",
            Some("2021-01-01"),
            Some("2025-06-01"),
        ),
    ]);
    assert_eq!(section["violation_reason"], "dôvod 1/2025");
    let order: Vec<&Value> = section["bans"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ban| &ban["decision_number"])
        .collect();
    assert_eq!(order, ["1/2025", "3/2025", "2/2020"]);
}

#[test]
fn missing_import_never_denies_a_ban() {
    TestHost::new().install();
    assert!(
        matches!(failure("debarred"), Failure::Unavailable(why) if why.contains("never imported"))
    );
    TestHost::new()
        .failed(DATASET, "malformed: block of Ján Skúšobný")
        .install();
    assert!(matches!(failure("debarred"), Failure::Unavailable(why) if !why.contains("Skúšobný")));
    TestHost::new().off(DATASET).install();
    let section = section("debarred");
    assert_eq!(
        (&section["is_debarred"], &section["is_listed"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        section["unread"][0]["why"],
        "off: switched off by the operator"
    );
}

#[test]
fn record_of_another_format_is_malformed() {
    let strange = records::item("x", Some(ICO), &json!({ "name": "x" })).unwrap();
    TestHost::new()
        .dataset(DATASET, IMPORTED, None, vec![strange])
        .install();
    assert!(matches!(failure("debarred"), Failure::Malformed(_)));
}
