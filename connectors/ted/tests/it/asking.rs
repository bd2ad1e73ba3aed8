//! Whole calls: requests and sections.

use lustra_sdk::Enrichment;
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{TestHost, subject, subject_with_previous};
use lustra_ted::Ted;

use super::manifest::manifest;
use super::world::{ICO, content, enrich, host, notice, page, pages};

fn asked() -> Vec<Value> {
    TestHost::bodies()
        .iter()
        .map(|body| from_str(body).unwrap())
        .collect()
}

#[test]
fn query_searches_for_the_buyer() {
    host(page(&[notice(900_001)], 1, Some("AoE-1"))).install();
    let content = content();
    assert_eq!(content["count"], 1);
    assert_eq!(content["latest"][0]["publication_number"], "900001-2026");
    assert_eq!(content["latest"][0]["publication_date"], "2026-01-25");
    assert_eq!(
        content["latest"][0]["url"],
        "https://ted.europa.eu/sk/notice/-/detail/900001-2026"
    );
    assert_eq!(content["total_value"], 1000.5);
    assert_eq!(TestHost::requests(), ["ted /notices/search"]);
    let asked = asked();
    assert_eq!(
        asked[0]["query"],
        format!("buyer-identifier = {ICO} AND buyer-country = SVK SORT BY publication-date DESC")
    );
    assert_eq!(
        (
            &asked[0]["scope"],
            &asked[0]["paginationMode"],
            &asked[0]["limit"]
        ),
        (&json!("ALL"), &json!("ITERATION"), &json!(100))
    );
    assert_eq!(asked[0].get("iterationNextToken"), None);
    assert_eq!(enrich().unwrap().evidence.len(), 1);
}

#[test]
fn empty_list_means_no_notices() {
    host(page(&[], 0, Some("AoE-0"))).install();
    assert_eq!(
        content(),
        json!({
            "count": 0, "latest": [], "total_value": 0, "currency": "EUR", "other_currencies": [], "without_value": 0,
            "modifications": 0,
        })
    );
    assert_eq!(TestHost::requests().len(), 1);
}

#[test]
fn pages_are_read_until_the_total_is_reached() {
    let of = |numbers: std::ops::Range<u32>| numbers.map(notice).collect::<Vec<_>>();
    pages([
        page(&of(1..101), 205, Some("a")),
        page(&of(101..201), 205, Some("b")),
        page(&of(201..206), 205, Some("c")),
    ])
    .install();
    let content = content();
    assert_eq!(content["count"], 205);
    assert_eq!(content["latest"].as_array().unwrap().len(), 25);
    assert_eq!(content["latest"][0]["publication_number"], "205-2026");
    assert_eq!(content["total_value"], 205_102.5);
    let asked = asked();
    assert_eq!(
        asked.len(),
        3,
        "the token behind the last page is not followed"
    );
    let mut second = asked[1].clone();
    assert_eq!(second["iterationNextToken"], "a");
    assert_eq!(asked[2]["iterationNextToken"], "b");
    second.as_object_mut().unwrap().remove("iterationNextToken");
    assert_eq!(second, asked[0], "the same body but for the token");
}

#[test]
fn a_notice_on_two_pages_counts_once() {
    pages([
        page(&[notice(1), notice(2)], 4, Some("a")),
        page(&[notice(2), notice(3)], 4, Some("b")),
    ])
    .install();
    assert_eq!(content()["count"], 3);
}

#[test]
fn notices_beyond_the_page_limit_are_unread() {
    let settings = |host: TestHost| {
        host.setting("pages", &json!(2))
            .setting("page_size", &json!(2))
    };
    let host = || {
        settings(pages([
            page(&[notice(9), notice(8)], 7, Some("a")),
            page(&[notice(7), notice(6)], 7, Some("b")),
        ]))
    };
    host().install();
    let first = content();
    assert_eq!(first["count"], 7);
    assert_eq!(first["latest"].as_array().unwrap().len(), 4);
    assert_eq!(first["total_value"], 4002.0, "of those that were read");
    assert_eq!(first["without_value"], 3, "those that were not read");
    assert_eq!(first["unread"][0]["source"], "older-notices");
    let why = first["unread"][0]["why"].as_str().unwrap();
    assert_eq!(why.split(':').next(), Some("truncated"));
    host().now("2027-01-01T00:00:00Z").install();
    let section = Ted::enrich("ted_tenders", subject_with_previous(ICO, Some(&first))).unwrap();
    let second = manifest().content("ted_tenders", &section);
    assert_eq!(second["unread"][0]["since"], first["unread"][0]["since"]);
}

#[test]
fn notices_of_others_are_skipped() {
    let mut other = notice(2);
    other["buyer-identifier"] = json!(["2099000016", "CZ99000016"]);
    let mut abroad = notice(3);
    abroad["buyer-country"] = json!(["CZE"]);
    host(page(&[notice(1), other, abroad], 3, None)).install();
    assert_eq!(content()["count"], 1);
}

#[test]
fn settings_change_the_query() {
    host(page(&[], 0, None))
        .setting("query", &json!("organisation-identifier-buyer IN ({ico})"))
        .setting(
            "values",
            &json!([{"amount": "tender-value", "currency": "tender-value-cur"}]),
        )
        .setting("only_latest_versions", &json!(false))
        .install();
    enrich().unwrap();
    let asked = &asked()[0];
    assert_eq!(
        asked["query"],
        format!("organisation-identifier-buyer IN ({ICO})")
    );
    assert_eq!(asked["onlyLatestVersions"], false);
    let fields = asked["fields"].as_array().unwrap();
    assert!(fields.contains(&json!("tender-value")) && !fields.contains(&json!("total-value")));
}

#[test]
fn invalid_number_makes_no_request() {
    TestHost::new().install();
    for odd in ["", "124", "1 OR 1 = 1", "123456789"] {
        assert!(Ted::enrich("ted_tenders", subject(odd)).is_err(), "{odd}");
    }
    assert!(Ted::enrich("another", subject(ICO)).is_err());
    assert_eq!(TestHost::requests().len(), 0);
}

#[test]
fn total_value_of_a_competition_is_an_estimate() {
    let mut competition = notice(2);
    competition["notice-type"] = json!("cn-standard");
    competition["form-type"] = json!("competition");
    host(page(&[notice(1), competition], 2, None)).install();
    let content = content();
    let told = &content["latest"][0];
    assert_eq!(
        (&told["value"], &told["currency"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(told["estimated_value"], 1000.5);
    assert_eq!(told["estimated_currency"], "EUR");
    assert_eq!(content["total_value"], 1000.5, "of the result alone");
    assert_eq!(content["without_value"], 1);
}

#[test]
fn modification_replaces_the_award_it_modifies() {
    let mut modification = notice(2);
    modification["notice-type"] = json!("can-modif");
    modification["form-type"] = json!("cont-modif");
    modification["total-value"] = json!(1200);
    modification["modification-previous-notice-identifier"] = json!(["1-2026"]);
    host(page(&[modification, notice(1)], 2, None)).install();
    let content = content();
    assert_eq!(content["total_value"], 1200.0, "not 2200.5");
    assert_eq!(
        (
            &content["count"],
            &content["modifications"],
            &content["without_value"]
        ),
        (&json!(2), &json!(1), &json!(0))
    );
    let told = &content["latest"][0];
    assert_eq!(
        (&told["modifies"], &told["value"]),
        (&json!("1-2026"), &json!(1200))
    );
    assert_eq!(content["latest"][1]["modifies"], Value::Null);
}
