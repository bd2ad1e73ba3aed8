//! Responses and events about projects with aid from public funds.

use lustra_tests::lustra::config::{Config, SecretMap};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, dataset};
use crate::notifications_support::{follow, updated_fields};
use crate::support::reading;
use crate::truth::assert_topic;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["crp", "rpo"];

const SCOPE: &str = "crp_projects";

fn section(answer: &Answer) -> &Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.at("/data/crp_projects")
}

/// Repeats the request until no refresh is running.
async fn asked_again(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    world.company(ico, SCOPE).await
}

#[test]
fn projects_are_counted_by_their_recipient() {
    reading(async |world| {
        // The count, and the number of projects without an amount.
        for (index, counts) in [
            (0, [25, 0]),
            (1, [1, 1]),
            (2, [0, 0]),
            (3, [1, 0]),
            (5, [1, 0]),
            (6, [1, 0]),
            (7, [1, 0]),
            (9, [0, 0]),
        ] {
            let answer = world.company(&world.icos[index], SCOPE).await;
            let section = section(&answer);
            let found = ["count", "without_amount"].map(|key| &section[key]);
            assert_eq!(json!(found), json!(counts), "{index}: {section}");
            assert_eq!(
                section["total_value"] == 0.0,
                index == 1 || counts[0] == 0,
                "{section}"
            );
            assert_eq!(section["complete"], true, "{section}");
            assert!(section.get("unread").is_none(), "{section}");
        }
        let many = world.company(&world.icos[0], SCOPE).await;
        assert_eq!(section(&many)["latest"].as_array().map(Vec::len), Some(10));
        let named = world.company(&world.icos[7], SCOPE).await;
        assert_eq!(
            section(&named)["latest"][0]["name"],
            "Výskum \"zelených\" hnojív & kompostov"
        );
    });
}

#[tokio::test]
async fn unfinished_first_reading_is_marked() {
    let settings = |config: &mut Config| {
        let crp = config.connector.get_mut("crp").expect("the demo has it");
        let limits = json!({ "run_minutes": 0 });
        let settings = limits.as_object().cloned().unwrap_or_default();
        crp.settings = SecretMap::new(settings);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(60)
        .settings(settings)
        .start()
        .await;
    // The first run imports one page of the list, each later run one more.
    let ico = world.icos[0].clone();
    let first = asked_again(&world, &ico).await;
    let first = section(&first).clone();
    assert_eq!(first["complete"], false, "{first}");
    assert_eq!(first["unread"][0]["source"], "older-projects", "{first}");
    assert!(
        first["count"].as_u64().is_some_and(|count| count < 25),
        "{first}"
    );
    assert!(first["since"].is_string(), "{first}");
    for _ in 0..4 {
        world.advance(1);
        world.import_due().await;
    }
    let whole = asked_again(&world, &ico).await;
    let whole = section(&whole);
    assert_eq!(
        (&whole["complete"], &whole["count"]),
        (&json!(true), &json!(25))
    );
    assert!(whole.get("unread").is_none(), "{whole}");
    world.end().await;
}

#[tokio::test]
async fn stored_section_stays_with_its_reading_date() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let ico = world.icos[0].clone();
    let before = section(&world.company(&ico, SCOPE).await).clone();
    world.fault(Register::Crp, Fault::Html200);
    world.advance(20);
    world.import_due().await;
    assert_eq!(dataset(&world, "crp", "projects").await["state"], "failed");
    let answer = asked_again(&world, &ico).await;
    let kept = section(&answer);
    for key in ["count", "total_value", "latest", "until"] {
        assert_eq!(kept[key], before[key], "{key}");
    }
    assert_eq!(kept["unread"][0]["source"], "crp", "{kept}");
    world.fault(Register::Crp, Fault::Off);
    world.advance(1);
    world.import_due().await;
    let mended = asked_again(&world, &ico).await;
    assert!(section(&mended).get("unread").is_none(), "{mended:?}");
    world.end().await;
}

#[tokio::test]
async fn watched_company_with_an_old_list_is_refreshed_daily() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let body = json!({"ico": world.icos[0], "notification_emails": ["risk@shop.example"]});
    let created = world.post("/v1/notifications", &body).await;
    assert_eq!(created.status, 201, "{created:?}");
    world.fault(Register::Crp, Fault::Html200);
    world.advance(20);
    world.import_due().await;
    world.refresh_watched().await;
    let due_in = async |hours| {
        let at = world.now() + time::Duration::hours(hours);
        let backlog = world.store.watches().backlog(at).await;
        let (_, due) = backlog.expect("the store is there");
        due
    };
    assert_eq!((due_in(23).await, due_in(25).await), (0, 1));
    world.end().await;
}

#[tokio::test]
async fn disabled_source_is_not_requested_and_stays_unread() {
    let settings = |config: &mut Config| {
        let crp = config.connector.get_mut("crp").expect("the demo has it");
        crp.datasets.entry("projects".to_owned()).or_default().on = Some(false);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    let asked = RequestCounter::from_now(&world);
    let answer = asked_again(&world, &world.icos[0].clone()).await;
    let section = section(&answer);
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&Value::Null, &json!(0))
    );
    let why = section["unread"][0]["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("off"), "{section}");
    assert_eq!(asked.of(Register::Crp), 0);
    let list = dataset(&world, "crp", "projects").await;
    assert_eq!(list["state"], "off", "{list}");
    world.end().await;
}

#[tokio::test]
async fn sections_follow_the_register_each_day() {
    let world = World::new().connectors(CONNECTORS).companies(120);
    let world = world.start().await;
    let population = world.simulator.population();
    for (days, from) in [(2, 2), (3, 20), (6, 40)] {
        let lives = |index: &u32| population.company(*index, 0).is_active();
        let index = (from..from + 10).find(lives).expect("some company lives");
        world.advance(days);
        let published = ChangeKind::Happened(Happening::ProjectPublished);
        world.happens(&population.ico(index), published);
        world.import_due().await;
    }
    let day = world.simulator.clock().day();
    for index in (0..60).chain([119]) {
        let company = population.company(index, day);
        let answer = asked_again(&world, &company.ico).await;
        assert_topic("projects", &world, &company, &answer);
    }
    world.end().await;
}

#[tokio::test]
async fn published_project_raises_an_event() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    let receiver = Receiver::start().await;
    let ico = world.icos[8].clone();
    follow(&world, &ico, &receiver).await;
    world.happens(&ico, ChangeKind::Happened(Happening::ProjectPublished));
    world.propagate_changes().await;
    let mut fields = updated_fields(&receiver);
    fields.retain(|field| field.starts_with("crp_projects"));
    assert_eq!(fields, ["crp_projects.latest"]);
    world.advance(1);
    world.propagate_changes().await;
    assert!(receiver.take().is_empty(), "nothing more has happened");
    world.end().await;
}

#[tokio::test]
async fn import_counts_companies_of_read_records() {
    let world = World::new().connectors(CONNECTORS).companies(12);
    let world = world.start().await;
    let ico = world.icos[8].clone();
    let counts = async || {
        let mut counts = Vec::new();
        for ico in &world.icos[..10] {
            let answer = world.company(ico, SCOPE).await;
            counts.push(section(&answer)["count"].as_u64());
        }
        counts
    };
    let before = counts().await;
    world.advance(1);
    world.happens(&ico, ChangeKind::Happened(Happening::ProjectPublished));
    let imported = world
        .importer
        .run(&connector_id("crp"), "projects", &|_| {})
        .await;
    let imported = imported.expect("the register can be read");
    let after = counts().await;
    // A run of the next day reads new projects only.
    let changed = before.iter().zip(&after).filter(|(old, new)| old != new);
    assert_eq!(
        imported.companies_affected,
        changed.count() as u64,
        "{before:?} {after:?}"
    );
    assert_ne!(before[8], after[8]);
    world.end().await;
}
