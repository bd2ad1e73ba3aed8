//! The register of legal persons: its interface and its exports.

use axum::http::StatusCode;
use serde_json::Value;

use crate::Site;

fn results(text: &str) -> Vec<Value> {
    let file: Value = serde_json::from_str(text).expect("the whole file is JSON");
    file["results"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn search_by_ico_returns_envelope_with_history() {
    let site = Site::new(12);
    let answer = site.get("/rpo/search?identifier=99999994").await.json();
    let row = &answer["results"][0];
    assert_eq!(row["fullNames"].as_array().map(Vec::len), Some(2));
    assert!(
        answer["license"]
            .as_str()
            .is_some_and(|text| text.starts_with("1. ") && text.contains("\n2. "))
    );
    let unknown = site.get("/rpo/search?identifier=12345678").await;
    assert_eq!(
        (unknown.status, unknown.json()["results"].clone()),
        (StatusCode::OK, Value::from(Vec::<Value>::new()))
    );
}

#[tokio::test]
async fn errors_have_a_message_and_links() {
    let site = Site::new(12);
    let answer = site.get("/rpo/search").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let expected = r#"{"message":"No parameters specified in search request","_links":{"self":{"href":"/rpo/v1/search","templated":false}}}"#;
    assert_eq!(answer.text(), expected);
    let answer = site.get("/rpo/entity/999999999").await;
    assert_eq!(
        (answer.status, answer.json()["message"].clone()),
        (StatusCode::NOT_FOUND, "No record found".into())
    );
}

#[tokio::test]
async fn ended_company_is_empty_without_history() {
    let site = Site::new(12);
    let id = site.get("/rpo/search?identifier=99999951").await.json()["results"][0]["id"].clone();
    let bare = site.get(&format!("/rpo/entity/{id}")).await.json();
    for key in [
        "fullNames",
        "addresses",
        "activities",
        "statutoryBodies",
        "equities",
        "deposits",
    ] {
        assert_eq!(bare[key], Value::from(Vec::<Value>::new()), "{key}");
    }
    assert_eq!(bare["successors"][0]["identifier"], "99999986");
    assert_eq!(bare["legalStatuses"].as_array().map(Vec::len), Some(2));
    let full = site
        .get(&format!("/rpo/entity/{id}?showHistoricalData=true"))
        .await
        .json();
    assert_eq!(full["fullNames"][0]["validTo"], full["termination"]);
}

#[tokio::test]
async fn one_ico_can_have_two_records() {
    let site = Site::new(12);
    let answer = site.get("/rpo/search?identifier=00000124").await.json();
    let rows = answer["results"].as_array().expect("a list");
    assert_eq!(rows.len(), 2);
    assert!(rows[0].get("termination").is_none() && rows[1].get("termination").is_some());
    assert_eq!(rows[1]["identifiers"][0]["value"], "Neuvedené");
    let earlier = site
        .get(&format!(
            "/rpo/entity/{}?showHistoricalData=true",
            rows[1]["id"]
        ))
        .await
        .json();
    assert_eq!(earlier["sourceRegister"]["value"]["code"], "70");
}

#[tokio::test]
async fn name_search_ignores_diacritics_and_caps_rows() {
    let site = Site::new(2_000);
    let answer = site.get("/rpo/search?fullName=cucoriedka").await.json();
    assert_eq!(answer["results"][0]["identifiers"][0]["value"], "99999994");
    let answer = site.get("/rpo/search?fullName=o").await.json();
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(500));
}

#[tokio::test]
async fn the_listing_is_paged_with_tokens() {
    let site = Site::new(12);
    let first = site
        .get("/rpo-dumps?list-type=2&prefix=batch-init/&max-keys=2")
        .await;
    assert!(first.text().contains("<IsTruncated>true</IsTruncated>"));
    let token = first
        .text()
        .split("<NextContinuationToken>")
        .nth(1)
        .and_then(|rest| rest.split('<').next());
    let token = token.expect("a token");
    let next = site
        .get(&format!(
            "/rpo-dumps/?list-type=2&prefix=batch-init/&max-keys=2&continuation-token={token}"
        ))
        .await;
    assert!(next.text().contains("init_2025-12-06_list.txt"));
    let all = site
        .get("/rpo-dumps?prefix=batch-init/&max-keys=2000")
        .await;
    assert!(all.text().contains("<IsTruncated>false</IsTruncated>"));
    assert!(
        all.text()
            .contains("<Key>batch-init/init_2026-01-03_002.json.gz</Key>")
    );
}

#[tokio::test]
async fn full_export_has_every_record_and_odd_commas() {
    let site = Site::new(40);
    let list = site
        .get("/rpo-dumps/batch-init/init_2026-01-03_list.txt")
        .await;
    assert_eq!(
        list.text(),
        "init_2026-01-03_001.json.gz\ninit_2026-01-03_002.json.gz\n"
    );
    let mut count = 0;
    for name in list.text().lines() {
        let text = site
            .get(&format!("/rpo-dumps/batch-init/{name}"))
            .await
            .gunzipped();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "{\"exportDate\":\"2026-01-03\",\"results\":[");
        assert!(lines[1].starts_with("{\"id\":") && lines[1].ends_with('}'));
        assert!(
            lines[2..lines.len() - 1]
                .iter()
                .all(|line| line.starts_with(",{\"id\":") && line.ends_with('}'))
        );
        assert_eq!(lines.last(), Some(&"]}"));
        count += results(&text)
            .iter()
            .filter(|record| record["containsInconsistency"] == false)
            .count();
    }
    assert_eq!(count, 40);
}

#[tokio::test]
async fn export_has_text_amounts_and_register_quirks() {
    let site = Site::new(12);
    let text = site
        .get("/rpo-dumps/batch-init/init_2026-01-03_001.json.gz")
        .await
        .gunzipped();
    let records = results(&text);
    assert_eq!(records[0]["equities"][0]["value"], "6640.00");
    assert_eq!(records[0]["equities"][1]["valuePaid"], "6640.00");
    assert!(records[0].get("dbModificationDate").is_none());
    assert_eq!(records[3]["stakeholders"][0]["validTo"], "1800-01-01");
    assert!(records[3]["activities"][0].get("suspendedFrom").is_some());
    let text = site
        .get("/rpo-dumps/batch-init/init_2026-01-03_002.json.gz")
        .await
        .gunzipped();
    let doubled = results(&text)
        .into_iter()
        .find(|record| record["identifiers"][0]["value"] == "99999897");
    let deposits = doubled.expect("company 10")["deposits"]
        .as_array()
        .expect("a list")
        .clone();
    assert_eq!(deposits[0], deposits[1]);
    let rest = site.get("/rpo/entity/1000001").await.json();
    assert_eq!(rest["equities"][0]["value"], 6640);
}

#[tokio::test]
async fn daily_export_has_changes_of_that_day() {
    let site = Site::new(12);
    let missing = site
        .get("/rpo-dumps/batch-daily/actual_2026-01-16.json.gz")
        .await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
    site.advance(1).await;
    let text = site
        .get("/rpo-dumps/batch-daily/actual_2026-01-16.json.gz")
        .await
        .gunzipped();
    let records = results(&text);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["identifiers"][0]["value"], "99999994");
    let officers = records[0]["statutoryBodies"].as_array().expect("a list");
    assert!(
        officers
            .iter()
            .any(|officer| officer["validTo"] == "2026-01-15")
    );
    assert!(
        officers
            .iter()
            .any(|officer| officer["validFrom"] == "2026-01-16")
    );
}

#[tokio::test]
async fn full_export_appears_on_first_saturday() {
    let site = Site::new(12);
    site.advance(30).await;
    assert!(
        site.get("/rpo-dumps?prefix=batch-init/")
            .await
            .text()
            .contains("init_2026-02-07_001.json.gz")
    );
    let text = site
        .get("/rpo-dumps/batch-init/init_2026-02-07_001.json.gz")
        .await
        .gunzipped();
    assert!(
        results(&text)[5].get("termination").is_some(),
        "company 5 ended on day 10"
    );
}

#[tokio::test]
async fn export_has_histories_of_people() {
    let site = Site::new(400);
    let mut seen = std::collections::BTreeSet::new();
    for part in ["001", "002"] {
        let text = site
            .get(&format!(
                "/rpo-dumps/batch-init/init_2026-01-03_{part}.json.gz"
            ))
            .await
            .gunzipped();
        for record in results(&text) {
            let rows = |list: &str| record[list].as_array().cloned().unwrap_or_default();
            let (officers, others) = (rows("statutoryBodies"), rows("stakeholders"));
            let pairs = |rows: &[Value], fits: &dyn Fn(&Value, &Value) -> bool| {
                rows.iter().any(|one| {
                    let same = |other: &&Value| other["personName"] == one["personName"];
                    rows.iter().filter(same).any(|other| fits(one, other))
                })
            };
            let moved = |old: &Value, new: &Value| {
                old["validFrom"] == new["validFrom"]
                    && old["validTo"].is_string()
                    && new["validTo"].is_null()
                    && old["address"] != new["address"]
            };
            let continued = |old: &Value, new: &Value| {
                old["validTo"].is_string()
                    && new["validTo"].is_null()
                    && old["validTo"].as_str() < new["validFrom"].as_str()
            };
            let any = |rows: &[Value], fits: &dyn Fn(&Value) -> bool| rows.iter().any(fits);
            let written = |row: &Value| {
                let name = row["personName"]["formatedName"].as_str();
                name.is_some_and(|name| name.ends_with(", - predseda"))
            };
            let found = [
                ("moved officer", pairs(&officers, &moved)),
                ("moved partner", pairs(&others, &continued)),
                ("chair behind the name", any(&others, &written)),
                ("closed", any(&officers, &|row| row["validTo"].is_string())),
                (
                    "no day",
                    any(&others, &|row| row["validFrom"] == "1800-01-01"),
                ),
                (
                    "foreign owner",
                    any(&others, &|row| {
                        row["fullName"].is_string() && row["address"]["country"]["code"] != "703"
                    }),
                ),
                (
                    "parts without titles",
                    any(&officers, &|row| {
                        row["personName"]["givenFamilyNames"].is_array()
                    }),
                ),
                (
                    "predecessor",
                    rows("predecessors")
                        .iter()
                        .any(|row| row["identifier"] == "99999951"),
                ),
                (
                    "rule of procurators",
                    any(&rows("authorizations"), &|row| {
                        row["value"]
                            .as_str()
                            .is_some_and(|rule| rule.starts_with("Rozsah udelenej prokúry"))
                    }),
                ),
            ];
            seen.extend(
                found
                    .into_iter()
                    .filter(|(_, is_there)| *is_there)
                    .map(|(what, _)| what),
            );
        }
    }
    assert_eq!(seen.len(), 9, "{seen:?}");
}
