//! Repeated requests: an idempotency key creates one batch or subscription, and a batch whose id the client never
//! learned is neither kept nor charged.

use lustra_tests::lustra::config::Plan;
use lustra_tests::lustra::connectors::cache::hex;
use lustra_tests::lustra::store::testing::connector_id;
use lustra_tests::lustra::store::{BatchKind, KeyedRequest, NewBatch};
use lustra_tests::{Answer, Builder, DatabaseKind, Receiver, World, answered, client};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::credits::on_plan;
use crate::faults_support::{assert_out_of_order, on_each_kind};
use crate::notifications_support::another_account;
use crate::support::keys;

const ICO: &str = "/v1/batch/ico";
const WATCH: &str = "/v1/notifications";

fn credits(kind: DatabaseKind) -> Builder {
    let plan = Plan {
        credits: Some(100),
        watched_companies: 10,
        ..Plan::default()
    };
    on_plan(plan).on(kind)
}

/// A world whose batch responses time out, because no worker processes batches.
fn slow(kind: DatabaseKind) -> Builder {
    credits(kind).settings(|config| {
        config.requests.timeout_seconds = 1;
        config.batch.workers = 0;
        config.batch.results_hours = 240;
    })
}

async fn send(url: &str, key: &str, path: &str, idempotency_key: &str, body: &Value) -> Answer {
    let request = client().post(format!("{url}{path}")).json(body);
    let request = request.header("x-api-key", key);
    answered(request.header("idempotency-key", idempotency_key)).await
}

async fn balance(world: &World) -> i64 {
    let quota = world.get("/v1/account/quota").await;
    quota.at("/data/balance").as_i64().expect("it has credits")
}

async fn batches(world: &World) -> i64 {
    let backlog = world.store.batches().backlog(world.now()).await;
    backlog.expect("the store is there").unfinished
}

#[tokio::test]
async fn batch_without_answer_is_rolled_back() {
    on_each_kind(slow, async |world| {
        let body = json!({ "icos": [world.icos[0], world.icos[1]] });
        let refused = world.post(ICO, &body).await;
        assert_out_of_order(&refused);
        assert_eq!(refused.header("x-credits-charged"), None, "{refused:?}");
        // The undo runs in the background.
        while balance(world).await != 100 || batches(world).await != 0 {
            tokio::task::yield_now().await;
        }
        let usage = world.get("/v1/account/usage").await;
        assert_eq!(
            usage.at("/data/by_endpoint/batch~1ico/credits"),
            0,
            "{usage:?}"
        );
        world.verify_ledgers().await;
    })
    .await;
}

#[tokio::test]
async fn same_request_finds_its_batch_by_key() {
    on_each_kind(slow, async |world| {
        let body = json!({ "icos": [world.icos[0], world.icos[1]] });
        let (url, key) = (world.url(), world.key.as_str());
        let first = send(&url, key, ICO, "order-1", &body).await;
        assert_out_of_order(&first);
        assert_eq!(world.batch_work().await, 1, "it was kept");
        let again = send(&url, key, ICO, "order-1", &body).await;
        assert_eq!(
            (again.status, again.header("idempotency-replayed")),
            (200, Some("true"))
        );
        assert_eq!(again.header("x-credits-charged"), Some("0"));
        assert_eq!(again.at("/meta/found"), 2, "{again:?}");
        let id = again.header("x-batch-id").expect("batches have one");
        let results = world.get(&format!("/v1/batch/{id}/results")).await;
        assert_eq!(results.body, again.body);
        assert_eq!(balance(world).await, 99);
        // The same key with other inputs.
        let names = json!({ "names": ["Vzorostav"] });
        for (path, other) in [
            (ICO, json!({ "icos": [world.icos[1], world.icos[0]] })),
            ("/v1/batch/names", names),
            (
                WATCH,
                json!({ "ico": world.icos[0], "notification_emails": ["a@shop.example"] }),
            ),
        ] {
            let refused = send(&url, key, path, "order-1", &other).await;
            assert_eq!(refused.status, 422, "{refused:?}");
            assert_eq!(keys(refused.at("/errors")), ["Idempotency-Key"]);
        }
        assert_eq!(balance(world).await, 99);
        // Keys are separate per account.
        let others = another_account(world, "own").await;
        assert_out_of_order(&send(&url, &others, ICO, "order-1", &body).await);
        world.batch_work().await;
        let of_others = send(&url, &others, ICO, "order-1", &body).await;
        assert_eq!(of_others.status, 200, "{of_others:?}");
        assert_ne!(of_others.header("x-batch-id"), Some(id));
        // After a day the key is free again.
        world.advance(2);
        assert_out_of_order(&send(&url, key, ICO, "order-1", &body).await);
        assert_eq!(world.batch_work().await, 1);
        let later = send(&url, key, ICO, "order-1", &body).await;
        assert_ne!(later.header("x-batch-id"), Some(id));
        assert_eq!(balance(world).await, 98);
        world.verify_ledgers().await;
    })
    .await;
}

#[tokio::test]
async fn same_key_at_once_makes_one_batch() {
    on_each_kind(credits, async |world| {
        let neighbour = world.neighbour().await;
        let body = json!({ "icos": [world.icos[0]] });
        let sending = (0..12).map(async |number: u32| {
            let url = if number.is_multiple_of(2) {
                world.url()
            } else {
                neighbour.url()
            };
            send(&url, &world.key, ICO, "order-1", &body).await
        });
        let answers = futures_util::future::join_all(sending).await;
        let id = answers[0].header("x-batch-id").expect("batches have one");
        for answer in &answers {
            assert!([200, 202].contains(&answer.status), "{answer:?}");
            assert_eq!(answer.header("x-batch-id"), Some(id));
        }
        assert_eq!(balance(world).await, 99);
        world.verify_ledgers().await;
    })
    .await;
}

/// A world whose batches run in the background.
fn jobs(kind: DatabaseKind) -> Builder {
    let connectors = credits(kind).connectors(&["rpo", "tax-authority", "replik"]);
    let small = connectors.companies(12).nothing_imported();
    small.settings(|config| config.batch.synchronous_items = 0)
}

#[tokio::test]
async fn all_scopes_are_one_request_with_other_connectors() {
    on_each_kind(jobs, async |world| {
        let mut config = world.config().clone();
        config.connector.remove(&connector_id("replik"));
        let neighbour = world.neighbour_with(config).await;
        let path = format!("{ICO}?scope=all");
        let body = json!({ "icos": [world.icos[0]] });
        let first = send(&neighbour.url(), &world.key, &path, "order-1", &body).await;
        assert_eq!(first.status, 202, "{first:?}");
        let again = send(&world.url(), &world.key, &path, "order-1", &body).await;
        assert_eq!(
            again.header("idempotency-replayed"),
            Some("true"),
            "{again:?}"
        );
        assert_eq!(again.header("x-batch-id"), first.header("x-batch-id"));
        let other = format!("{ICO}?scope=tax");
        let other = send(&world.url(), &world.key, &other, "order-1", &body).await;
        assert_eq!(other.status, 422, "{other:?}");
        // The digest of an earlier version is over the resolved scopes.
        let listed = world.get("/v1/batch").await;
        let scopes = listed.at("/data/0/scopes").as_array().expect("a list");
        let scopes: Vec<&str> = scopes.iter().filter_map(Value::as_str).collect();
        assert!(
            !scopes.is_empty() && !scopes.contains(&"insolvency"),
            "{scopes:?}"
        );
        let stored = stored_before(world, "order-2", &scopes.join(",")).await;
        let found = send(&neighbour.url(), &world.key, &path, "order-2", &body).await;
        assert_eq!(
            found.header("x-batch-id"),
            Some(stored.as_str()),
            "{found:?}"
        );
    })
    .await;
}

/// A batch of the first company that an earlier version created with an idempotency key.
async fn stored_before(world: &World, key: &str, scopes: &str) -> String {
    let mut digest = Sha256::new();
    for part in ["batch-scopes", scopes, "batch", "ico", &world.icos[0]] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let keyed = KeyedRequest {
        key: key.to_owned(),
        request: hex(&digest.finalize()),
        expires_at: world.now() + std::time::Duration::from_secs(3_600),
    };
    let id = "00000000-0000-4000-8000-000000000001";
    let new = NewBatch {
        id,
        kind: BatchKind::Ico,
        scopes: Some(scopes),
        parts: &[&world.icos[..1]],
        pace: std::time::Duration::ZERO,
        claimed: None,
    };
    let batches = world.store.batches().of(world.account().await.id);
    let created = batches.create(&new, Some(&keyed), world.now()).await;
    created
        .expect("the store is there")
        .expect("the key is new");
    id.to_owned()
}

#[tokio::test]
async fn subscription_is_answered_again_with_its_secret() {
    on_each_kind(credits, async |world| {
        let receiver = Receiver::start().await;
        let body = json!({ "ico": world.icos[0], "webhook_url": receiver.url() });
        let (url, key) = (world.url(), world.key.as_str());
        let first = send(&url, key, WATCH, "watch-1", &body).await;
        assert_eq!(first.status, 201, "{first:?}");
        assert_eq!(first.header("idempotency-replayed"), None);
        assert!(first.at("/secret").is_string());
        let again = send(&url, key, WATCH, "watch-1", &body).await;
        assert_eq!((again.status, &again.body), (201, &first.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let other = json!({ "ico": world.icos[1], "webhook_url": receiver.url() });
        let refused = send(&url, key, WATCH, "watch-1", &other).await;
        assert_eq!(keys(refused.at("/errors")), ["Idempotency-Key"]);
        // Without the key, the secret is not shown again.
        let plain = world.post(WATCH, &body).await;
        assert_eq!((plain.status, plain.at("/secret")), (200, &Value::Null));
        let changed = send(&url, key, WATCH, "watch-2", &body).await;
        let repeated = send(&url, key, WATCH, "watch-2", &body).await;
        assert_eq!((changed.status, repeated.status), (200, 200));
        assert_eq!(repeated.at("/secret"), &Value::Null);
        let listed = world.get(WATCH).await;
        assert_eq!(listed.at("/meta/total"), 1, "{listed:?}");
    })
    .await;
}

#[tokio::test]
async fn malformed_idempotency_keys_are_refused() {
    let world = credits(DatabaseKind::Sqlite)
        .nothing_imported()
        .start()
        .await;
    let (url, key) = (world.url(), world.key.as_str());
    let body = json!({ "icos": [world.icos[0]] });
    let long = "x".repeat(256);
    for wrong in ["", " ", long.as_str()] {
        let refused = send(&url, key, ICO, wrong, &body).await;
        assert_eq!(refused.status, 422, "{wrong}");
        assert_eq!(keys(refused.at("/errors")), ["Idempotency-Key"], "{wrong}");
    }
    let twice = world.posting(ICO).json(&body);
    let twice = twice.header("idempotency-key", "a");
    let refused = answered(twice.header("idempotency-key", "b")).await;
    assert_eq!(keys(refused.at("/errors")), ["Idempotency-Key"]);
    assert_eq!(balance(&world).await, 100);
    world.end().await;
}
