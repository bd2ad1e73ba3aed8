//! Responses and events about trades, also during outages of their register.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::source;
use crate::notifications_support::follow;
use crate::support::reading;

/// Faults that end when the register recovers.
const FAULTS: [Fault; 8] = [
    Fault::Down,
    Fault::Error500,
    Fault::Forbidden,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Garbage,
    Fault::Renamed,
];

const SCOPE: &str = "trade_license_activities";

fn section(answer: &Answer) -> &Value {
    answer.at("/data/trade_license_activities")
}

fn of_each<'a>(section: &'a Value, name: &str) -> Vec<&'a str> {
    let items = section.as_array().into_iter().flatten();
    items.filter_map(|item| item[name].as_str()).collect()
}

#[test]
fn trades_and_lines_of_business_are_distinguished() {
    reading(async |world| {
        let of = async |index: usize| {
            let answer = world.company(&world.icos[index], SCOPE).await;
            section(&answer).clone()
        };
        let trader = of(3).await;
        let states = of_each(&trader, "status");
        assert_eq!(states.last(), Some(&"ended"), "{trader}");
        assert!(
            states.len() > 1
                && states[..states.len() - 1]
                    .iter()
                    .all(|one| *one == "suspended"),
            "{trader}"
        );
        assert!(
            of_each(&trader, "source")
                .iter()
                .all(|one| *one == "trade_register")
        );
        let company = of(0).await;
        assert!(!of_each(&company, "activity").is_empty(), "{company}");
        assert!(
            of_each(&company, "activity")
                .iter()
                .all(|text| !text.ends_with(',')),
            "{company}"
        );
        assert!(
            of_each(&company, "status")
                .iter()
                .all(|one| *one == "active")
        );
        assert!(
            of_each(&company, "source")
                .iter()
                .all(|one| *one == "commercial_register")
        );
        let ended = of(4).await;
        assert!(
            of_each(&ended, "status").iter().all(|one| *one == "ended"),
            "{ended}"
        );
        assert!(!of_each(&ended, "until").is_empty(), "{ended}");
        // Of the two records with its number, the active one counts.
        let cooperative = of(6).await;
        assert!(
            of_each(&cooperative, "status").contains(&"active"),
            "{cooperative}"
        );
    });
}

#[test]
fn body_of_another_register_has_no_trades() {
    reading(async |world| {
        let population = world.simulator.population();
        let day = world.simulator.clock().day();
        let is_other = |index: &u32| {
            let company = population.company(*index, day);
            company.registration_number.starts_with("VVS")
        };
        let index = (12..population.len()).find(is_other);
        let ico = population.ico(index.expect("some company is an association"));
        let answer = world.company(&ico, SCOPE).await;
        assert_eq!(section(&answer), &json!([]), "{answer:?}");
    });
}

#[tokio::test]
async fn failed_register_never_reports_absence() {
    let world = World::new().start().await;
    let stored = world.icos[3].clone();
    let before = world.company(&stored, SCOPE).await;
    assert!(section(&before).is_array(), "{before:?}");
    for (fault, index) in FAULTS.into_iter().zip(20..) {
        world.advance(11);
        let unasked = world.simulator.population().ico(index);
        world.fault(Register::Rpo, fault);
        let answer = world.company(&unasked, SCOPE).await;
        assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
        assert!(section(&answer).is_null(), "{fault:?}: {answer:?}");
        let scope = answer.at("/meta/scopes/trade_license_activities");
        assert_eq!(scope["state"], "unread", "{fault:?}: {scope}");
        assert!(scope["reason"].is_string(), "{fault:?}: {scope}");
        world.company(&stored, SCOPE).await;
        world.wait_idle().await;
        let answer = world.company(&stored, SCOPE).await;
        assert!(section(&answer).is_array(), "{fault:?}: {answer:?}");
        assert_eq!(answer.at("/meta/stale"), true, "{fault:?}");
        let register = source(&world, "trade-licences").await;
        assert_eq!(register["state"], "degraded", "{fault:?}: {register}");
        world.fault(Register::Rpo, Fault::Off);
        world.advance(1);
        for ico in [&unasked, &stored] {
            world.company(ico, SCOPE).await;
            world.wait_idle().await;
            let answer = world.company(ico, SCOPE).await;
            assert!(section(&answer).is_array(), "{fault:?}: {answer:?}");
            let state = answer.at("/meta/scopes/trade_license_activities/state");
            assert_eq!(state, "fresh", "{fault:?}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn trade_changes_raise_events() {
    let world = World::new().start().await;
    let receiver = Receiver::start().await;
    let population = world.simulator.population();
    let day = world.simulator.clock().day();
    let index = (12..population.len()).find(|index| {
        let company = population.company(*index, day);
        ChangeKind::Happened(Happening::TradeSuspended).applies_to(&company)
    });
    let ico = population.ico(index.expect("some company is a trader"));
    follow(&world, &ico, &receiver).await;
    for (kind, states) in [
        (ChangeKind::Happened(Happening::TradeSuspended), "suspended"),
        (ChangeKind::Happened(Happening::TradeResumed), "active"),
        (ChangeKind::ActivityAdded, "active"),
        (ChangeKind::Happened(Happening::TradeEnded), "ended"),
    ] {
        world.happens(&ico, kind);
        world.advance(11);
        world.propagate_changes().await;
        let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
        let is_told = notices
            .iter()
            .any(|notice| notice["event"] == "company.updated" && notice["data"]["field"] == SCOPE);
        assert!(is_told, "{kind:?}: {notices:?}");
        let answer = world.company(&ico, SCOPE).await;
        assert!(
            of_each(section(&answer), "status").contains(&states),
            "{kind:?}: {answer:?}"
        );
    }
    world.end().await;
}
