//! Responses and events about insolvency proceedings, also during outages of their register.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::proceedings::{MANY, administrators};
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, source, time_of};
use crate::notifications_support::follow;
use crate::support::reading;

/// Faults that end when the register recovers.
const FAULTS: [Fault; 6] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
];

const SCOPE: &str = "insolvency";

fn section(answer: &Answer) -> &Value {
    answer.at("/data/insolvency")
}

fn count(answer: &Answer, list: &str) -> Option<usize> {
    section(answer)[list].as_array().map(Vec::len)
}

#[test]
fn open_and_ended_proceedings_are_distinguished() {
    reading(async |world| {
        for (index, active, proceedings, liquidations) in [
            (0, json!(false), 0, 0),
            (1, json!(false), 1, 0),
            (3, json!(true), 1, 0),
            (4, json!(false), 1, 0),
            // A liquidation is not an insolvency.
            (5, json!(false), 0, 1),
            (6, json!(false), 1, 0),
            // The register lists its debtor's proceedings under it.
            (8, json!(false), 0, 0),
            (9, json!(false), 1, 0),
        ] {
            let answer = world.company(&world.icos[index], SCOPE).await;
            assert_eq!(
                section(&answer)["has_active_proceedings"],
                active,
                "{answer:?}"
            );
            let counts = (
                count(&answer, "proceedings"),
                count(&answer, "liquidations"),
            );
            assert_eq!(
                counts,
                (Some(proceedings), Some(liquidations)),
                "{answer:?}"
            );
            assert!(section(&answer)["unread"].is_null(), "{answer:?}");
        }
    });
}

#[test]
fn unknown_state_is_not_clean() {
    reading(async |world| {
        let answer = world.company(&world.icos[11], SCOPE).await;
        assert!(
            section(&answer)["has_active_proceedings"].is_null(),
            "{answer:?}"
        );
        assert_eq!(section(&answer)["proceedings"][0]["active"], Value::Null);
        assert_eq!(section(&answer)["unread"][0]["source"], "state NOVY_STAV");
    });
}

#[test]
fn proceedings_on_several_pages_are_all_shown() {
    reading(async |world| {
        let ico = world.simulator.population().ico(MANY);
        let answer = world.company(&ico, SCOPE).await;
        assert_eq!(count(&answer, "proceedings"), Some(130), "{answer:?}");
    });
}

#[tokio::test]
async fn failed_register_keeps_data_and_never_clears() {
    let world = World::new().start().await;
    let stored = world.icos[3].clone();
    let before = world.company(&stored, SCOPE).await;
    assert_eq!(
        section(&before)["has_active_proceedings"],
        true,
        "{before:?}"
    );
    for (fault, index) in FAULTS.into_iter().zip(20..) {
        world.advance(2);
        let unasked = world.simulator.population().ico(index);
        world.fault(Register::Replik, fault);
        let answer = world.company(&unasked, SCOPE).await;
        assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
        assert!(section(&answer).is_null(), "{fault:?}: {answer:?}");
        let scope = answer.at("/meta/scopes/insolvency");
        assert_eq!(scope["state"], "unread", "{fault:?}: {scope}");
        assert!(scope["reason"].is_string(), "{fault:?}: {scope}");
        assert_eq!(answer.at("/meta/stale"), true, "{fault:?}");
        for _ in 0..2 {
            let answer = world.company(&stored, SCOPE).await;
            assert_eq!(section(&answer), section(&before), "{fault:?}");
            assert_eq!(answer.at("/meta/stale"), true, "{fault:?}");
            world.wait_idle().await;
        }
        let register = source(&world, "replik").await;
        assert_eq!(register["state"], "degraded", "{fault:?}: {register}");
        assert!(register["reason"].is_string(), "{fault:?}: {register}");
        world.fault(Register::Replik, Fault::Off);
        world.advance(1);
        for ico in [&unasked, &stored] {
            world.company(ico, SCOPE).await;
            world.wait_idle().await;
            let answer = world.company(ico, SCOPE).await;
            assert!(
                section(&answer)["proceedings"].is_array(),
                "{fault:?}: {answer:?}"
            );
            assert_eq!(
                answer.at("/meta/scopes/insolvency/state"),
                "fresh",
                "{fault:?}"
            );
        }
    }
    world.end().await;
}

#[tokio::test]
async fn unreadable_administrators_keep_the_old_ones() {
    let world = World::new().companies(12).start().await;
    let before = dataset(&world, "replik", "administrators").await;
    assert_eq!(before["state"], "imported", "{before}");
    assert!(before["records"].as_u64() > Some(5), "{before}");
    for fault in FAULTS {
        world.advance(2);
        world.fault(Register::Replik, fault);
        world.import_due().await;
        let now = dataset(&world, "replik", "administrators").await;
        assert_eq!(now["state"], "failed", "{fault:?}: {now}");
        assert!(now["reason"].is_string(), "{fault:?}: {now}");
        assert_eq!(now["records"], before["records"], "{fault:?}: {now}");
    }
    world.fault(Register::Replik, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let after = dataset(&world, "replik", "administrators").await;
    assert_eq!(after["state"], "imported", "{after}");
    assert!(
        after["records"].as_u64() >= before["records"].as_u64(),
        "{after}"
    );
    assert!(time_of(&after["last_success_at"]) > time_of(&before["last_success_at"]));
    world.end().await;
}

#[tokio::test]
async fn administrators_are_missing_before_first_reading() {
    let world = World::new().companies(12).nothing_imported().start().await;
    world.fault(Register::Replik, Fault::Html200);
    world.import_due().await;
    let now = dataset(&world, "replik", "administrators").await;
    assert_eq!(now["state"], "failed", "{now}");
    assert!(now["last_success_at"].is_null(), "{now}");
    world.end().await;
}

#[tokio::test]
async fn administrator_is_stored_by_mark_without_private_data() {
    let world = World::new().start().await;
    let store = world.store.records();
    let mut found = 0;
    for administrator in administrators() {
        let mark = administrator.mark.as_str();
        let records = store
            .by_key_prefix("replik", "administrators", mark, "", 10)
            .await;
        let records = records.expect("the store is there");
        for record in records {
            assert_eq!(record.key, administrator.mark);
            let content: Value = serde_json::from_str(&record.content).expect("it is JSON");
            assert_eq!(content["license_number"], administrator.mark.as_str());
            assert_eq!(
                content["valid_from"].as_str().map(str::to_owned),
                administrator.entered.map(|on| on.to_string())
            );
            assert_eq!(content["office"]["city"], administrator.office.city);
            for private in &administrator.private {
                assert!(!record.content.contains(private), "{}", record.content);
            }
            found += 1;
        }
    }
    assert!(found > 5, "{found}");
    world.end().await;
}

#[tokio::test]
async fn opened_and_ended_proceedings_raise_events() {
    let world = World::new().start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[7].clone();
    follow(&world, &ico, &receiver).await;
    let reported = async |happening| {
        world.happens(&ico, ChangeKind::Happened(happening));
        world.advance(1);
        world.propagate_changes().await;
        let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
        let mut reported: Vec<(String, String)> = notices
            .iter()
            .map(|notice| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (text(&notice["event"]), text(&notice["data"]["field"]))
            })
            .filter(|(event, field)| event == "insolvency.opened" || field.starts_with(SCOPE))
            .collect();
        reported.sort();
        reported
    };
    let pair = |event: &str, field: &str| (event.to_owned(), field.to_owned());
    let list = pair("company.updated", "insolvency.proceedings");
    assert_eq!(
        reported(Happening::InsolvencyOpened).await,
        [
            list.clone(),
            pair("insolvency.opened", "insolvency.proceedings")
        ]
    );
    assert_eq!(reported(Happening::InsolvencyEnded).await, [list]);
    world.end().await;
}
