//! The collection of the national bank's subjects, with its real connector and the simulator's list.

use std::collections::BTreeMap;

use lustra_tests::World;
use lustra_tests::lustra::store::testing::connector_id;
use serde_json::{Value, json};

use crate::collections::shapes::{assert_fits, licence, summary, whole};
use crate::support::{keys, reading};

const ENTITIES: &str = "/v1/nbs/entities";

/// Every summary that matches a query, page by page.
async fn all(world: &World, query: &str) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    loop {
        let path = format!("{ENTITIES}?{query}&limit=7&offset={}", found.len());
        let answer = world.get(&path).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.at("/meta/offset"), found.len());
        found.extend(answer.at("/data").as_array().into_iter().flatten().cloned());
        if answer.at("/meta/has_more") == false {
            return found;
        }
    }
}

fn ids(items: &[Value]) -> Vec<&str> {
    let ids = items.iter().filter_map(|item| item["entity_id"].as_str());
    ids.collect()
}

#[test]
fn entities_have_the_clients_shapes() {
    reading(async |world| {
        let listed = all(world, "status=all").await;
        assert!(listed.len() > 10, "{}", listed.len());
        assert_fits(
            &json!({"type": "array", "items": summary()}),
            &json!(listed),
        );
        let stored = world.store.records();
        let nbs = connector_id("nbs");
        let stored = stored.by_key_prefix(&nbs, "institutions", "", "", 1_000);
        let stored = stored.await.expect("the store is there");
        let stored: BTreeMap<&str, Value> = stored
            .iter()
            .map(|record| {
                (
                    record.key.as_str(),
                    serde_json::from_str(&record.content).expect("JSON"),
                )
            })
            .filter(|(_, content): &(_, Value)| content.get("unreadable_row").is_none())
            .collect();
        let mut listed_ids = ids(&listed);
        listed_ids.sort_unstable();
        assert_eq!(listed_ids, stored.keys().copied().collect::<Vec<_>>());
        for (id, content) in &stored {
            let one = world.get(&format!("{ENTITIES}/{id}")).await;
            assert_eq!(one.body, json!({ "data": content }));
            assert_fits(&whole(), one.at("/data"));
        }
    });
}

#[test]
fn entity_filters_select_what_they_name() {
    reading(async |world| {
        let every = all(world, "status=all").await;
        let select = |holds: &dyn Fn(&Value) -> bool| -> Vec<Value> {
            every.iter().filter(|item| holds(item)).cloned().collect()
        };
        assert_eq!(
            all(world, "").await,
            select(&|item| item["is_current"] == true)
        );
        let foreign = select(&|item| item["country"] != "SK");
        assert!(!foreign.is_empty());
        assert_eq!(all(world, "status=all&country=foreign").await, foreign);
        let people = select(&|item| item["is_natural_person"] == true);
        assert!(!people.is_empty());
        for yes in ["true", "1"] {
            assert_eq!(
                all(world, &format!("status=all&natural_person={yes}")).await,
                people
            );
        }
        let banks = select(&|item| item["categories"].to_string().contains("\"banka\""));
        assert!(!banks.is_empty());
        assert_eq!(all(world, "status=all&category=BANKA").await, banks);
    });
}

#[test]
fn agents_of_a_company_name_the_unread_list() {
    reading(async |world| {
        let bank = world.icos[1].as_str();
        let answer = world
            .get(&format!("/v1/company/ico/{bank}/nbs-agents"))
            .await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let agent = json!({"allOf": [summary(), {"required": ["licences"], "properties": {
            "licences": {"type": "array", "minItems": 1, "items": licence()},
        }}]});
        assert_fits(
            &json!({"type": "array", "items": agent}),
            answer.at("/data"),
        );
        assert_fits(&summary(), answer.at("/meta/parent"));
        assert_eq!(answer.at("/meta/parent/ico"), bank);
        // Without the operator's list there are no ties.
        assert_eq!(answer.at("/meta/unread/0/source"), "agents", "{answer:?}");
        let section = world.company(bank, "nbs").await;
        assert_eq!(
            section.at("/data/nbs/entity_id"),
            answer.at("/meta/parent/entity_id")
        );
    });
}

#[test]
fn sandbox_has_the_parameters_of_the_connector() {
    reading(async |world| {
        let document = world.get_with("/v1/openapi.json", &[]).await;
        for path in [
            "nbs/entities",
            "nbs/entities/{id}",
            "company/ico/{ico}/nbs-agents",
        ] {
            let paths = document.at("/paths");
            let (real, demo) = (
                &paths[format!("/v1/{path}")],
                &paths[format!("/v1/sandbox/{path}")],
            );
            assert_eq!(
                real["get"]["parameters"], demo["get"]["parameters"],
                "{path}"
            );
            assert!(!keys(&real["get"]).is_empty(), "{path}");
        }
        let schemas = document.at("/components/schemas");
        let demo = &schemas["SandboxCollection_nbs_entities"];
        assert_eq!(&schemas["Collection_nbs_entities"], demo);
    });
}
