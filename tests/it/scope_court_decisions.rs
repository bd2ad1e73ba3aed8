//! Responses and events about decisions of courts.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::decisions::decisions;
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["courts", "rpo"];

const SCOPE: &str = "court_decisions";

fn section(answer: &Answer) -> &Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/court_decisions")
}

#[test]
fn decisions_that_show_the_number_are_counted() {
    reading(async |world| {
        // Total, found, and uncertain.
        for (index, counts) in [
            (0, [27, 27, 0]),
            (2, [1, 1, 0]),
            (3, [0, 0, 0]),
            (5, [2, 2, 0]),
            (6, [1, 1, 0]),
            (7, [1, 1, 0]),
            (9, [0, 2, 2]),
            (10, [1, 2, 1]),
            (11, [1, 2, 1]),
        ] {
            let answer = world.company(&world.icos[index], SCOPE).await;
            let section = section(&answer);
            let found = ["total", "found", "unproven"].map(|key| &section[key]);
            assert_eq!(json!(found), json!(counts), "{index}: {section}");
            assert_eq!(section["complete"], true, "{section}");
            assert!(section.get("unread").is_none(), "{section}");
        }
        let old = world.company(&world.icos[10], SCOPE).await;
        assert_eq!(section(&old)["last_5_years"], 0, "{old:?}");
        let garbled = world.company(&world.icos[2], SCOPE).await;
        assert_eq!(section(&garbled)["recent"][0]["role"], "žalovaný");
        let roles = world.company(&world.icos[5], SCOPE).await;
        let roles: Vec<&Value> = [0, 1]
            .map(|at| &section(&roles)["recent"][at]["role"])
            .to_vec();
        assert_eq!(
            json!(roles),
            json!(["povinný", null]),
            "it represented another party"
        );
        let text = old.body.to_string();
        assert!(!text.contains("JUDr."), "judges are not named: {text}");
    });
}

#[test]
fn section_with_too_many_results_states_its_coverage() {
    reading(async |world| {
        let answer = world.company(&world.icos[1], SCOPE).await;
        let section = section(&answer);
        assert_eq!(
            (&section["total"], &section["found"]),
            (&json!(50), &json!(60))
        );
        assert_eq!(section["complete"], false);
        let all = decisions(&world.simulator.population().company(1, 0));
        assert_eq!(section["read_since"], all[49].date.to_string());
        assert_eq!(
            section["unread"][0]["source"], "older-decisions",
            "{section}"
        );
    });
}

/// The fields of this section in a company's events.
fn reported(received: &[Received], ico: &str) -> Vec<String> {
    let notices = received.iter().map(Received::json);
    let own = notices.filter(|notice| notice["data"]["ico"] == ico);
    own.filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()))
        .filter(|field| field.starts_with(SCOPE))
        .collect()
}

#[tokio::test]
async fn published_decision_raises_one_event() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    // The first company has more decisions than are shown, so one drops off the list.
    for index in [0, 8] {
        let ico = world.icos[index].clone();
        follow(&world, &ico, &receiver).await;
        world.happens(&ico, ChangeKind::Happened(Happening::DecisionPublished));
        world.propagate_changes().await;
        let reported = reported(&receiver.take(), &ico);
        assert_eq!(reported, ["court_decisions.total"], "company {index}");
        world.advance(1);
        world.propagate_changes().await;
        drop(receiver.take());
    }
    world.end().await;
}
