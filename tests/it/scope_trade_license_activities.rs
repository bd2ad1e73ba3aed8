//! Responses and events about trades.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "trade-licences"];

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
async fn trade_changes_raise_events() {
    let world = World::new().connectors(CONNECTORS).start().await;
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
