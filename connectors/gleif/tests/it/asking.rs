//! Whole calls: the requests, and the section made of the answers.

use lustra_gleif::Gleif;
use lustra_sdk::Enrichment;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{TestHost, subject};

use super::world::{
    LEI, PARENT, TOP, content, document, enrich, exception, first, has_exception, has_record, host,
    list, not_found, of, record,
};

#[test]
fn request_has_the_country_and_follows_parent_links() {
    let own = record(
        LEI,
        &[
            ("direct-parent", has_record("direct-parent")),
            ("ultimate-parent", has_exception("ultimate-parent")),
        ],
    );
    let reason = exception(
        "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT",
        "NO_KNOWN_PERSON",
    );
    host(list(&[own]))
        .answer(
            "gleif",
            &of("direct-parent"),
            document(&record(PARENT, &[])),
        )
        .answer("gleif", &of("ultimate-parent-reporting-exception"), reason)
        .install();
    let content = content();
    assert_eq!(content["lei"], LEI);
    assert_eq!(content["legal_form"], "spoločnosť s ručením obmedzeným");
    assert_eq!(content["parent_lei"], PARENT);
    assert_eq!(content["parent_name"], "Fiktívne stavby, s.r.o.");
    assert_eq!(content["parent_exception"], Value::Null);
    assert_eq!(content["ultimate_parent_lei"], Value::Null);
    assert_eq!(content["ultimate_parent_exception"], "NO_KNOWN_PERSON");
    assert_eq!(content.get("unread"), None);
    assert_eq!(
        TestHost::requests(),
        [
            format!("gleif {}", first()),
            format!("gleif {}", of("direct-parent")),
            format!("gleif {}", of("ultimate-parent-reporting-exception")),
        ]
    );
    assert_eq!(enrich().unwrap().evidence.len(), 3);
}

#[test]
fn record_without_parents_takes_one_request() {
    host(list(&[record(LEI, &[])])).install();
    let content = content();
    for member in ["parent_lei", "parent_exception", "ultimate_parent_lei"] {
        assert_eq!(content[member], Value::Null, "{member}");
    }
    assert_eq!(TestHost::requests().len(), 1);
}

#[test]
fn empty_list_means_no_lei() {
    host(list(&[])).install();
    assert_eq!(content(), Value::Null);
    assert_eq!(enrich().unwrap().evidence.len(), 1);
}

#[test]
fn record_of_another_country_is_ignored() {
    let mut czech = record(TOP, &[]);
    czech["attributes"]["entity"]["legalAddress"]["country"] = json!("CZ");
    czech["attributes"]["entity"]["registeredAt"]["id"] = json!("RA000163");
    host(list(std::slice::from_ref(&czech))).install();
    assert_eq!(content(), Value::Null);
    host(list(&[czech, record(LEI, &[])])).install();
    assert_eq!(content()["lei"], LEI);
    assert_eq!(content()["other_leis"], json!([]));
}

#[test]
fn record_in_force_is_shown_first() {
    let with = |lei: &str, status: &str, since: &str| {
        let mut one = record(lei, &[]);
        one["attributes"]["registration"]["status"] = json!(status);
        one["attributes"]["registration"]["initialRegistrationDate"] = json!(since);
        one
    };
    host(list(&[
        with(TOP, "DUPLICATE", "2025-01-01T00:00:00Z"),
        with(PARENT, "LAPSED", "2024-01-01T00:00:00Z"),
        with(LEI, "ISSUED", "2019-01-01T00:00:00Z"),
    ]))
    .install();
    let content = content();
    assert_eq!(content["lei"], LEI);
    assert_eq!(content["other_leis"][0]["lei"], PARENT);
    assert_eq!(content["other_leis"][1]["registration_status"], "DUPLICATE");
}

#[test]
fn missing_parent_is_null() {
    let own = record(
        LEI,
        &[
            ("direct-parent", has_record("direct-parent")),
            ("ultimate-parent", has_exception("ultimate-parent")),
        ],
    );
    host(list(&[own]))
        .answer("gleif", &of("direct-parent"), not_found())
        .answer(
            "gleif",
            &of("ultimate-parent-reporting-exception"),
            not_found(),
        )
        .install();
    let content = content();
    assert_eq!(content["parent_lei"], Value::Null);
    assert_eq!(content.get("unread"), None);
}

#[test]
fn invalid_number_makes_no_request() {
    TestHost::new().install();
    for odd in ["", "124", "' or 1", "123456789"] {
        assert!(Gleif::enrich("gleif", subject(odd)).is_err(), "{odd}");
    }
    assert!(Gleif::enrich("another", subject("99000024")).is_err());
    assert_eq!(TestHost::requests().len(), 0);
}
