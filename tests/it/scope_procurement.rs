//! Responses and events about public procurements that a company won, and its contacts.

use lustra_tests::register_simulator::population::{Happening, tenders};
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["procurement-journal", "rpo"];

const SCOPES: &str = "procurement,contacts";

async fn asked(world: &World, index: usize) -> Answer {
    let ico = world.icos[index].clone();
    world.company(&ico, SCOPES).await;
    world.wait_idle().await;
    world.company(&ico, SCOPES).await
}

fn count(answer: &Answer) -> &Value {
    answer.at("/data/procurement_summary/count")
}

#[test]
fn awards_of_each_kind_are_counted_and_others_are_not() {
    reading(async |world| {
        let telling = asked(world, 0).await;
        let summary = telling.at("/data/procurement_summary");
        let mut numbers = summary.clone();
        numbers["latest"].take();
        assert_eq!(
            numbers,
            json!({
                // 84,709.60, 461,380.30 shared with another company, and 2,500 by rank.
                "count": 5, "total_awarded_value": 548_589.9, "currency": "EUR",
                "other_currencies": [{ "currency": "CZK", "count": 1, "total": 1_250_000.0 }],
                "without_amount": 1, "joint": 1, "latest": null, "since": "2025-11-17", "until": "2026-01-15",
            })
        );
        assert_eq!(summary["latest"][4]["value"], 84_709.6);
        assert_eq!(summary["latest"][3]["buyer"]["ico"], "00000124");
        // A tax number instead, no number, second place and in XML, and a lot without a winner.
        for index in [2, 5, 10, 11] {
            let answer = asked(world, index).await;
            assert_eq!(count(&answer), 0, "company {index}: {answer:?}");
            let total = answer.at("/data/procurement_summary/total_awarded_value");
            assert_eq!(total, 0, "company {index}");
        }
        // The correction moved the award from company 0 to this company.
        assert_eq!(count(&asked(world, 9).await), 1);
        let mended = asked(world, 1).await;
        assert_eq!(
            mended.at("/data/procurement_summary/latest/0/value"),
            98_000.5
        );
    });
}

#[test]
fn contacts_are_of_offices_and_name_their_source() {
    reading(async |world| {
        let buyer = asked(world, 6).await;
        let contacts = buyer.at("/data/contacts");
        let email = contacts["email"][0].as_str().expect("it has one");
        assert!(email.ends_with("@firma-6.example.sk"), "{contacts}");
        assert_eq!(contacts["sources"][0]["value"], email);
        assert_eq!(contacts["sources"][0]["kind"], "email");
        let person = asked(world, 3).await;
        assert_eq!(count(&person), 1);
        assert_eq!(
            *person.at("/data/contacts"),
            json!({ "email": [], "phone": [], "website": [], "sources": [], "withheld": "natural-person" })
        );
        // Only a person's address.
        let no_office = asked(world, 7).await;
        assert_eq!(no_office.at("/data/contacts/email"), &json!([]));
        for index in 0..12 {
            let answer = asked(world, index).await;
            let text = answer.at("/data/contacts").to_string();
            assert!(!text.contains("jana") && !text.contains("osoba"), "{text}");
        }
    });
}

#[tokio::test]
async fn outdated_journal_is_named() {
    let world = World::new().connectors(CONNECTORS).start().await;
    world.fault(Register::DataPortal, Fault::Down);
    for _ in 0..16 {
        world.advance(1);
        world.import_due().await;
    }
    let answer = asked(&world, 0).await;
    for section in ["procurement_summary", "contacts"] {
        let unread = answer.at(&format!("/data/{section}/unread/0"));
        assert_eq!(unread["source"], "notices", "{answer:?}");
        assert!(
            unread["why"]
                .as_str()
                .is_some_and(|why| why.starts_with("behind")),
            "{unread}"
        );
    }
    assert_eq!(count(&answer), 5, "stored data is still shown");
    world.fault(Register::DataPortal, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let answer = asked(&world, 0).await;
    assert_eq!(count(&answer), 6, "one more award from the script");
    assert!(answer.at("/data/contacts/unread").is_null(), "{answer:?}");
    world.end().await;
}

/// The `company.updated` fields that a company's receiver got.
fn fields(receiver: &Receiver, ico: &str) -> Vec<String> {
    let reported = receiver.take();
    let notices = reported.iter().map(Received::json);
    notices
        .filter(|notice| notice["data"]["ico"] == ico && notice["event"] == "company.updated")
        .filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()))
        .collect()
}

#[tokio::test]
async fn won_tender_and_new_contact_raise_events() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let population = world.simulator.population();
    for (index, kind, field) in [
        (2, Happening::TenderWon, "procurement_summary.latest"),
        (1, Happening::ContactChanged, "contacts.email"),
    ] {
        let ico = world.icos[index].clone();
        follow(&world, &ico, &receiver).await;
        world.happens(&ico, ChangeKind::Happened(kind));
        // Over a weekend, so that the issue is published.
        world.propagate_changes().await;
        world.advance(3);
        world.propagate_changes().await;
        let fields = fields(&receiver, &ico);
        assert!(
            fields.iter().any(|reported| reported == field),
            "{kind:?}: {fields:?}"
        );
        let day = world.simulator.clock().day();
        let company = population.company(u32::try_from(index).expect("small"), day);
        let answer = asked(&world, index).await;
        assert_eq!(
            *count(&answer),
            tenders::awards(population, &company, day).len()
        );
    }
    world.end().await;
}
