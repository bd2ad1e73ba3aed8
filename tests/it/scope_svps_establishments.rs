//! Responses and events about approved food establishments.

use std::collections::{BTreeMap, BTreeSet};

use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::establishments::establishments;
use lustra_tests::register_simulator::{ChangeKind, Company};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, on_each_kind};
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["food-establishments", "rpo"];

const SCOPE: &str = "svps_establishments";
const CONNECTOR: &str = "food-establishments";

/// The section after all refreshes have finished.
async fn section(world: &World, ico: &str) -> Value {
    asked(world, ico)
        .await
        .at("/data/svps_establishments")
        .clone()
}

async fn asked(world: &World, ico: &str) -> Answer {
    world.company(ico, SCOPE).await;
    world.wait_idle().await;
    let answer = world.company(ico, SCOPE).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

fn numbers(section: &Value) -> Vec<String> {
    let all = section.as_array().into_iter().flatten();
    let mut numbers: Vec<String> = all
        .filter_map(|one| Some(one["approval_number"].as_str()?.to_owned()))
        .collect();
    numbers.sort();
    // A number that appears in two sections counts once.
    numbers.dedup();
    numbers
}

/// The expected numbers if no other company has the name.
fn known(world: &World, company: &Company) -> Vec<String> {
    let today = world.simulator.clock().today();
    let mut numbers: Vec<String> = establishments(company)
        .into_iter()
        .filter(|one| one.is_certain && one.is_listed(today))
        .map(|one| one.number)
        .collect();
    numbers.sort();
    numbers
}

/// The stored candidates for the owner of an establishment.
async fn stored_matches(world: &World, list: &str, number: &str) -> Value {
    let records = world.store.records();
    let key = number.to_lowercase().replace('/', " ");
    let found = records
        .by_key_prefix(&connector_id(CONNECTOR), list, &format!("{key}|"), "", 10)
        .await
        .expect("the store is there");
    let record = found.first().unwrap_or_else(|| panic!("no {number}"));
    let content: Value = serde_json::from_str(&record.content).expect("JSON");
    content["matches"].clone()
}

#[test]
fn operator_has_its_establishments() {
    reading(async |world| {
        let of = async |index: usize| section(world, &world.icos[index]).await;
        let builder = of(0).await;
        assert_eq!(builder.as_array().map(Vec::len), Some(2), "{builder}");
        assert_eq!(builder[0]["register_type"], "vet");
        assert_eq!(builder[0]["match_confidence"], 0.9);
        assert_eq!(builder[0]["match_method"], "name_city");
        let holding = of(1).await;
        assert_eq!(holding[0]["register_type"], "food");
        assert_eq!(
            holding[0]["match_method"], "name_city_postal_code",
            "the operator's seat counts, not where the establishment is: {holding}"
        );
        let cooperative = of(6).await;
        assert_eq!(numbers(&cooperative).len(), 2, "{cooperative}");
        let sections: BTreeSet<&str> = cooperative
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|one| one["section_code"].as_str())
            .collect();
        assert!(sections.is_superset(&BTreeSet::from(["I", "VI"])));
        let twofold = cooperative.as_array().into_iter().flatten();
        let mut twofold = twofold.filter(|one| one["activity_code"] == "CP, SH");
        assert_eq!(
            twofold.next().map(|one| &one["activity_label"]),
            Some(&json!("rozrábkareň, bitúnok"))
        );
        for index in [2, 3, 7, 10] {
            assert_eq!(numbers(&of(index).await).len(), 1, "company {index}");
        }
        for index in [4, 5, 8, 9, 11] {
            assert_eq!(of(index).await, json!([]), "company {index}");
        }
    });
}

#[test]
fn unique_company_name_gets_certain_establishments() {
    reading(async |world| {
        let population = world.simulator.population();
        let bare = |company: &Company| {
            let name = company.name().to_lowercase();
            name.split([',', '.']).next().unwrap_or_default().to_owned()
        };
        let companies: Vec<Company> = (0..population.len())
            .map(|index| population.company(index, 0))
            .collect();
        let mut bearers: BTreeMap<String, usize> = BTreeMap::new();
        for company in &companies {
            *bearers.entry(bare(company)).or_default() += 1;
        }
        let with_some = companies
            .iter()
            .filter(|company| bearers[&bare(company)] == 1)
            .filter(|company| !establishments(company).is_empty());
        for company in with_some.take(40) {
            let section = section(world, &company.ico).await;
            assert_eq!(
                numbers(&section),
                known(world, company),
                "{}: {section}",
                company.ico
            );
        }
    });
}

#[tokio::test]
async fn uncertain_match_is_stored_and_not_shown() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .start()
        .await;
    // The lists of the first day were imported before the companies were stored.
    world.advance(1);
    world.import_due().await;
    let numbers = |index: u32| {
        let company = world.simulator.population().company(index, 0);
        establishments(&company).remove(0).number
    };
    let elsewhere = stored_matches(&world, "vet", &numbers(5)).await;
    assert_eq!(
        elsewhere,
        json!([{ "ico": world.icos[5], "confidence": 0.7, "method": "name" }])
    );
    let other_form = stored_matches(&world, "vet", &numbers(8)).await;
    assert_eq!(other_form[0]["ico"], world.icos[8].as_str());
    assert!(
        other_form[0]["confidence"].as_f64() < Some(0.8),
        "{other_form}"
    );
    for index in [5, 8] {
        assert_eq!(section(&world, &world.icos[index]).await, json!([]));
    }
    let sure = stored_matches(&world, "vet", &numbers(0)).await;
    assert_eq!(sure[0]["confidence"], 0.9);
    world.end().await;
}

/// The first two companies with the same name that are, or are not, in one municipality.
fn twins(world: &World, in_one_city: bool) -> Option<(Company, Company)> {
    let population = world.simulator.population();
    let mut by_name: BTreeMap<String, Vec<Company>> = BTreeMap::new();
    for index in 0..population.len() {
        let company = population.company(index, 1);
        let bearers = by_name.entry(company.name().to_lowercase()).or_default();
        bearers.push(company);
    }
    let is_free = |company: &Company| company.is_active() && establishments(company).is_empty();
    let pairs = by_name.into_values();
    let pairs = pairs.filter(|bearers| bearers.len() == 2 && bearers.iter().all(is_free));
    let mut pairs = pairs.filter_map(|mut pair| Some((pair.pop()?, pair.pop()?)));
    // A city counts as one municipality with all its parts.
    let city = |company: &Company| company.seat().city.split(' ').next().map(str::to_owned);
    pairs.find(|(one, other)| (city(one) == city(other)) == in_one_city)
}

#[tokio::test]
async fn shared_company_name_is_resolved_by_place() {
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(3_000)
        .start()
        .await;
    let approved = ChangeKind::Happened(Happening::EstablishmentApproved);
    let (here, elsewhere) = twins(&world, false).expect("there are some");
    let (one, other) = twins(&world, true).expect("there are some");
    let day = world.simulator.clock().day() + 1;
    for company in [&here, &one] {
        assert!(
            world
                .simulator
                .population()
                .force(company.index, day, approved)
        );
    }
    world.advance(1);
    world.import_due().await;
    assert_eq!(numbers(&section(&world, &here.ico).await).len(), 1);
    assert_eq!(section(&world, &elsewhere.ico).await, json!([]));
    let reported: Vec<f64> = {
        let (first, second) = (
            section(&world, &one.ico).await,
            section(&world, &other.ico).await,
        );
        let all = [first, second];
        let all = all.iter().filter_map(Value::as_array).flatten();
        all.filter_map(|one| one["match_confidence"].as_f64())
            .collect()
    };
    assert!(reported.len() <= 1, "never both: {reported:?}");
    world.end().await;
}

#[tokio::test]
async fn disabled_list_leaves_only_the_other_lists_entries() {
    let settings = |config: &mut Config| {
        let own = config
            .connector
            .get_mut(CONNECTOR)
            .expect("the demo has it");
        own.datasets.entry("food".to_owned()).or_default().on = Some(false);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    assert_eq!(numbers(&section(&world, &world.icos[0]).await).len(), 2);
    let without = asked(&world, &world.icos[4]).await;
    assert!(
        without.body.pointer("/data/svps_establishments").is_none(),
        "{without:?}"
    );
    let list = dataset(&world, CONNECTOR, "food").await;
    assert_eq!(list["state"], "off", "{list}");
    world.end().await;
}

#[tokio::test]
async fn approval_and_its_withdrawal_raise_events() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[11].clone();
            follow(world, &ico, &receiver).await;
            for (happening, count) in [
                (Happening::EstablishmentApproved, 1),
                (Happening::EstablishmentWithdrawn, 0),
            ] {
                world.happens(&ico, ChangeKind::Happened(happening));
                world.propagate_changes().await;
                let reported = receiver.take();
                let mut reported = reported.iter().map(Received::json);
                assert!(
                    reported.any(|notice| notice["event"] == "company.updated"
                        && notice["data"]["field"] == SCOPE),
                    "{happening:?}"
                );
                assert_eq!(numbers(&section(world, &ico).await).len(), count);
            }
            world.advance(1);
            world.propagate_changes().await;
            let reported = receiver.take();
            let mut reported = reported.iter().map(Received::json);
            assert!(!reported.any(|notice| notice["data"]["field"] == SCOPE));
        },
    )
    .await;
}
