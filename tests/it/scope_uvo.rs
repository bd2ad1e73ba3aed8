//! Responses and events about procurement bans, qualified suppliers and buyer profiles.

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "uvo"];

/// The section after all refreshes have finished.
pub async fn section(world: &World, ico: &str, scope: &str) -> Value {
    world.company(ico, scope).await;
    world.wait_idle().await;
    let answer = world.company(ico, scope).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data")[scope].clone()
}

/// Events and fields of a section in a company's webhooks.
pub fn reported(received: &[Received], key: &str) -> Vec<(String, String)> {
    let start = format!("{key}.");
    let mut reported: Vec<(String, String)> = received
        .iter()
        .map(Received::json)
        .filter_map(|notice| {
            let field = notice["data"]["field"].as_str()?;
            let event = notice["event"].as_str()?;
            field
                .starts_with(&start)
                .then(|| (event.to_owned(), field.to_owned()))
        })
        .collect();
    reported.sort();
    reported
}

#[test]
fn barred_company_has_every_ban() {
    reading(async |world| {
        let of = async |index: usize| section(world, &world.icos[index], "debarred").await;
        let barred = of(1).await;
        assert_eq!(
            (&barred["is_debarred"], &barred["status"]),
            (&json!(true), &json!("active")),
            "{barred}"
        );
        assert!(barred["violation_reason"].is_string(), "{barred}");
        assert!(
            barred["related_persons"]
                .as_array()
                .is_some_and(|persons| !persons.is_empty()),
            "{barred}"
        );
        for (index, is_debarred, status) in [
            (2, false, "ended"),
            (3, false, "upcoming"),
            (5, true, "active"),
            (6, true, "active"),
        ] {
            let section = of(index).await;
            assert_eq!(
                section["is_debarred"], is_debarred,
                "company {index}: {section}"
            );
            assert_eq!(section["status"], status, "company {index}: {section}");
            assert_eq!(section["is_listed"], true, "company {index}");
        }
        assert_eq!(of(5).await["banned_until"], Value::Null);
        let several = of(9).await;
        assert_eq!(several["bans"].as_array().map(Vec::len), Some(2));
        assert_eq!(several["is_debarred"], true);
        for index in [0, 4, 7, 10, 11] {
            let none = of(index).await;
            assert_eq!(none["is_listed"], false, "company {index}: {none}");
        }
    });
}

#[test]
fn suppliers_and_buyers_are_shown() {
    reading(async |world| {
        let of = async |index: usize, scope: &str| section(world, &world.icos[index], scope).await;
        for (index, is_qualified, status) in [
            (0, true, json!("registered")),
            (1, true, json!("registered")),
            (2, false, json!("struck_off")),
            (6, true, json!("registered")),
            (7, false, Value::Null),
            (8, false, json!("suspended")),
            (9, false, json!("expired")),
            (10, false, json!("upcoming")),
        ] {
            let section = of(index, "reges").await;
            assert_eq!(
                section["is_qualified_supplier"], is_qualified,
                "company {index}: {section}"
            );
            assert_eq!(section["status"], status, "company {index}: {section}");
        }
        let renewed = of(1, "reges").await;
        assert_eq!(renewed["registrations"].as_array().map(Vec::len), Some(2));
        for (index, is_buyer, code) in [
            (0, false, Value::Null),
            (1, true, json!("9")),
            (5, true, Value::Null),
            (6, true, json!("8")),
            (9, true, json!("7-1-b")),
        ] {
            let section = of(index, "contracting_authority").await;
            assert_eq!(
                section["is_contracting_authority"], is_buyer,
                "company {index}: {section}"
            );
            assert_eq!(
                section["classification_section"], code,
                "company {index}: {section}"
            );
        }
        let twice = of(6, "contracting_authority").await;
        assert_eq!(twice["profiles"][1]["act"], "25/2006");
        assert_eq!(twice["profiles"][1]["classification_section"], "7-1-d");
    });
}

#[tokio::test]
async fn ban_that_left_the_register_is_kept() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let of = async |index: usize| section(world, &world.icos[index], "debarred").await;
            assert_eq!(of(8).await["status"], "active");
            for _ in 0..9 {
                world.advance(1);
                world.import_due().await;
            }
            let lifted = of(8).await;
            assert_eq!(
                (
                    &lifted["is_debarred"],
                    &lifted["is_listed"],
                    &lifted["status"]
                ),
                (&json!(false), &json!(true), &json!("removed")),
                "{lifted}"
            );
            assert_eq!(lifted["bans"][0]["removed_on"], "2026-01-20");
            let over = of(1).await;
            assert_eq!(
                (&over["is_debarred"], &over["status"]),
                (&json!(false), &json!("ended"))
            );
            assert_eq!(over["bans"][0]["removed_on"], "2026-01-23");
            let begun = of(3).await;
            assert_eq!(
                (&begun["is_debarred"], &begun["status"]),
                (&json!(true), &json!("active"))
            );
        },
    )
    .await;
}

#[tokio::test]
async fn disabled_lists_are_named() {
    let settings = |config: &mut Config| {
        let uvo = config.connector.get_mut("uvo").expect("the demo has it");
        uvo.datasets.entry("debarred".to_owned()).or_default().on = Some(false);
        uvo.settings = SecretMap::new(serde_json::Map::new());
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    let ico = world.icos[0].clone();
    for (scope, member) in [
        ("debarred", "is_debarred"),
        ("reges", "is_qualified_supplier"),
    ] {
        let section = section(&world, &ico, scope).await;
        assert_eq!(section[member], Value::Null, "{section}");
        let why = section["unread"][0]["why"].as_str().unwrap_or_default();
        assert!(why.starts_with("off: "), "{section}");
    }
    world.end().await;
}

#[tokio::test]
async fn changes_at_the_office_raise_events() {
    const DEBARRED: (&str, &str) = ("debarred", "debarred.updated");
    const SUPPLIER: (&str, &str) = ("reges", "qualified_supplier.updated");
    const BUYER: (&str, &str) = ("contracting_authority", "contracting_authority.updated");
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[7].clone();
            follow(world, &ico, &receiver).await;
            for (happening, (scope, event)) in [
                (Happening::Debarred, DEBARRED),
                (Happening::DebarmentLifted, DEBARRED),
                (Happening::SupplierEntered, SUPPLIER),
                (Happening::SupplierStruckOff, SUPPLIER),
                (Happening::ProfileMade, BUYER),
            ] {
                world.happens(&ico, ChangeKind::Happened(happening));
                world.propagate_changes().await;
                let reported = reported(&receiver.take(), scope);
                assert!(!reported.is_empty(), "{happening:?}");
                assert!(
                    reported.iter().all(|(kind, _)| kind == event),
                    "{happening:?}: {reported:?}"
                );
            }
        },
    )
    .await;
}
