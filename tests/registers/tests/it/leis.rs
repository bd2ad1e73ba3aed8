//! The register of legal entity identifiers.

use axum::http::StatusCode;
use register_simulator::population::leis::leis;
use serde_json::{Value, json};

use crate::{Site, options};

async fn records(site: &Site, filter: &str) -> Vec<Value> {
    let path = format!("/gleif/lei-records?filter%5Bentity.registeredAs%5D={filter}");
    let answer = site.get(&path).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "application/vnd.api+json");
    let answer = answer.json();
    let records = answer["data"].as_array().expect("a list").clone();
    assert_eq!(answer["meta"]["pagination"]["total"], records.len());
    records
}

#[tokio::test]
async fn country_distinguishes_companies_with_one_number() {
    let site = Site::new(12);
    let of = |records: &[Value]| -> Vec<Value> {
        let countries = records.iter();
        countries
            .map(|one| one["attributes"]["entity"]["legalAddress"]["country"].clone())
            .collect()
    };
    let in_slovakia = "&filter%5Bentity.legalAddress.country%5D=SK";
    for (ico, everywhere, here) in [
        ("99999994", json!(["CZ", "SK"]), json!(["SK"])),
        ("99999978", json!(["CZ"]), json!([])),
        ("99999901", json!([]), json!([])),
    ] {
        assert_eq!(json!(of(&records(&site, ico).await)), everywhere, "{ico}");
        let filter = format!("{ico}{in_slovakia}");
        assert_eq!(json!(of(&records(&site, &filter).await)), here, "{ico}");
    }
}

#[tokio::test]
async fn record_links_to_its_parents() {
    let site = Site::new(12);
    let status = async |lei: &str, what: &str| {
        let path = format!("/gleif/lei-records/{lei}/{what}");
        site.get(&path).await.status
    };
    for (ico, direct, is_there) in [
        ("99999994", "lei-record", true),
        ("00000124", "reporting-exception", true),
        ("99999897", "lei-record", false),
    ] {
        let record = &records(&site, ico).await[usize::from(ico == "99999994")];
        let links = &record["relationships"]["direct-parent"]["links"];
        assert!(links[direct].is_string(), "{ico}: {links}");
        let what = match direct {
            "lei-record" => "direct-parent",
            _ => "direct-parent-reporting-exception",
        };
        let lei = record["id"].as_str().expect("a text");
        let expected = if is_there {
            StatusCode::OK
        } else {
            StatusCode::NOT_FOUND
        };
        assert_eq!(status(lei, what).await, expected, "{ico}");
        let other = match direct {
            "lei-record" => "direct-parent-reporting-exception",
            _ => "direct-parent",
        };
        assert_eq!(status(lei, other).await, StatusCode::NOT_FOUND, "{ico}");
    }
}

#[test]
fn every_lei_has_valid_check_digits() {
    let options = options(600);
    let population =
        register_simulator::Population::new(options.companies, options.seed, options.start.date());
    let mut count = 0;
    for index in 0..population.len() {
        for lei in leis(&population.company(index, 0)) {
            count += 1;
            let rest = lei.lei.chars().fold(0, |rest, letter| {
                let value = letter.to_digit(36).expect("letters and digits");
                (rest * if value < 10 { 10 } else { 100 } + value) % 97
            });
            assert_eq!((lei.lei.len(), rest), (20, 1), "{}", lei.lei);
        }
    }
    assert!((30..90).contains(&count), "one in twelve: {count}");
}
