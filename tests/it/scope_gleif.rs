//! Responses and events about legal entity identifiers.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::{keys, reading};

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["gleif", "rpo"];

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
async fn lei_changes_raise_events() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
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
    world.end().await;
}
