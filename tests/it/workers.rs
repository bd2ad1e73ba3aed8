//! Background workers of a host: an interrupted one starts again, and operators see it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use lustra_tests::World;
use reqwest::Method;
use serde_json::json;

use crate::batch_jobs::ended;

const HEADER: (&str, &str) = ("x-lustra-operator", "test");

/// Restarts of each worker, by its name.
async fn restarts(world: &World) -> BTreeMap<String, u64> {
    let answer = world.operator(Method::GET, "/workers", &[]).await;
    let states = answer.body.as_array().expect("a list").clone();
    states
        .iter()
        .map(|state| {
            let name = state["name"].as_str().expect("a name").to_owned();
            (name, state["restarts"].as_u64().expect("a number"))
        })
        .collect()
}

/// Asks until the answer is as wanted, for half a minute at most.
pub async fn until<T: Debug, F: Future<Output = T>>(
    ask: impl Fn() -> F,
    wanted: impl Fn(&T) -> bool,
) -> T {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = ask().await;
        if wanted(&answer) {
            return answer;
        }
        assert!(Instant::now() < deadline, "it is still {answer:?}");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_interrupted_worker_starts_again() {
    let world = World::new().companies(12).settings(|config| {
        config.imports.scheduled = true;
        config.batch.jobs = true;
        config.batch.workers = 2;
        config.batch.synchronous_items = 0;
        config.batch.poll_seconds = 1;
        config.mail.on = true;
        config.notifications.on = true;
        config.operator.record_states = true;
        config.retention.on = true;
        config.sentinel.companies = vec!["99999994".to_owned()];
    });
    let world = world.start().await;
    let before = restarts(&world).await;
    let names: Vec<&str> = before.keys().map(String::as_str).collect();
    insta::assert_json_snapshot!(names);
    for name in &names {
        let path = format!("/workers/{name}/restart");
        let refused = world.operator(Method::POST, &path, &[]).await;
        assert_eq!(refused.status, 403, "{name}");
        let answer = world.operator(Method::POST, &path, &[HEADER]).await;
        assert_eq!(answer.status, 200, "{name}");
    }
    let unknown = world.operator(Method::POST, "/workers/none/restart", &[HEADER]);
    assert_eq!(unknown.await.status, 404);
    until(
        || restarts(&world),
        |now| now.values().all(|restarts| *restarts > 0),
    )
    .await;
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let text = metrics.body.as_str().expect("it is text").to_owned();
    assert!(text.contains("lustra_worker_restarts_total{worker=\"mail\"} 1"));
    assert!(text.contains("lustra_worker_failing{worker=\"mail\"} 0"));
    assert_eq!(world.get("/v1/health").await.status, 200);
    // They work again: a batch is made of parts that a worker claims.
    let made = world
        .post("/v1/batch/ico", &json!({"icos": [world.icos[0]]}))
        .await;
    assert_eq!(made.status, 202);
    let id = made.header("x-batch-id").expect("every batch has one");
    let ended = tokio::time::timeout(Duration::from_secs(30), ended(&world, id)).await;
    assert_eq!(ended.expect("the batch ends").found, 1);
    world.end().await;
}
