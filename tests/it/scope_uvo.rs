//! Responses and events about procurement bans, qualified suppliers and buyer profiles.

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, on_each_kind, source};
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// Faults that end when the register recovers.
const FAULTS: [Fault; 7] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::RedirectAway,
];

/// The live scopes, and the member that must be known in each.
pub const LIVE: [(&str, &str); 3] = [
    ("reges", "is_qualified_supplier"),
    ("contracting_authority", "is_contracting_authority"),
    ("uvo_references", "count"),
];

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
    on_each_kind(small, async |world| {
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
    })
    .await;
}

#[tokio::test]
async fn unreadable_register_keeps_old_data_and_shows_reason() {
    let world = World::new().companies(12).start().await;
    let ico = world.icos[5].clone();
    let known = section(&world, &ico, "debarred").await;
    for fault in FAULTS {
        world.advance(1);
        world.fault(Register::Uvo, fault);
        world.import_due().await;
        let list = dataset(&world, "uvo", "debarred").await;
        assert_eq!(list["state"], "failed", "{fault:?}: {list}");
        assert!(list["reason"].is_string(), "{fault:?}: {list}");
        assert_eq!(section(&world, &ico, "debarred").await, known, "{fault:?}");
        world.fault(Register::Uvo, Fault::Off);
    }
    world.advance(1);
    world.import_due().await;
    let list = dataset(&world, "uvo", "debarred").await;
    assert_eq!(list["state"], "imported", "{list}");
    world.end().await;
}

#[tokio::test]
async fn unread_register_never_reports_not_barred() {
    let world = World::new().nothing_imported().companies(12).start().await;
    let ico = world.icos[1].clone();
    let assert_unread = |answer: &Answer| {
        assert!(
            answer.body.pointer("/data/debarred").is_none(),
            "{answer:?}"
        );
        let scope = answer.at("/meta/scopes/debarred");
        assert_eq!(scope["state"], "unread", "{scope}");
    };
    assert_unread(&world.company(&ico, "debarred").await);
    for fault in [Fault::Html200, Fault::Truncated, Fault::Garbage] {
        world.fault(Register::Uvo, fault);
        world.import_due().await;
        assert_unread(&world.company(&ico, "debarred").await);
        world.advance(1);
    }
    world.fault(Register::Uvo, Fault::Off);
    world.import_due().await;
    assert_eq!(section(&world, &ico, "debarred").await["is_debarred"], true);
    world.end().await;
}

#[tokio::test]
async fn disabled_lists_are_named() {
    let settings = |config: &mut Config| {
        let uvo = config.connector.get_mut("uvo").expect("the demo has it");
        uvo.datasets.entry("debarred".to_owned()).or_default().on = Some(false);
        uvo.settings = SecretMap::new(serde_json::Map::new());
    };
    let world = World::new().companies(12).settings(settings).start().await;
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
async fn failed_office_never_reports_absence() {
    let world = World::new().companies(60).start().await;
    for (fault, index) in FAULTS.into_iter().zip(20..) {
        let ico = world.simulator.population().ico(index);
        world.fault(Register::Uvo, fault);
        for (scope, _) in LIVE {
            let answer = world.company(&ico, scope).await;
            assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
            assert!(answer.at("/data")[scope].is_null(), "{fault:?}: {answer:?}");
            let state = &answer.at("/meta/scopes")[scope];
            assert_eq!(state["state"], "unread", "{fault:?}: {state}");
            assert!(state["reason"].is_string(), "{fault:?}: {state}");
        }
        assert_eq!(
            source(&world, "uvo").await["state"],
            "degraded",
            "{fault:?}"
        );
        world.fault(Register::Uvo, Fault::Off);
        world.advance(1);
        for (scope, member) in LIVE {
            let mended = section(&world, &ico, scope).await;
            assert!(!mended[member].is_null(), "{fault:?} {scope}: {mended}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn changes_at_the_office_raise_events() {
    const DEBARRED: (&str, &str) = ("debarred", "debarred.updated");
    const SUPPLIER: (&str, &str) = ("reges", "qualified_supplier.updated");
    const BUYER: (&str, &str) = ("contracting_authority", "contracting_authority.updated");
    on_each_kind(small, async |world| {
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
        for fault in [Fault::Html200, Fault::Off] {
            world.fault(Register::Uvo, fault);
            world.advance(1);
            world.propagate_changes().await;
            let received = receiver.take();
            for scope in [
                "debarred",
                "reges",
                "contracting_authority",
                "uvo_references",
            ] {
                assert_eq!(
                    reported(&received, scope),
                    [],
                    "{fault:?}: an outage raises no events"
                );
            }
        }
    })
    .await;
}
