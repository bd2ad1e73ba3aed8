//! Whole calls to a service that works.

use lustra_courts::Courts;
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure};
use serde_json::{Value, json};

use super::world::{ICO, SCOPE, answering, content, decision, enrich, lead, page, path};

#[test]
fn one_request_finds_a_decision() {
    answering(&[page(1, &[decision(0)])]).install();
    assert_eq!(
        content(),
        json!({
            "total": 1,
            "last_5_years": 1,
            "recent": [{
                "id": "00000000-0000-4000-8000-000000000001:00000000-0000-4000-8000-000000000002",
                "decision_date": "2026-12-15",
                "court": "Okresný súd Vzorov",
                "case_number": "0Cb/50/2026",
                "role": "žalovaný",
                "ruling": "Potvrdzujúce",
                "decision_type": "Uznesenie",
                "pdf_url": "https://obcan.justice.sk/content/public/item/00000000-0000-4000-8000-000000000002",
                "url": "https://www.justice.gov.sk/sudy-a-rozhodnutia/sudy/rozhodnutia/\
                        00000000-0000-4000-8000-000000000001%3A00000000-0000-4000-8000-000000000002",
            }],
            "complete": true,
            "found": 1,
            "unproven": 0,
            "read_since": null,
        })
    );
    assert_eq!(enrich().unwrap().evidence.len(), 1);
    assert_eq!(
        TestHost::requests()[0],
        format!("obcan-justice {}", path(1))
    );
}

#[test]
fn zero_hits_mean_no_decisions() {
    answering(&[page(0, &[])]).install();
    let nothing = content();
    assert_eq!(
        (&nothing["total"], &nothing["complete"]),
        (&json!(0), &json!(true))
    );
    assert_eq!(nothing["recent"], json!([]));
}

#[test]
fn pages_are_read_until_the_total() {
    let all: Vec<Value> = (0..80).map(decision).collect();
    // The service returns fewer decisions than requested.
    answering(&[
        page(80, &all[..30]),
        page(80, &all[30..60]),
        page(80, &all[60..]),
    ])
    .install();
    let read = content();
    assert_eq!(read["total"], 80);
    assert_eq!(read["last_5_years"], 72, "those since 15 January 2021");
    assert_eq!(read["recent"].as_array().map(Vec::len), Some(20));
    assert_eq!(read["recent"][0]["decision_date"], "2026-12-15");
    assert!(read.get("unread").is_none());
}

#[test]
fn hits_without_the_number_are_unproven() {
    answering(&[page(3, &[decision(0), lead(1), lead(2)])]).install();
    let read = content();
    assert_eq!(
        (&read["total"], &read["unproven"], &read["found"]),
        (&json!(1), &json!(2), &json!(3))
    );
}

#[test]
fn repeated_row_counts_once() {
    answering(&[page(2, &[decision(0), decision(0)])]).install();
    assert_eq!(content()["total"], 1);
}

#[test]
fn truncated_search_states_its_oldest_day() {
    let pages: Vec<Vec<Value>> = (0..3)
        .map(|page| (page * 10..page * 10 + 10).map(decision).collect())
        .collect();
    answering(&[
        page(30, &pages[0]),
        page(30, &pages[1]),
        page(30, &pages[2]),
    ])
    .setting("most_pages", &json!(2))
    .setting("recent", &json!(3))
    .install();
    let read = content();
    assert_eq!(
        (&read["total"], &read["complete"]),
        (&json!(20), &json!(false))
    );
    assert_eq!(read["read_since"], "2025-05-15");
    assert_eq!(read["found"], 30);
    assert_eq!(read["recent"].as_array().map(Vec::len), Some(3));
    let why = read["unread"][0]["why"].as_str().unwrap();
    assert_eq!(why.split(':').next(), Some("truncated"));
    assert_eq!(TestHost::requests().len(), 2);
}

#[test]
fn only_eight_digits_are_requested() {
    TestHost::new().install();
    for odd in ["", "124", "x", "123456789"] {
        let failure = Courts::enrich(SCOPE, subject(odd)).unwrap_err();
        assert!(matches!(failure, Failure::Other(_)), "{odd}: {failure:?}");
    }
    assert!(Courts::enrich("another", subject(ICO)).is_err());
    assert_eq!(TestHost::requests().len(), 0);
}

#[test]
fn judges_and_passages_are_not_shown() {
    answering(&[page(1, &[decision(0)])]).install();
    let content = enrich().unwrap().content;
    assert!(
        !content.contains("Tajný") && !content.contains("Vzorová"),
        "{content}"
    );
}
