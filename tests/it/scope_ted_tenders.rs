//! Responses and events about notices of the Union's procurement journal.

use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::union_notices::TIMES_OUT;
use lustra_tests::{Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "ted"];

async fn section(world: &World, index: usize) -> Value {
    let answer = world.company(&world.icos[index], "ted_tenders").await;
    let section = answer.at("/data/ted_tenders").clone();
    assert!(section.is_object(), "company {index}: {answer:?}");
    assert!(section.get("unread").is_none(), "{section}");
    section
}

#[test]
fn notices_of_a_buyer_have_their_values() {
    reading(async |world| {
        let one = section(world, 0).await;
        assert_eq!(one["count"], 1);
        let notice = &one["latest"][0];
        assert_eq!(notice["value"], one["total_value"]);
        assert_eq!(
            (&notice["currency"], &notice["notice_type"]),
            (&json!("EUR"), &json!("can-standard"))
        );
        assert!(
            notice["title"]
                .as_str()
                .is_some_and(|title| title.starts_with("Slovensko – "))
        );
        let three = section(world, 1).await;
        assert_eq!(three["count"], 3);
        assert_eq!(three["without_value"], 1, "a competition");
        let notices = three["latest"].as_array().into_iter().flatten();
        let competition = notices
            .clone()
            .find(|one| one["notice_type"] == "cn-standard");
        let competition = competition.expect("a competition");
        assert_eq!(competition["value"], Value::Null, "{competition}");
        assert!(competition["estimated_value"].is_number(), "{competition}");
        let euros = notices.filter(|one| one["currency"] == "EUR");
        let euros: Vec<&Value> = euros.map(|one| &one["value"]).collect();
        assert_eq!(euros, [&three["total_value"]], "the award alone");
        assert_eq!(three["other_currencies"][0]["currency"], "CZK");
        let titles = three["latest"].as_array().into_iter().flatten();
        let titles: Vec<&str> = titles.filter_map(|one| one["title"].as_str()).collect();
        assert!(
            titles.iter().any(|title| title.starts_with("Slovakia – ")),
            "{titles:?}"
        );
        let text = section(world, 6).await;
        assert!(text["total_value"].is_number(), "{text}");
        let bare = section(world, 10).await;
        assert_eq!(bare["count"], 1);
        assert_eq!(
            (&bare["total_value"], &bare["without_value"]),
            (&json!(0), &json!(1))
        );
        assert_eq!(bare["latest"][0]["publication_date"], Value::Null);
    });
}

#[test]
fn all_pages_are_counted_and_the_newest_shown() {
    reading(async |world| {
        for (index, count) in [(2, 30), (8, 130)] {
            let many = section(world, index).await;
            assert_eq!(many["count"], count);
            let latest = many["latest"].as_array().expect("a list");
            assert_eq!(latest.len(), 25);
            let days: Vec<&str> = latest
                .iter()
                .filter_map(|one| one["publication_date"].as_str())
                .collect();
            assert!(days.is_sorted_by(|one, other| one >= other), "{days:?}");
        }
    });
}

#[test]
fn company_that_is_not_a_buyer_has_no_tenders() {
    reading(async |world| {
        for index in [3, 4, 5] {
            assert_eq!(
                section(world, index).await,
                json!({
                    "count": 0, "latest": [], "total_value": 0, "currency": "EUR", "other_currencies": [],
                    "without_value": 0, "modifications": 0,
                }),
                "company {index}"
            );
        }
        assert_eq!(
            section(world, 11).await["count"],
            1,
            "a tax number has the digits too"
        );
        assert_eq!(
            section(world, 7).await["count"],
            2,
            "together with a buyer abroad"
        );
    });
}

#[test]
fn modification_is_not_added_to_its_award() {
    reading(async |world| {
        let modified = section(world, 7).await;
        let [newest, award] = [&modified["latest"][0], &modified["latest"][1]];
        assert_eq!(newest["notice_type"], "can-modif");
        assert_eq!(newest["modifies"], award["publication_number"]);
        assert_ne!(newest["value"], award["value"]);
        let total = modified["total_value"].as_f64();
        assert_eq!(total, newest["value"].as_f64(), "{modified}");
        assert_eq!(modified["modifications"], 1);
    });
}

#[tokio::test]
async fn search_that_times_out_is_unread() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let (index, day) = TIMES_OUT;
    let ico = world.icos[index as usize].clone();
    world.advance(day);
    let answer = world.company(&ico, "ted_tenders").await;
    assert!(answer.at("/data/ted_tenders").is_null(), "{answer:?}");
    assert_eq!(answer.at("/meta/scopes/ted_tenders/state"), "unread");
    world.advance(1);
    world.company(&ico, "ted_tenders").await;
    world.wait_idle().await;
    assert_eq!(section(&world, index as usize).await["count"], 1);
    world.end().await;
}

/// Kinds and fields of the events about a company's notices.
fn reported(received: &[Received], ico: &str) -> Vec<(String, String)> {
    let mut reported: Vec<(String, String)> = received
        .iter()
        .map(Received::json)
        .filter(|notice| notice["data"]["ico"] == ico)
        .filter_map(|notice| {
            let field = notice["data"]["field"].as_str()?;
            let event = notice["event"].as_str()?;
            field
                .starts_with("ted_tenders")
                .then(|| (event.to_owned(), field.to_owned()))
        })
        .collect();
    reported.sort();
    reported
}

#[tokio::test]
async fn published_notice_raises_an_event() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let receiver = Receiver::start().await;
    let published = ChangeKind::Happened(Happening::UnionNoticePublished);
    let pair = |kind: &str, field: &str| (kind.to_owned(), field.to_owned());
    // A company without notices, and one whose older notice drops off the shown ones.
    for index in [5, 2] {
        let ico = world.icos[index].clone();
        follow(&world, &ico, &receiver).await;
        world.happens(&ico, published);
        world.propagate_changes().await;
        assert_eq!(
            reported(&receiver.take(), &ico),
            [pair("ted_tender.published", "ted_tenders.latest")],
            "company {index}"
        );
    }
    world.end().await;
}
