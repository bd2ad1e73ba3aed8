//! A register in trouble causes a failure, never *nothing was filed*.

use lustra_ruz::Ruz;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, subject};
use lustra_sdk::{Enrichment, Failure};

use super::world::{
    ICO, Register, UNIT, UNITS, gone, of_year, report_path, section, statement_path, unit_path, why,
};

const SCOPES: [&str; 2] = ["financials", "financial_statements"];

fn register() -> Register {
    Register::new().statement(3, 2024, &json!({}), &of_year(2024))
}

fn name(failure: &Failure) -> &'static str {
    match failure {
        Failure::Unavailable(_) => "unavailable",
        Failure::Throttled(_) => "throttled",
        Failure::Malformed(_) => "malformed",
        Failure::Misconfigured(_) => "misconfigured",
        Failure::Refused(_) => "refused",
        Failure::Other(_) => "other",
    }
}

#[test]
fn failing_answer_is_never_absence() {
    let page = "<!DOCTYPE html><html><body>Odstávka</body></html>";
    let json = "application/json; charset=UTF-8";
    for (answer, expected) in [
        (
            Answer::ok(page).with_header("content-type", "text/html"),
            "unavailable",
        ),
        (Answer::status(500, page), "unavailable"),
        (Answer::status(503, ""), "unavailable"),
        (Answer::status(403, page), "unavailable"),
        (
            Answer::status(429, "").with_header("retry-after", "30"),
            "throttled",
        ),
        (
            Answer::status(404, page).with_header("content-type", "text/html"),
            "unavailable",
        ),
        (Answer::status(404, ""), "unavailable"),
        (
            Answer::ok("").with_header("content-type", json),
            "malformed",
        ),
        (
            Answer::ok("{\"id\":[1,").with_header("content-type", json),
            "malformed",
        ),
        (Answer::ok("\u{1}\u{2}garbage"), "malformed"),
        (Answer::ok("[]"), "malformed"),
        (Answer::ok("null"), "malformed"),
        (Answer::ok("{}"), "malformed"),
        (Answer::ok(r#"{"error":"busy"}"#), "malformed"),
    ] {
        for path in [
            UNITS.to_owned(),
            unit_path(),
            statement_path(3),
            report_path(30),
        ] {
            register().with(&path, answer.clone()).install();
            for scope in SCOPES {
                let failure = Ruz::enrich(scope, subject(ICO)).unwrap_err();
                assert_eq!(name(&failure), expected, "{scope} {path}: {failure:?}");
            }
        }
    }
}

#[test]
fn missing_list_is_not_absence() {
    let page = Answer::status(404, "").with_header("content-type", "application/json");
    register().with(UNITS, page).install();
    let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
    assert_eq!(name(&failure), "unavailable");
}

#[test]
fn unit_found_but_not_returned_is_not_absence() {
    for scope in SCOPES {
        register().with(&unit_path(), gone()).install();
        let failure = Ruz::enrich(scope, subject(ICO)).unwrap_err();
        assert_eq!(name(&failure), "unavailable", "{scope}");
    }
}

/// Renames members, as a change of the register's format would.
fn renamed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (format!("novy_{name}"), renamed(value)));
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(renamed).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[test]
fn renamed_members_are_malformed() {
    for (path, answer) in [
        (
            UNITS.to_owned(),
            json!({"existujeDalsieId": false, "zoznam": [UNIT]}),
        ),
        (
            UNITS.to_owned(),
            renamed(&json!({"id": [UNIT], "existujeDalsieId": false})),
        ),
        (
            statement_path(3),
            json!({"id": 3, "idUJ": UNIT, "obdobieDo": "2024-12", "druh": "Riadna"}),
        ),
        (
            statement_path(3),
            json!({"id": 3, "obdobieDo": "2024-12", "typ": "Riadna", "vykazy": [30]}),
        ),
        (
            report_path(30),
            json!({"id": 30, "idSablony": 687, "udaje": {"tabulky": []}}),
        ),
        (
            report_path(30),
            json!({"id": 30, "idSablony": 687, "obsah": {"tables": []}}),
        ),
        (
            report_path(30),
            json!({"id": 30, "idSablony": 687, "obsah": {"tabulky": [{"nazov": "x", "bunky": []}]}}),
        ),
    ] {
        register().with(&path, Answer::json(&answer)).install();
        for scope in SCOPES {
            let failure = Ruz::enrich(scope, subject(ICO)).unwrap_err();
            assert_eq!(name(&failure), "malformed", "{scope} {answer}: {failure:?}");
        }
    }
    for (member, value) in [("idZavierok", json!([3])), ("velkost", json!("05"))] {
        let register = Register::new().unit(member, value);
        register.install();
        let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
        assert_eq!(name(&failure), "malformed", "{member}");
    }
}

#[test]
fn object_with_another_id_is_malformed() {
    for (path, answer) in [
        (
            statement_path(3),
            json!({"id": 4, "obdobieDo": "2024-12", "typ": "Riadna"}),
        ),
        (
            statement_path(3),
            json!({"id": 3, "idUJ": 8, "obdobieDo": "2024-12", "typ": "Riadna"}),
        ),
        (report_path(30), json!({"id": 31})),
        (report_path(30), json!({"id": 30, "idUctovnejZavierky": 4})),
    ] {
        register().with(&path, Answer::json(&answer)).install();
        for scope in SCOPES {
            let failure = Ruz::enrich(scope, subject(ICO)).unwrap_err();
            assert_eq!(name(&failure), "malformed", "{scope} {answer}: {failure:?}");
        }
    }
}

#[test]
fn unknown_states_and_kinds() {
    register()
        .with(
            &statement_path(3),
            Answer::json(&json!({"id": 3, "stav": "ARCHÍV", "obdobieDo": "2024-12"})),
        )
        .install();
    let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
    assert!(
        matches!(&failure, Failure::Malformed(drift) if drift.what == "statement 3: /stav"),
        "{failure:?}"
    );
    Register::new()
        .statement(3, 2024, &json!({"typ": "Zvláštna"}), &of_year(2024))
        .install();
    let content = section("financial_statements");
    assert_eq!(content["statements"][0]["statement_type"], "zvláštna");
    assert_eq!(
        (&content["latest"], why(&content).as_str()),
        (&json!(null), "")
    );
}

#[test]
fn unread_later_year_is_named_with_key_figures() {
    register()
        .statement(
            4,
            2025,
            &json!({}),
            &json!({"idSablony": 687, "pristupnostDat": "Možno"}),
        )
        .install();
    let content = section("financials");
    assert_eq!(content["year"], 2024);
    assert!(
        why(&content).starts_with("statement 4: malformed: report 40: /pristupnostDat"),
        "{content}"
    );
}
