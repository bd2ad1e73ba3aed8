//! The register of contracts.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use register_simulator::Population;
use register_simulator::population::contracts::{
    Later, State, Supplier, first_day, listed_on, of_company, published_on,
};
use time::macros::{date, datetime};
use time::{Date, Duration};

use crate::{Site, options};

fn population(companies: u32) -> Population {
    let options = options(companies);
    Population::new(companies, options.seed, options.start.date())
}

/// The days that have a file on the first day.
fn days(population: &Population) -> impl Iterator<Item = Date> {
    let first = first_day(population);
    (0..120).map(move |days| first + Duration::days(days))
}

async fn xml(site: &Site, day: &str) -> String {
    let answer = site.get(&format!("/crz/export/{day}.zip")).await;
    assert_eq!(answer.status, StatusCode::OK, "{day}");
    assert_eq!(answer.header("content-type"), "application/zip");
    let files = answer.unzipped();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].0, format!("{day}.xml"));
    files[0].1.clone()
}

#[tokio::test]
async fn export_has_every_element_of_each_contract() {
    let site = Site::new(600);
    let population = population(600);
    for day in days(&population).filter(|day| !published_on(&population, *day).is_empty()) {
        let text = xml(&site, &day.to_string()).await;
        let contracts: Vec<&str> = text.split("<zmluva>").skip(1).collect();
        assert_eq!(contracts.len(), listed_on(&population, day).len());
        for contract in contracts {
            for element in [
                "nazov", "ID", "predmet", "stav", "typ", "druh", "ico", "ico1", "chan", "prilohy",
                "uvo",
            ] {
                let is_there = contract.contains(&format!("<{element}>"))
                    || contract.contains(&format!("<{element}/>"));
                assert!(is_there, "{element} in {contract}");
            }
        }
    }
}

#[tokio::test]
async fn weekend_holiday_and_future_files_differ() {
    let site = Site::new(12);
    let saturday = site.get("/crz/export/2026-01-10.zip").await;
    assert_eq!((saturday.status, saturday.body.len()), (StatusCode::OK, 0));
    assert!(xml(&site, "2026-01-06").await.ends_with("<zmluvy/>\n"));
    for missing in [
        "2026-01-11.zip",
        "2026-01-15.zip",
        "2025-09-16.zip",
        "2025-09-17.xml",
        "x.zip",
    ] {
        let answer = site.get(&format!("/crz/export/{missing}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{missing}");
    }
    xml(&site, "2025-09-17").await;
    site.advance(1).await;
    xml(&site, "2026-01-15").await;
}

#[test]
fn showcase_contracts_match_their_table() {
    for seed in [7, 8] {
        let population = Population::new(60, seed, date!(2026 - 01 - 15));
        let of = |index: u32| {
            let company = population.company(index, 0);
            of_company(&population, &company, date!(2026 - 01 - 14))
        };
        let counts: Vec<(usize, usize)> = (0..12)
            .map(|index| {
                let all = of(index);
                let counted = all.iter().filter(|contract| contract.counts()).count();
                (counted, all.len() - counted)
            })
            .collect();
        let expected = [
            (14, 5),
            (1, 0),
            (0, 1),
            (1, 0),
            (1, 0),
            (0, 1),
            (1, 0),
            (3, 0),
            (0, 0),
            (0, 1),
            (3, 0),
            (0, 0),
        ];
        assert_eq!(counts, expected);
        let unknown = of(0)
            .into_iter()
            .filter(|contract| contract.counts() && contract.worth().is_none());
        assert_eq!(unknown.count(), 2);
        let states: Vec<State> = of(0).iter().map(|contract| contract.state).collect();
        for state in [State::Cancelled, State::Withdrawn] {
            assert_eq!(
                states.iter().filter(|found| **found == state).count(),
                1,
                "{state:?}"
            );
        }
        let ids: Vec<u64> = of(0).iter().map(|contract| contract.id).collect();
        assert!(ids.is_sorted(), "ids grow with time: {ids:?}");
    }
}

#[test]
fn changed_contract_reappears_on_its_day_only() {
    let population = population(5_000);
    let mut listed = BTreeMap::<u64, Vec<Date>>::new();
    for day in days(&population) {
        for contract in listed_on(&population, day) {
            listed.entry(contract.id).or_default().push(day);
        }
    }
    let (mut kinds, mut last) = ([0; 3], date!(2026 - 01 - 14));
    for day in days(&population) {
        for contract in published_on(&population, day) {
            let mut expected = vec![contract.published];
            expected.extend(contract.later.map(|(on, _)| on).filter(|on| *on <= last));
            assert_eq!(listed[&contract.id], expected, "{contract:?}");
            if let Some((on, later)) = contract.later {
                let place = match later {
                    Later::Turns(_) => 0,
                    Later::Supplemented(_) => 1,
                    Later::Attachment => 2,
                };
                kinds[place] += 1;
                assert!(on > contract.published);
            }
        }
        last = last.max(day);
    }
    assert!(kinds.iter().all(|count| *count > 5), "{kinds:?}");
}

#[test]
fn a_third_of_companies_have_contracts() {
    let population = population(600);
    let all: Vec<_> = days(&population)
        .flat_map(|day| published_on(&population, day))
        .collect();
    let companies: std::collections::BTreeSet<u32> = all
        .iter()
        .filter_map(|contract| match contract.supplier {
            Supplier::Company(index) => Some(index),
            Supplier::WithoutIco(_) | Supplier::WithOther { .. } => None,
        })
        .filter(|index| *index >= 12)
        .collect();
    assert!((80..=200).contains(&companies.len()), "{}", companies.len());
    let without = all
        .iter()
        .filter(|contract| matches!(contract.supplier, Supplier::WithoutIco(_)));
    let share = without.count() * 100 / all.len();
    assert!((10..40).contains(&share), "{share} %");
    let unknown = all
        .iter()
        .filter(|contract| contract.worth().is_none())
        .count();
    assert!((20..50).contains(&(unknown * 100 / all.len())), "{unknown}");
}

#[test]
fn a_day_grows_with_the_population() {
    let count = |companies| {
        published_on(
            &Population::new(companies, 7, datetime!(2026-01-15 08:00 UTC).date()),
            date!(2026 - 01 - 14),
        )
        .len()
    };
    assert!((1..=3).contains(&count(60)), "{}", count(60));
    assert!(
        (2_300..3_200).contains(&count(1_400_000)),
        "{}",
        count(1_400_000)
    );
}

#[tokio::test]
async fn forced_contract_is_in_the_file_of_its_day() {
    let site = Site::new(12);
    site.advance(11).await;
    let before = site.get("/crz/export/2026-01-26.zip").await;
    assert_eq!(before.status, StatusCode::NOT_FOUND, "not before the night");
    site.advance(1).await;
    assert!(
        xml(&site, "2026-01-26")
            .await
            .contains("<ico>99999994</ico>")
    );
    let answer = site
        .post(
            "/control/change",
            r#"{"ico":"99999919","kind":"contract-published"}"#,
        )
        .await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    site.advance(1).await;
    let today = xml(&site, "2026-01-27").await;
    assert!(
        today.contains("99999919")
            || today.contains("99 999 919")
            || today.contains("99\u{a0}999\u{a0}919")
    );
}
