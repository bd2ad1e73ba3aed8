//! Batches and collections for keys that are limited to scopes.

use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::{KeyLimits, NewKeyOfAccount};
use lustra_tests::{Answer, World, answered, client};
use serde_json::{Value, json};

use crate::support::keys;

/// A key of the world's account that is limited to scopes.
pub async fn limited_key(world: &World, scopes: &str) -> String {
    let key = NewKey::live();
    let new = NewKeyOfAccount {
        name: "limited".to_owned(),
        prefix: key.prefix.clone(),
        hash: key.text.hash(),
        manage: false,
        limits: KeyLimits {
            scopes: Some(scopes.to_owned()),
            ..KeyLimits::default()
        },
    };
    let of_account = world.store.keys_of(world.account().await.id);
    let created = of_account.create(&new, u32::MAX, None, world.now()).await;
    created.expect("the store is there");
    key.text.reveal().to_owned()
}

async fn batch(world: &World, key: &str, scope: &str) -> Answer {
    let query = if scope.is_empty() {
        String::new()
    } else {
        format!("?scope={scope}")
    };
    let url = format!("{}/v1/batch/ico{query}", world.url());
    let request = client().post(url).header("x-api-key", key);
    let request = request.header("idempotency-key", format!("order-{scope}"));
    answered(request.json(&json!({ "icos": [world.icos[0]] }))).await
}

#[tokio::test]
async fn limited_key_reads_no_batch_with_other_scopes() {
    let world = World::new().connectors(&["rpo", "tax-authority", "replik"]);
    let world = world.companies(12).nothing_imported().start().await;
    let limited = limited_key(&world, "tax").await;
    let by_limited = [("x-api-key", limited.as_str())];
    let mut visible = Vec::new();
    for (scope, status) in [
        ("tax,insolvency", 404),
        ("all", 404),
        ("tax", 200),
        ("", 200),
    ] {
        let made = batch(&world, &world.key, scope).await;
        assert_eq!(made.status, 200, "{made:?}");
        let id = made.header("x-batch-id").expect("every batch has one");
        let path = format!("/v1/batch/{id}");
        for path in [
            format!("{path}/status"),
            format!("{path}/results"),
            format!("{path}/results?format=csv"),
        ] {
            let answer = world.get_with(&path, &by_limited).await;
            assert_eq!(answer.status, status, "{scope} {path}: {answer:?}");
            assert_eq!(world.get(&path).await.status, 200, "{path}");
        }
        if status == 200 {
            visible.insert(0, id.to_owned());
        }
    }
    let listed = world.get_with("/v1/batch", &by_limited).await;
    let mut ids: Vec<&str> = listed
        .at("/data")
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|batch| batch["id"].as_str())
        .collect();
    ids.sort_unstable();
    visible.sort_unstable();
    assert_eq!(ids, visible);
    assert_eq!(listed.at("/meta/total"), &Value::from(2));
    // The idempotency key of another key's request gives nothing away.
    let repeated = batch(&world, &limited, "all").await;
    assert_eq!(repeated.status, 422, "{repeated:?}");
    assert_eq!(keys(repeated.at("/errors")), ["Idempotency-Key"]);
    world.end().await;
}
