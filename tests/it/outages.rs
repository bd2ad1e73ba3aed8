//! Outages of registers: what still answers, what is paused, and how service recovers by itself. What each scope says
//! under each fault is in `outages_table`.

use std::sync::Arc;

use lustra_tests::register_simulator::{Company, Fault, Register};
use lustra_tests::{Answer, World};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::faults_support::{RequestCounter, assert_out_of_order, source};

/// Faults that end when the register recovers. After throttling, requests stay paused for longer.
const FAULTS: [Fault; 8] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::RedirectAway,
    Fault::ArchiveBomb,
];

/// Registers that are asked about a single company.
const LIVE: &[Register] = &[
    Register::ObcanJustice,
    Register::Orsr,
    Register::Rpo,
    Register::Rpvs,
    Register::Ruz,
    Register::Vies,
    Register::Vszp,
    Register::Replik,
];

pub fn fail(world: &World, registers: &[Register], fault: Fault) {
    for register in registers {
        world.fault(*register, fault);
    }
}

/// Companies about which every register has data.
fn well_known(world: &World) -> Vec<Company> {
    let population = world.simulator.population();
    let all = (12..population.len()).map(|index| population.company(index, 0));
    all.filter(|company| {
        company.orsr.is_some() && company.ic_dph().is_some() && company.ending.is_none()
    })
    .collect()
}

/// The state of a company register in a response's `meta`.
pub fn register_state<'a>(answer: &'a Answer, connector: &str) -> &'a Value {
    let registers = answer
        .at("/meta/registers")
        .as_array()
        .expect("registers are listed");
    registers
        .iter()
        .find(|register| register["connector"] == connector)
        .expect("it is listed")
}

fn unread(answer: &Answer, section: &str) -> Vec<String> {
    let unread = answer
        .at(&format!("/data/{section}/unread"))
        .as_array()
        .cloned()
        .unwrap_or_default();
    unread
        .iter()
        .filter_map(|one| Some(one["source"].as_str()?.to_owned()))
        .collect()
}

/// Asserts that a response about a company that was never requested contains no unread facts.
fn assert_nothing_is_claimed(fault: Fault, answer: &Answer) {
    assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
    assert_eq!(
        answer.at("/meta/stale"),
        true,
        "{fault:?}: {}",
        answer.at("/meta")
    );
    let orsr = register_state(answer, "orsr");
    assert_eq!(orsr["state"], "unread", "{fault:?}: {orsr}");
    assert!(orsr["reason"].is_string(), "{fault:?}: {orsr}");
    assert!(answer.at("/data/statutory_body").is_null(), "{fault:?}");
    assert!(
        unread(answer, "debtor_status").contains(&"vszp".to_owned()),
        "{fault:?}: {}",
        answer.at("/data/debtor_status")
    );
    assert!(
        unread(answer, "tax").contains(&"vies".to_owned()),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
    assert!(answer.at("/data/tax/vies_valid").is_null(), "{fault:?}");
    assert_eq!(
        answer.at("/data/tax/is_vat_payer"),
        true,
        "the imported list is the source: {}",
        answer.at("/data/tax")
    );
}

fn assert_all_is_read(fault: Fault, answer: &Answer) {
    assert_eq!(
        register_state(answer, "orsr")["state"],
        "fresh",
        "{fault:?}: {answer:?}"
    );
    assert!(
        answer.at("/data/statutory_body").is_array(),
        "{fault:?}: {answer:?}"
    );
    assert!(
        unread(answer, "debtor_status").is_empty(),
        "{fault:?}: {}",
        answer.at("/data/debtor_status")
    );
    assert!(
        answer.at("/data/tax/vies_valid").is_boolean(),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
    assert!(
        unread(answer, "tax").is_empty(),
        "{fault:?}: {}",
        answer.at("/data/tax")
    );
}

const SCOPES: &str = "tax,debtor_status";

/// Repeats the request until no refresh is running, like a client that follows `retry_at`.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPES).await;
    world.wait_idle().await;
    world.company(ico, SCOPES).await
}

#[tokio::test]
async fn imported_lists_answer_while_live_registers_fail() {
    let world = World::new().companies(200).start().await;
    let companies = well_known(&world);
    for (fault, company) in [Fault::Down, Fault::Html200].into_iter().zip(&companies) {
        fail(&world, LIVE, fault);
        assert_nothing_is_claimed(fault, &world.company(&company.ico, SCOPES).await);
        for connector in ["orsr", "debtors", "tax-authority"] {
            let registers = source(&world, connector).await;
            let expected = if connector == "orsr" {
                "degraded"
            } else {
                "operational"
            };
            assert_eq!(registers["state"], expected, "{fault:?}: {registers}");
        }
        fail(&world, LIVE, Fault::Off);
        world.advance(1);
        world.import_due().await;
        assert_all_is_read(fault, &asked_again(&world, &company.ico).await);
    }
    world.end().await;
}

#[tokio::test]
async fn rate_limited_register_is_paused_and_marked_unread() {
    let world = World::new().start().await;
    let companies = well_known(&world);
    fail(&world, &Register::ALL, Fault::Throttled);
    let first = world.company(&companies[0].ico, "all").await;
    assert_nothing_is_claimed(Fault::Throttled, &first);
    assert_eq!(register_state(&first, "orsr")["reason"], "throttled");
    fail(&world, &Register::ALL, Fault::Off);
    let asked = RequestCounter::from_now(&world);
    let second = world.company(&companies[1].ico, "all").await;
    assert_nothing_is_claimed(Fault::Throttled, &second);
    assert_eq!(asked.of_all(), 0, "it said for how long");
    world.end().await;
}

#[tokio::test]
async fn unreadable_register_is_never_a_404() {
    let world = World::new().nothing_imported().start().await;
    // A sole trader, whom the commercial register does not have either, and an unassigned number.
    let (trader, unassigned) = (world.icos[3].clone(), "12345679");
    for fault in FAULTS {
        fail(&world, LIVE, fault);
        for ico in [&trader, unassigned] {
            assert_out_of_order(&world.company(ico, "").await);
        }
        fail(&world, LIVE, Fault::Off);
        world.advance(1);
        assert_eq!(world.company(unassigned, "").await.status, 404, "{fault:?}");
        // The result *unassigned* is cached for some minutes.
        world.advance(1);
    }
    assert_eq!(world.company(&trader, "").await.status, 200);
    world.end().await;
}

#[tokio::test]
async fn register_failing_five_times_opens_its_circuit() {
    let world = World::new().companies(200).start().await;
    let companies = well_known(&world);
    let mut unasked = companies.iter().map(|company| company.ico.as_str());
    let mut next = || unasked.next().expect("there are enough");
    world.fault(Register::Orsr, Fault::Error500);
    let asked = RequestCounter::from_now(&world);
    for times in 1..=5 {
        let answer = world.company(next(), "").await;
        assert_eq!(register_state(&answer, "orsr")["reason"], "unavailable");
        assert_eq!(asked.of(Register::Orsr), times);
    }
    let answer = world.company(next(), "").await;
    assert_eq!(
        register_state(&answer, "orsr")["reason"],
        "circuit_open",
        "{answer:?}"
    );
    assert_eq!(asked.of(Register::Orsr), 5, "the circuit is open");
    assert_eq!(source(&world, "orsr").await["state"], "circuit_open");
    world.advance(1);
    let (one, other) = (next(), next());
    tokio::join!(world.company(one, ""), world.company(other, ""));
    assert_eq!(
        asked.of(Register::Orsr),
        6,
        "a single trial call checks whether the register works again"
    );
    world.fault(Register::Orsr, Fault::Off);
    world.company(next(), "").await;
    assert_eq!(asked.of(Register::Orsr), 6, "it did not");
    world.advance(1);
    let answer = world.company(next(), "").await;
    assert_eq!(register_state(&answer, "orsr")["state"], "fresh");
    let answer = world.company(next(), "").await;
    assert_eq!(register_state(&answer, "orsr")["state"], "fresh");
    assert_eq!(source(&world, "orsr").await["state"], "operational");
    world.end().await;
}

#[tokio::test]
async fn expired_absence_does_not_answer_waiting_requests() {
    let world = Arc::new(World::new().nothing_imported().start().await);
    let unassigned = "12345679";
    assert_eq!(world.company(unassigned, "").await.status, 404);
    world.advance(1);
    fail(&world, LIVE, Fault::Down);
    // One request reads the registers, the others wait for it.
    let mut clients = JoinSet::new();
    for _ in 0..8 {
        let world = Arc::clone(&world);
        clients.spawn(async move { world.company(unassigned, "").await });
    }
    for answer in clients.join_all().await {
        assert_out_of_order(&answer);
    }
}
