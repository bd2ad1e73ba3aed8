//! Responses and events about the supervision of the national bank.

use std::collections::BTreeSet;

use lustra_tests::lustra::config::Config;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, on_each_kind};
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["nbs", "rpo"];

/// The section after all refreshes have finished.
async fn section(world: &World, index: usize) -> Value {
    asked(world, index).await.at("/data/nbs").clone()
}

async fn asked(world: &World, index: usize) -> Answer {
    let ico = &world.icos[index];
    world.company(ico, "nbs").await;
    world.wait_idle().await;
    let answer = world.company(ico, "nbs").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

/// Text, state, first appearance and end of each licence.
fn licences(section: &Value) -> Vec<Value> {
    let licences = section["licences"].as_array().into_iter().flatten();
    licences
        .map(|one| {
            json!([
                one["license_type"],
                one["status"],
                one["first_seen_on"],
                one["ended_on"]
            ])
        })
        .collect()
}

#[test]
fn supervised_companies_have_their_licences() {
    reading(async |world| {
        let of = async |index: usize| section(world, index).await;
        let bank = of(1).await;
        assert_eq!(bank["is_regulated"], true, "{bank}");
        assert_eq!(
            bank["categories"],
            json!([
                "AISP",
                "PIISP",
                "PISP",
                "banka",
                "obchodník s cennými papiermi",
                "správcovská spoločnosť"
            ])
        );
        assert_eq!(
            of(2).await,
            json!({
                "is_regulated": false, "license_types": [], "categories": [], "entity_id": null,
                "is_natural_person": false, "licences": [], "agents_count": 0,
            }),
            "a Czech insurer has the same digits"
        );
        let trader = of(3).await;
        assert_eq!(trader["is_natural_person"], true);
        assert_eq!(trader["categories"], json!(["podriadený finančný agent"]));
        assert!(!trader.to_string().contains("Papraďová"), "{trader}");
        let zero_led = of(6).await;
        assert_eq!(zero_led["categories"], json!(["viazaný finančný agent"]));
        let twice = of(7).await;
        assert_eq!(twice["license_types"], json!(["ZMENÁREŇ"]));
        let odd = of(9).await;
        let own = odd["license_types"].as_array().cloned().unwrap_or_default();
        let categories = odd["categories"].as_array().cloned().unwrap_or_default();
        assert!(
            own.iter().any(|text| categories.contains(text)),
            "a text that fits no category is its own: {odd}"
        );
        for index in [4, 5, 8, 10] {
            assert_eq!(of(index).await["is_regulated"], false, "company {index}");
        }
    });
}

#[tokio::test]
async fn licence_that_left_the_list_stays_as_ended() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let start = "2026-01-15";
            let before = licences(&section(world, 9).await);
            assert_eq!(before.len(), 2);
            assert!(
                before
                    .iter()
                    .all(|one| one[1] == "current" && one[2] == start)
            );
            // It left the list on day 3, but no reading saw that.
            world.advance(5);
            world.import_due().await;
            let after = section(world, 9).await;
            let ended: Vec<Value> = licences(&after)
                .into_iter()
                .filter(|one| one[1] == "ended")
                .collect();
            assert_eq!(ended.len(), 1, "{after}");
            assert_eq!(
                (&ended[0][2], &ended[0][3]),
                (&json!(start), &json!("2026-01-20"))
            );
            assert_eq!(after["license_types"].as_array().map(Vec::len), Some(1));
            // A service has its own last day, and another service began on day 5.
            let bank = section(world, 1).await;
            assert!(
                licences(&bank).contains(&json!(["PIISP", "ended", start, "2026-01-19"])),
                "{bank}"
            );
            let payer = section(world, 11).await;
            assert!(
                licences(&payer).contains(&json!(["PIISP", "current", "2026-01-20", null])),
                "{payer}"
            );
            world.advance(1);
            world.import_due().await;
            assert_eq!(
                section(world, 9).await["licences"],
                after["licences"],
                "it ended once"
            );
            let records = dataset(world, "nbs", "institutions").await;
            assert!(
                records["list_date"].is_null(),
                "the list has none: {records}"
            );
        },
    )
    .await;
}

#[tokio::test]
async fn disabled_list_of_services_is_named() {
    let settings = |config: &mut Config| {
        let nbs = config.connector.get_mut("nbs").expect("the demo has it");
        nbs.datasets
            .entry("psd2-services".to_owned())
            .or_default()
            .on = Some(false);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    let bank = section(&world, 1).await;
    assert_eq!(bank["is_regulated"], true);
    assert_eq!(
        bank["unread"],
        json!([{ "source": "psd2-services", "since": null, "why": "off: switched off by the operator" }])
    );
    let sources: BTreeSet<&str> = bank["licences"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["source"].as_str())
        .collect();
    assert_eq!(sources, BTreeSet::from(["institutions"]));
    assert_eq!(section(&world, 2).await["is_regulated"], false);
    world.end().await;
}

#[tokio::test]
async fn granted_and_withdrawn_licences_raise_events() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[8].clone();
            follow(world, &ico, &receiver).await;
            for (happening, is_regulated) in [
                (Happening::SupervisionGranted, true),
                (Happening::SupervisionEnded, false),
            ] {
                world.happens(&ico, ChangeKind::Happened(happening));
                world.propagate_changes().await;
                let reported = receiver.take();
                let fields: BTreeSet<String> = reported
                    .iter()
                    .map(Received::json)
                    .filter(|notice| notice["event"] == "company.updated")
                    .filter_map(|notice| Some(notice["data"]["field"].as_str()?.to_owned()))
                    .collect();
                let expected = BTreeSet::from(["nbs.licences".to_owned()]);
                assert_eq!(fields, expected, "{happening:?}");
                assert_eq!(section(world, 8).await["is_regulated"], is_regulated);
            }
            world.advance(1);
            world.propagate_changes().await;
            assert!(receiver.take().is_empty(), "nothing more has happened");
        },
    )
    .await;
}

/// Turns the operator's list of agents on.
fn with_agents(config: &mut Config) {
    let nbs = config.connector.get_mut("nbs").expect("the demo has it");
    nbs.datasets.entry("agents".to_owned()).or_default().on = Some(true);
}

/// Sector and end of each tie to the bank, company 1.
fn ties(world: &World, section: &Value) -> BTreeSet<String> {
    let licences = section["licences"].as_array().into_iter().flatten();
    licences
        .filter(|one| one["source"] == "agents" && one["parent"]["ico"] == world.icos[1])
        .map(|one| json!([one["sector"], one["ended_on"]]).to_string())
        .collect()
}

#[tokio::test]
async fn entity_id_is_the_same_in_every_list() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let ids = async || {
                let mut ids = Vec::new();
                for index in 0..12 {
                    ids.push(section(world, index).await["entity_id"].clone());
                }
                ids
            };
            let first = ids().await;
            // Company 4 ended before the first day; company 10 is listed without a licence.
            let expected = [0, 1, 3, 6, 7, 9, 10, 11];
            let found: Vec<usize> = (0..12).filter(|index| first[*index].is_string()).collect();
            assert_eq!(found, expected, "{first:?}");
            let distinct: BTreeSet<&str> = first.iter().filter_map(Value::as_str).collect();
            assert_eq!(distinct.len(), 8);
            assert!(distinct.iter().all(|id| id.len() == 26), "{first:?}");
            world.advance(5);
            world.import_due().await;
            assert_eq!(ids().await, first, "company 9 lost a licence meanwhile");
        },
    )
    .await;
}

#[tokio::test]
async fn ties_of_the_operators_list_are_shown() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS).settings(with_agents),
        async |world| {
            // The list of institutions takes over the ties that were imported before it.
            world.advance(1);
            world.import_due().await;
            let agent = section(world, 6).await;
            let of = |sector: &str, ended: Value| json!([sector, ended]).to_string();
            let insurance = of("poistenie a zaistenie", Value::Null);
            assert_eq!(
                ties(world, &agent),
                BTreeSet::from([insurance.clone(), of("prijímanie vkladov", Value::Null)])
            );
            let bank = section(world, 1).await;
            let parents: BTreeSet<&str> = agent["licences"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["parent"]["entity_id"].as_str())
                .collect();
            let own = bank["entity_id"].as_str().expect("the bank is listed");
            assert_eq!(parents, BTreeSet::from([own]), "{agent}");
            // Company 6, and a person by the name.
            assert_eq!(bank["agents_count"], 2, "{bank}");
            assert_eq!(agent["categories"], json!(["viazaný finančný agent"]));
            world.advance(5);
            world.import_due().await;
            world.advance(1);
            world.import_due().await;
            let agent = section(world, 6).await;
            assert_eq!(
                ties(world, &agent),
                BTreeSet::from([insurance, of("prijímanie vkladov", json!("2026-01-18"))])
            );
            let subordinate = section(world, 3).await;
            let sectors: BTreeSet<&str> = subordinate["licences"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|one| one["sector"].as_str())
                .collect();
            let both = BTreeSet::from(["poistenie a zaistenie", "poskytovanie úverov"]);
            assert_eq!(sectors, both, "one began on the fifth day");
        },
    )
    .await;
}
