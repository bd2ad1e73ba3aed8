//! `/v1/status` and `/v1/health`.

use insta::assert_json_snapshot;
use lustra_demo as demo;
use lustra_tests::lustra::config;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, World};
use serde_json::{Value, json};

use crate::support::{reading, reading_each, shown, shown_part};

fn source<'a>(status: &'a Answer, id: &str) -> &'a Value {
    let sources = status.at("/sources").as_array().expect("a list of sources");
    sources
        .iter()
        .find(|source| source["id"] == id)
        .unwrap_or(&Value::Null)
}

#[tokio::test]
async fn status_lists_every_source_without_a_key() {
    // A separate world, because previous calls affect the state of a source.
    let world = World::new().start().await;
    assert_json_snapshot!("status", shown(&world.get_with("/v1/status", &[]).await));
    world.end().await;
}

#[tokio::test]
async fn source_is_unknown_until_it_is_asked() {
    // Removes what the demo supplies for a scope of the procurement office.
    let lacking = World::new().settings(|config| {
        let uvo = config.connector.get_mut("uvo").expect("the demo has it");
        uvo.settings = config::SecretMap::default();
    });
    let world = lacking.start().await;
    let status = world.get("/v1/status").await;
    assert_eq!(source(&status, "gleif")["state"], "unknown");
    assert_eq!(source(&status, "tax-authority")["state"], "operational");
    let ico = world.icos[0].clone();
    assert_eq!(world.company(&ico, "gleif").await.status, 200);
    let status = world.get("/v1/status").await;
    assert_eq!(source(&status, "gleif")["state"], "operational");
    assert_eq!(status.at("/status"), "operational");
    let needs = |id: &str| source(&status, id)["needs"].to_string();
    assert!(needs("uvo").contains("suppliers.search_type"));
    world.end().await;
}

#[test]
fn public_pages_ignore_keys() {
    reading(async |world| {
        for path in ["/v1/status", "/v1/health"] {
            let plain = world.get_with(path, &[]).await;
            for key in [world.key.as_str(), "wrong"] {
                let answer = world.get_with(path, &[("x-api-key", key)]).await;
                assert_eq!((answer.status, &answer.body), (200, &plain.body), "{path}");
            }
        }
    });
}

#[test]
fn health_needs_no_key() {
    reading_each(async |world| {
        assert_json_snapshot!("health", shown(&world.get_with("/v1/health", &[]).await));
    });
}

#[tokio::test]
async fn service_without_its_store_is_unhealthy() {
    let world = World::new().nothing_imported().start().await;
    world.store.close().await;
    assert_json_snapshot!(
        "health without a store",
        shown(&world.get_with("/v1/health", &[]).await)
    );
    for path in ["/v1/status", "/v1/company/ico/99999994"] {
        let answer = world.get(path).await;
        assert_eq!(
            (answer.status, answer.at("/error")),
            (503, &json!("service_unavailable")),
            "{path}: {answer:?}"
        );
        assert!(
            answer
                .header("retry-after")
                .is_some_and(|seconds| seconds.parse::<u32>().is_ok())
        );
    }
    assert_eq!(
        world.get("/v1/sandbox/companies").await.status,
        200,
        "the sandbox needs no store"
    );
    world.end().await;
}

#[tokio::test]
async fn lists_are_never_imported_before_the_first_import() {
    let world = World::new().nothing_imported().start().await;
    let status = world.get("/v1/status").await;
    let lists = &source(&status, "tax-authority")["datasets"];
    for list in lists.as_array().expect("a list of lists") {
        assert_eq!(
            (&list["state"], &list["last_success_at"]),
            (&json!("never_imported"), &Value::Null),
            "{list}"
        );
    }
    world.end().await;
}

#[tokio::test]
async fn unloaded_connector_degrades_status_without_details() {
    let refused = World::new().settings(|config| {
        config
            .connector
            .get_mut("debtors")
            .expect("the demo has it")
            .grants
            .clear();
    });
    let world = refused.start().await;
    let status = world.get("/v1/status").await;
    assert_eq!(status.at("/status"), "degraded");
    assert_json_snapshot!("source that is not loaded", source(&status, "debtors"));
    assert_eq!(source(&status, "orsr")["state"], "unknown", "others go on");
    assert_eq!(
        world.company(&world.icos[0], "debtor_status").await.status,
        422,
        "no connector serves its scope"
    );
    world.end().await;
}

#[tokio::test]
async fn disabled_connector_is_not_a_source() {
    let world = World::new().settings(|config| {
        config.connector.remove("debtors");
        config
            .connector
            .get_mut("orsr")
            .expect("the demo has it")
            .enabled = Some(false);
    });
    let world = world.start().await;
    let status = world.get("/v1/status").await;
    let ids: Vec<&str> = status
        .at("/sources")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|source| source["id"].as_str())
        .collect();
    let enabled: Vec<&str> = demo::shipped()
        .filter(|id| !["debtors", "orsr"].contains(id))
        .collect();
    assert_eq!(
        (status.at("/status"), ids),
        (&json!("operational"), enabled)
    );
    world.end().await;
}

#[tokio::test]
async fn failed_list_degrades_its_source_until_imported() {
    let world = World::new().nothing_imported().start().await;
    world.fault(Register::Socpoist, Fault::Html200);
    world.import_due().await;
    let status = world.get("/v1/status").await;
    assert_eq!(
        (status.at("/status"), &source(&status, "debtors")["state"]),
        (&json!("degraded"), &json!("degraded"))
    );
    assert_json_snapshot!(
        "list that failed",
        shown_part(&source(&status, "debtors")["datasets"][0])
    );
    assert_eq!(source(&status, "rpo")["state"], "operational");
    world.fault(Register::Socpoist, Fault::Off);
    world.advance(1);
    world.import_due().await;
    assert_eq!(world.get("/v1/status").await.at("/status"), "operational");
    world.end().await;
}
