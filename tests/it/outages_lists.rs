//! Unreachable or invalid lists: the stored ones stay.

use lustra_tests::World;
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::Value;

use crate::faults_support::{DATASETS, dataset, source, time_of};
use crate::outages::{LISTS, fail};

/// Import time and length of every list.
async fn lists(world: &World) -> Vec<Value> {
    let mut lists = Vec::new();
    for (connector, id) in DATASETS {
        lists.push(dataset(world, connector, id).await);
    }
    lists
}

async fn assert_lists_stay(fault: Fault, registers: &[Register]) {
    let world = World::new().start().await;
    let before = lists(&world).await;
    let ico = world.icos[5].clone();
    let debtor = world
        .company(&ico, "debtor_status,erased_vat,tax_reliability")
        .await;
    assert_eq!(
        debtor
            .at("/data/debtor_status/sources")
            .as_array()
            .map(Vec::len),
        Some(5),
        "{debtor:?}"
    );
    // Later than every schedule, and after all debts of the company are paid.
    world.advance(25);
    fail(&world, registers, fault);
    assert_eq!(world.import_due().await, DATASETS.len());
    for (before, now) in before.iter().zip(lists(&world).await) {
        assert_eq!(now["state"], "failed", "{fault:?}: {now}");
        assert!(
            now["reason"]
                .as_str()
                .is_some_and(|reason| !reason.is_empty()),
            "{fault:?}: {now}"
        );
        for kept in ["records", "last_success_at", "list_date"] {
            assert_eq!(now[kept], before[kept], "{fault:?}: {now}");
        }
    }
    assert_eq!(source(&world, "debtors").await["state"], "degraded");
    let kept = world.company(&ico, "debtor_status").await;
    assert_eq!(
        kept.at("/data/debtor_status/is_debtor"),
        true,
        "{fault:?}: {kept:?}"
    );
    assert_eq!(kept.at("/meta/stale"), true);
    fail(&world, registers, Fault::Off);
    if fault == Fault::Throttled {
        // The circuits of these hosts stay open for half a minute of real time, whatever the simulated clock says.
        return world.end().await;
    }
    world.advance(1);
    assert_eq!(world.import_due().await, DATASETS.len());
    for (before, now) in before.iter().zip(lists(&world).await) {
        assert_eq!(now["state"], "imported", "{fault:?}: {now}");
        assert!(
            time_of(&now["last_success_at"]) > time_of(&before["last_success_at"]),
            "{fault:?}: {now}"
        );
        assert!(now["reason"].is_null(), "{fault:?}: {now}");
    }
    world.company(&ico, "debtor_status").await;
    world.wait_idle().await;
    let paid = world.company(&ico, "debtor_status").await;
    assert_eq!(
        paid.at("/data/debtor_status/is_debtor"),
        false,
        "{fault:?}: {paid:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn unreachable_lists_keep_the_old_ones() {
    for fault in [
        Fault::Down,
        Fault::Error500,
        Fault::Throttled,
        Fault::RedirectAway,
    ] {
        assert_lists_stay(fault, LISTS).await;
    }
}

#[tokio::test]
async fn files_that_are_not_lists_keep_the_old_ones() {
    for fault in [Fault::Html200, Fault::Empty, Fault::Garbage] {
        assert_lists_stay(fault, LISTS).await;
    }
}

#[tokio::test]
async fn truncated_lists_and_bombs_keep_the_old_ones() {
    for fault in [Fault::Truncated, Fault::ArchiveBomb] {
        assert_lists_stay(fault, LISTS).await;
    }
}

#[tokio::test]
async fn wrong_declared_encoding_never_garbles_texts() {
    let (world, right) = tokio::join!(World::new().start(), World::new().start());
    let mut before = Vec::new();
    for ico in &world.icos {
        before.push(world.company(ico, "all").await);
    }
    for world in [&world, &right] {
        world.advance(25);
    }
    fail(&world, &Register::ALL, Fault::WrongCharset);
    for world in [&world, &right] {
        world.import_due().await;
    }
    for (ico, before) in world.icos.iter().zip(&before) {
        let (answer, expected) = (
            world.company(ico, "all").await,
            right.company(ico, "all").await,
        );
        let facts = answer
            .at("/data")
            .as_object()
            .expect("the company is known");
        for (name, fact) in facts {
            // One section states the age of its newest issue, another the entries that left its list.
            let is_of_the_moment = [
                "tax",
                "debtor_status",
                "id",
                "commercial_bulletin",
                "debarred",
            ]
            .contains(&name.as_str());
            // The state of the lists is reported beside their content.
            let of_lists = |fact: &Value| {
                let mut fact = fact.clone();
                if let Some(members) = fact.as_object_mut().filter(|_| name == "fs") {
                    members.remove("sources");
                }
                fact
            };
            // Old data stays, also if the section says that the rest could not be read.
            let unread = fact["unread"].as_array();
            let says_so = unread.is_some_and(|unread| !unread.is_empty());
            let stayed = *fact == before.body["data"][name];
            assert!(
                is_of_the_moment
                    || says_so
                    || stayed
                    || of_lists(fact) == of_lists(&expected.body["data"][name]),
                "{ico} {name}: {fact}"
            );
        }
        let names = answer.at("/data/debtor_status/sources").to_string();
        assert!(
            !names.contains('\u{fffd}') && !names.contains('Ã') && !names.contains('Ĺ'),
            "{names}"
        );
    }
    world.end().await;
    right.end().await;
}
