//! Responses and events about European funds.

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Builder, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, dataset, source};
use crate::notifications_support::follow;
use crate::support::reading;
use crate::truth::{assert_topic, funds_with_all_lists, reported_funds};

const SCOPE: &str = "itms21";
const DATASETS: [&str; 2] = ["projects", "applications"];
/// Datasets that are off by default.
const OFF: [&str; 2] = ["irregularities", "procurement"];
/// The connectors of the worlds with all lists: the base register and that of European funds.
const CONNECTORS: Connectors = &["itms21", "rpo"];

fn section(answer: &Answer) -> &Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/itms21")
}

/// The sources that a section names as unread.
fn unread(section: &Value) -> Vec<&str> {
    let unread = section["unread"].as_array().expect("it is a list");
    let sources = unread.iter().filter_map(|one| one["source"].as_str());
    sources.collect()
}

/// Repeats the request until no refresh is running.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    world.company(ico, SCOPE).await
}

/// A world with all lists on.
fn with_all_lists() -> Builder {
    World::new().connectors(CONNECTORS).settings(|config| {
        let itms21 = config.connector.get_mut("itms21");
        let itms21 = itms21.expect("the demo has it");
        for id in OFF {
            itms21.datasets.entry(id.to_owned()).or_default().on = Some(true);
        }
    })
}

#[test]
fn funds_follow_the_role_of_a_company() {
    reading(async |world| {
        // Projects, negative outcomes, applications and rejected ones.
        for (index, counts) in [
            (0, [27, 0, 27, 0]),
            (1, [1, 0, 1, 0]),
            (2, [1, 0, 0, 0]),
            (3, [1, 1, 1, 0]),
            (4, [0, 0, 1, 1]),
            (5, [1, 0, 1, 0]),
            (8, [0, 0, 0, 0]),
            (9, [1, 0, 0, 0]),
        ] {
            let answer = world.company(&world.icos[index], SCOPE).await;
            let section = section(&answer);
            let found = [
                &section["projects"]["count"],
                &section["projects"]["negative_outcomes"],
                &section["applications"]["count"],
                &section["applications"]["rejected"],
            ];
            assert_eq!(json!(found), json!(counts), "{index}: {section}");
        }
        let role = async |index: usize| {
            let answer = world.company(&world.icos[index], SCOPE).await;
            section(&answer)["projects"]["latest"][0]["role"].clone()
        };
        assert_eq!(role(0).await, "recipient");
        assert_eq!(role(1).await, "partner");
        assert_eq!(role(2).await, "supplier");
        assert_eq!(role(9).await, "partner");
    });
}

#[test]
fn sources_that_are_off_are_named() {
    reading(async |world| {
        let answer = world.company(&world.icos[8], SCOPE).await;
        let section = section(&answer);
        assert_eq!(unread(section), ["irregularities", "procurement"]);
        for one in section["unread"].as_array().into_iter().flatten() {
            let why = one["why"].as_str().unwrap_or_default();
            assert!(why.starts_with("off"), "{one}");
        }
        assert_eq!(section["irregularities"]["count"], 0);
        assert!(section["procurement"]["total_awarded_value"].is_null());
    });
}

#[tokio::test]
async fn lists_that_are_on_give_their_blocks() {
    let world = with_all_lists().companies(60).start().await;
    let population = world.simulator.population();
    for index in 0..60 {
        let company = population.company(index, 0);
        let answer = world.company(&company.ico, SCOPE).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let truth = funds_with_all_lists(&world, &company);
        assert_eq!(reported_funds(&answer), truth, "{index}: {}", company.ico);
    }
    world.end().await;
}

#[tokio::test]
async fn list_that_failed_is_unread_not_zero() {
    let world = with_all_lists()
        .nothing_imported()
        .companies(12)
        .start()
        .await;
    for id in ["projects", "applications", "procurement"] {
        let imported = world
            .importer
            .run(&connector_id("itms21"), id, &|_| {})
            .await;
        assert!(imported.is_ok(), "{id}: {imported:?}");
    }
    world.fault(Register::Itms21, Fault::Error500);
    let outcome = world
        .importer
        .run(&connector_id("itms21"), OFF[0], &|_| {})
        .await;
    assert!(outcome.is_err(), "{outcome:?}");
    let answer = asked_again(&world, &world.icos[0]).await;
    let section = section(&answer);
    assert_eq!(unread(section), ["irregularities", "procurement"]);
    assert_eq!(section["irregularities"]["count"], 0);
    assert_eq!(section["procurement"]["count"], 2);
    world.end().await;
}

#[test]
fn blocked_detail_is_unread_not_zero() {
    reading(async |world| {
        let answer = world.company(&world.icos[5], SCOPE).await;
        let section = section(&answer);
        assert!(unread(section).contains(&"project-details"), "{section}");
        let project = &section["projects"]["latest"][0];
        assert!(project["disbursed"].is_null(), "{project}");
        assert!(project["contracted_total"].is_number(), "{project}");
    });
}

#[tokio::test]
async fn failed_register_never_reports_absence() {
    let world = World::new().nothing_imported().companies(12).start().await;
    let ico = world.icos[8].clone();
    for fault in [
        Fault::Down,
        Fault::Error500,
        Fault::Forbidden,
        Fault::Html200,
        Fault::Empty,
        Fault::Truncated,
        Fault::Renamed,
        Fault::RedirectAway,
    ] {
        world.fault(Register::Itms21, fault);
        for id in DATASETS {
            let outcome = world
                .importer
                .run(&connector_id("itms21"), id, &|_| {})
                .await;
            assert!(outcome.is_err(), "{fault:?}: {outcome:?}");
            let list = dataset(&world, "itms21", id).await;
            assert_eq!(list["state"], "failed", "{fault:?}: {list}");
        }
        let answer = world.company(&ico, SCOPE).await;
        assert!(section(&answer).is_null(), "{fault:?}: {answer:?}");
        let state = answer.at("/meta/scopes/itms21");
        assert_eq!(state["state"], "unread", "{fault:?}: {state}");
        world.fault(Register::Itms21, Fault::Off);
        world.advance(1);
    }
    let imported = world
        .importer
        .run(&connector_id("itms21"), "projects", &|_| {})
        .await;
    assert!(imported.is_ok(), "{imported:?}");
    let answer = asked_again(&world, &ico).await;
    let partly = section(&answer);
    assert!(unread(partly).contains(&"applications"), "{partly}");
    let imported = world
        .importer
        .run(&connector_id("itms21"), "applications", &|_| {})
        .await;
    assert!(imported.is_ok(), "{imported:?}");
    let answer = asked_again(&world, &ico).await;
    assert_eq!(unread(section(&answer)), ["irregularities", "procurement"]);
    assert_eq!(source(&world, "itms21").await["state"], "operational");
    world.end().await;
}

#[tokio::test]
async fn switched_off_lists_are_never_requested() {
    let settings = |config: &mut Config| {
        let itms21 = config.connector.get_mut("itms21");
        let itms21 = itms21.expect("the demo has it");
        for id in DATASETS {
            itms21.datasets.entry(id.to_owned()).or_default().on = Some(false);
        }
    };
    let world = World::new().connectors(CONNECTORS).companies(12);
    let world = world.settings(settings).start().await;
    let asked = RequestCounter::from_now(&world);
    let answer = asked_again(&world, &world.icos[0]).await;
    let section = section(&answer);
    assert_eq!(unread(section).len(), 4, "{section}");
    assert_eq!(section["projects"]["count"], 0);
    assert_eq!(asked.of(Register::Itms21), 0);
    world.end().await;
}

#[tokio::test]
async fn small_pages_give_the_same_sections() {
    let settings = |config: &mut Config| {
        let itms21 = config.connector.get_mut("itms21");
        let itms21 = itms21.expect("the demo has it");
        let settings = json!({ "page_size": 4 });
        let settings = settings.as_object().cloned().unwrap_or_default();
        itms21.settings = SecretMap::new(settings);
    };
    let world = World::new().connectors(CONNECTORS).companies(60);
    let world = world.settings(settings).start().await;
    let population = world.simulator.population();
    for index in 0..60 {
        let company = population.company(index, 0);
        let answer = world.company(&company.ico, SCOPE).await;
        assert_topic("funds", &world, &company, &answer);
    }
    world.end().await;
}

#[tokio::test]
async fn contracted_project_raises_an_event() {
    let world = World::new().connectors(CONNECTORS).companies(12);
    let world = world.start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[8].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::FundsContracted));
    // The lists are read weekly.
    world.advance(8);
    world.propagate_changes().await;
    let received = receiver.take();
    let notices = received.iter().map(Received::json);
    let of_kind: Vec<Value> = notices
        .filter(|notice| notice["event"] == "itms21.updated")
        .collect();
    assert_eq!(of_kind.len(), 1, "{of_kind:?}");
    let field = of_kind[0]["data"]["field"].as_str().unwrap_or_default();
    assert!(field.contains("itms21.projects"), "{of_kind:?}");
    let answer = world.company(&ico, SCOPE).await;
    assert_eq!(section(&answer)["projects"]["count"], 1);
    world.end().await;
}
