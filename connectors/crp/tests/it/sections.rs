//! The section, from imported records.

use lustra_crp::Crp;
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Item};
use serde_json::{Value, json};

use super::world::{ICO, content, enrich, project, reading};

/// A host that read the register a day ago.
fn imported(mut items: Vec<Item>, reading: Item) -> TestHost {
    items.push(reading);
    TestHost::new().now("2026-01-15T08:00:00Z").dataset(
        "projects",
        "2026-01-14T05:20:00Z",
        Some("2026-01-14"),
        items,
    )
}

#[test]
fn projects_are_counted_and_the_newest_shown() {
    let items = (1..=12)
        .map(|number| project(number, Some("100.10")))
        .collect();
    imported(items, reading(None, true)).install();
    let section = content();
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&json!(12), &json!(1201.20))
    );
    assert_eq!(section["latest"].as_array().map(Vec::len), Some(10));
    assert_eq!(
        section["latest"][0],
        json!({
            "crp_id": "12", "name": "Projekt 12", "provider": null, "help_type": "dotácia", "amount": 100.10,
            "published_at": "2025-01-13", "signed_at": null, "start": null, "end": null,
            "detail_url": "https://www.crp.gov.sk/12-sk/vzor/",
        })
    );
    assert_eq!(
        (&section["complete"], &section["until"]),
        (&json!(true), &json!("2026-01-14"))
    );
    assert!(section.get("unread").is_none());
}

#[test]
fn company_without_projects_has_zero() {
    imported(Vec::new(), reading(Some("2011-01-01"), true)).install();
    assert_eq!(
        content(),
        json!({
            "count": 0, "total_value": 0.0, "currency": "EUR", "without_amount": 0, "latest": [], "complete": true,
            "since": "2011-01-01", "until": "2026-01-14",
        })
    );
}

#[test]
fn unknown_amounts_are_not_zero() {
    let unknown = vec![project(1, None), project(2, None)];
    imported(unknown, reading(None, true)).install();
    let section = content();
    assert_eq!(
        (&section["total_value"], &section["without_amount"]),
        (&json!(0.0), &json!(2))
    );
    let one = vec![project(1, None), project(2, Some("7.5"))];
    imported(one, reading(None, true)).install();
    assert_eq!(content()["total_value"], json!(7.50));
}

#[test]
fn unfinished_first_sweep_is_unread() {
    imported(vec![project(1, None)], reading(Some("2024-06-01"), false)).install();
    let section = content();
    assert_eq!(
        (&section["count"], &section["complete"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(section["since"], "2024-06-01");
    assert_eq!(section["unread"][0]["source"], "older-projects");
    imported(Vec::new(), reading(None, false)).install();
    assert_eq!(
        content()["unread"][0]["why"],
        "in part: the first reading is under way"
    );
}

#[test]
fn failing_imports_are_unread() {
    imported(Vec::new(), reading(None, true))
        .now("2026-02-01T08:00:00Z")
        .failed("projects", "malformed: Jozef Vymyslený")
        .install();
    let section = content();
    assert_eq!(section["unread"][0]["source"], "crp");
    assert_eq!(section["unread"][0]["since"], "2026-01-14");
    assert!(!section.to_string().contains("Vymysl"));
}

#[test]
fn missing_import_fails_and_off_is_named() {
    TestHost::new().install();
    let failure = enrich().unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    imported(vec![project(1, None)], reading(None, true))
        .off("projects")
        .install();
    let section = content();
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&Value::Null, &json!(0))
    );
    let why = section["unread"][0]["why"].as_str().unwrap();
    assert!(why.starts_with("off"), "{why}");
    assert!(Crp::enrich("another", subject(ICO)).is_err());
}
