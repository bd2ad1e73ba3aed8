//! The search of the Union's procurement journal.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::Site;

fn question(ico: &str) -> Value {
    json!({
        "query": format!("buyer-identifier = {ico} AND buyer-country = SVK SORT BY publication-date DESC"),
        "fields": ["publication-number", "publication-date", "buyer-identifier"],
        "limit": 100, "scope": "ALL", "paginationMode": "ITERATION",
    })
}

async fn asked(site: &Site, body: &Value) -> (StatusCode, Value) {
    let answer = site.post("/ted/notices/search", &body.to_string()).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn page_token_belongs_to_one_query() {
    let site = Site::new(12);
    let mut body = question("99999919");
    let (_, first) = asked(&site, &body).await;
    assert_eq!(first["notices"].as_array().map(Vec::len), Some(100));
    assert_eq!(first["totalNoticeCount"], 130);
    body["iterationNextToken"] = first["iterationNextToken"].clone();
    let (_, second) = asked(&site, &body).await;
    assert_eq!(second["notices"].as_array().map(Vec::len), Some(30));
    assert!(
        second["iterationNextToken"].is_string(),
        "behind the last page too"
    );
    assert_ne!(first["notices"][99], second["notices"][0]);
    body["query"] = question("99999994")["query"].clone();
    assert_eq!(asked(&site, &body).await.0, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn unknown_member_is_refused_and_unrequested_omitted() {
    let site = Site::new(12);
    let (_, found) = asked(&site, &question("99999994")).await;
    let notice = found["notices"][0].as_object().expect("a notice");
    let members: Vec<&str> = notice.keys().map(String::as_str).collect();
    let mut expected = vec![
        "buyer-identifier",
        "links",
        "publication-date",
        "publication-number",
    ];
    expected.sort_unstable();
    let mut members = members;
    members.sort_unstable();
    assert_eq!(members, expected);
    for (member, value) in [
        ("fields", json!(["total-worth"])),
        ("fields", json!([])),
        ("limit", json!(251)),
        ("query", json!("FT ~ \"most\"")),
    ] {
        let mut body = question("99999994");
        body[member] = value;
        assert_eq!(
            asked(&site, &body).await.0,
            StatusCode::BAD_REQUEST,
            "{body}"
        );
    }
}

#[tokio::test]
async fn search_also_finds_longer_numbers() {
    let (_, found) = asked(&Site::new(12), &question("99999889")).await;
    let notices = found["notices"].as_array().into_iter().flatten();
    let buyers: Vec<Value> = notices.map(|one| one["buyer-identifier"].clone()).collect();
    assert_eq!(buyers, [json!(["99999889"]), json!(["2099999889"])]);
}

#[tokio::test]
async fn scripted_search_times_out() {
    let site = Site::new(12);
    for is_cut in [false, true, false] {
        let (_, found) = asked(&site, &question("99999901")).await;
        assert_eq!(found["timedOut"], is_cut);
        site.advance(if is_cut { 1 } else { 13 }).await;
    }
}
