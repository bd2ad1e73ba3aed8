//! Responses and events about fines for illegal employment.

use std::collections::BTreeSet;

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Register};
use lustra_tests::{Answer, Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, dataset, on_each_kind};
use crate::notifications_support::{follow, small, updated_fields};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["illegal-employment", "rpo"];

const SCOPE: &str = "illegal_employment";
const CONNECTOR: &str = "illegal-employment";

/// The section after all refreshes have finished.
async fn section(world: &World, index: usize) -> Value {
    asked(world, index)
        .await
        .at("/data/illegal_employment")
        .clone()
}

async fn asked(world: &World, index: usize) -> Answer {
    let ico = &world.icos[index];
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    let answer = world.company(ico, SCOPE).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

#[test]
fn fined_company_is_listed() {
    reading(async |world| {
        let of = async |index: usize| section(world, index).await;
        let nothing = json!({ "listed": false, "count": 0, "since": null, "entries": [] });
        for index in [0, 4, 9, 11] {
            assert_eq!(of(index).await, nothing, "company {index}");
        }
        for (index, count) in [(1, 1), (2, 2), (3, 1), (5, 3), (6, 1), (7, 1), (8, 1)] {
            let section = of(index).await;
            assert_eq!(section["listed"], true, "{section}");
            assert_eq!(section["count"], count, "a row twice is one: {section}");
        }
        let two = of(2).await;
        assert_eq!(two["entries"][1]["decision_number"], Value::Null);
        assert_eq!(two["since"], two["entries"][1]["decision_date"]);
        let trader = of(3).await;
        assert!(!trader.to_string().contains("Papraďová"), "{trader}");
    });
}

#[tokio::test]
async fn entry_that_left_the_list_disappears() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    assert_eq!(section(&world, 7).await["listed"], true);
    assert_eq!(section(&world, 8).await["listed"], true);
    world.advance(5);
    world.import_due().await;
    assert_eq!(
        section(&world, 7).await["listed"],
        false,
        "a court has it deleted"
    );
    assert_eq!(section(&world, 8).await["listed"], true);
    assert_eq!(section(&world, 9).await["listed"], true);
    world.advance(3);
    world.import_due().await;
    assert_eq!(section(&world, 8).await["count"], 0, "five years are over");
    world.end().await;
}

#[tokio::test]
async fn operator_file_equals_the_pages() {
    let settings = |config: &mut Config| {
        let own = config
            .connector
            .get_mut(CONNECTOR)
            .expect("the demo has it");
        let settings = json!({ "source": "file" });
        own.settings = SecretMap::new(settings.as_object().cloned().unwrap_or_default());
    };
    let (pages, file) = (
        World::new()
            .connectors(CONNECTORS)
            .companies(12)
            .start()
            .await,
        World::new()
            .connectors(CONNECTORS)
            .companies(12)
            .settings(settings)
            .start()
            .await,
    );
    let asked = RequestCounter::from_now(&file);
    for index in 0..12 {
        let (by_pages, by_file) = (section(&pages, index).await, section(&file, index).await);
        assert_eq!(by_pages, by_file, "company {index}");
    }
    assert_eq!(asked.of(Register::Ip), 0);
    pages.end().await;
    file.end().await;
}

#[tokio::test]
async fn disabled_list_is_unread() {
    let settings = |config: &mut Config| {
        let own = config
            .connector
            .get_mut(CONNECTOR)
            .expect("the demo has it");
        own.datasets.entry("fines".to_owned()).or_default().on = Some(false);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    let section = section(&world, 5).await;
    assert_eq!(section["listed"], Value::Null, "{section}");
    assert_eq!(section["count"], Value::Null);
    let why = section["unread"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("off"), "{section}");
    assert_eq!(dataset(&world, CONNECTOR, "fines").await["state"], "off");
    world.end().await;
}

#[tokio::test]
async fn fine_and_its_deletion_raise_events() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[11].clone();
            follow(world, &ico, &receiver).await;
            for (happening, listed) in [
                (Happening::IllegalEmploymentFined, true),
                (Happening::IllegalEmploymentErased, false),
            ] {
                world.happens(&ico, ChangeKind::Happened(happening));
                world.propagate_changes().await;
                let fields: BTreeSet<String> = updated_fields(&receiver).into_iter().collect();
                let expected = BTreeSet::from(["illegal_employment.entries".to_owned()]);
                assert_eq!(fields, expected, "{happening:?}");
                assert_eq!(section(world, 11).await["listed"], listed);
            }
            world.advance(1);
            world.propagate_changes().await;
            assert!(receiver.take().is_empty(), "nothing more has happened");
        },
    )
    .await;
}

#[tokio::test]
async fn list_with_only_natural_persons_is_imported() {
    let many = World::new()
        .connectors(CONNECTORS)
        .companies(1_500)
        .nothing_imported();
    let world = many.without_index().start().await;
    let imported = world
        .importer
        .run(&connector_id(CONNECTOR), "fines", &|_| {})
        .await;
    let imported = imported.expect("the register is in order");
    assert!(imported.records > 20, "{imported:?}");
    world.end().await;
}
