//! The invented register of licences.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::Site;

async fn licences(site: &Site, ico: &str) -> Vec<Value> {
    let answer = site.get(&format!("/licences?ico={ico}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{ico}");
    assert_eq!(answer.header("content-type"), "application/json");
    answer.json()["licences"]
        .as_array()
        .expect("a list even when it is empty")
        .clone()
}

#[tokio::test]
async fn licence_has_number_kind_and_dates() {
    let site = Site::new(12);
    let answer = site.get("/licences?ico=99999994").await.json();
    assert_eq!(answer["ico"], "99999994");
    assert_eq!(answer["holder"], "Vzorostav Čučoriedka, s. r. o.");
    assert_eq!(
        answer["licences"],
        json!([
            { "number": "L-2025-0000000", "kind": answer["licences"][0]["kind"], "validFrom": "2025-03-21", "validTo": null },
            { "number": "L-2024-0000001", "kind": answer["licences"][1]["kind"], "validFrom": "2024-12-11", "validTo": "2027-02-19" },
        ])
    );
    assert_ne!(
        answer["licences"][0]["kind"], answer["licences"][1]["kind"],
        "a company has no duplicate licence"
    );
}

#[tokio::test]
async fn licence_counts_vary_and_are_repeatable() {
    let (site, again) = (Site::new(300), Site::new(300));
    let state = site.get("/control/state").await.json();
    let shown: Vec<&str> = state["showcase"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut counts = Vec::new();
    for ico in &shown[..4] {
        counts.push(licences(&site, ico).await.len());
    }
    assert_eq!(counts, [2, 1, 1, 0]);
    let ended = licences(&site, "99999951").await;
    assert!(ended.is_empty(), "who is no more has none: {ended:?}");
    let mut seen = std::collections::BTreeSet::new();
    // IČO count down from 9999999 plus a check digit; the numbers between them are unassigned.
    for number in (99_997_000..99_999_880).rev() {
        let path = format!("/licences?ico={number}");
        let answer = site.get(&path).await;
        if answer.status == StatusCode::OK {
            assert_eq!(answer.json(), again.get(&path).await.json());
            seen.insert(answer.json()["licences"].as_array().map_or(0, Vec::len));
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[tokio::test]
async fn ended_licence_leaves_the_list() {
    let site = Site::new(12);
    site.advance(40).await;
    assert_eq!(licences(&site, "99999978").await.len(), 1, "its last day");
    site.advance(1).await;
    assert_eq!(licences(&site, "99999978").await, Vec::<Value>::new());
}

#[tokio::test]
async fn unknown_number_has_its_own_error_code() {
    let site = Site::new(12);
    for (query, status, code) in [
        ("?ico=12345678", StatusCode::NOT_FOUND, "unknown-ico"),
        ("?ico=123", StatusCode::BAD_REQUEST, "invalid-ico"),
        ("?ico=9999999%2F", StatusCode::BAD_REQUEST, "invalid-ico"),
        ("", StatusCode::BAD_REQUEST, "invalid-ico"),
    ] {
        let answer = site.get(&format!("/licences{query}")).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]),
            (status, &code.into()),
            "{query}"
        );
    }
}

#[tokio::test]
async fn register_fails_like_the_others() {
    let site = Site::new(12);
    let path = "/licences?ico=99999994";
    let whole = site.get(path).await.body;
    for (mode, status) in [
        ("error-500", 500),
        ("throttled", 429),
        ("html-200", 200),
        ("empty", 200),
        ("truncated", 200),
        ("garbage", 200),
        ("wrong-charset", 200),
        ("archive-bomb", 200),
    ] {
        site.fault("licences", mode).await;
        let answer = site.get(path).await;
        assert_eq!(answer.status.as_u16(), status, "{mode}");
        assert_ne!(answer.body, whole, "{mode}");
    }
    site.fault("licences", "off").await;
    assert_eq!(site.get(path).await.body, whole);
}
