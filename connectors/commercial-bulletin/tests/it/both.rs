//! The section from both datasets, and from one of them.

use lustra_sdk::Failure;
use lustra_sdk::records::DatasetState;
use lustra_sdk::serde_json::{Value, json};

use super::sections::{IMPORTED, enrich, section, with};
use super::world::{
    ENTRIES, ICO, NOTICES, OTHER, entry, host, read_since, read_so_far, register_entry,
};

/// The state of a dataset without usable records.
fn state(imported_at: Option<&str>, failure: Option<&str>, off: bool) -> DatasetState {
    DatasetState {
        imported_at: imported_at.map(str::to_owned),
        list_date: None,
        records: 0,
        failure: failure.map(str::to_owned),
        off,
        details: Vec::new(),
    }
}

#[test]
fn both_datasets_are_counted_and_shown_together() {
    let notices = vec![
        entry(9, ICO, "2025-06-03", "OV_LIKVIDATOR"),
        entry(5, ICO, "2025-05-02", "OV_LIKVIDATOR"),
        read_since("2016-01-01", Some("2025-06-05"), true),
    ];
    let entries = vec![
        register_entry(1, ICO, "2025-06-04"),
        register_entry(300, ICO, "2025-06-03"),
        register_entry(2, OTHER, "2025-06-04"),
        read_since("2018-01-01", Some("2025-06-04"), true),
    ];
    host()
        .dataset(NOTICES, IMPORTED, None, notices)
        .dataset(ENTRIES, IMPORTED, None, entries)
        .install();
    let section = section(ICO);
    assert_eq!(section["total_entries"], 4);
    let latest = section["latest_entries"].as_array().unwrap();
    let marks: Vec<&Value> = latest.iter().map(|entry| &entry["mark"]).collect();
    assert_eq!(marks, ["Sro/1", "K9", "Sro/300", "K5"]);
    assert_eq!(
        latest[0],
        json!({
            "section": "Obchodný register – zmeny zapísaných údajov", "heading": "Zmeny zapísaných údajov",
            "published_at": "2025-06-04", "form": null, "number": "1/2025", "mark": "Sro/1", "role": "company",
        })
    );
    let counts: Vec<&Value> = section["by_section"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| &count["entries"])
        .collect();
    assert_eq!(counts, [2, 2]);
    assert_eq!(
        (&section["since"], &section["until"]),
        (&json!("2018-01-01"), &json!("2025-06-04")),
        "what holds of both"
    );
    assert_eq!(section.get("unread"), None);
}

#[test]
fn operator_can_name_chapters_of_kinds() {
    let entries = vec![
        register_entry(1, ICO, "2025-06-04"),
        read_so_far(Some("2025-06-05"), true),
    ];
    with(Vec::new(), Some("2025-06-05"), true)
        .dataset(ENTRIES, IMPORTED, None, entries)
        .setting("sections", &json!({"zz": "Zmeny"}))
        .install();
    assert_eq!(section(ICO)["latest_entries"][0]["section"], "Zmeny");
}

#[test]
fn unusable_dataset_is_unread() {
    for (silent, since, why) in [
        (state(None, None, false), Value::Null, "never imported"),
        (
            state(None, Some("unavailable: x"), false),
            Value::Null,
            "never imported: the newest attempt failed",
        ),
        (
            state(Some(IMPORTED), None, true),
            json!(IMPORTED),
            "off: switched off by the operator",
        ),
    ] {
        with(
            vec![entry(9, ICO, "2025-06-03", "OV_LIKVIDATOR")],
            Some("2025-06-05"),
            true,
        )
        .dataset_state(ENTRIES, silent.clone())
        .install();
        let of_notices = section(ICO);
        assert_eq!(of_notices["total_entries"], 1);
        assert_eq!(of_notices["until"], "2025-06-05");
        let unread = json!([{"source": ENTRIES, "since": since, "why": why}]);
        assert_eq!(of_notices["unread"], unread);
        let entries = vec![
            register_entry(1, ICO, "2025-06-04"),
            read_since("2018-01-01", Some("2025-06-05"), true),
        ];
        host()
            .dataset(ENTRIES, IMPORTED, None, entries)
            .dataset_state(NOTICES, silent)
            .install();
        let of_entries = section(ICO);
        assert_eq!(of_entries["total_entries"], 1);
        assert_eq!(of_entries["since"], "2018-01-01");
        let unread = json!([{"source": NOTICES, "since": since, "why": why}]);
        assert_eq!(of_entries["unread"], unread);
    }
}

#[test]
fn each_dataset_reports_its_range() {
    let entries = vec![read_since("2016-01-01", Some("2020-02-03"), false)];
    with(Vec::new(), Some("2025-05-20"), true)
        .dataset(ENTRIES, IMPORTED, None, entries)
        .install();
    let section = section(ICO);
    assert_eq!(
        section["unread"],
        json!([
            {"source": NOTICES, "since": "2025-05-20", "why": "no issue newer than 2025-05-20, 17 days ago"},
            {"source": ENTRIES, "since": "2020-02-03", "why": "read in part: up to 2020-02-03 so far"},
        ])
    );
    assert_eq!(section["until"], "2020-02-03");
}

#[test]
fn two_unread_datasets_give_no_section() {
    host()
        .dataset_state(NOTICES, state(None, None, false))
        .dataset_state(ENTRIES, state(Some(IMPORTED), None, true))
        .install();
    let expected = "the dataset notices: never imported; the dataset register-entries: off: switched off by the operator";
    assert!(matches!(enrich(ICO), Err(Failure::Unavailable(found)) if found == expected));
    // Imported, but without a record of the reading position.
    host()
        .dataset(NOTICES, IMPORTED, None, Vec::new())
        .dataset(ENTRIES, IMPORTED, None, Vec::new())
        .install();
    let section = section(ICO);
    let why: Vec<&Value> = section["unread"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unread| &unread["why"])
        .collect();
    assert_eq!(why, ["read in part: no issue so far"; 2]);
    assert_eq!(section["since"], Value::Null);
}
