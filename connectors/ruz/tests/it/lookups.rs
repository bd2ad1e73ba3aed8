//! Whole look-ups: what is found, and what the register says does not exist.

use lustra_ruz::Ruz;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure};

use super::world::{ICO, Register, UNITS, enrich, gone, micro, of_year, section, statements, why};

#[test]
fn single_statement_is_shown() {
    let report = micro(["100000", "40000", "60000", "150000", "-5000"]);
    Register::new()
        .statement(3, 2024, &json!({}), &report)
        .install();
    let (made, content) = enrich("financial_statements", subject(ICO));
    let statement = json!({
        "year": 2024, "statement_type": "riadna", "total_assets": 100_000, "total_equity": 40_000,
        "total_liabilities": 60_000, "total_revenue": 150_000, "net_profit": -5_000, "template_type": "Úč MUJ",
        "size_category": "5-9 zamestnancov", "statement_id": 3, "period_from": "2024-01-01",
        "period_to": "2024-12-31", "submitted_at": "2025-06-20", "consolidated": false, "corrected": false,
        "currency": "EUR", "revenue_basis": "operating_revenue", "data": "table",
        "url": "https://www.registeruz.sk/cruz-public/domain/financialreport/pdf/30",
    });
    let named = named(&json!({
        "accounting_basis": "double_entry", "template_family": "MUJ", "operating_income": 150_000,
        "total_income": 150_000,
        "figure_sources": {
            "total_assets": ["Strana aktív, r. 01"], "total_equity": ["Strana pasív, r. 25"],
            "total_liabilities": ["Strana pasív, r. 34"], "net_profit": ["Výkaz ziskov a strát, r. 38"],
            "operating_income": ["Výkaz ziskov a strát, r. 01"], "total_income": ["Výkaz ziskov a strát, r. 01"],
        },
    }));
    let statement = with(statement, &named);
    let expected =
        json!({"latest": statement, "available_years": [2024], "statements": [statement]});
    assert_eq!(content, expected);
    assert_eq!(made.evidence.len(), 4);
    assert_eq!(TestHost::requests().len(), 4);
    let (again, _) = enrich("financial_statements", subject(ICO));
    assert_eq!(
        again.content, made.content,
        "the same input gives the same bytes"
    );
    let expected = json!({
        "year": 2024, "revenue": "150000", "profit": "-5000", "assets": "100000", "employees_count": 5,
        "employees_band": "5–9", "currency": "EUR", "revenue_basis": "operating_revenue", "data": "table",
        "statement_id": 3, "period_from": "2024-01-01", "period_to": "2024-12-31",
        "latest_year": 2024, "employees": 5, "total_assets": 100_000, "total_equity": 40_000,
        "total_liabilities": 60_000, "net_profit": -5_000,
    });
    assert_eq!(section("financials"), with(expected, &named));
}

/// The keys of the figures with one meaning, null where not given.
fn named(given: &Value) -> Value {
    let names = "net_turnover sales_revenue operating_income financial_income total_income total_expenses \
                 operating_result financial_result profit_before_tax income_tax accruals total_receipts \
                 total_expenditures receipts_minus_expenditures property_total debts_total property_minus_debts";
    let nothing = names
        .split_whitespace()
        .map(|name| (name.to_owned(), Value::Null));
    with(nothing.collect(), given)
}

fn with(mut object: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().unwrap() {
        object[name] = value.clone();
    }
    object
}

#[test]
fn list_without_ids_means_no_unit() {
    for miss in [
        json!({"existujeDalsieId": false}),
        json!({"pocetZostavajucichId": 0}),
        json!({"id": [], "existujeDalsieId": false}),
    ] {
        TestHost::new()
            .answer("ruz", UNITS, Answer::json(&miss))
            .install();
        let (made, content) = enrich("financial_statements", subject(ICO));
        assert_eq!(
            content,
            json!({"latest": null, "available_years": [], "statements": []})
        );
        assert_eq!(made.evidence.len(), 1);
        let content = section("financials");
        assert!(
            content.as_object().unwrap().values().all(Value::is_null),
            "{content}"
        );
    }
}

#[test]
fn invalid_ico_makes_no_request() {
    TestHost::new().install();
    for ico in [
        "",
        "1",
        "abcdefgh",
        "99 999 901",
        "00000000",
        "\u{202e}99999901",
        "' or 1=1",
    ] {
        let (_, content) = enrich("financial_statements", subject(ico));
        assert_eq!(content["statements"], json!([]));
        enrich("financials", subject(ico));
    }
    assert!(TestHost::requests().is_empty());
}

#[test]
fn a_scope_of_others_is_not_offered() {
    let failure = Ruz::enrich("tax", subject(ICO)).unwrap_err();
    assert!(matches!(failure, Failure::Other((code, _)) if code == "not-offered"));
}

#[test]
fn unit_without_statements_has_a_size() {
    Register::new().install();
    let content = section("financials");
    assert_eq!(
        (&content["year"], &content["employees_count"]),
        (&json!(null), &json!(5))
    );
    assert_eq!(statements()["statements"], json!([]));
}

#[test]
fn size_class_has_its_lower_bound() {
    for (code, count, band, category) in [
        (json!("00"), json!(null), json!(null), json!(null)),
        (json!("01"), json!(0), json!("0"), json!("0 zamestnancov")),
        (
            json!("04"),
            json!(3),
            json!("3–4"),
            json!("3-4 zamestnanci"),
        ),
        (
            json!("38"),
            json!(30_000),
            json!("30000+"),
            json!("30000+ zamestnancov"),
        ),
        (json!("99"), json!(null), json!(null), json!("99")),
        (json!(null), json!(null), json!(null), json!(null)),
    ] {
        let register = Register::new().unit("velkostOrganizacie", code.clone());
        register
            .statement(3, 2024, &json!({}), &of_year(2024))
            .install();
        let content = section("financials");
        assert_eq!(content["employees_count"], count, "{code}");
        assert_eq!(content["employees_band"], band, "{code}");
        let content = statements();
        assert_eq!(content["latest"]["size_category"], category, "{code}");
        assert_eq!(
            content["statements"][0]["size_category"], category,
            "{code}"
        );
    }
}

#[test]
fn public_unit_with_most_statements_is_chosen() {
    let unit = |id: u64, more: &Value| {
        let mut unit = json!({"id": id, "ico": ICO});
        for (name, value) in more.as_object().unwrap() {
            unit[name] = value.clone();
        }
        Answer::json(&unit)
    };
    Register::new()
        .with(
            UNITS,
            Answer::json(&json!({"id": [4, 5, 6, 7, 8], "existujeDalsieId": false})),
        )
        .with(
            "/api/uctovna-jednotka?id=4",
            unit(
                4,
                &json!({"stav": "ZMAZANÉ", "idUctovnychZavierok": [90, 91, 92]}),
            ),
        )
        .with(
            "/api/uctovna-jednotka?id=5",
            unit(5, &json!({"idUctovnychZavierok": [93]})),
        )
        .with("/api/uctovna-jednotka?id=6", gone())
        .with(
            "/api/uctovna-jednotka?id=8",
            unit(8, &json!({"stav": "NEVEREJNÁ"})),
        )
        .statement(3, 2024, &json!({}), &of_year(2024))
        .statement(2, 2023, &json!({}), &of_year(2023))
        .install();
    let content = statements();
    assert_eq!(content["available_years"], json!([2023, 2024]));
    assert_eq!(why(&content), "");
}

#[test]
fn unit_of_twelve_digits_is_left_out() {
    let part = |number: &str| {
        Answer::json(&json!({"id": 6, "ico": number, "idUctovnychZavierok": [90, 91, 92]}))
    };
    let units = Answer::json(&json!({"id": [6, 7], "existujeDalsieId": false}));
    let register = |number: &str| {
        Register::new()
            .with(UNITS, units.clone())
            .with("/api/uctovna-jednotka?id=6", part(number))
            .statement(3, 2024, &json!({}), &of_year(2024))
    };
    register("999999010003").install();
    assert_eq!(statements()["available_years"], json!([2024]));
    assert_eq!(why(&statements()), "");
    assert_eq!(section("financials")["year"], 2024);
    // A part of another company is not an answer to the search.
    register("888888010003").install();
    let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn hidden_unit_is_unread_and_erased_one_absent() {
    Register::new().unit("stav", json!("ZMAZANÉ")).install();
    assert_eq!(statements()["statements"], json!([]));
    assert_eq!(why(&statements()), "");
    Register::new().unit("stav", json!("NEVEREJNÁ")).install();
    for scope in ["financials", "financial_statements"] {
        let why = why(&section(scope));
        assert_eq!(why.split(':').next(), Some("truncated"), "{scope}");
    }
}

#[test]
fn units_are_paged() {
    let first = json!({"id": [5], "existujeDalsieId": true});
    let unit = Answer::json(&json!({"id": 5, "ico": ICO}));
    Register::new()
        .with(UNITS, Answer::json(&first))
        .with(
            &format!("{UNITS}&pokracovat-za-id=5"),
            Answer::json(&json!({"id": [7], "existujeDalsieId": false})),
        )
        .with("/api/uctovna-jednotka?id=5", unit)
        .statement(3, 2024, &json!({}), &of_year(2024))
        .install();
    assert_eq!(statements()["available_years"], json!([2024]));
}

#[test]
fn register_that_ignores_the_ico_is_malformed() {
    let others: Vec<u64> = (1..=1_000).collect();
    Register::new()
        .with(
            UNITS,
            Answer::json(&json!({"id": others, "existujeDalsieId": true})),
        )
        .install();
    let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
    for standing in [Value::Null, json!("NEVEREJNÁ"), json!("ZMAZANÉ")] {
        let other = Register::new().unit("ico", json!("88888801"));
        other.unit("stav", standing).install();
        let failure = Ruz::enrich("financials", subject(ICO)).unwrap_err();
        assert!(
            matches!(&failure, Failure::Malformed(drift) if drift.what.contains("/ico")),
            "{failure:?}"
        );
    }
}
