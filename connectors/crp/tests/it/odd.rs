//! Pages of projects that could not be read: their records, later attempts, and what sections say.

use lustra_crp::DATASET;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Batch, Item};
use serde_json::{Value, json};

use super::world::{ICO, content, detail, import, keys, path, project, reading, register};

/// The register on a day, with this page for project 7 and the records of earlier runs.
fn host(day: u32, page: Answer, stored: &[Item]) -> TestHost {
    let all: Vec<u32> = (1..=30).rev().collect();
    register(&all, 20)
        .now(&format!("2026-01-{day}T08:00:00Z"))
        .answer("crp", &path(7), page)
        .dataset(
            DATASET,
            "2026-01-14T05:20:00Z",
            Some("2026-01-14"),
            stored.to_vec(),
        )
}

/// Runs an import, and applies its records to those of earlier runs.
#[track_caller]
fn run(cursor: &mut Option<String>, stored: &mut Vec<Item>) -> Vec<Batch> {
    let batches = import(cursor.as_deref()).unwrap();
    *cursor = batches.last().map(|batch| batch.cursor.clone());
    for item in batches.iter().flat_map(|batch| &batch.items) {
        stored.retain(|one| one.key != item.key);
        if !item.removed {
            stored.push(item.clone());
        }
    }
    batches
}

/// Count, whether all is read, and the reasons of `unread` for a company with these records.
#[track_caller]
fn shown(stored: &[Item]) -> (Value, Value, Vec<String>) {
    TestHost::new()
        .now("2026-01-16T08:00:00Z")
        .dataset(
            DATASET,
            "2026-01-15T05:20:00Z",
            Some("2026-01-15"),
            stored.to_vec(),
        )
        .install();
    let section = content();
    let unread = section["unread"].as_array().into_iter().flatten();
    let why = unread.map(|one| {
        assert_eq!(one["source"], "projects");
        one["why"].as_str().unwrap().to_owned()
    });
    let why = why.collect();
    (section["count"].clone(), section["complete"].clone(), why)
}

fn noted(batches: &[Batch], name: &str) -> u64 {
    let notes = batches.iter().flat_map(|batch| &batch.notes);
    let counts = notes.filter(|note| note.name == name);
    counts.map(|note| note.value.parse::<u64>().unwrap()).sum()
}

#[test]
fn odd_page_is_named_and_read_again_later() {
    let unnamed = || Answer::html("<html><body><div class=\"area1\"></div></body></html>");
    let of_company = "malformed: a row of the list about this company could not be read";
    let of_any = "truncated: 1 pages of projects could not be read and name no readable company";
    for (odd, why) in [
        (detail(7, ICO, "veľa"), of_company),
        (detail(7, "99x99994", "5,00 €"), of_any),
        (unnamed(), of_any),
    ] {
        let (mut cursor, mut stored) = (None, Vec::new());
        host(15, odd.clone(), &stored).install();
        run(&mut cursor, &mut stored);
        let gap = || vec![why.to_owned()];
        assert_eq!(shown(&stored), (json!(29), json!(false), gap()));
        // The sweep of the next day does not reach the page, but the run requests it again.
        host(16, odd, &stored).install();
        let still = run(&mut cursor, &mut stored);
        assert_eq!(noted(&still, "still_unreadable"), 1);
        assert_eq!(shown(&stored), (json!(29), json!(false), gap()));
        host(17, detail(7, ICO, "5,00 €"), &stored).install();
        let read = run(&mut cursor, &mut stored);
        assert_eq!(keys(&read), ["7"]);
        assert_eq!(shown(&stored), (json!(30), json!(true), Vec::new()));
        host(18, Answer::status(500, ""), &stored).install();
        run(&mut cursor, &mut stored);
        assert!(!TestHost::requests().contains(&format!("crp {}", path(7))));
    }
}

#[test]
fn odd_page_of_another_company_is_not_named() {
    let (mut cursor, mut stored) = (None, Vec::new());
    host(15, detail(7, "99999994", "veľa"), &stored).install();
    run(&mut cursor, &mut stored);
    assert_eq!(shown(&stored), (json!(29), json!(true), Vec::new()));
}

#[test]
fn page_that_is_gone_or_excluded_is_no_longer_named() {
    for is_excluded in [false, true] {
        let (mut cursor, mut stored) = (None, Vec::new());
        host(15, detail(7, "99x99994", "5,00 €"), &stored).install();
        run(&mut cursor, &mut stored);
        let later = host(16, Answer::status(404, "<html></html>"), &stored);
        let skip = if is_excluded {
            json!([path(7)])
        } else {
            json!([])
        };
        later.setting("skip", &skip).install();
        run(&mut cursor, &mut stored);
        let asked = TestHost::requests().contains(&format!("crp {}", path(7)));
        assert_eq!(asked, !is_excluded);
        assert_eq!(shown(&stored), (json!(29), json!(true), Vec::new()));
    }
}

#[test]
fn failing_second_attempt_does_not_fail_the_run() {
    let (mut cursor, mut stored) = (None, Vec::new());
    host(15, detail(7, ICO, "veľa"), &stored).install();
    run(&mut cursor, &mut stored);
    host(16, Answer::status(500, ""), &stored).install();
    let batches = run(&mut cursor, &mut stored);
    let until = batches.last().unwrap().list_date.as_deref();
    assert_eq!(until, Some("2026-01-16"));
    assert_eq!(shown(&stored).1, json!(false));
}

#[test]
fn records_of_earlier_versions_are_complete() {
    let stored = [project(1, Some("5")), reading(None, true)];
    assert_eq!(shown(&stored), (json!(1), json!(true), Vec::new()));
}
