//! Freshness: the age of responses, the marks of stale ones, and their refresh.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::Holder;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, DatabaseKind, START, World};
use tokio::task::JoinSet;

use crate::faults_support::{RequestCounter, dataset, time_at, time_of};

const DETAILS: &str = "orsr_data_outdated";
const SECTIONS: &str = "enrichment_data_outdated";
const BOTH: &str = "orsr_and_enrichment_data_stale";

#[track_caller]
fn assert_stale(answer: &Answer, reason: &str) {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.at("/meta/stale"), true, "{}", answer.at("/meta"));
    assert_eq!(
        answer.at("/meta/stale_reason"),
        reason,
        "{}",
        answer.at("/meta")
    );
}

#[track_caller]
fn assert_fresh(answer: &Answer) {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.at("/meta/stale"), false, "{}", answer.at("/meta"));
    let has = |pointer| !answer.at(pointer).is_null();
    assert!(
        !has("/meta/retry_at") && !has("/meta/stale_reason"),
        "{}",
        answer.at("/meta")
    );
}

/// A world whose first company was requested with a scope, so that all its parts are stored.
async fn asked_once(scope: &str) -> (World, String, Answer) {
    let world = World::new().start().await;
    let ico = world.icos[0].clone();
    let first = world.company(&ico, scope).await;
    assert_fresh(&first);
    (world, ico, first)
}

#[tokio::test]
async fn stale_answer_does_not_wait_for_a_slow_register() {
    let (world, ico, first) = asked_once("").await;
    world.advance(31);
    world.fault(Register::Orsr, Fault::Slow);
    world.fault(Register::Rpo, Fault::Slow);
    let (asked_at, started) = (world.now(), Instant::now());
    let answer = world.company(&ico, "").await;
    assert!(
        started.elapsed() < Duration::from_secs(4),
        "it waited for the register"
    );
    assert_stale(&answer, DETAILS);
    assert_eq!(
        answer.at("/data"),
        first.at("/data"),
        "the stored answer is returned"
    );
    assert_eq!(answer.at("/meta/source"), "database");
    let ahead = (time_at(&answer, "/meta/retry_at") - asked_at).whole_milliseconds();
    assert!(
        (11_900..17_000).contains(&ahead),
        "to come back in {ahead} ms"
    );
    world.end().await;
}

#[tokio::test]
async fn concurrent_stale_requests_fetch_once() {
    let (world, ico, first) = asked_once("").await;
    world.advance(31);
    let world = Arc::new(world);
    let asked = RequestCounter::from_now(&world);
    let mut clients = JoinSet::new();
    for _ in 0..50 {
        let (world, ico) = (Arc::clone(&world), ico.clone());
        clients.spawn(async move { world.company(&ico, "").await });
    }
    for answer in clients.join_all().await {
        // A later request may already get the refreshed profile.
        if answer.at("/meta/stale") == true {
            assert_stale(&answer, DETAILS);
        }
    }
    world.wait_idle().await;
    assert_eq!(asked.of(Register::Orsr), 2, "one search and one extract");
    assert_eq!(asked.of(Register::Rpo), 2, "one search and one record");
    let fresh = world.company(&ico, "").await;
    assert_fresh(&fresh);
    assert_eq!(first.at("/data/ico"), fresh.at("/data/ico"));
    assert_eq!(
        asked.of(Register::Orsr),
        2,
        "a fresh answer asks no register"
    );
}

#[tokio::test]
async fn refreshed_profile_has_the_new_officer() {
    let (world, ico, first) = asked_once("").await;
    world.advance(31);
    let stale = world.company(&ico, "").await;
    assert_eq!(
        stale.at("/data/statutory_body"),
        first.at("/data/statutory_body")
    );
    world.wait_idle().await;
    let fresh = world.company(&ico, "").await;
    assert_fresh(&fresh);
    let officers = world.simulator.population().company(0, 31).officers;
    let newcomer = officers
        .iter()
        .find(|officer| officer.since > START.date())
        .expect("one was replaced on day 1");
    let Holder::Person(newcomer) = &newcomer.holder else {
        panic!("an officer is a person: {newcomer:?}")
    };
    let is_named = |answer: &Answer| {
        answer
            .at("/data/statutory_body")
            .to_string()
            .contains(&newcomer.family)
    };
    assert!(
        !is_named(&stale) && is_named(&fresh),
        "{newcomer:?}: {}",
        fresh.at("/data/statutory_body")
    );
    world.end().await;
}

#[tokio::test]
async fn reasons_name_commercial_register_only_for_its_companies() {
    let world = World::new().start().await;
    // A sole trader is not in the commercial register.
    let ico = world.icos[3].clone();
    for scope in ["", "debtor_status"] {
        assert_fresh(&world.company(&ico, scope).await);
    }
    world.advance(60);
    for scope in ["", "debtor_status"] {
        let answer = world.company(&ico, scope).await;
        assert_stale(&answer, SECTIONS);
        assert_eq!(answer.at("/data/source_register"), "rpo");
    }
    world.end().await;
}

#[tokio::test]
async fn synced_at_is_the_newest_of_its_parts() {
    let (world, ico, first) = asked_once("debtor_status").await;
    assert_eq!(first.at("/data/source_register"), "orsr");
    let newest = [
        "/meta/rpo_updated_at",
        "/meta/orsr_synced_at",
        "/meta/enriched_at",
    ];
    let newest = newest.map(|pointer| time_at(&first, pointer));
    assert_eq!(
        Some(time_at(&first, "/meta/synced_at")),
        newest.into_iter().max()
    );
    world.advance(31);
    world.company(&ico, "").await;
    world.wait_idle().await;
    let after = world.company(&ico, "").await;
    let newest = ["/meta/rpo_updated_at", "/meta/orsr_synced_at"];
    let newest = newest.map(|pointer| time_at(&after, pointer));
    assert_eq!(
        Some(time_at(&after, "/meta/synced_at")),
        newest.into_iter().max()
    );
    assert!(time_at(&after, "/meta/synced_at") > time_at(&first, "/meta/synced_at"));
    world.end().await;
}

#[tokio::test]
async fn reason_names_only_the_aged_sections() {
    let (world, ico, _) = asked_once("debtor_status").await;
    world.advance(9);
    assert_fresh(&world.company(&ico, "debtor_status").await);
    world.advance(2);
    assert_fresh(&world.company(&ico, "").await);
    let asked = RequestCounter::from_now(&world);
    let stale = world.company(&ico, "debtor_status").await;
    assert_stale(&stale, SECTIONS);
    assert_eq!(stale.at("/meta/scopes/debtor_status/state"), "stale");
    world.wait_idle().await;
    assert_fresh(&world.company(&ico, "debtor_status").await);
    assert_eq!(
        (asked.of(Register::Vszp), asked.of(Register::Orsr)),
        (1, 0),
        "only the aged section is fetched"
    );
    world.end().await;
}

#[tokio::test]
async fn reason_names_aged_details_and_sections() {
    let (world, ico, _) = asked_once("debtor_status").await;
    world.advance(31);
    assert_stale(&world.company(&ico, "debtor_status").await, BOTH);
    world.wait_idle().await;
    assert_fresh(&world.company(&ico, "debtor_status").await);
    world.end().await;
}

/// A world whose debtor lists have this maximum age.
async fn with_max_age(days: f64) -> World {
    let start = World::new().settings(move |config| {
        let debtors = config.connector.entry(connector_id("debtors")).or_default();
        debtors
            .scopes
            .entry("debtor_status".to_owned())
            .or_default()
            .max_age_days = Some(days);
    });
    start.start().await
}

#[tokio::test]
async fn settings_override_the_maximum_age() {
    let world = with_max_age(2.0).await;
    let ico = world.icos[0].clone();
    assert_fresh(&world.company(&ico, "debtor_status").await);
    world.advance(1);
    assert_fresh(&world.company(&ico, "debtor_status").await);
    world.advance(2);
    assert_stale(&world.company(&ico, "debtor_status").await, SECTIONS);
    world.wait_idle().await;
    world.end().await;
}

#[tokio::test]
async fn maximum_age_zero_fetches_for_each_answer() {
    let world = with_max_age(0.0).await;
    let ico = world.icos[0].clone();
    let asked = RequestCounter::from_now(&world);
    for times in 1..=3 {
        let answer = world.company(&ico, "debtor_status").await;
        assert_fresh(&answer);
        assert_eq!(answer.at("/meta/source"), "live");
        assert_eq!(asked.of(Register::Vszp), times);
    }
    world.end().await;
}

#[tokio::test]
async fn list_section_is_as_old_as_its_last_import() {
    let (world, ico, first) = asked_once("bank_accounts").await;
    let list = dataset(&world, "tax-authority", "bank-accounts").await;
    let imported = time_of(&list["last_success_at"]);
    assert!(
        time_at(&first, "/meta/enriched_at") <= imported,
        "{first:?}"
    );
    world.advance(11);
    assert_stale(&world.company(&ico, "bank_accounts").await, SECTIONS);
    world.wait_idle().await;
    assert_stale(&world.company(&ico, "bank_accounts").await, SECTIONS);
    world.wait_idle().await;
    world.import_due().await;
    let fresh = world.company(&ico, "bank_accounts").await;
    assert_fresh(&fresh);
    assert!(
        time_at(&fresh, "/meta/enriched_at") > imported,
        "{}",
        fresh.at("/meta")
    );
    world.end().await;
}

#[tokio::test]
async fn new_debtor_appears_after_the_next_import() {
    let world = World::new().start().await;
    let ico = world.icos[2].clone();
    let listed = |answer: &Answer| {
        let sources = answer
            .at("/data/debtor_status/sources")
            .as_array()
            .cloned()
            .unwrap_or_default();
        sources
            .iter()
            .any(|hit| hit["source"] == "socialna_poistovna")
    };
    assert!(!listed(&world.company(&ico, "debtor_status").await));
    // Day 4 is the Monday after the change; the list is published weekly.
    world.advance(4);
    assert!(
        !listed(&world.company(&ico, "debtor_status").await),
        "the new list is not imported yet"
    );
    assert!(world.import_due().await > 0);
    assert_stale(&world.company(&ico, "debtor_status").await, SECTIONS);
    world.wait_idle().await;
    let answer = world.company(&ico, "debtor_status").await;
    assert_fresh(&answer);
    assert!(listed(&answer), "{}", answer.at("/data/debtor_status"));
    assert_eq!(answer.at("/data/debtor_status/is_debtor"), true);
    world.end().await;
}

#[tokio::test]
async fn refresh_evicts_the_company_from_the_cache() {
    let (world, ico, _) = asked_once("debtor_status").await;
    world.advance(11);
    let other = world.icos[1].clone();
    for ico in [&ico, &other] {
        world.company(ico, "").await;
        assert_eq!(world.company(ico, "").await.at("/meta/cached"), true);
    }
    assert_stale(&world.company(&ico, "debtor_status").await, SECTIONS);
    world.wait_idle().await;
    assert_eq!(world.company(&ico, "").await.at("/meta/cached"), false);
    assert_eq!(
        world.company(&other, "").await.at("/meta/cached"),
        true,
        "other companies stay cached"
    );
    world.end().await;
}

#[tokio::test]
async fn import_evicts_companies_from_the_cache() {
    let (world, ico, _) = asked_once("erased_vat").await;
    assert_eq!(
        world.company(&ico, "erased_vat").await.at("/meta/cached"),
        true
    );
    world
        .importer
        .run(&connector_id("tax-authority"), "erased-vat-payers", &|_| {})
        .await
        .expect("the list is there");
    assert_eq!(
        world.company(&ico, "erased_vat").await.at("/meta/cached"),
        false
    );
    world.end().await;
}

#[tokio::test]
async fn two_hosts_on_one_database_share_a_refresh() {
    let Some(world) = World::new()
        .on(DatabaseKind::Postgres)
        .start_if_possible()
        .await
    else {
        return;
    };
    let neighbour = world.neighbour().await;
    let ico = world.icos[0].clone();
    assert_fresh(&world.company(&ico, "").await);
    assert_eq!(
        neighbour.company(&ico, "").await.at("/meta/source"),
        "database",
        "one host's fetch serves the other"
    );
    world.advance(31);
    let asked = RequestCounter::from_now(&world);
    let (ours, theirs) = tokio::join!(world.company(&ico, ""), neighbour.company(&ico, ""));
    assert!(ours.at("/meta/stale") == true || theirs.at("/meta/stale") == true);
    world.wait_idle().await;
    neighbour.wait_idle().await;
    assert_eq!((asked.of(Register::Orsr), asked.of(Register::Rpo)), (2, 2));
    assert_fresh(&world.company(&ico, "").await);
    assert_fresh(&neighbour.company(&ico, "").await);
    world.end().await;
}
