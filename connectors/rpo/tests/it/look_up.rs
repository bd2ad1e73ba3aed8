//! Whole look-ups of one company, from the key to the base company.

use lustra_rpo::Rpo;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Company, CompanyKey, CompanySource, CompanyStatus, Failure};
use serde_json::{Value, json};

use crate::common::{self, fact, ico, line};

const ASKED: &str = "99999901";
const NO_RECORD: &str =
    r#"{"message":"No record found","_links":{"self":{"href":"/rpo/v1/entity/777001"}}}"#;

fn search_path(ico: &str) -> String {
    format!("/search?identifier={ico}")
}

fn entity_path(id: usize) -> String {
    format!("/entity/{id}?showHistoricalData=true&showOrganizationUnits=false")
}

fn record(id: usize) -> Value {
    serde_json::from_str(&line(id, ASKED, "Vzorová firma, s. r. o.")).expect("JSON")
}

fn found(rows: &[Value]) -> Answer {
    Answer::ok(json!({ "results": rows, "license": "1. …" }).to_string())
}

fn by_ico(ico: &str) -> Result<Option<Company>, Failure> {
    Rpo::fetch_company(CompanyKey::Ico(ico.to_owned()))
}

fn by_id(id: &str) -> Result<Option<Company>, Failure> {
    Rpo::fetch_company(CompanyKey::RegisterId(id.to_owned()))
}

fn host(rows: &[Value], id: usize, entity: Answer) -> TestHost {
    TestHost::new()
        .answer("rpo", &search_path(ASKED), found(rows))
        .answer("rpo", &entity_path(id), entity)
}

#[test]
fn a_company_is_found_in_two_steps() {
    host(
        &[record(777_001)],
        777_001,
        Answer::ok(record(777_001).to_string()),
    )
    .install();
    let company = by_ico("99 999 901").expect("an answer").expect("a company");
    assert_eq!(
        (company.ico.as_str(), company.status),
        (ASKED, CompanyStatus::Active)
    );
    assert_eq!(company.register_id.as_deref(), Some("777001"));
    assert_eq!(company.details, "{}");
    assert_eq!(company.evidence.len(), 2, "the search and the entity");
    assert_eq!(
        TestHost::requests(),
        [
            format!("rpo {}", search_path(ASKED)),
            format!("rpo {}", entity_path(777_001))
        ]
    );
}

#[test]
fn a_company_is_found_by_the_registers_own_id() {
    host(&[], 777_001, Answer::ok(record(777_001).to_string())).install();
    assert_eq!(
        by_id("777001").expect("an answer").expect("a company").ico,
        ASKED
    );
    assert_eq!(TestHost::requests().len(), 1);
}

#[test]
fn unknown_company_is_not_a_failure() {
    host(&[], 777_001, Answer::status(404, NO_RECORD)).install();
    assert!(by_ico(ASKED).expect("an answer").is_none());
    assert!(by_id("777001").expect("an answer").is_none());
}

#[test]
fn other_404_fails() {
    for body in ["<html>404</html>", "", r#"{"message":"Not Found"}"#] {
        host(&[], 777_001, Answer::status(404, body)).install();
        assert!(
            matches!(by_id("777001"), Err(Failure::Unavailable(_))),
            "{body}"
        );
    }
}

#[test]
fn preferred_record_must_have_the_number() {
    let mut ended = record(777_001);
    ended["termination"] = json!("1990-11-23");
    let mut other = record(888_001);
    other["identifiers"] = json!([{"value": ico(9_990_002), "validFrom": "2020-01-01"}]);
    host(
        &[ended, other, record(777_002)],
        777_002,
        Answer::ok(record(777_002).to_string()),
    )
    .install();
    let company = by_ico(ASKED).expect("an answer").expect("a company");
    assert_eq!(company.register_id.as_deref(), Some("777002"));
}

#[test]
fn entity_with_another_number_is_malformed() {
    let mut denying = record(777_001);
    denying["identifiers"] = json!([{"value": ico(9_990_002), "validFrom": "2020-01-01"}]);
    host(&[record(777_001)], 777_001, Answer::ok(denying.to_string())).install();
    assert!(matches!(by_ico(ASKED), Err(Failure::Malformed(_))));
}

#[test]
fn record_found_but_not_returned_is_not_unknown() {
    host(&[record(777_001)], 777_001, Answer::status(404, NO_RECORD)).install();
    assert!(matches!(by_ico(ASKED), Err(Failure::Unavailable(_))));
}

#[test]
fn ended_company_gets_name_and_seat_from_search() {
    let mut entity = record(777_001);
    entity["fullNames"] = json!([]);
    entity["addresses"] = json!([]);
    entity["termination"] = json!("2023-07-05");
    host(&[record(777_001)], 777_001, Answer::ok(entity.to_string())).install();
    let company = by_ico(ASKED).expect("an answer").expect("a company");
    assert_eq!(company.name, "Vzorová firma, s. r. o.");
    assert_eq!(company.address.city.as_deref(), Some("Vzorovo"));
    assert_eq!(company.terminated_date.as_deref(), Some("2023-07-05"));
    assert_eq!(company.status, CompanyStatus::Terminated);
    // By id there is no such row, and a company without a name is malformed.
    assert!(matches!(by_id("777001"), Err(Failure::Malformed(_))));
}

#[test]
fn record_without_a_number_is_not_a_company() {
    let mut entity = record(777_001);
    entity["identifiers"] = json!([{"value": "Neuvedené", "validFrom": "1960-01-01"}]);
    host(&[], 777_001, Answer::ok(entity.to_string())).install();
    assert!(by_id("777001").expect("an answer").is_none());
}

#[test]
fn hostile_keys_make_no_request() {
    let huge = "9".repeat(1_000_000);
    for key in [
        "",
        " ",
        "\0",
        "9999990\u{0}",
        "\u{202e}10999999",
        "1' OR '1'='1",
        "../777001",
        "99999901?x=1",
        huge.as_str(),
    ] {
        TestHost::new().install();
        assert!(by_ico(key).expect("a value").is_none(), "{}", key.len());
        assert!(by_id(key).expect("a value").is_none(), "{}", key.len());
        assert!(TestHost::requests().is_empty());
    }
    let other = CompanyKey::Other(("lei".to_owned(), "x".to_owned()));
    assert!(matches!(Rpo::fetch_company(other), Err(Failure::Other(_))));
}

#[test]
fn failing_register_never_means_unknown_company() {
    let whole = json!({ "results": [record(777_001)] }).to_string();
    let bodies: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"<!DOCTYPE html><html><body>\xc3\x9adr\xc5\xbeba</body></html>".to_vec(),
        b"garbage".to_vec(),
        whole.as_bytes()[..whole.len() / 2].to_vec(),
        whole.replace("Vzorová", "\u{1}").into_bytes(),
        b"{\"results\":[{\"id\":1,\"fullNames\":[{\"value\":\"Vzorov\xe1\"}]}]}".to_vec(),
        b"{}".to_vec(),
        b"[]".to_vec(),
        b"null".to_vec(),
    ];
    for body in bodies {
        TestHost::new()
            .answer("rpo", &search_path(ASKED), Answer::ok(body.clone()))
            .answer("rpo", &entity_path(777_001), Answer::ok(body.clone()))
            .install();
        for failure in [by_ico(ASKED).err(), by_id("777001").err()] {
            let known = matches!(
                failure,
                Some(Failure::Malformed(_) | Failure::Unavailable(_))
            );
            assert!(known, "{}: {failure:?}", String::from_utf8_lossy(&body));
        }
    }
    for status in [400, 403, 500, 503] {
        TestHost::new()
            .answer("rpo", &search_path(ASKED), Answer::status(status, "{}"))
            .answer("rpo", &entity_path(777_001), Answer::status(status, "{}"))
            .install();
        assert!(matches!(by_ico(ASKED), Err(Failure::Unavailable(_))));
        assert!(matches!(by_id("777001"), Err(Failure::Unavailable(_))));
    }
    let slow = Answer::status(429, "").with_header("retry-after", "30");
    TestHost::new()
        .answer("rpo", &search_path(ASKED), slow)
        .install();
    assert!(matches!(by_ico(ASKED), Err(Failure::Throttled(Some(30)))));
}

#[test]
fn live_and_dump_give_the_same_company() {
    host(
        &[record(777_001)],
        777_001,
        Answer::ok(record(777_001).to_string()),
    )
    .install();
    let live = by_ico(ASKED).expect("an answer").expect("a company");
    let text = format!(",{}\n", line(777_001, ASKED, "Vzorová firma, s. r. o."));
    let dumped = lustra_rpo::company_of_line(&text)
        .expect("a record")
        .expect("a company");
    assert_eq!(common::shown(&live), common::shown(&dumped));
    assert_eq!(
        fact(&live, "preference"),
        Some("1-1-1-20120301-00000000000000777001")
    );
}
