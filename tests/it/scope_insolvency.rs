//! Responses and events about insolvency proceedings.

use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::register_simulator::ChangeKind;
use lustra_tests::register_simulator::population::Happening;
use lustra_tests::register_simulator::population::proceedings::{MANY, administrators};
use lustra_tests::{Answer, Connectors, Received, Receiver, World};
use serde_json::{Value, json};

use crate::notifications_support::follow;
use crate::support::reading;

/// The connectors of these worlds: the base register and the tested one.
const CONNECTORS: Connectors = &["replik", "rpo"];

const SCOPE: &str = "insolvency";

fn section(answer: &Answer) -> &Value {
    answer.at("/data/insolvency")
}

fn count(answer: &Answer, list: &str) -> Option<usize> {
    section(answer)[list].as_array().map(Vec::len)
}

#[test]
fn open_and_ended_proceedings_are_distinguished() {
    reading(async |world| {
        for (index, active, proceedings, liquidations) in [
            (0, json!(false), 0, 0),
            (1, json!(false), 1, 0),
            (3, json!(true), 1, 0),
            (4, json!(false), 1, 0),
            // A liquidation is not an insolvency.
            (5, json!(false), 0, 1),
            (6, json!(false), 1, 0),
            // The register lists its debtor's proceedings under it.
            (8, json!(false), 0, 0),
            (9, json!(false), 1, 0),
        ] {
            let answer = world.company(&world.icos[index], SCOPE).await;
            assert_eq!(
                section(&answer)["has_active_proceedings"],
                active,
                "{answer:?}"
            );
            let counts = (
                count(&answer, "proceedings"),
                count(&answer, "liquidations"),
            );
            assert_eq!(
                counts,
                (Some(proceedings), Some(liquidations)),
                "{answer:?}"
            );
            assert!(section(&answer)["unread"].is_null(), "{answer:?}");
        }
    });
}

#[test]
fn unknown_state_is_not_clean() {
    reading(async |world| {
        let answer = world.company(&world.icos[11], SCOPE).await;
        assert!(
            section(&answer)["has_active_proceedings"].is_null(),
            "{answer:?}"
        );
        assert_eq!(section(&answer)["proceedings"][0]["active"], Value::Null);
        assert_eq!(section(&answer)["unread"][0]["source"], "state NOVY_STAV");
    });
}

#[test]
fn proceedings_on_several_pages_are_all_shown() {
    reading(async |world| {
        let ico = world.simulator.population().ico(MANY);
        let answer = world.company(&ico, SCOPE).await;
        assert_eq!(count(&answer, "proceedings"), Some(130), "{answer:?}");
    });
}

#[test]
fn administrator_is_stored_by_mark_without_private_data() {
    reading(async |world| {
        let store = world.store.records();
        let mut found = 0;
        for administrator in administrators() {
            let mark = administrator.mark.as_str();
            let records = store
                .by_key_prefix(&connector_id("replik"), "administrators", mark, "", 10)
                .await;
            let records = records.expect("the store is there");
            for record in records {
                assert_eq!(record.key, administrator.mark);
                let content: Value = serde_json::from_str(&record.content).expect("it is JSON");
                assert_eq!(content["license_number"], administrator.mark.as_str());
                assert_eq!(
                    content["valid_from"].as_str().map(str::to_owned),
                    administrator.entered.map(|on| on.to_string())
                );
                assert_eq!(content["office"]["city"], administrator.office.city);
                for private in &administrator.private {
                    assert!(!record.content.contains(private), "{}", record.content);
                }
                found += 1;
            }
        }
        assert!(found > 5, "{found}");
    });
}

#[tokio::test]
async fn opened_and_ended_proceedings_raise_events() {
    let world = World::new().connectors(CONNECTORS).start().await;
    let receiver = Receiver::start().await;
    let ico = world.icos[7].clone();
    follow(&world, &ico, &receiver).await;
    let reported = async |happening| {
        world.happens(&ico, ChangeKind::Happened(happening));
        world.advance(1);
        world.propagate_changes().await;
        let notices: Vec<Value> = receiver.take().iter().map(Received::json).collect();
        let mut reported: Vec<(String, String)> = notices
            .iter()
            .map(|notice| {
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                (text(&notice["event"]), text(&notice["data"]["field"]))
            })
            .filter(|(event, field)| event == "insolvency.opened" || field.starts_with(SCOPE))
            .collect();
        reported.sort();
        reported
    };
    let pair = |event: &str, field: &str| (event.to_owned(), field.to_owned());
    let list = pair("company.updated", "insolvency.proceedings");
    assert_eq!(
        reported(Happening::InsolvencyOpened).await,
        [
            list.clone(),
            pair("insolvency.opened", "insolvency.proceedings")
        ]
    );
    assert_eq!(reported(Happening::InsolvencyEnded).await, [list]);
    world.end().await;
}
