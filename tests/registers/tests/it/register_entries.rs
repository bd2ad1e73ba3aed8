//! The mirror's table of register entries, and the facts of its rows.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use register_simulator::population::notices::{About, EntryKind, Notice, of_company};
use register_simulator::{ChangeKind, Population};
use serde_json::Value;
use time::macros::date;

use crate::Site;
use crate::notices::{FROM, rows_of, text};

const SYNC: &str = "/datahub/api/data/ov/or_podanie_issues/sync";
const FILES: &str = "/datahub/api/data/ov/raw_issues/sync";

fn population(companies: u32) -> Population {
    Population::new(companies, 7, date!(2026 - 01 - 15))
}

async fn all(site: &Site) -> Vec<Value> {
    rows_of(site, SYNC, &format!("since={FROM}")).await.0
}

fn entries(population: &Population, index: u32, day: u32) -> Vec<Notice> {
    let mut notices = of_company(population, index, day);
    notices.retain(|notice| notice.entry.is_some());
    notices
}

fn kinds(population: &Population, index: u32, day: u32) -> Vec<EntryKind> {
    let entries = entries(population, index, day).into_iter();
    entries
        .filter_map(|notice| Some(notice.entry?.kind))
        .collect()
}

#[tokio::test]
async fn rows_have_all_members_and_every_gap_occurs() {
    let site = Site::new(240);
    let (rows, pages) = rows_of(&site, SYNC, &format!("since={FROM}")).await;
    assert!(pages > 1, "{} rows", rows.len());
    let places: Vec<(&str, u64)> = rows
        .iter()
        .map(|row| (text(row, "updated_at"), row["id"].as_u64().expect("an id")))
        .collect();
    assert!(places.is_sorted());
    let ids: BTreeSet<u64> = places.iter().map(|(_, id)| *id).collect();
    assert_eq!(ids.len(), rows.len());
    for row in &rows {
        let members = row.as_object().expect("an object");
        for name in [
            "br_mark",
            "br_court_code",
            "br_court_name",
            "kind_code",
            "kind_name",
            "cin",
            "registration_date",
            "corporate_body_name",
            "br_section",
            "br_insertion",
            "text",
            "address_line",
            "street",
            "postal_code",
            "city",
            "documents",
            "created_at",
            "updated_at",
            "bulletin_issue",
        ] {
            assert!(members.contains_key(name), "{name}: {row}");
        }
        assert!(row["cin"].is_null() || row["cin"].is_i64() || row["cin"].is_u64());
    }
    let has = |what: &dyn Fn(&Value) -> bool| {
        let with = rows.iter().filter(|row| what(row)).count();
        assert!(0 < with && with < rows.len(), "{with} of {}", rows.len());
    };
    has(&|row| row["cin"].is_null());
    has(&|row| row["cin"].as_i64().is_some_and(|cin| cin < 0));
    has(&|row| row["cin"].as_i64().is_some_and(|cin| cin > 99_999_999));
    // Company 6, whose number has leading zeros.
    has(&|row| row["cin"] == 124);
    has(&|row| {
        row["documents"]
            .as_array()
            .is_some_and(|list| list.len() > 1)
    });
    has(&|row| row["documents"][0]["ruz_deposit_date"].is_string());
    has(&|row| row["kind_code"] == "ul");
    has(&|row| text(row, "updated_at") > text(row, "created_at"));
}

#[tokio::test]
async fn each_row_matches_the_company_of_its_file() {
    let site = Site::new(240);
    let files = rows_of(&site, FILES, &format!("since={FROM}")).await.0;
    let of_mark: BTreeMap<&str, &str> = files
        .iter()
        .map(|file| text(file, "content"))
        .filter_map(|content| {
            let (_, mark) = content.split_once("<ORZnacka>")?;
            Some((mark.split_once('<')?.0, content))
        })
        .collect();
    for row in all(&site).await {
        let file = of_mark[text(&row, "br_mark")].replace([' ', '\u{a0}'], "");
        match row["cin"].as_u64().filter(|cin| *cin < 100_000_000) {
            Some(cin) => assert!(file.contains(&format!("IČO:{cin:08}")), "{row} {file}"),
            // A company outside the register, a row before its correction, or an invalid number.
            None => assert!(!row["cin"].is_string()),
        }
    }
}

#[tokio::test]
async fn next_day_appends_rows_and_corrections() {
    let site = Site::new(480);
    let mut known: BTreeMap<u64, Value> = BTreeMap::new();
    let mut query = format!("since={FROM}");
    let mut corrected = 0;
    for _ in 0..12 {
        let (rows, _) = rows_of(&site, SYNC, &query).await;
        if let Some(last) = rows.last() {
            query = format!("since={}&last_id={}", text(last, "updated_at"), last["id"]);
        }
        for row in rows {
            let before = known.insert(row["id"].as_u64().expect("an id"), row.clone());
            if let Some(before) = before {
                assert_ne!(before["text"], row["text"]);
                assert_eq!(before["created_at"], row["created_at"]);
                corrected += 1;
            }
        }
        site.advance(1).await;
    }
    assert!(corrected > 1, "{corrected}");
    // A client that starts now gets the same rows.
    let (rest, _) = rows_of(&site, SYNC, &query).await;
    for row in rest {
        known.insert(row["id"].as_u64().expect("an id"), row);
    }
    let mut rows = all(&site).await;
    rows.sort_by_key(|row| row["id"].as_u64());
    assert!(rows.iter().eq(known.values()), "{}", rows.len());
}

#[tokio::test]
async fn single_row_and_id_list_can_be_requested() {
    let site = Site::new(60);
    let rows = all(&site).await;
    for row in rows.iter().step_by(7) {
        let one = site
            .get(&format!("{}/{}", SYNC.trim_end_matches("/sync"), row["id"]))
            .await;
        assert_eq!(one.json(), *row);
    }
    let file = rows_of(&site, FILES, &format!("since={FROM}")).await.0[0]["id"].clone();
    let other = format!("{}/{file}", SYNC.trim_end_matches("/sync"));
    assert_eq!(site.get(&other).await.status, StatusCode::NOT_FOUND);
    let ids = site
        .get(&format!("{SYNC}?since={FROM}&only_ids=true"))
        .await
        .json();
    assert_eq!(ids[0]["id"], rows[0]["id"]);
    assert!(ids[0].get("cin").is_none());
}

#[test]
fn register_change_is_published_days_later() {
    let population = population(60);
    // The script replaces an officer on the first day and raises the capital on the fourth; the fourth day after the
    // start is a Monday, and so is the eleventh.
    assert_eq!(kinds(&population, 0, 3).len(), 1);
    assert_eq!(kinds(&population, 0, 4).len(), 2);
    assert_eq!(kinds(&population, 0, 6).len(), 2);
    assert_eq!(kinds(&population, 0, 7).len(), 3);
    // Company 5 ends on the tenth day.
    assert_eq!(kinds(&population, 5, 13)[0], EntryKind::Erasure);
    // A sole trader has no entries, although something changes on the fifth day.
    assert_eq!(kinds(&population, 3, 20), []);
    // A change outside the register creates no entry.
    let before = entries(&population, 9, 40).len();
    assert!(population.force(9, 30, ChangeKind::ReliabilityChanged));
    assert_eq!(entries(&population, 9, 40).len(), before);
    let kinds = [
        ChangeKind::OfficerJoined,
        ChangeKind::SeatMoved,
        ChangeKind::NameChanged,
        ChangeKind::CapitalRaised,
        ChangeKind::ShareholderReplaced,
        ChangeKind::ActivityAdded,
    ];
    for (week, kind) in (0..).zip(kinds) {
        let day = 50 + 7 * week;
        assert!(population.force(9, day, kind), "{kind:?}");
        let reported = entries(&population, 9, day + 5);
        assert_eq!(reported.len(), entries(&population, 9, day + 2).len() + 1);
        assert_eq!(
            reported[0].entry.as_ref().map(|entry| entry.kind),
            Some(EntryKind::Change)
        );
    }
}

#[test]
fn new_company_is_published() {
    let population = population(2_000);
    let begun = date!(2026 - 01 - 15) - time::Duration::days(85);
    let new: Vec<u32> = (12..2_000)
        .filter(|index| {
            let company = population.company(*index, 0);
            company.established > begun && company.orsr.is_some()
        })
        .collect();
    assert!(!new.is_empty());
    for index in new {
        assert!(
            kinds(&population, index, 0).contains(&EntryKind::New),
            "{index}"
        );
    }
}

#[test]
fn a_wrong_number_is_corrected() {
    let population = population(60);
    let of = |index: u32, day: u32| entries(&population, index, day).len();
    // A row of company 2 has the number of company 8 until the seventh day.
    assert_eq!((of(2, 0), of(8, 0)), (0, 2));
    let corrected = (0..20).find(|day| of(2, *day) == 1);
    let corrected = corrected.expect("it is corrected");
    assert!((4..=9).contains(&corrected), "{corrected}");
    let row = &entries(&population, 2, corrected)[0];
    assert_eq!(
        row.entry.as_ref().map(|entry| entry.about),
        Some(About::Company(2))
    );
    assert_eq!(row.updated, Some(population.date(corrected)));
    assert_eq!(of(8, corrected), of(8, corrected - 1) - 1);
}
