//! Registers that answer another request, or deny a company that the base record says they have.

use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, World};
use serde_json::Value;

use crate::outages::register_state;

/// The commercial register's details of a company.
fn details(answer: &Answer) -> Value {
    let data = answer.at("/data");
    let names = [
        "orsr_id",
        "statutory_body",
        "shareholders",
        "registered_capital",
        "procurators",
    ];
    names
        .iter()
        .map(|name| ((*name).to_owned(), data[*name].clone()))
        .collect()
}

#[tokio::test]
async fn empty_answer_to_another_request_keeps_details() {
    for fault in [Fault::EchoOther, Fault::Denies] {
        let world = World::new().start().await;
        let ico = world.icos[0].clone();
        let before = world.company(&ico, "").await;
        assert_eq!(register_state(&before, "orsr")["state"], "fresh");
        world.fan_out().await;
        world.advance(31);
        world.fault(Register::Orsr, fault);
        for _ in 0..2 {
            let answer = world.company(&ico, "").await;
            assert_eq!(details(&answer), details(&before), "{fault:?}");
            assert_eq!(
                answer.at("/meta/stale_reason"),
                "orsr_data_outdated",
                "{fault:?}"
            );
            assert_eq!(register_state(&answer, "orsr")["state"], "stale");
            world.wait_idle().await;
        }
        assert_eq!(world.fan_out().await, 0, "{fault:?}: nothing changed");
        world.fault(Register::Orsr, Fault::Off);
        // One day is longer than any delay between attempts and shorter than the maximum age of details.
        world.advance(1);
        world.company(&ico, "").await;
        world.wait_idle().await;
        let after = world.company(&ico, "").await;
        assert_eq!(register_state(&after, "orsr")["state"], "fresh");
        assert_ne!(details(&after), details(&before), "an officer left");
        world.end().await;
    }
}

#[tokio::test]
async fn company_denied_by_its_register_is_unread() {
    let world = World::new().start().await;
    for fault in [Fault::EchoOther, Fault::Denies] {
        world.fault(Register::Orsr, fault);
        let place = usize::from(fault == Fault::Denies);
        let answer = world.company(&world.icos[place].clone(), "").await;
        let state = register_state(&answer, "orsr");
        assert_eq!(state["state"], "unread", "{fault:?}: {state}");
        assert_eq!(state["reason"], "malformed", "{fault:?}: {state}");
        assert!(answer.at("/data/statutory_body").is_null(), "{fault:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn unknown_register_id_is_not_found_only_on_its_own_page() {
    let world = World::new().start().await;
    let stored = world.company(&world.icos[0].clone(), "").await;
    let id = stored
        .at("/data/orsr_id")
        .as_str()
        .expect("it has one")
        .to_owned();
    let number = id.split('/').next().expect("it has a number").to_owned();
    assert_eq!(world.get("/v1/company/id/999999999/2").await.status, 404);
    for fault in [Fault::WrongCharset, Fault::Renamed, Fault::Html200] {
        world.fault(Register::Orsr, fault);
        let answer = world.get(&format!("/v1/company/id/{number}")).await;
        assert_eq!(answer.status, 503, "{fault:?}: {answer:?}");
        world.fault(Register::Orsr, Fault::Off);
        world.advance(1);
    }
    world.end().await;
}
