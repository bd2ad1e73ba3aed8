//! Lists that cannot be had, or are none: the old ones stay.

use lustra_tests::World;
use lustra_tests::register_simulator::{Fault, Register};
use serde_json::Value;

use crate::faults_support::{DATASETS, dataset, source, time_of};
use crate::outages::{LISTS, fail};

/// How it stands with every list: when it was read and how long it is.
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
    // Behind every schedule, and every debt of the company is paid by then.
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
        // The hosts are left alone for half a minute, whatever the simulated clock says.
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
async fn lists_that_cannot_be_reached_leave_the_old_ones() {
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
async fn files_that_are_no_lists_leave_the_old_ones() {
    for fault in [Fault::Html200, Fault::Empty, Fault::Garbage] {
        assert_lists_stay(fault, LISTS).await;
    }
}

#[tokio::test]
async fn lists_that_break_off_or_explode_leave_the_old_ones() {
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
            // One says how old its newest issue is, one what left its list since.
            let is_of_the_moment = [
                "tax",
                "debtor_status",
                "id",
                "commercial_bulletin",
                "debarred",
            ]
            .contains(&name.as_str());
            // How the lists fare is told beside what they say.
            let of_lists = |fact: &Value| {
                let mut fact = fact.clone();
                if let Some(members) = fact.as_object_mut().filter(|_| name == "fs") {
                    members.remove("sources");
                }
                fact
            };
            // What was read before stays, also where the section says that the rest was not.
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
