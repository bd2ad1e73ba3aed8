//! Responses and events about notices in the commercial bulletin and entries of the commercial register in it.

use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::notices::of_company;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["commercial-bulletin", "rpo"];

const SCOPE: &str = "commercial_bulletin";
const DATASETS: [&str; 2] = ["notices", "register-entries"];
fn section(answer: &Answer) -> &Value {
    answer.at("/data/commercial_bulletin")
}

async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    world.company(ico, SCOPE).await
}

#[test]
fn newest_notices_are_shown_and_all_counted() {
    reading(async |world| {
        let answer = world.company(&world.icos[0], SCOPE).await;
        let reported = section(&answer);
        assert_eq!(reported["total_entries"], 26, "{reported}");
        let latest = reported["latest_entries"].as_array().expect("a list");
        assert_eq!(latest.len(), 20);
        let dates: Vec<&str> = latest
            .iter()
            .filter_map(|entry| entry["published_at"].as_str())
            .collect();
        assert!(dates.is_sorted_by(|a, b| a >= b), "{dates:?}");
        let counted = reported["by_section"].as_array().into_iter().flatten();
        let counted: u64 = counted.filter_map(|count| count["entries"].as_u64()).sum();
        assert_eq!(counted, 26);
        assert_eq!(reported["until"], "2026-01-15");
        assert!(reported["unread"].is_null());
        assert_eq!(answer.at("/meta/scopes/commercial_bulletin/state"), "fresh");
    });
}

#[test]
fn liquidation_is_shown_and_text_alone_matches_nothing() {
    reading(async |world| {
        let wound_up = world.company(&world.icos[5], SCOPE).await;
        let roles: Vec<&Value> = section(&wound_up)["latest_entries"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|entry| &entry["role"])
            .collect();
        assert_eq!(
            roles,
            [
                "obligor",
                "company",
                "liquidated",
                "company",
                "company",
                "liquidated"
            ]
        );
        // A malformed notice, a register entry whose number the mirror has, and a court notice.
        let in_text = world.company(&world.icos[9], SCOPE).await;
        assert_eq!(section(&in_text)["total_entries"], 1, "{in_text:?}");
        let only = &section(&in_text)["latest_entries"][0];
        assert_eq!(
            (&only["section"], &only["form"]),
            (
                &json!("Obchodný register – zmeny zapísaných údajov"),
                &Value::Null
            )
        );
        // A sole trader's row has no number, so it belongs to no company.
        let trader = world.company(&world.icos[3], SCOPE).await;
        assert_eq!(section(&trader)["latest_entries"], json!([]));
        // An IČO with leading zeros, once written with spaces and once as a number.
        let zeros = world.company(&world.icos[6], SCOPE).await;
        assert_eq!(section(&zeros)["total_entries"], 3, "{zeros:?}");
    });
}

#[tokio::test]
async fn correction_removes_a_company_from_its_notice() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let ico = world.icos[7].clone();
    let before = world.company(&ico, SCOPE).await;
    assert_eq!(section(&before)["total_entries"], 2, "{before:?}");
    for day in 1..=6 {
        world.advance(1);
        world.import_due().await;
        let now = asked_again(&world, &ico).await;
        let expected = if day < 6 { 2 } else { 1 };
        assert_eq!(section(&now)["total_entries"], expected, "day {day}");
    }
    world.end().await;
}

#[tokio::test]
async fn daily_and_bulk_imports_equal_the_mirror() {
    let world = World::new().connectors(CONNECTORS).start().await;
    for days in [1, 1, 2, 1, 7, 1, 3] {
        world.advance(days);
        world.import_due().await;
    }
    let (population, day) = (world.simulator.population(), world.simulator.clock().day());
    for index in 0..60 {
        let reported = world.company(&population.ico(index), SCOPE).await;
        if reported.status == 200 {
            let expected = of_company(population, index, day).len();
            assert_eq!(
                section(&reported)["total_entries"],
                expected,
                "company {index}"
            );
        }
    }
    world.end().await;
}

#[tokio::test]
async fn outdated_mirror_names_its_newest_issue() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let ico = world.icos[10].clone();
    let before = world.company(&ico, SCOPE).await;
    assert_eq!(section(&before)["total_entries"], 5, "{before:?}");
    world.fault(Register::Datahub, Fault::Html200);
    world.advance(15);
    world.import_due().await;
    let old = asked_again(&world, &ico).await;
    assert_eq!(section(&old)["total_entries"], 5, "{old:?}");
    assert_eq!(
        section(&old)["unread"],
        Value::from_iter(DATASETS.map(|id| json!({
            "source": id, "since": "2026-01-15", "why": "no issue newer than 2026-01-15, 15 days ago",
        }))),
    );
    assert_eq!(old.at("/meta/stale"), true);
    world.fault(Register::Datahub, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let read = asked_again(&world, &ico).await;
    assert!(section(&read)["unread"].is_null(), "{read:?}");
    // The script's notice of day 15, and the liquidation that the register entered on day 5.
    assert_eq!(section(&read)["total_entries"], 7, "{read:?}");
    world.end().await;
}

#[tokio::test]
async fn disabled_dataset_is_named_as_unread() {
    for (off, total) in [("register-entries", 25), ("notices", 1)] {
        let builder = World::new().connectors(CONNECTORS).settings(move |config| {
            let connector = config.connector.get_mut("commercial-bulletin");
            let connector = connector.expect("it is one of the demo's");
            let dataset = connector.datasets.entry(off.to_owned()).or_default();
            dataset.on = Some(false);
        });
        let world = builder.start().await;
        let answer = world.company(&world.icos[0], SCOPE).await;
        let reported = section(&answer);
        assert_eq!(reported["total_entries"], total, "{off}: {answer:?}");
        let unread = reported["unread"].as_array().expect("a list");
        assert_eq!(unread.len(), 1, "{off}: {reported}");
        assert_eq!(unread[0]["source"], off);
        assert_eq!(unread[0]["why"], "off: switched off by the operator");
        assert_eq!(reported["until"], "2026-01-15");
        world.end().await;
    }
}

#[tokio::test]
async fn register_change_is_an_entry_days_later() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let ico = world.icos[11].clone();
    let before = world.company(&ico, SCOPE).await;
    assert_eq!(section(&before)["total_entries"], 0, "{before:?}");
    // An officer joins on day 8 and leaves on day 9; day 11 is a Monday.
    world.advance(10);
    world.import_due().await;
    let not_yet = asked_again(&world, &ico).await;
    assert_eq!(section(&not_yet)["total_entries"], 0, "{not_yet:?}");
    world.advance(2);
    world.import_due().await;
    let reported = asked_again(&world, &ico).await;
    let entries = section(&reported)["latest_entries"]
        .as_array()
        .expect("a list");
    let shown: Vec<(&str, &str)> = entries
        .iter()
        .filter_map(|entry| Some((entry["published_at"].as_str()?, entry["heading"].as_str()?)))
        .collect();
    assert_eq!(
        shown,
        [
            ("2026-01-27", "Zmeny zapísaných údajov"),
            ("2026-01-26", "Zmeny zapísaných údajov")
        ]
    );
    world.end().await;
}

#[tokio::test]
async fn new_notice_raises_an_event_with_its_content() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[3].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::NoticePublished));
    world.propagate_changes().await;
    let reported: Vec<Value> = receiver
        .take()
        .iter()
        .map(lustra_tests::Received::json)
        .filter(|notice| notice["data"]["scope"] == SCOPE)
        .collect();
    let fields: Vec<&Value> = reported
        .iter()
        .map(|notice| &notice["data"]["field"])
        .collect();
    assert_eq!(
        fields,
        ["commercial_bulletin.latest_entries"],
        "{reported:?}"
    );
    assert_eq!(reported[0]["event"], "company.updated");
    let entry = &reported[0]["data"]["changes"][0]["new"];
    assert_eq!(entry["published_at"], "2026-01-16", "{reported:?}");
    // The count is derived, so it is listed but raises no event of its own.
    let count = &reported[0]["data"]["changes"][1];
    assert_eq!(count["path"], "/commercial_bulletin/total_entries");
    assert_eq!((&count["old"], &count["new"]), (&json!(0), &json!(1)));
    // A day without changes raises no events.
    world.advance(1);
    world.propagate_changes().await;
    let silent = receiver.take();
    let about = silent
        .iter()
        .map(lustra_tests::Received::json)
        .filter(|notice| notice["data"]["scope"] == SCOPE);
    assert_eq!(about.count(), 0);
    world.end().await;
}
