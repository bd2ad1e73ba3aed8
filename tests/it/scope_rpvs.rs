//! Responses and events about public sector partners.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "rpvs"];

fn registrations(answer: &Answer) -> &Vec<Value> {
    let registrations = answer.at("/data/rpvs/registrations").as_array();
    registrations.unwrap_or_else(|| panic!("no section: {answer:?}"))
}

fn is_partner(answer: &Answer) -> &Value {
    answer.at("/data/rpvs/is_public_sector_partner")
}

#[test]
fn partner_has_all_its_owners() {
    reading(async |world| {
        let answer = world.company(&world.icos[0], "rpvs").await;
        assert_eq!(is_partner(&answer), true, "{answer:?}");
        let [registration] = registrations(&answer).as_slice() else {
            panic!("one register file: {answer:?}");
        };
        assert_eq!(
            registration["business_name"],
            "Vzorostav Čučoriedka, s. r. o."
        );
        let owners = registration["beneficial_owners"]
            .as_array()
            .expect("a list");
        assert_eq!(owners.len(), 25, "the register cuts the list behind 20");
        assert_eq!(owners[0]["name"], "Ing. Jana Skúšobná, PhD.");
        assert_eq!(
            (&owners[0]["citizenship"], &owners[0]["current"]),
            (&json!("Slovenská republika"), &json!(true))
        );
        assert_eq!(owners[1]["ico"], world.icos[1].as_str());
        assert_eq!(owners[2]["current"], false);
        assert!(answer.at("/data/rpvs/unread").is_null());
        let text = answer.body.to_string();
        assert!(
            !text.contains("Tajná") && !text.contains("DatumNarodenia"),
            "a person's home or date of birth"
        );
    });
}

#[test]
fn former_partner_shows_how_it_ended() {
    reading(async |world| {
        let fined = world.company(&world.icos[2], "rpvs").await;
        assert_eq!(is_partner(&fined), false, "{fined:?}");
        let file = &registrations(&fined)[0];
        assert_eq!(file["erasure_reason"], "ZUradnejMoci");
        assert_eq!(file["valid_to"], file["erased_at"]);
        assert_eq!(file["fines"].as_array().map(Vec::len), Some(1));
        assert_eq!(file["qualified_complaints"][0]["result"], "Výmaz partnera");
        assert_eq!(
            file["beneficial_owners"][0]["current"], false,
            "of a registration that ended"
        );
        let left_open = world.company(&world.icos[10], "rpvs").await;
        assert_eq!(is_partner(&left_open), false, "{left_open:?}");
        assert!(registrations(&left_open)[0]["valid_to"].is_string());
        let twice = world.company(&world.icos[8], "rpvs").await;
        let currents: Vec<&Value> = registrations(&twice)
            .iter()
            .map(|one| &one["current"])
            .collect();
        assert_eq!(currents, [true, false]);
    });
}

#[test]
fn non_partner_is_false_and_spaced_number_is_found() {
    reading(async |world| {
        let none = world.company(&world.icos[5], "rpvs").await;
        assert_eq!(
            none.at("/data/rpvs"),
            &json!({"is_public_sector_partner": false, "registrations": []})
        );
        let spaced = world.company(&world.icos[6], "rpvs").await;
        assert_eq!(is_partner(&spaced), true, "{spaced:?}");
        assert_eq!(registrations(&spaced)[0]["ico"], "00000124");
    });
}

/// The fields of this section in a company's events, by kind.
fn reported(received: &[Received], ico: &str) -> Vec<(String, String)> {
    let mut reported: Vec<(String, String)> = received
        .iter()
        .map(Received::json)
        .filter(|notice| notice["data"]["ico"] == ico)
        .filter_map(|notice| {
            let field = notice["data"]["field"].as_str()?;
            let event = notice["event"].as_str()?;
            field
                .starts_with("rpvs.")
                .then(|| (event.to_owned(), field.to_owned()))
        })
        .collect();
    reported.sort();
    reported
}

#[tokio::test]
async fn registration_changes_raise_events() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let updated = |field: &str| ("company.updated".to_owned(), format!("rpvs.{field}"));
    for (index, happening, expected) in [
        (0, Happening::OwnerReplaced, vec![updated("registrations")]),
        (
            11,
            Happening::PartnerRegistered,
            vec![updated("registrations")],
        ),
        (1, Happening::PartnerErased, vec![updated("registrations")]),
    ] {
        let ico = world.icos[index].clone();
        follow(&world, &ico, &receiver).await;
        world.happens(&ico, ChangeKind::Happened(happening));
        world.propagate_changes().await;
        assert_eq!(reported(&receiver.take(), &ico), expected, "{happening:?}");
    }
    world.end().await;
}
