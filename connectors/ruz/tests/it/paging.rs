//! More statements than one call may request. The newest come first, and the next call continues.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject, subject_with_previous};

use super::world::{ICO, Register, enrich, of_year, report_path, statement_path, why};

/// Statements of the years from 2009 on; ids grow with the years.
fn old_company(until: i32) -> Register {
    (2009..=until).fold(Register::new(), |register, year| {
        let id = u64::try_from(year - 2000).unwrap();
        register.statement(id, year, &json!({}), &of_year(year))
    })
}

fn next(previous: Option<&Value>) -> Value {
    enrich("financial_statements", subject_with_previous(ICO, previous)).1
}

#[test]
fn newest_are_read_first_and_the_rest_is_unread() {
    old_company(2025).install();
    let first = next(None);
    assert_eq!(TestHost::requests().len(), 20);
    assert_eq!(
        first["available_years"],
        json!([2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025])
    );
    assert_eq!(why(&first), "8 older statements not read yet");
    assert_eq!(first["latest"]["year"], 2025);
}

#[test]
fn next_call_continues_after_the_last() {
    old_company(2025).install();
    let first = next(None);
    old_company(2025).install();
    let second = next(Some(&first));
    assert_eq!(why(&second), "");
    assert_eq!(second["available_years"].as_array().unwrap().len(), 17);
    assert_eq!(
        TestHost::requests()
            .iter()
            .filter(|path| path.contains("zavierka?id=25"))
            .count(),
        1,
        "the newest is asked for again, as what room is left allows"
    );
    assert_eq!(TestHost::requests().len(), 20);
    old_company(2025).install();
    let third = next(Some(&second));
    assert_eq!(third, second);
    assert_eq!(
        TestHost::requests().len(),
        4,
        "the newest alone is asked for again"
    );
    let whole = second["statements"].as_array().unwrap();
    for (statement, year) in whole.iter().zip((2009..=2025).rev()) {
        assert_eq!(statement["total_assets"], year * 10);
    }
}

#[test]
fn new_statement_is_added_to_known_ones() {
    old_company(2015).install();
    let before = next(None);
    old_company(2016).install();
    let after = next(Some(&before));
    assert_eq!(after["latest"]["year"], 2016);
    assert_eq!(TestHost::requests().len(), 4);
    // The unit no longer lists the statement, so it is gone.
    old_company(2014).install();
    assert_eq!(
        next(Some(&after))["available_years"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
}

#[test]
fn stored_text_amounts_become_numbers() {
    old_company(2011).install();
    let first = next(None);
    let mut stored = first.clone();
    for statement in stored["statements"].as_array_mut().unwrap() {
        for (name, value) in statement.as_object_mut().unwrap() {
            if value.is_number() && (name.starts_with("total_") || name == "net_profit") {
                *value = json!(value.to_string());
            }
        }
    }
    assert_eq!(stored["statements"][2]["total_assets"], "20090");
    old_company(2011).install();
    assert_eq!(next(Some(&stored)), first);
    assert_eq!(
        TestHost::requests().len(),
        4,
        "the newest alone is asked for"
    );
}

/// A section as version 0.1 stored it, without the figures with one meaning.
fn of_earlier_version(section: &Value) -> Value {
    let mut stored = section.clone();
    for statement in stored["statements"].as_array_mut().unwrap() {
        let statement = statement.as_object_mut().unwrap();
        for name in [
            "figure_sources",
            "operating_income",
            "total_income",
            "accounting_basis",
            "template_family",
        ] {
            assert!(statement.remove(name).is_some(), "{name}");
        }
    }
    stored
}

#[test]
fn statements_of_earlier_versions_are_read_again() {
    old_company(2025).install();
    let first = next(None);
    old_company(2025).install();
    let whole = next(Some(&first));
    old_company(2025).install();
    let second = next(Some(&of_earlier_version(&whole)));
    assert_eq!(
        why(&second),
        "8 statements not read again for all figures yet"
    );
    let statements = second["statements"].as_array().unwrap();
    assert_eq!(statements.len(), 17, "no statement is lost meanwhile");
    assert_eq!(statements[0]["operating_income"], 40_500);
    assert_eq!(
        (
            &statements[16]["operating_income"],
            &statements[16]["figure_sources"]
        ),
        (&json!(null), &json!(null)),
        "not read is not *not published*"
    );
    old_company(2025).install();
    assert_eq!(next(Some(&second)), whole);
}

#[test]
fn section_of_another_format_is_read_again() {
    for odd in [
        json!({}),
        json!([]),
        json!({"statements": [{"year": 2024}]}),
        json!("x"),
    ] {
        old_company(2010).install();
        assert_eq!(
            next(Some(&odd))["available_years"],
            json!([2009, 2010]),
            "{odd}"
        );
    }
}

#[test]
fn erased_statements_do_not_use_up_every_call() {
    let register = |register: Register| {
        (100..115).fold(register, |register, id| {
            register
                .named(id)
                .with(&statement_path(id), super::world::gone())
        })
    };
    register(old_company(2012)).install();
    let first = next(None);
    assert_eq!(why(&first), "3 older statements not read yet");
    register(old_company(2012)).install();
    let second = next(Some(&first));
    assert_eq!(why(&second), "");
    assert_eq!(second["gone"].as_array().unwrap().len(), 15);
    assert_eq!(second["available_years"], json!([2009, 2010, 2011, 2012]));
}

#[test]
fn failure_midway_keeps_read_statements() {
    old_company(2012)
        .with(&report_path(100), Answer::status(503, ""))
        .install();
    let content = next(None);
    assert_eq!(content["available_years"], json!([2011, 2012]));
    assert_eq!(
        why(&content),
        "2 statements not read: unavailable: ruz answered with status 503"
    );
}

#[test]
fn malformed_statement_does_not_hide_others() {
    old_company(2012)
        .with(
            &report_path(100),
            Answer::json(&json!({"id": 100, "idUctovnejZavierky": 10, "tabulky": []})),
        )
        .install();
    let content = next(None);
    assert_eq!(content["available_years"], json!([2009, 2011, 2012]));
    assert!(
        why(&content).starts_with("one statement not read: malformed: report 100: /obsah"),
        "{}",
        why(&content)
    );
}

#[test]
fn key_figures_need_only_the_newest_statements() {
    old_company(2025).install();
    let (_, content) = enrich("financials", subject(ICO));
    assert_eq!(
        (&content["year"], why(&content).as_str()),
        (&json!(2025), "")
    );
    assert_eq!(
        TestHost::requests().len(),
        9,
        "the unit, six statements, a report"
    );
}
