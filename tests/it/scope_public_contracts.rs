//! Responses and events about contracts with the state.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, source};
use crate::notifications_support::{follow, updated_fields};
use crate::support::reading;
use crate::truth::assert_topic;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["crz", "rpo"];

const SCOPE: &str = "public_contracts";

fn section(answer: &Answer) -> &Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/public_contracts_summary")
}

/// Repeats the request until no refresh is running.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    world.company(ico, SCOPE).await
}

#[test]
fn kinds_of_contracts_are_distinguished() {
    reading(async |world| {
        // Number of contracts, of those without an amount, of amendments, and of cancelled ones.
        let expected = [
            (0, [14, 2, 3, 2]),
            (1, [1, 1, 0, 0]),
            (2, [0, 0, 0, 1]),
            (3, [1, 0, 0, 0]),
            (5, [0, 0, 1, 0]),
            (6, [1, 0, 0, 0]),
            (7, [3, 0, 0, 0]),
            (8, [0, 0, 0, 0]),
            (9, [0, 0, 0, 0]),
            (10, [3, 0, 0, 0]),
        ];
        for (index, counts) in expected {
            let answer = world.company(&world.icos[index], SCOPE).await;
            let section = section(&answer);
            let found =
                ["count", "without_amount", "amendments", "cancelled"].map(|key| &section[key]);
            assert_eq!(json!(found), json!(counts), "{index}: {section}");
            assert_eq!(section["total_value"].is_null(), index == 1, "{section}");
            assert_eq!(section["currency"], "EUR");
            assert_eq!(section["until"], "2026-01-14", "{section}");
            assert!(section.get("unread").is_none(), "{section}");
        }
        let many = world.company(&world.icos[0], SCOPE).await;
        let latest = section(&many)["latest"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert_eq!(latest.len(), 10, "of 14 the newest");
        let private = latest
            .iter()
            .find(|contract| contract["buyer"]["ico"].is_null());
        assert!(
            private.is_none_or(|contract| contract["buyer"]["name"].is_null()),
            "{private:?}"
        );
    });
}

#[tokio::test]
async fn stored_section_stays_with_its_reading_date() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let ico = world.icos[0].clone();
    let before = section(&world.company(&ico, SCOPE).await).clone();
    world.fault(Register::Crz, Fault::Html200);
    world.advance(12);
    world.import_due().await;
    assert_eq!(dataset(&world, "crz", "contracts").await["state"], "failed");
    let registers = source(&world, "crz").await;
    assert_eq!(registers["state"], "degraded", "{registers}");
    let answer = asked_again(&world, &ico).await;
    assert_eq!(answer.at("/meta/stale"), true, "{answer:?}");
    let kept = section(&answer);
    for key in [
        "count",
        "total_value",
        "amendments",
        "cancelled",
        "latest",
        "since",
        "until",
    ] {
        assert_eq!(kept[key], before[key], "{key}");
    }
    assert_eq!(kept["unread"][0]["source"], "crz", "{kept}");
    assert_eq!(kept["unread"][0]["since"], "2026-01-14", "{kept}");
    world.fault(Register::Crz, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let mended = asked_again(&world, &ico).await;
    let mended = section(&mended);
    assert!(mended.get("unread").is_none(), "{mended}");
    // One was published on day 11.
    assert_eq!(mended["count"], 15, "{mended}");
    world.end().await;
}

#[tokio::test]
async fn sections_follow_the_register_each_day() {
    let world = World::new().connectors(CONNECTORS).companies(120);
    let world = world.start().await;
    let population = world.simulator.population();
    for days in [1, 1, 3, 7, 14] {
        world.advance(days);
        world.import_due().await;
    }
    let day = world.simulator.clock().day();
    for index in 0..45 {
        let company = population.company(index, day);
        let answer = asked_again(&world, &company.ico).await;
        assert_topic("contracts", &world, &company, &answer);
    }
    world.end().await;
}

#[tokio::test]
async fn contracts_on_several_full_pages_are_all_counted() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let population = world.simulator.population();
    let day = world.simulator.clock().day() + 1;
    // The companies have no other contracts, and 1,000 records are a page.
    for (index, contracts) in [(8, 2_000), (9, 1_001)] {
        for _ in 0..contracts {
            let published = ChangeKind::Happened(Happening::ContractPublished);
            assert!(population.force(index, day, published));
        }
    }
    world.advance(2);
    world.import_due().await;
    for (index, contracts) in [(8, 2_000), (9, 1_001)] {
        let answer = asked_again(&world, &world.icos[index]).await;
        assert_eq!(section(&answer)["count"], contracts, "{answer:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn published_contract_raises_an_event() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[8].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::ContractPublished));
    world.propagate_changes().await;
    let fields = |receiver: &Receiver| -> Vec<String> {
        let mut fields = updated_fields(receiver);
        fields.retain(|field| field.starts_with("public_contracts"));
        fields
    };
    assert_eq!(fields(&receiver), [] as [&str; 0], "its day is not over");
    world.advance(1);
    world.propagate_changes().await;
    let reported = fields(&receiver);
    assert_eq!(reported, ["public_contracts_summary.latest"]);
    assert_eq!(section(&world.company(&ico, SCOPE).await)["count"], 1);
    world.end().await;
}
