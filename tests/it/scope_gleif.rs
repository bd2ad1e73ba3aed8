//! Responses and events about legal entity identifiers.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::source;
use crate::notifications_support::follow;
use crate::support::{keys, reading};

/// Faults that end when the register recovers.
const FAULTS: [Fault; 7] = [
    Fault::Down,
    Fault::Error500,
    Fault::Html200,
    Fault::Empty,
    Fault::Truncated,
    Fault::Renamed,
    Fault::Garbage,
];

async fn section(world: &World, index: usize) -> Value {
    let answer = world.company(&world.icos[index], "gleif").await;
    assert_eq!(answer.at("/meta/scopes/gleif/state"), "fresh", "{answer:?}");
    assert!(keys(answer.at("/data")).contains(&"gleif"), "{answer:?}");
    answer.at("/data/gleif").clone()
}

#[test]
fn section_has_the_leis_of_company_and_parents() {
    reading(async |world| {
        let own = section(world, 0).await;
        let parent = section(world, 1).await;
        assert_eq!(own["registration_status"], "ISSUED");
        assert_eq!(own["status"], "ACTIVE");
        assert_eq!(own["parent_lei"], parent["lei"]);
        assert_eq!(own["parent_name"], "Žblnkotech Holding, a. s.");
        assert_eq!(own["ultimate_parent_name"], "Beispiel Holding AG");
        assert_eq!(own["legal_form"], "spoločnosť s ručením obmedzeným");
        assert_eq!(
            own["other_leis"],
            json!([]),
            "a Czech company has the same digits"
        );
        assert!(own.get("unread").is_none(), "{own}");
        assert_eq!(parent["bic"], json!(["ZBLNSKBAXXX", "ZBLNSKBA001"]));
        assert_eq!(parent["other_names"][0]["type"], "PREVIOUS_LEGAL_NAME");
        assert_eq!(parent["parent_lei"], parent["ultimate_parent_lei"]);
        let zero_led = section(world, 6).await;
        assert_eq!(zero_led["parent_exception"], "NON_PUBLIC");
        assert_eq!(zero_led["ultimate_parent_name"], "Muster Gruppe SE");
    });
}

#[test]
fn company_without_lei_gets_null() {
    reading(async |world| {
        for index in [2, 9, 11] {
            assert_eq!(section(world, index).await, Value::Null, "company {index}");
        }
        let trader = section(world, 3).await;
        assert_eq!(trader["registration_status"], "LAPSED");
        assert_eq!(trader["registration_authority"], "RA000670");
        assert_eq!(trader["parent_exception"], "NATURAL_PERSONS");
        let ended = section(world, 4).await;
        assert_eq!(
            (
                &ended["status"],
                &ended["registration_status"],
                &ended["next_renewal"]
            ),
            (&json!("INACTIVE"), &json!("RETIRED"), &Value::Null)
        );
        let two = section(world, 7).await;
        assert_eq!(two["registration_status"], "ISSUED");
        assert_eq!(two["other_leis"][0]["registration_status"], "DUPLICATE");
        let lapsed = section(world, 8).await;
        assert_eq!(lapsed["registration_status"], "LAPSED");
        assert_eq!(lapsed["other_leis"][0]["registration_status"], "RETIRED");
        let without = section(world, 10).await;
        assert_eq!(
            without["parent_lei"],
            Value::Null,
            "its record is not there"
        );
        assert_eq!(without["ultimate_parent_exception"], "NO_KNOWN_PERSON");
        assert!(without.get("unread").is_none(), "{without}");
    });
}

#[tokio::test]
async fn failed_register_never_reports_absence() {
    let world = World::new().companies(60).start().await;
    for (fault, index) in FAULTS.into_iter().zip(20..) {
        let ico = world.simulator.population().ico(index);
        world.fault(Register::Gleif, fault);
        let answer = world.company(&ico, "gleif").await;
        assert_eq!(answer.status, 200, "{fault:?}: {answer:?}");
        assert!(
            !keys(answer.at("/data")).contains(&"gleif"),
            "{fault:?}: {answer:?}"
        );
        assert_eq!(answer.at("/meta/scopes/gleif/state"), "unread", "{fault:?}");
        let register = source(&world, "gleif").await;
        assert_eq!(register["state"], "degraded", "{fault:?}: {register}");
        world.fault(Register::Gleif, Fault::Off);
        world.advance(1);
        world.company(&ico, "gleif").await;
        world.wait_idle().await;
        let mended = world.company(&ico, "gleif").await;
        assert_eq!(
            mended.at("/meta/scopes/gleif/state"),
            "fresh",
            "{fault:?}: {mended:?}"
        );
        assert_eq!(
            source(&world, "gleif").await["state"],
            "operational",
            "{fault:?}"
        );
    }
    world.end().await;
}

#[tokio::test]
async fn stored_section_stays_while_the_register_fails() {
    let world = World::new().companies(12).start().await;
    let ico = world.icos[0].clone();
    let before = world.company(&ico, "gleif").await;
    // Older than the section's maximum age, and the parent has changed meanwhile.
    world.advance(18);
    for fault in [Fault::Html200, Fault::Truncated] {
        world.fault(Register::Gleif, fault);
        for _ in 0..2 {
            let answer = world.company(&ico, "gleif").await;
            assert_eq!(
                answer.at("/data/gleif"),
                before.at("/data/gleif"),
                "{fault:?}"
            );
            assert_eq!(answer.at("/meta/scopes/gleif/state"), "stale", "{fault:?}");
            world.wait_idle().await;
        }
        world.advance(1);
    }
    world.fault(Register::Gleif, Fault::Off);
    world.company(&ico, "gleif").await;
    world.wait_idle().await;
    let after: Answer = world.company(&ico, "gleif").await;
    assert_eq!(
        after.at("/data/gleif/parent_name"),
        "Příkladová skupina, a. s.",
        "{after:?}"
    );
    world.end().await;
}

/// Kinds and fields of the events about a company's identifier.
fn reported(received: &[Received], ico: &str) -> Vec<(String, String)> {
    let mut reported: Vec<(String, String)> = received
        .iter()
        .map(Received::json)
        .filter(|notice| notice["data"]["ico"] == ico)
        .filter_map(|notice| {
            let field = notice["data"]["field"].as_str()?;
            let event = notice["event"].as_str()?;
            field
                .starts_with("gleif")
                .then(|| (event.to_owned(), field.to_owned()))
        })
        .collect();
    reported.sort();
    reported
}

#[tokio::test]
async fn lei_changes_raise_events_and_outages_do_not() {
    let world = World::new().companies(12).start().await;
    let receiver = Receiver::start().await;
    for (index, happening, field) in [
        (0, Happening::LeiLapsed, "gleif.registration_status"),
        (
            1,
            Happening::LeiParentReplaced,
            "gleif.parent_lei, gleif.parent_name",
        ),
        (
            5,
            Happening::LeiRenewed,
            "gleif.next_renewal, gleif.registration_status",
        ),
    ] {
        let ico = world.icos[index].clone();
        follow(&world, &ico, &receiver).await;
        world.happens(&ico, ChangeKind::Happened(happening));
        world.propagate_changes().await;
        let expected = [("gleif.updated".to_owned(), field.to_owned())];
        assert_eq!(reported(&receiver.take(), &ico), expected, "{happening:?}");
    }
    let ico = world.icos[0].clone();
    for fault in [Fault::Html200, Fault::Truncated, Fault::Off] {
        world.fault(Register::Gleif, fault);
        world.advance(1);
        world.propagate_changes().await;
        assert_eq!(reported(&receiver.take(), &ico), [], "{fault:?}");
    }
    world.end().await;
}
