//! The mirror with the commercial bulletin, and the facts behind it.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::StatusCode;
use register_simulator::population::notices::{Form, Part, of_company};
use register_simulator::{ChangeKind, Population, population::Happening};
use serde_json::Value;
use time::macros::date;

use crate::Site;

const SYNC: &str = "/datahub/api/data/ov/raw_issues/sync";
pub const FROM: &str = "2025-01-01T00:00:00.000000Z";

fn population(companies: u32) -> Population {
    Population::new(companies, 7, date!(2026 - 01 - 15))
}

async fn rows_since(site: &Site, query: &str) -> (Vec<Value>, usize) {
    rows_of(site, SYNC, query).await
}

/// The rows of a table after a position, read page by page by the `Link` headers, and the number of pages.
pub async fn rows_of(site: &Site, sync: &str, query: &str) -> (Vec<Value>, usize) {
    let mut rows = Vec::new();
    let mut pages = 0;
    let mut query = query.to_owned();
    loop {
        let answer = site.get(&format!("{sync}?{query}")).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.header("x-ratelimit-limit"), "60");
        pages += 1;
        let page = answer.json();
        let page = page.as_array().expect("a list");
        assert!(page.len() <= 100, "{}", page.len());
        rows.extend(page.iter().cloned());
        let link = answer.header("link");
        if link.is_empty() {
            return (rows, pages);
        }
        assert!(link.ends_with(">; rel='next'"), "{link}");
        let (address, next) = link
            .trim_start_matches('<')
            .split_once('?')
            .expect("a query");
        let table = sync.trim_start_matches("/datahub");
        let public = format!("https://datahub.ekosystem.slovensko.digital{table}");
        assert_eq!(address, public);
        query = next.split('>').next().unwrap_or_default().to_owned();
    }
}

async fn all(site: &Site) -> Vec<Value> {
    rows_since(site, &format!("since={FROM}")).await.0
}

pub fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_default()
}

#[tokio::test]
async fn pages_return_each_row_once_by_time_and_id() {
    let site = Site::new(240);
    let (rows, pages) = rows_since(&site, &format!("since={FROM}")).await;
    assert_eq!(pages, rows.len().div_ceil(100));
    let places: Vec<(&str, u64)> = rows
        .iter()
        .map(|row| (text(row, "updated_at"), row["id"].as_u64().expect("an id")))
        .collect();
    assert!(places.is_sorted());
    let ids: BTreeSet<u64> = places.iter().map(|(_, id)| *id).collect();
    assert_eq!(ids.len(), rows.len());
    // Several rows share a time across a page border.
    let shared = places
        .chunks(100)
        .zip(places.chunks(100).skip(1))
        .filter(|(page, next)| page.last().map(|last| last.0) == next.first().map(|first| first.0));
    assert!(shared.count() > 0);
    assert!(
        places
            .iter()
            .all(|(time, _)| time.len() == "2025-06-05T04:26:22.998202Z".len())
    );
}

#[tokio::test]
async fn each_form_occurs_with_and_without_optionals() {
    let rows = all(&Site::new(240)).await;
    let forms: BTreeSet<&str> = rows
        .iter()
        .filter_map(|row| text(row, "file_name").strip_suffix(".xml"))
        .filter_map(|name| name.rsplit_once("-v-")?.0.split_once('-'))
        .map(|(_, form)| form)
        .collect();
    let expected: BTreeSet<&str> = Form::ALL.into_iter().map(Form::code).collect();
    assert_eq!(forms, expected);
    let contents: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["content"].as_str())
        .collect();
    let has = |what: &dyn Fn(&str) -> bool| {
        let with = contents.iter().filter(|content| what(content)).count();
        assert!(
            0 < with && with < contents.len(),
            "{with} of {}",
            contents.len()
        );
    };
    has(&|content| content.starts_with('\u{feff}'));
    has(&|content| content.contains("xmlns="));
    has(&|content| content.contains("xmlns:ov="));
    has(&|content| content.contains("99 99"));
    has(&|content| content.contains("99\u{a0}99"));
    has(&|content| !content.ends_with('>'));
    has(&|content| content.contains("&amp;lt;p"));
    let pdf = rows.iter().filter(|row| row["content"].is_null());
    assert!(pdf.clone().count() > 10);
    assert!(
        pdf.into_iter()
            .all(|row| text(row, "file_name").ends_with(".pdf"))
    );
}

#[tokio::test]
async fn next_day_appends_rows_and_corrections() {
    let site = Site::new(240);
    let mut known: BTreeMap<u64, Value> = BTreeMap::new();
    let mut query = format!("since={FROM}");
    let (mut new, mut corrected) = (0, 0);
    for _ in 0..12 {
        let (rows, _) = rows_since(&site, &query).await;
        if let Some(last) = rows.last() {
            query = format!("since={}&last_id={}", text(last, "updated_at"), last["id"]);
        }
        assert_eq!(
            rows_since(&site, &query).await,
            (Vec::new(), 1),
            "nothing twice"
        );
        for row in rows {
            let before = known.insert(row["id"].as_u64().expect("an id"), row.clone());
            match before {
                None => new += 1,
                Some(before) => {
                    assert_ne!(before["content"], row["content"]);
                    assert_eq!(before["created_at"], row["created_at"]);
                    assert!(text(&before, "updated_at") < text(&row, "updated_at"));
                    corrected += 1;
                }
            }
        }
        site.advance(1).await;
    }
    assert!(new > 300 && corrected > 0, "{new} {corrected}");
    // A client that starts now gets the same rows.
    let (rows, _) = rows_since(&site, &format!("since={FROM}")).await;
    let (rest, _) = rows_since(&site, &query).await;
    for row in rest {
        known.insert(row["id"].as_u64().expect("an id"), row);
    }
    assert_eq!(rows.len(), known.len());
    assert!(
        rows.iter()
            .all(|row| known.values().any(|known| known == row))
    );
}

#[tokio::test]
async fn single_row_and_id_list_can_be_requested() {
    let site = Site::new(60);
    let rows = all(&site).await;
    for row in rows.iter().step_by(17) {
        let one = site
            .get(&format!("/datahub/api/data/ov/raw_issues/{}", row["id"]))
            .await;
        assert_eq!(one.json(), *row);
    }
    let unknown = site.get("/datahub/api/data/ov/raw_issues/7").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
    let ids = site
        .get(&format!("{SYNC}?since={FROM}&only_ids=true"))
        .await
        .json();
    assert_eq!(ids[0]["id"], rows[0]["id"]);
    assert!(ids[0].get("content").is_none());
    let none = site
        .get(&format!("{SYNC}?since=2030-01-01T00:00:00.000000Z"))
        .await;
    assert_eq!((none.status, none.text()), (StatusCode::OK, "[]"));
}

#[test]
fn showcase_notice_counts_match_their_table() {
    let counts = |seed: u64, day: u32| -> Vec<usize> {
        let population = Population::new(60, seed, date!(2026 - 01 - 15));
        (0..12)
            .map(|index| of_company(&population, index, day).len())
            .collect()
    };
    let first = counts(7, 0);
    assert_eq!(first, [26, 3, 3, 0, 0, 6, 3, 2, 4, 1, 5, 0]);
    assert_eq!(counts(8, 0), first, "whatever the seed");
    // The proposer withdrew, the number of 8 was corrected to that of 2, and the register changes of 0 and 1
    // are published.
    assert_eq!(counts(7, 6), [27, 4, 3, 0, 0, 6, 3, 1, 4, 1, 5, 0]);
    let population = population(60);
    let liquidation = of_company(&population, 5, 0);
    let parts = |part| {
        liquidation
            .iter()
            .filter(|n| n.part_of(5) == Some(part))
            .count()
    };
    assert_eq!((parts(Part::Liquidated), parts(Part::Obligor)), (2, 1));
}

#[test]
fn a_third_of_ordinary_companies_is_named() {
    let population = population(240);
    let is_named = |index: &u32| {
        let notices = of_company(&population, *index, 0);
        notices.iter().any(|notice| notice.entry.is_none())
    };
    let named = (12..240).filter(is_named);
    let count = named.inspect(|index| assert_eq!(index % 3, 0)).count();
    assert!((50..=76).contains(&count), "{count}");
}

#[tokio::test]
async fn forced_notice_appears_even_on_a_weekend() {
    let population = population(60);
    let kind = ChangeKind::Happened(Happening::NoticePublished);
    for (day, index) in [(1, 3), (2, 3), (3, 20)] {
        let before = of_company(&population, index, day).len();
        assert!(population.force(index, day, kind));
        let after = of_company(&population, index, day);
        assert_eq!(after.len(), before + 1, "day {day}");
        assert_eq!(after[0].published, population.date(day));
    }
    let site = Site::new(60);
    let before = all(&site).await;
    site.post(
        "/control/change",
        "{\"ico\":\"99999960\",\"kind\":\"notice-published\"}",
    )
    .await;
    // It comes after all existing rows.
    let last = before.last().expect("there are some");
    let query = format!("since={}&last_id={}", text(last, "updated_at"), last["id"]);
    let (rows, _) = rows_since(&site, &query).await;
    let about = rows.iter().filter(|row| {
        let content = text(row, "content").replace([' ', '\u{a0}'], "");
        content.contains("99999960")
    });
    assert_eq!(about.count(), 1);
}
