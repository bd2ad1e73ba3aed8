//! The journal of public procurement on the portal of open data, and the facts behind it.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use register_simulator::population::tenders::{self, ContactKind, Form, Spelling, Who};
use register_simulator::population::{ChangeKind, Happening, Population};
use serde_json::{Value, json};
use time::macros::date;

use crate::{Answer, Site};

const SEARCH: &str = "/data-portal/datasets/search";
const PUBLISHER: &str = "https://data.gov.sk/id/legal-subject/31797903";

fn population(companies: u32, seed: u64) -> Population {
    Population::new(companies, seed, date!(2026 - 01 - 15))
}

async fn page(site: &Site, page: usize, size: usize, publisher: &str) -> Answer {
    let body = json!({
        "language": "sk", "page": page, "pageSize": size, "query": "Vestník", "orderBy": "created",
        "filters": { "publishers": [publisher] }, "requiredFacets": [],
    });
    let json = [("content-type", "application/json")];
    let method = axum::http::Method::POST;
    site.send(method, SEARCH, &json, &body.to_string()).await
}

fn names(answer: &Answer) -> Vec<String> {
    let items = answer.json()["items"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    items
        .iter()
        .filter_map(|item| Some(item["name"].as_str()?.to_owned()))
        .collect()
}

async fn file(site: &Site, year: i32, number: u32) -> Answer {
    let id = format!("00000000-0000-4000-9000-{year:04}{number:08}");
    site.get(&format!("/data-portal/download?id={id}")).await
}

fn items(answer: &Answer) -> Vec<String> {
    let text = answer.text().trim_start_matches('\u{feff}');
    let envelope: Value = serde_json::from_str(text).expect("JSON");
    let items = envelope["bulletinItemList"].as_array().expect("a list");
    items
        .iter()
        .map(|item| item["itemData"].as_str().expect("a text").to_owned())
        .collect()
}

#[tokio::test]
async fn issues_are_paged_newest_first() {
    let site = Site::new(12);
    let all = names(&page(&site, 1, 100, PUBLISHER).await);
    assert_eq!(all[0], "Vestník 11/2026", "a Thursday");
    assert_eq!(all[3], "Číselník foriem oznámení");
    assert!(all.contains(&"Vestník 1/2026".to_owned()));
    assert!(all.contains(&"Vestník 261/2025".to_owned()), "{all:?}");
    let (first, second) = (
        names(&page(&site, 1, 20, PUBLISHER).await),
        names(&page(&site, 2, 20, PUBLISHER).await),
    );
    assert_eq!([first, second].concat(), all[..40]);
    assert_eq!(names(&page(&site, 9, 20, PUBLISHER).await), [] as [&str; 0]);
    assert_eq!(
        names(&page(&site, 1, 20, "https://elsewhere.example").await),
        [] as [&str; 0]
    );
    site.advance(1).await;
    assert_eq!(
        names(&page(&site, 1, 1, PUBLISHER).await),
        ["Vestník 12/2026"]
    );
    site.advance(1).await;
    assert_eq!(
        names(&page(&site, 1, 1, PUBLISHER).await),
        ["Vestník 12/2026"],
        "a Saturday"
    );
    assert_eq!(
        page(&site, 0, 20, PUBLISHER).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn file_called_csv_contains_nested_json() {
    let site = Site::new(300);
    let answer = file(&site, 2026, 10).await;
    assert_eq!(answer.header("content-type"), "text/csv");
    assert!(answer.text().starts_with('\u{feff}'), "even numbers");
    let answer = file(&site, 2026, 11).await;
    let envelope = answer.json();
    assert_eq!(
        (
            &envelope["bulletinPublishDate"],
            &envelope["year"],
            &envelope["number"]
        ),
        (&json!("2026-01-15T00:00:00"), &json!(2026), &json!(11))
    );
    assert_eq!(file(&site, 2026, 12).await.status, StatusCode::NOT_FOUND);
    let mut seen = BTreeSet::new();
    for number in 1..=11 {
        for item in items(&file(&site, 2026, number).await) {
            if item.starts_with('<') {
                seen.insert("XML");
                continue;
            }
            let notice: Value = serde_json::from_str(&item).expect("a notice");
            assert!(notice["id"].is_u64() && notice["name"].is_string());
            for (what, text) in [
                ("tabs", "\"key\":\"tabs\""),
                ("two tabs", "\"key\":\"tab-2\""),
                ("a list", "\"OPT-320-LotResult\",\"value\":[\"TEN-"),
                (
                    "a text like a list",
                    "\"OPT-320-LotResult\",\"value\":\"['TEN-",
                ),
                ("a text", "\"OPT-320-LotResult\",\"value\":\"TEN-"),
                ("a rank alone", "BT-3201-Tender"),
                ("crowns", "\"CZK\""),
                ("a correction", "\"name\":\"Oprava"),
                ("no winner", "clos-nw"),
                ("abroad", "\"CZE\""),
            ] {
                if item.contains(text) {
                    seen.insert(what);
                }
            }
        }
    }
    for what in ["tabs", "two tabs", "a list", "a text", "a text like a list"] {
        assert!(seen.contains(what), "{what}: {seen:?}");
    }
}

#[test]
fn every_quirk_occurs() {
    let population = population(3_000, 7);
    let mut seen = BTreeSet::new();
    for issue in tenders::issues(&population, 0) {
        for notice in tenders::notices(&population, &issue) {
            seen.insert(format!("{:?} xml {}", notice.form, notice.is_xml));
            seen.insert(format!("uuid {}", notice.has_uuid));
            for party in notice.parties() {
                seen.insert(format!("{:?}", party.spelling));
            }
            for lot in &notice.lots {
                seen.insert(format!("winners {}", lot.winners.len()));
                seen.insert(format!("value {} {}", lot.value.is_some(), lot.currency));
                seen.insert(format!("contract {}", lot.contract.is_some()));
            }
        }
    }
    for wanted in [
        "Result xml true",
        "Result xml false",
        "NationalResult xml false",
        "Correction xml false",
        "Planning xml false",
        "Competition xml false",
        "ContractChange xml false",
        "uuid false",
        "uuid true",
        "Spaced",
        "NoBreak",
        "TaxNumber",
        "Missing",
        "Abroad",
        "winners 0",
        "winners 1",
        "winners 2",
        "value true CZK",
        "value false EUR",
        "contract false",
        "contract true",
    ] {
        assert!(seen.contains(wanted), "{wanted}: {seen:?}");
    }
}

#[test]
fn a_third_of_companies_won_a_tender() {
    let population = population(300, 7);
    let mut winners = BTreeSet::new();
    for issue in tenders::issues(&population, 0) {
        for notice in tenders::notices(&population, &issue) {
            assert_eq!(notice.id / 10_000, notice_day(&issue.published));
            for party in notice.lots.iter().flat_map(|lot| &lot.winners) {
                if let Who::Company(index) = party.who {
                    winners.insert(index);
                }
            }
        }
    }
    assert!((70..170).contains(&winners.len()), "{}", winners.len());
}

fn notice_day(date: &time::Date) -> u64 {
    u64::try_from(date.to_julian_day() - 2_450_000).expect("a day of this century")
}

#[test]
fn showcase_matches_its_table_for_every_seed() {
    let counts = |seed| -> Vec<(usize, usize)> {
        let population = population(100, seed);
        (0..12)
            .map(|index| {
                let company = population.company(index, 0);
                (
                    tenders::awards(&population, &company, 0).len(),
                    tenders::contacts(&population, &company, 0).len(),
                )
            })
            .collect()
    };
    let shown = counts(7);
    assert_eq!(shown, counts(8));
    let awards: Vec<usize> = shown.iter().map(|(awards, _)| *awards).collect();
    assert_eq!(awards, [5, 2, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0]);
    assert!(shown[6].1 > 0 && shown[0].1 > 0, "{shown:?}");
    let population = population(100, 7);
    let corrected = tenders::awards(&population, &population.company(1, 0), 0);
    assert_eq!(corrected[0].notice.form, Form::Correction);
    assert_eq!(
        corrected[0].facts().value.map(|value| value.0),
        Some(9_800_050)
    );
    let spelt = tenders::awards(&population, &population.company(6, 0), 0);
    assert_eq!(spelt[0].facts().winners[0].spelling, Spelling::Spaced);
}

#[test]
fn forced_award_is_in_the_next_issue() {
    let population = population(100, 7);
    let emails = |index: u32, day: u32| -> Vec<String> {
        let company = population.company(index, day);
        tenders::contacts(&population, &company, day)
            .into_iter()
            .filter(|contact| contact.kind == ContactKind::Email)
            .map(|contact| contact.value)
            .collect()
    };
    let count = |index: u32, day: u32| {
        tenders::awards(&population, &population.company(index, day), day).len()
    };
    // Day 2 is a Saturday.
    for (day, reported) in [(1, 1), (2, 4)] {
        let index = 40 + day;
        let before = (count(index, reported - 1), emails(index, reported - 1));
        assert!(population.force(index, day, ChangeKind::Happened(Happening::TenderWon)));
        assert!(population.force(index, day, ChangeKind::Happened(Happening::ContactChanged)));
        assert_eq!(
            (count(index, reported - 1), emails(index, reported - 1)),
            before
        );
        assert_eq!(count(index, reported), before.0 + 1);
        assert_ne!(emails(index, reported).first(), before.1.first());
    }
    // The script's.
    assert_eq!(count(0, 12), count(0, 11) + 1);
    assert_ne!(emails(6, 12)[0], emails(6, 11)[0]);
}

#[tokio::test]
async fn register_fails_like_the_others() {
    let site = Site::new(12);
    let whole = page(&site, 1, 100, PUBLISHER).await.body;
    for (mode, status) in [
        ("error-500", 500),
        ("throttled", 429),
        ("html-200", 200),
        ("truncated", 200),
        ("garbage", 200),
    ] {
        site.fault("data-portal", mode).await;
        let answer = page(&site, 1, 100, PUBLISHER).await;
        assert_eq!(answer.status.as_u16(), status, "{mode}");
        assert_ne!(answer.body, whole, "{mode}");
    }
    site.fault("data-portal", "off").await;
    assert_eq!(page(&site, 1, 100, PUBLISHER).await.body, whole);
}
