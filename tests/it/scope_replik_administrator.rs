//! Responses and events about insolvency administrators: from the ministry's list, and from proceedings alone.

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Map, Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["replik", "rpo"];

const SCOPE: &str = "replik_administrator";
const LIST: &str = "administrator-list";
const KIND: &str = "insolvency_administrator.updated";

async fn asked(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    let answer = world.company(ico, SCOPE).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

fn section(answer: &Answer) -> &Value {
    answer.at("/data/replik_administrator")
}

fn reported_beside(answer: &Answer) -> &Value {
    answer
        .body
        .pointer("/meta/scopes/replik_administrator/unread")
        .unwrap_or(&Value::Null)
}

/// Settings without the operator's list.
fn of_proceedings(config: &mut Config) {
    let replik = config.connector.get_mut("replik").expect("the demo has it");
    replik.datasets.entry(LIST.to_owned()).or_default().on = Some(false);
    replik.settings = SecretMap::new(Map::new());
}

#[test]
fn list_decides_who_is_an_administrator() {
    reading(async |world| {
        let partnership = asked(world, &world.icos[11]).await;
        assert_eq!(section(&partnership)["license_number"], "S9011");
        assert_eq!(section(&partnership)["status"], "zapísaný");
        assert_eq!(section(&partnership)["is_company"], true);
        assert!(section(&partnership)["office"]["city"].is_string());
        let trader = asked(world, &world.icos[3]).await;
        assert_eq!(section(&trader)["license_number"], "S9004");
        assert!(section(&trader)["office"].is_null(), "it may be a home");
        let other = asked(world, &world.icos[0]).await;
        assert_eq!(
            other.body.pointer("/data/replik_administrator"),
            Some(&Value::Null)
        );
        assert_eq!(reported_beside(&other), &Value::Null, "{other:?}");
    });
}

#[tokio::test]
async fn without_the_list_null_names_it_as_unread() {
    let world = World::new()
        .connectors(CONNECTORS)
        .settings(of_proceedings)
        .start()
        .await;
    let why = "off: only administrators of proceedings that were read are known";
    let other = asked(&world, &world.icos[0]).await;
    assert_eq!(
        other.body.pointer("/data/replik_administrator"),
        Some(&Value::Null)
    );
    assert_eq!(
        reported_beside(&other),
        &json!([{ "source": LIST, "why": why }])
    );
    assert_eq!(other.at("/meta/scopes/replik_administrator/state"), "fresh");
    let partnership = asked(&world, &world.icos[11]).await;
    let entry = section(&partnership);
    assert_eq!(entry["license_number"], "S9011", "{partnership:?}");
    assert_eq!(entry["source"], "proceedings");
    assert!(entry["status"].is_null() && entry["valid_to"].is_null());
    assert_eq!(entry["unread"][0]["source"], LIST);
    assert_eq!(reported_beside(&partnership), &Value::Null, "it has room");
    world.end().await;
}

#[tokio::test]
async fn never_read_list_never_reports_absence() {
    let world = World::new()
        .connectors(CONNECTORS)
        .nothing_imported()
        .companies(12)
        .start()
        .await;
    world.fault(Register::ObcanJustice, Fault::Html200);
    world.import_due().await;
    let answer = asked(&world, &world.icos[0]).await;
    assert!(
        answer.body.pointer("/data/replik_administrator").is_none(),
        "{answer:?}"
    );
    let scope = answer.at("/meta/scopes/replik_administrator");
    assert_eq!(
        (&scope["state"], &scope["reason"]),
        (&json!("unread"), &json!("unavailable"))
    );
    world.fault(Register::ObcanJustice, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let answer = asked(&world, &world.icos[0]).await;
    assert_eq!(
        answer.body.pointer("/data/replik_administrator"),
        Some(&Value::Null)
    );
    world.end().await;
}

#[tokio::test]
async fn new_and_struck_off_administrators_raise_events() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let receiver = Receiver::start().await;
    let ico = world.icos[1].clone();
    follow(&world, &ico, &receiver).await;
    for (happening, field) in [
        (Happening::AdministratorRegistered, "replik_administrator"),
        (
            Happening::AdministratorStruckOff,
            "replik_administrator.status, replik_administrator.valid_to",
        ),
    ] {
        world.happens(&ico, ChangeKind::Happened(happening));
        world.advance(1);
        world.import_due().await;
        world.propagate_changes().await;
        let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
        let is_told = notices
            .iter()
            .any(|notice| notice["event"] == KIND && notice["data"]["field"] == field);
        assert!(is_told, "{happening:?}: {notices:?}");
    }
    let answer = asked(&world, &ico).await;
    assert_eq!(section(&answer)["status"], "vyčiarknutý", "{answer:?}");
    world.end().await;
}
