//! Responses and events about the lists of sanctions.

use std::collections::BTreeSet;

use lustra_tests::lustra::config::Config;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::{ChangeKind, Fault, Register};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::faults_support::{dataset, on_each_kind};
use crate::notifications_support::{follow, small};
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["rpo", "sanctions"];

/// The section after all refreshes have finished.
async fn section(world: &World, index: usize) -> Value {
    asked(world, index).await.at("/data/sanctions").clone()
}

async fn asked(world: &World, index: usize) -> Answer {
    let ico = &world.icos[index];
    world.company(ico, "sanctions").await;
    world.wait_idle().await;
    let answer = world.company(ico, "sanctions").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
}

fn none() -> Value {
    json!({ "eu_fsf_hits": [], "ofac_hits": [], "total_hits": 0 })
}

/// List, matched name, strength and rules of each hit.
fn hits(section: &Value) -> Vec<Value> {
    let lists = ["eu_fsf_hits", "ofac_hits"].map(|name| section[name].as_array());
    let hits = lists.into_iter().flatten().flatten();
    hits.map(|hit| {
        let why = hit["why"].as_array().into_iter().flatten();
        let rules: Vec<&Value> = why.map(|reason| &reason["rule"]).collect();
        json!([hit["list"], hit["matched_name"], hit["strength"], rules])
    })
    .collect()
}

#[test]
fn possible_hits_have_their_reasons() {
    reading(async |world| {
        let of = async |index: usize| hits(&section(world, index).await);
        for index in [0, 2, 4, 8, 10, 11] {
            assert_eq!(section(world, index).await, none(), "company {index}");
        }
        let holding = of(1).await;
        assert_eq!(holding.len(), 2, "{holding:?}");
        assert_eq!(
            (&holding[0][0], &holding[1][0]),
            (&json!("eu-fsf"), &json!("ofac-sdn"))
        );
        let rules = holding[0][3].to_string();
        assert!(rules.contains("other-country"), "{rules}");
        let trader = of(3).await;
        assert_eq!(trader.len(), 1, "{trader:?}");
        assert_eq!(trader[0][2], "review", "a name is not a person");
        let rules = trader[0][3].to_string();
        assert!(rules.contains("same-town"), "{rules}");
        let town = of(5).await;
        assert_eq!(town.len(), 1, "{town:?}");
        assert_eq!(
            (&town[0][0], &town[0][2]),
            (&json!("ofac-consolidated"), &json!("strong"))
        );
        let numbered = of(6).await;
        assert_eq!(numbered.len(), 1, "{numbered:?}");
        assert_eq!(
            (&numbered[0][1], &numbered[0][3][0]),
            (&json!("SKRYTA ZBROJOVKA LLC"), &json!("register-number"))
        );
        assert_eq!(of(7).await.len(), 1);
        let weak = of(9).await;
        assert_eq!(weak.len(), 1, "{weak:?}");
        assert_eq!(
            (&weak[0][1], &weak[0][2]),
            (&json!("BRMBOSOFT"), &json!("review"))
        );
    });
}

#[test]
fn hit_names_its_source() {
    reading(async |world| {
        let holding = section(world, 1).await;
        let union = &holding["eu_fsf_hits"][0];
        assert!(
            union["entry_id"]
                .as_str()
                .is_some_and(|id| id.starts_with("EU.")),
            "{union}"
        );
        assert_eq!(union["listed_name"], "АО «Жблнкотех Холдинг»");
        assert_eq!(union["listed_on"], "2024-12-11");
        assert_eq!(
            (&union["programmes"], &union["countries"]),
            (&json!(["XYZ"]), &json!(["RU"]))
        );
        let states = &holding["ofac_hits"][0];
        assert!(
            states["url"]
                .as_str()
                .is_some_and(|url| url.contains("Details.aspx?id=")),
            "{states}"
        );
        assert_eq!(
            states["listed_on"],
            Value::Null,
            "these lists do not say it"
        );
        assert_eq!(holding["total_hits"], 2);
    });
}

#[test]
fn odd_entries_do_not_fail_the_list() {
    reading(async |world| {
        let list = dataset(world, "sanctions", "eu-fsf").await;
        assert_eq!(
            list["state"], "imported",
            "one entry is of an unknown type: {list}"
        );
        let without = section(world, 7).await;
        assert_eq!(without["eu_fsf_hits"][0]["entry_id"], "100071", "{without}");
        let shared = section(world, 1).await;
        assert_eq!(
            shared["eu_fsf_hits"][0]["entry_id"], "EU.1000.11",
            "{shared}"
        );
    });
}

#[tokio::test]
async fn never_read_list_clears_no_company() {
    let world = World::new()
        .connectors(CONNECTORS)
        .nothing_imported()
        .companies(12)
        .start()
        .await;
    let answer = world.company(&world.icos[0], "sanctions").await;
    assert!(
        answer.body.pointer("/data/sanctions").is_none(),
        "{answer:?}"
    );
    assert_eq!(
        answer.at("/meta/scopes/sanctions")["state"],
        "unread",
        "{answer:?}"
    );
    // Only the EU list is readable.
    world.fault(Register::Ofac, Fault::Html200);
    world.advance(1);
    world.import_due().await;
    let unlisted = section(&world, 0).await;
    assert_eq!(
        (
            &unlisted["eu_fsf_hits"],
            &unlisted["ofac_hits"],
            &unlisted["total_hits"]
        ),
        (&json!([]), &Value::Null, &Value::Null)
    );
    let unread: Vec<&Value> = unlisted["unread"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|unread| &unread["source"])
        .collect();
    assert_eq!(unread, ["ofac-sdn", "ofac-consolidated"]);
    let listed = section(&world, 1).await;
    assert_eq!(
        (&listed["ofac_hits"], &listed["total_hits"]),
        (&Value::Null, &json!(1))
    );
    world.fault(Register::Ofac, Fault::Off);
    world.advance(1);
    world.import_due().await;
    assert_eq!(section(&world, 0).await, none());
    assert_eq!(section(&world, 1).await["total_hits"], 2);
    world.end().await;
}

#[tokio::test]
async fn disabled_list_is_named() {
    let settings = |config: &mut Config| {
        let sanctions = config
            .connector
            .get_mut("sanctions")
            .expect("the demo has it");
        sanctions
            .datasets
            .entry("eu-fsf".to_owned())
            .or_default()
            .on = Some(false);
    };
    let world = World::new()
        .connectors(CONNECTORS)
        .companies(12)
        .settings(settings)
        .start()
        .await;
    let unlisted = section(&world, 0).await;
    assert_eq!(
        unlisted,
        json!({
            "eu_fsf_hits": null, "ofac_hits": [], "total_hits": null,
            "unread": [{ "source": "eu-fsf", "since": null, "why": "off: switched off by the operator" }],
        })
    );
    assert_eq!(section(&world, 3).await["total_hits"], 1);
    world.end().await;
}

#[tokio::test]
async fn first_hit_raises_one_event() {
    on_each_kind(
        |kind| small(kind).connectors(CONNECTORS),
        async |world| {
            let receiver = Receiver::start().await;
            let ico = world.icos[8].clone();
            follow(world, &ico, &receiver).await;
            for (happening, is_first, total) in [
                (Happening::ListedByUnion, true, 1),
                (Happening::ListedByUnitedStates, false, 2),
                (Happening::Delisted, false, 0),
            ] {
                world.happens(&ico, ChangeKind::Happened(happening));
                // Name matches do not mark a section stale, so it is rebuilt because of its age.
                world.advance(1);
                world.propagate_changes().await;
                let reported: Vec<Value> = receiver.take().iter().map(Received::json).collect();
                let of_kind = |kind: &str| {
                    reported
                        .iter()
                        .filter(|notice| notice["event"] == kind)
                        .count()
                };
                assert_eq!(
                    of_kind("sanctions.match"),
                    usize::from(is_first),
                    "{happening:?}: {reported:#?}"
                );
                let fields: BTreeSet<&str> = reported
                    .iter()
                    .filter(|notice| notice["event"] == "company.updated")
                    .filter_map(|notice| notice["data"]["field"].as_str())
                    .collect();
                // The first hit raises one event; the count is derived from the entries.
                let of_entries = fields.iter().filter(|field| field.ends_with("_hits"));
                assert_eq!(
                    of_entries.count() > 0,
                    !is_first,
                    "{happening:?}: {fields:?}"
                );
                assert!(
                    !fields.contains("sanctions.total_hits"),
                    "{happening:?}: {fields:?}"
                );
                assert_eq!(
                    section(world, 8).await["total_hits"],
                    total,
                    "{happening:?}"
                );
            }
            // The lists are published daily.
            world.advance(1);
            world.propagate_changes().await;
            let more: Vec<Value> = receiver.take().iter().map(Received::json).collect();
            let of_lists = more
                .iter()
                .filter(|notice| notice["data"]["scope"] == "sanctions");
            assert_eq!(of_lists.count(), 0, "nothing more has happened: {more:#?}");
        },
    )
    .await;
}
