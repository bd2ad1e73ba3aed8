//! Collections through the API: a connector of the tests offers a list, which the tests write.

mod absence;
mod listing;
mod sandbox;
mod served;
pub mod shapes;

use std::path::PathBuf;

use lustra_tests::lustra::config::{Config, UpstreamConfig};
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::{Answer, Builder, DatabaseKind, World};
use serde_json::{Value, json};

const ID: &str = "guest-subjects";
const LIST: &str = "/v1/guest-subjects/subjects";

/// A list in a file, which the connector imports.
struct List {
    file: PathBuf,
    _folder: tempfile::TempDir,
}

impl List {
    fn of(records: &[Value]) -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let file = folder.path().join("list.json");
        let list = Self {
            file,
            _folder: folder,
        };
        list.write(records);
        list
    }

    fn write(&self, records: &[Value]) {
        let text = serde_json::to_vec(records).expect("JSON");
        std::fs::write(&self.file, text).expect("a folder of our own");
    }

    fn address(&self) -> String {
        format!("file:{}", self.file.display())
    }

    /// A world with the connector, without its first import.
    fn world(&self, kind: DatabaseKind) -> Builder {
        let address = self.address();
        World::new()
            .on(kind)
            .connectors(&["rpo"])
            .companies(12)
            .without_index()
            .nothing_imported()
            .with_guests()
            .settings(move |config| enable(config, address))
    }

    /// A world in which the list was imported.
    async fn imported(&self) -> World {
        let world = self.world(DatabaseKind::Sqlite).start().await;
        import(&world, "subjects").await;
        world
    }
}

fn enable(config: &mut Config, address: String) {
    let connector = config.connector.entry(connector_id(ID)).or_default();
    connector.grants.push(address.clone());
    let upstream = UpstreamConfig {
        address: Some(address),
        ..UpstreamConfig::default()
    };
    connector.upstreams.insert("list".to_owned(), upstream);
}

async fn import(world: &World, dataset: &str) {
    let imported = world
        .importer
        .run(&connector_id(ID), dataset, &|_| {})
        .await;
    imported.expect("the list can be imported");
}

/// A record of the list.
fn record(id: &str, name: &str, more: &Value) -> Value {
    let mut item = json!({
        "id": id, "ico": null, "name": name, "country": "SK", "is_person": false, "is_current": true,
        "categories": [], "licences": [],
    });
    for (member, value) in more.as_object().into_iter().flatten() {
        item[member] = value.clone();
    }
    json!({"key": id, "ico": item["ico"], "content": item})
}

/// A licence that ties its holder to a company.
fn tie(sector: &str, ico: &str) -> Value {
    json!({"sector": sector, "parent": {"id": format!("id-{ico}"), "ico": ico}})
}

/// Institutions, agents, a person, a foreign subject and an ended one.
fn records() -> Vec<Value> {
    let licences = |ties: &[Value]| json!({ "licences": ties });
    vec![
        record(
            "bank",
            "Fiktívna banka, a. s.",
            &json!({"ico": "35000001", "categories": ["Banka", "Obchodník"]}),
        ),
        record(
            "insurer",
            "Žltá poisťovňa, a. s.",
            &json!({"ico": "35000002", "categories": ["poisťovňa"]}),
        ),
        record(
            "agent-1",
            "Agent Čučoriedka, s. r. o.",
            &licences(&[tie("úvery", "35000001"), tie("poistenie", "35000002")]),
        ),
        record(
            "agent-2",
            "Brusnica maklér",
            &licences(&[tie("poistenie", "35000001")]),
        ),
        record(
            "person",
            "Adam Vymyslený",
            &json!({"is_person": true, "licences": [tie("úvery", "35000001")]}),
        ),
        record(
            "foreign",
            "Wiener Versicherung",
            &json!({"country": "AT", "categories": ["poisťovňa"]}),
        ),
        record("nowhere", "Bez krajiny", &json!({"country": null})),
        record(
            "ended",
            "Agent Ukončený",
            &json!({"is_current": false, "licences": [tie("úvery", "35000001")]}),
        ),
    ]
}

/// The ids of a page.
fn ids(answer: &Answer) -> Vec<&str> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let data = answer.at("/data").as_array().into_iter().flatten();
    data.filter_map(|item| item["id"].as_str()).collect()
}
