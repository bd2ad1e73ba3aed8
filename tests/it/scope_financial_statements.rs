//! Responses and events about financial statements: read over several calls, and one event per filing.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Register};
use lustra_tests::{Answer, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::RequestCounter;
use crate::notifications_support::follow;
use crate::truth::statements;

const SCOPES: &str = "financials,financial_statements";

async fn small() -> World {
    let world = World::new().connectors(&["rpo", "ruz"]).companies(60);
    world.without_index().start().await
}

/// Repeats the request until no refresh is running, like a client that follows `retry_at`.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPES).await;
    world.wait_idle().await;
    world.company(ico, SCOPES).await
}

fn years(answer: &Answer) -> Vec<i64> {
    let years = answer.at("/data/financial_statements/available_years");
    let years = years.as_array().into_iter().flatten();
    years.filter_map(Value::as_i64).collect()
}

#[tokio::test]
async fn statements_beyond_one_call_are_read_by_the_next() {
    let world = small().await;
    let ico = world.icos[0].clone();
    let asked = RequestCounter::from_now(&world);
    let first = world.company(&ico, "financial_statements").await;
    assert!(asked.of(Register::Ruz) <= 20);
    let why = first.at("/data/financial_statements/unread/0/why");
    assert!(
        why.as_str()
            .is_some_and(|why| why.contains("older statements not read yet")),
        "{first:?}"
    );
    assert_eq!(years(&first).last(), Some(&2024));
    assert_eq!(first.at("/data/financial_statements/latest/year"), 2024);
    world.advance(1);
    let second = asked_again(&world, &ico).await;
    assert_eq!(years(&second), (2015..=2024).collect::<Vec<_>>());
    assert!(
        second.at("/data/financial_statements/unread").is_null(),
        "{second:?}"
    );
    // From now on only the newest statement is read again.
    world.advance(31);
    let asked = RequestCounter::from_now(&world);
    world.company(&ico, "financial_statements").await;
    world.wait_idle().await;
    assert!(asked.of(Register::Ruz) <= 5, "{}", asked.of(Register::Ruz));
    let third = world.company(&ico, "financial_statements").await;
    assert_eq!(
        third.at("/data/financial_statements"),
        second.at("/data/financial_statements")
    );
    world.end().await;
}

#[tokio::test]
async fn every_statement_is_read_eventually() {
    let world = small().await;
    for index in 0..40 {
        let ico = world.simulator.population().ico(index);
        let mut answer = world.company(&ico, SCOPES).await;
        for _ in 0..3 {
            if answer.at("/data/financial_statements/unread").is_null() {
                break;
            }
            world.advance(1);
            answer = asked_again(&world, &ico).await;
        }
        let company = world
            .simulator
            .population()
            .company(index, world.simulator.clock().day());
        let expected = statements::every(&company);
        let reported = answer.at("/data/financial_statements");
        let list = reported["statements"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let list: Vec<Value> = list.iter().map(statements::picked).collect();
        assert_eq!(list, expected, "company {index}");
        assert_eq!(
            statements::picked(&reported["latest"]),
            statements::latest(&expected),
            "company {index}"
        );
        let mut years: Vec<i64> = expected
            .iter()
            .filter_map(|filed| filed["year"].as_i64())
            .collect();
        years.sort_unstable();
        years.dedup();
        assert_eq!(reported["available_years"], json!(years), "company {index}");
    }
    world.end().await;
}

/// What newer clients declare of a statement's figures: types, and which figures belong to which bookkeeping.
fn schema_of_figures() -> Value {
    let amount = json!({ "type": ["number", "null"] });
    let of = |names: &[&str], schema: &Value| -> Value {
        let members = names.iter();
        members
            .map(|name| ((*name).to_owned(), schema.clone()))
            .collect()
    };
    let either = [
        "total_assets",
        "total_equity",
        "total_liabilities",
        "net_profit",
    ];
    let mut properties = of(&[&DOUBLE[..], &SINGLE, &either].concat(), &amount);
    properties["accounting_basis"] = json!({ "enum": ["double_entry", "single_entry", null] });
    properties["template_family"] = json!({ "type": ["string", "null"] });
    let lines = json!({ "type": "array", "minItems": 1, "items": { "type": "string" } });
    properties["figure_sources"] = json!({
        "type": "object", "additionalProperties": false,
        "properties": of(&[&DOUBLE[..], &SINGLE, &either].concat(), &lines),
    });
    let nothing = json!({ "type": "null" });
    let required: Vec<String> = properties
        .as_object()
        .into_iter()
        .flat_map(|members| members.keys().cloned())
        .collect();
    let only = |basis: &str, others: &[&str]| {
        json!({
            "if": { "properties": { "accounting_basis": { "const": basis } } },
            "then": { "properties": of(others, &nothing) },
        })
    };
    json!({
        "type": "object", "required": required, "properties": properties,
        "allOf": [only("double_entry", &SINGLE), only("single_entry", &DOUBLE)],
    })
}

const DOUBLE: [&str; 11] = [
    "net_turnover",
    "sales_revenue",
    "operating_income",
    "financial_income",
    "total_income",
    "total_expenses",
    "operating_result",
    "financial_result",
    "profit_before_tax",
    "income_tax",
    "accruals",
];

const SINGLE: [&str; 6] = [
    "total_receipts",
    "total_expenditures",
    "receipts_minus_expenditures",
    "property_total",
    "debts_total",
    "property_minus_debts",
];

#[tokio::test]
async fn figures_fit_the_schema_of_newer_clients() {
    let world = small().await;
    let schema = jsonschema::validator_for(&schema_of_figures()).expect("a schema");
    let mut bases = Vec::new();
    for ico in &world.icos {
        let answer = world.company(ico, SCOPES).await;
        let statements = answer.at("/data/financial_statements/statements");
        let figures = answer.at("/data/financials");
        let chosen = figures["statement_id"].is_number().then_some(figures);
        for told in statements.as_array().into_iter().flatten().chain(chosen) {
            let wrong: Vec<String> = schema
                .iter_errors(told)
                .map(|wrong| format!("{}: {wrong}", wrong.instance_path()))
                .collect();
            assert_eq!(wrong, [] as [String; 0], "{ico}: {told}");
            let sources = told["figure_sources"].as_object().expect("an object");
            for name in DOUBLE.into_iter().chain(SINGLE) {
                let has_source = sources.contains_key(name);
                assert_eq!(has_source, told[name].is_number(), "{ico}: {name}: {told}");
            }
            bases.push(
                told["accounting_basis"]
                    .as_str()
                    .unwrap_or("none")
                    .to_owned(),
            );
        }
    }
    bases.sort();
    bases.dedup();
    assert_eq!(bases, ["double_entry", "none", "single_entry"]);
    world.end().await;
}

#[tokio::test]
async fn kinds_of_companies_are_distinguished() {
    let world = small().await;
    let reported = async |index: usize| world.company(&world.icos[index], SCOPES).await;
    let group = reported(1).await;
    let list = group
        .at("/data/financial_statements/statements")
        .as_array()
        .cloned();
    let list = list.unwrap_or_default();
    assert_eq!(
        list.iter()
            .filter(|filed| filed["consolidated"] == true)
            .count(),
        2
    );
    assert_eq!(
        list.iter()
            .filter(|filed| filed["corrected"] == true)
            .count(),
        1
    );
    let single = reported(3).await;
    assert_eq!(single.at("/data/financials/revenue_basis"), "receipts");
    assert!(single.at("/data/financials/profit").is_null());
    let debts = single.at("/data/financial_statements/latest/total_liabilities");
    assert!(debts.is_number(), "{debts}");
    assert_eq!(
        (
            single.at("/data/financials/accounting_basis"),
            single.at("/data/financials/debts_total")
        ),
        (&json!("single_entry"), debts)
    );
    let ended = reported(4).await;
    assert_eq!(
        ended.at("/data/financial_statements/statements/0/statement_type"),
        "mimoriadna"
    );
    assert_eq!(ended.at("/data/financials/year"), 2022);
    let blank = reported(5).await;
    assert_eq!(blank.at("/data/financial_statements/latest/data"), "blank");
    assert_eq!(
        blank.at("/data/financials/year"),
        2023,
        "the newest with figures"
    );
    let files = reported(8).await;
    assert_eq!(files.at("/data/financials/data"), "pdf_only");
    assert!(files.at("/data/financials/assets").is_null());
    for nothing in [7, 11] {
        let answer = reported(nothing).await;
        let expected = json!({"latest": null, "available_years": [], "statements": []});
        assert_eq!(
            answer.at("/data/financial_statements"),
            &expected,
            "{nothing}"
        );
        assert!(answer.at("/data/financials/year").is_null());
        assert_eq!(answer.at("/meta/scopes/financials/state"), "fresh");
    }
    let several = reported(10).await;
    assert_eq!(years(&several), [2023, 2024]);
    world.end().await;
}

#[tokio::test]
async fn filed_statement_raises_its_events_once() {
    let world = small().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[2].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::StatementFiled));
    world.advance(31);
    world.propagate_changes().await;
    let fields = |reported: Vec<lustra_tests::Received>| -> Vec<String> {
        let notices = reported.iter().map(lustra_tests::Received::json);
        let fields = notices.filter(|notice| notice["event"] == "company.updated");
        let fields = fields.filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()));
        let mut fields: Vec<String> = fields
            .filter(|field| field.starts_with("financial"))
            .collect();
        fields.sort();
        fields
    };
    let reported = fields(receiver.take());
    // One event per section: one with all figures, and one with the statement but without its derived years.
    let [statements, figures] = reported.as_slice() else {
        panic!("two events: {reported:?}");
    };
    assert_eq!(statements, "financial_statements.statements");
    let figures: Vec<&str> = figures.split(", ").collect();
    assert!(figures.contains(&"financials.year"), "{reported:?}");
    // Figures of another statement are listed with it.
    let followed = ["financials.operating_result", "financials.latest_year"];
    let is_followed = |field: &&str| followed.contains(field);
    assert!(!figures.iter().any(is_followed), "{reported:?}");
    let answer = world.company(&ico, SCOPES).await;
    assert_eq!(years(&answer), [2022, 2023, 2024, 2025]);
    world.advance(31);
    world.propagate_changes().await;
    assert_eq!(fields(receiver.take()), [] as [String; 0]);
    world.end().await;
}
