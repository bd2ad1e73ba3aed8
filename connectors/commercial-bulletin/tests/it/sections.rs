//! The section from imported records.

use std::time::{Duration, Instant};

use lustra_commercial_bulletin::CommercialBulletin;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Item, Section};

use super::manifest::manifest;
use super::world::{ENTRIES, ICO, NOTICES, OTHER, entry, host, read_so_far};

pub const IMPORTED: &str = "2025-06-06T05:40:00Z";

pub fn enrich(ico: &str) -> Result<Section, Failure> {
    CommercialBulletin::enrich("commercial_bulletin", subject(ico))
}

/// The section's content, checked against its schema and its unread list.
pub fn section(ico: &str) -> Value {
    manifest().content("commercial_bulletin", &enrich(ico).unwrap())
}

/// A host with these notices and a complete, empty dataset of register entries.
pub fn with(mut items: Vec<Item>, until: Option<&str>, is_at_end: bool) -> TestHost {
    items.push(read_so_far(until, is_at_end));
    let none = vec![read_so_far(Some("2025-06-05"), true)];
    host().dataset(NOTICES, IMPORTED, until, items).dataset(
        ENTRIES,
        IMPORTED,
        Some("2025-06-05"),
        none,
    )
}

#[test]
fn notices_are_counted_and_newest_first() {
    let items = vec![
        entry(9, ICO, "2025-06-03", "OV_LIKVIDATOR"),
        entry(10, ICO, "2025-06-03", "OV_LIKVIDATOR_2020"),
        entry(100, ICO, "2024-01-02", "OV_NOVY"),
        entry(11, OTHER, "2025-06-04", "OV_LIKVIDATOR"),
    ];
    with(items, Some("2025-06-05"), true).install();
    let section = section(ICO);
    let latest = section["latest_entries"].as_array().unwrap();
    let marks: Vec<&Value> = latest.iter().map(|entry| &entry["mark"]).collect();
    assert_eq!(marks, ["K10", "K9", "K100"]);
    assert_eq!(
        latest[0],
        json!({
            "section": "Oznámenia a výzvy likvidátorov", "heading": "Podanie 10", "published_at": "2025-06-03",
            "form": "OV_LIKVIDATOR_2020", "number": "1/2025", "mark": "K10", "role": "debtor",
        })
    );
    assert_eq!(latest[2]["section"], "OV_NOVY", "an unknown form");
    assert_eq!(
        section["by_section"],
        json!([{"section": "Oznámenia a výzvy likvidátorov", "entries": 2}, {"section": "OV_NOVY", "entries": 1}])
    );
    assert_eq!(section["total_entries"], 3);
    assert_eq!(
        (&section["since"], &section["until"]),
        (&json!("2016-01-01"), &json!("2025-06-05"))
    );
    assert_eq!(section.get("unread"), None);
}

#[test]
fn operator_sets_chapters_and_maximum() {
    let items = (1..=5)
        .map(|id| entry(id, ICO, "2025-06-03", "OV_NOVY"))
        .collect();
    with(items, Some("2025-06-05"), true)
        .setting("latest_entries", &json!(2))
        .setting("sections", &json!({"OV_NOVY": "Nová kapitola"}))
        .install();
    let section = section(ICO);
    assert_eq!(section["latest_entries"].as_array().map(Vec::len), Some(2));
    assert_eq!(section["latest_entries"][0]["section"], "Nová kapitola");
    assert_eq!(section["total_entries"], 5);
}

#[test]
fn company_without_notice_has_zero_after_import() {
    with(Vec::new(), Some("2025-06-05"), true).install();
    let section = section(ICO);
    assert_eq!(section["total_entries"], 0);
    assert_eq!(section["latest_entries"], json!([]));
    assert_eq!(section["by_section"], json!([]));
    assert_eq!(section.get("unread"), None);
}

#[test]
fn incomplete_import_is_unread() {
    for (until, is_at_end, since, why) in [
        (
            Some("2020-02-03"),
            false,
            json!("2020-02-03"),
            "read in part: up to 2020-02-03 so far",
        ),
        (None, true, Value::Null, "read in part: no issue so far"),
        (
            Some("2025-05-29"),
            true,
            json!("2025-05-29"),
            "no issue newer than 2025-05-29, 8 days ago",
        ),
    ] {
        with(Vec::new(), until, is_at_end).install();
        let unread = json!([{"source": "notices", "since": since, "why": why}]);
        assert_eq!(section(ICO)["unread"], unread);
    }
    with(Vec::new(), Some("2025-05-30"), true).install();
    assert_eq!(
        section(ICO).get("unread"),
        None,
        "seven days are not too old"
    );
}

#[test]
fn many_entries_are_counted_fast() {
    for count in [500, 2_500] {
        let items = (0..count)
            .map(|id| entry(id, ICO, "2025-06-03", "OV_KONKURZY_A_RESTRUKT"))
            .collect();
        with(items, Some("2025-06-05"), true).install();
        let started = Instant::now();
        let section = section(ICO);
        assert_eq!(section["total_entries"], count);
        assert_eq!(section["latest_entries"].as_array().map(Vec::len), Some(20));
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "{:?}",
            started.elapsed()
        );
    }
}

#[test]
fn another_scope_is_not_offered() {
    host().install();
    assert!(matches!(
        CommercialBulletin::enrich("tax", subject(ICO)),
        Err(Failure::Other(_))
    ));
}
