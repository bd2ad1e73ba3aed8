//! Responses and events about references written by buyers.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::procurement::{Reference, references};
use lustra_tests::register_simulator::{ChangeKind, Register};
use lustra_tests::{Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::RequestCounter;
use crate::notifications_support::follow;
use crate::scope_uvo::{reported, section};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "uvo"];

const SCOPE: &str = "uvo_references";

/// The references of a company that must be counted.
fn counted(world: &World, index: u32) -> Vec<Reference> {
    let day = world.simulator.clock().day();
    let mut all = references(&world.simulator.population().company(index, day));
    all.retain(|reference| !reference.is_cancelled);
    all.sort_by(|a, b| (b.made, &b.number).cmp(&(a.made, &a.number)));
    all
}

/// The total in cents.
fn cents(references: &[Reference]) -> u64 {
    let euros = references.iter().filter(|one| one.currency == "EUR");
    euros.filter_map(|one| Some(one.price?.0)).sum()
}

#[test]
fn references_are_counted_summed_and_newest_first() {
    reading(async |world| {
        for index in [1_usize, 2, 5, 6, 11] {
            let reported = section(world, &world.icos[index], SCOPE).await;
            let number = u32::try_from(index).expect("a small number");
            let truth = counted(world, number);
            assert_eq!(
                reported["count"],
                truth.len(),
                "company {index}: {reported}"
            );
            let total = reported["total_value"].as_f64().expect("a number");
            assert!(
                (total * 100.0 - cents(&truth) as f64).abs() < 0.5,
                "company {index}: {reported}"
            );
            let numbers: Vec<&Value> = reported["latest"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|one| &one["reference_number"])
                .collect();
            let expected: Vec<&str> = truth.iter().map(|one| one.number.as_str()).collect();
            assert_eq!(numbers, expected, "company {index}");
            for (one, truth) in reported["latest"]
                .as_array()
                .into_iter()
                .flatten()
                .zip(&truth)
            {
                assert_eq!(one["rating"], json!(truth.rating), "{one}");
                assert_eq!(one["document_url"].is_string(), truth.has_document, "{one}");
            }
            assert!(reported["unread"].is_null(), "company {index}: {reported}");
        }
    });
}

#[tokio::test]
async fn many_ratings_are_read_over_several_refreshes() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let ico = world.icos[0].clone();
    let asked = RequestCounter::from_now(&world);
    let first = section(&world, &ico, SCOPE).await;
    assert_eq!(asked.of(Register::Uvo), 10, "the default of most_requests");
    let truth = counted(&world, 0);
    assert_eq!((&first["count"], truth.len()), (&json!(31), 31));
    assert_eq!(first["without_value"], 1);
    assert_eq!(first["other_currencies"][0]["currency"], "CZK");
    assert_eq!(first["latest"].as_array().map(Vec::len), Some(25));
    assert_eq!(first["unread"][0]["source"], "reference-details");
    let mut whole = first;
    for _ in 0..5 {
        world.advance(1);
        whole = section(&world, &ico, SCOPE).await;
    }
    assert!(whole["unread"].is_null(), "{whole}");
    let latest = whole["latest"].as_array().expect("a list");
    assert!(latest.iter().all(|one| one["is_detail_read"] == true));
    world.end().await;
}

#[tokio::test]
async fn new_reference_raises_an_event() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let receiver = Receiver::start().await;
    let ico = world.icos[7].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::ReferenceMade));
    world.propagate_changes().await;
    let reported = reported(&receiver.take(), SCOPE);
    assert!(
        matches!(&reported[..], [(event, field)] if event == "uvo_references.updated"
            && field == "uvo_references.latest"),
        "{reported:?}"
    );
    world.end().await;
}
