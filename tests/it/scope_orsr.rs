//! Responses with the scope `orsr`: people with history, activities and shares.
//!
//! The shapes are those that later clients read. The truth is derived from the simulator's population by code that
//! shares nothing with the connectors.

mod truth;

use lustra_tests::register_simulator::{Company, Fault, Register};
use lustra_tests::{Answer, Connectors, World};
use serde_json::{Value, json};

use crate::support::{keys, reading};

/// The connectors that the scope needs: the base register and the details.
const CONNECTORS: Connectors = &["orsr", "rpo"];

/// The lists that the scope always gives.
const LISTS: [&str; 12] = [
    "business_activities",
    "shareholders",
    "statutory_body",
    "supervisory_board",
    "procurators",
    "liquidators",
    "administrators",
    "founders",
    "branch_heads",
    "legal_predecessors",
    "other_stakeholders",
    "shares",
];

fn shapes() -> jsonschema::Validator {
    let schema: Value =
        serde_json::from_str(include_str!("scope_orsr/shapes.json")).expect("it is JSON");
    jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("it is a schema")
}

fn lists(answer: &Answer) -> Value {
    let data = answer.at("/data");
    let of = LISTS.map(|list| (list.to_owned(), data[list].clone()));
    Value::Object(of.into_iter().collect())
}

/// The lists in an order that does not depend on equal first days.
fn sorted(mut lists: Value) -> Value {
    for list in lists
        .as_object_mut()
        .into_iter()
        .flat_map(|lists| lists.values_mut())
    {
        if let Some(rows) = list.as_array_mut() {
            rows.sort_by_key(Value::to_string);
        }
    }
    lists
}

async fn asked(world: &World, company: &Company) -> Answer {
    world.company(&company.ico, "orsr").await;
    world.wait_idle().await;
    asked_once(world, company).await
}

async fn asked_once(world: &World, company: &Company) -> Answer {
    let answer = world.company(&company.ico, "orsr").await;
    assert_eq!(answer.at("/meta/scopes/orsr/state"), "fresh", "{answer:?}");
    answer
}

#[tokio::test]
async fn histories_of_many_companies_are_the_truth() {
    let world = World::new().connectors(CONNECTORS).companies(1_000);
    // The first answer waits for the register, however busy the machine is.
    let world = world.settings(|config| config.freshness.live_budget_ms = 60_000);
    let world = world.start().await;
    let shapes = shapes();
    let population = world.simulator.population();
    let mut wrong = Vec::new();
    for index in 0..population.len() {
        let company = population.company(index, 0);
        let today = population.date(0);
        let answer = asked_once(&world, &company).await;
        let errors = shapes.iter_errors(answer.at("/data"));
        wrong.extend(errors.map(|error| format!("{index}{}: {error}", error.instance_path())));
        let (reported, truth) = (
            sorted(lists(&answer)),
            sorted(truth::lists(&company, today)),
        );
        for list in LISTS {
            if reported[list] != truth[list] {
                wrong.push(format!(
                    "{index} {list}:\n  {}\n  {}",
                    reported[list], truth[list]
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
    world.end().await;
}

#[tokio::test]
async fn history_follows_the_daily_dump() {
    let world = World::new().connectors(CONNECTORS).companies(60);
    let world = world.start().await;
    let population = world.simulator.population();
    let index = 0;
    let before = asked(&world, &population.company(index, 0)).await;
    for _ in 0..40 {
        world.advance(1);
        world.import_due().await;
    }
    let day = world.simulator.clock().day();
    let (company, today) = (population.company(index, day), population.date(day));
    let after = asked(&world, &company).await;
    assert_ne!(lists(&after), lists(&before), "its director was replaced");
    assert_eq!(
        sorted(lists(&after))["statutory_body"],
        sorted(truth::lists(&company, today))["statutory_body"]
    );
    world.end().await;
}

#[test]
fn all_keeps_the_form_of_earlier_clients() {
    reading(async |world| {
        let ico = &world.icos[1];
        let plain = world.company(ico, "").await;
        let all = world.company(ico, "all").await;
        let named = world.company(ico, "orsr").await;
        for list in keys(plain.at("/data")) {
            assert_eq!(all.at("/data")[list], plain.at("/data")[list], "{list}");
        }
        assert!(all.at("/data/other_stakeholders").is_array(), "an addition");
        assert!(named.at("/data/business_activities/0/activity").is_string());
        assert!(plain.at("/data/business_activities/0").is_string());
        let both = world.company(ico, "all,orsr").await;
        assert_eq!(lists(&both), lists(&named));
    });
}

#[tokio::test]
async fn every_plan_has_the_scope() {
    let world = World::new().plan("free").start().await;
    let ico = &world.icos[0];
    assert_eq!(world.company(ico, "orsr").await.status, 200);
    assert_eq!(world.company(ico, "insolvency,orsr").await.status, 403);
    let unknown = world.company(ico, "orsr,nonsense").await;
    assert_eq!(unknown.status, 422);
    let message = unknown.at("/message").as_str().unwrap_or_default();
    assert!(message.contains("orsr"), "{message}");
    world.end().await;
}

#[tokio::test]
async fn company_outside_the_import_is_read_live() {
    let world = World::new().nothing_imported().start().await;
    let population = world.simulator.population();
    let (company, today) = (population.company(0, 0), population.date(0));
    let answer = asked(&world, &company).await;
    assert_eq!(
        sorted(lists(&answer)),
        sorted(truth::lists(&company, today))
    );
    world.end().await;
}

#[tokio::test]
async fn unread_register_gives_no_empty_lists() {
    let world = World::new().nothing_imported().start().await;
    let ico = &world.icos[0];
    world.company(ico, "").await;
    world.simulator.fault(Register::Rpo, Fault::Html200);
    let answer = world.company(ico, "orsr").await;
    assert_eq!(answer.at("/meta/scopes/orsr/state"), "unread", "{answer:?}");
    assert_eq!(answer.at("/data").get("other_stakeholders"), None);
    assert_eq!(
        answer.at("/data/business_activities"),
        world.company(ico, "").await.at("/data/business_activities"),
        "the details stay"
    );
    assert_ne!(answer.at("/data/statutory_body"), &json!([]));
    world.end().await;
}
