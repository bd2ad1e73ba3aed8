//! Large batches: jobs that hosts share, whose progress is shown and whose results disappear only when they expire.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use insta::assert_json_snapshot;
use lustra::config::{Batch, Config};
use lustra_tests::register_simulator::Register;
use lustra_tests::{Answer, Builder, DatabaseKind, World};
use serde_json::{Value, json};

use crate::faults_support::{RequestCounter, on_each_kind};
use crate::support::{reading_each, shown};

const ICO: &str = "/v1/batch/ico";

fn jobs(kind: DatabaseKind) -> Builder {
    World::new().on(kind).settings(|config| {
        config.batch.synchronous_items = 0;
        config.batch.part_items = 5;
        // Advancing the clock by a day expires the claims of dead hosts but must not expire the batch.
        config.batch.results_hours = 240;
        config.batch.poll_seconds = 1;
    })
}

/// Numbers of companies that do not exist. Each host asks the registers once about each of them.
fn numbers(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("{}", 20_000_000 + number))
        .collect()
}

async fn made(world: &World, items: usize) -> String {
    let answer = world.post(ICO, &json!({"icos": numbers(items)})).await;
    assert_eq!(
        (answer.status, answer.at("/data/status")),
        (202, &json!("pending"))
    );
    answer
        .header("x-batch-id")
        .expect("every batch has one")
        .to_owned()
}

async fn status(world: &World, id: &str) -> Answer {
    world.get(&format!("/v1/batch/{id}/status")).await
}

/// State and processed items.
async fn progress(world: &World, id: &str) -> (String, u64) {
    let status = status(world, id).await;
    let state = status
        .at("/data/status")
        .as_str()
        .expect("a state")
        .to_owned();
    (
        state,
        status.at("/data/processed").as_u64().expect("a number"),
    )
}

async fn completed(world: &World, id: &str, items: usize) {
    let results = world.get(&format!("/v1/batch/{id}/results")).await;
    assert_eq!(results.status, 200, "{results:?}");
    let entries = results.at("/data").as_object().expect("entries by key");
    assert_eq!(
        entries.keys().collect::<Vec<_>>(),
        numbers(items).iter().collect::<Vec<_>>()
    );
    assert_eq!(results.at("/meta/not_found"), items);
    assert_eq!(
        progress(world, id).await,
        ("completed".to_owned(), items as u64)
    );
}

/// The account's batch, once it has ended.
pub async fn ended(world: &World, id: &str) -> lustra::store::Batch {
    let account = world.store.keys().find_account("tests").await;
    let account = account
        .expect("the store is there")
        .expect("every world has it")
        .id;
    let batch = world
        .batches
        .find(account, id)
        .await
        .expect("the store is there");
    let mut batch = batch.expect("it was made");
    while batch.completed_at.is_none() {
        batch = world
            .batches
            .ended(account, batch)
            .await
            .expect("the store is there");
    }
    batch
}

/// Simulates a crashed host: claims a part and does nothing with it.
async fn dies_over_a_part(world: &World) {
    static DEAD: AtomicU32 = AtomicU32::new(0);
    let batches = world.store.batches();
    let lease = Duration::from_secs(60);
    let worker = format!("dead/{}", DEAD.fetch_add(1, Ordering::Relaxed));
    let part = batches.claim(&worker, lease, world.now()).await;
    assert!(part.expect("the store is there").is_some());
}

#[tokio::test]
async fn large_batch_becomes_a_job_with_progress() {
    on_each_kind(jobs, async |world| {
        let id = made(world, 12).await;
        assert_json_snapshot!("a batch that waits", shown(&status(world, &id).await));
        let results = world.get(&format!("/v1/batch/{id}/results")).await;
        assert_eq!(results.status, 202);
        assert_eq!(results.body, status(world, &id).await.body);
        for processed in [5, 10] {
            assert!(world.batch_step().await);
            assert_eq!(
                progress(world, &id).await,
                ("processing".to_owned(), processed)
            );
        }
        assert_json_snapshot!("a batch under way", shown(&status(world, &id).await));
        assert_eq!(world.batch_work().await, 1);
        assert_json_snapshot!("a batch that has ended", shown(&status(world, &id).await));
        completed(world, &id, 12).await;
    })
    .await;
}

#[tokio::test]
async fn another_host_finishes_a_dead_hosts_batch() {
    on_each_kind(jobs, async |world| {
        let id = made(world, 12).await;
        assert!(world.batch_step().await);
        dies_over_a_part(world).await;
        let neighbour = world.neighbour().await;
        while neighbour.batch_step().await {}
        assert_eq!(progress(world, &id).await, ("processing".to_owned(), 7));
        world.advance(1);
        assert!(
            neighbour.batch_step().await,
            "the dead host's claim has ended"
        );
        assert!(!neighbour.batch_step().await);
        completed(world, &id, 12).await;
    })
    .await;
}

#[tokio::test]
async fn restarted_host_resumes_the_batch() {
    on_each_kind(jobs, async |world| {
        let id = made(world, 12).await;
        assert!(world.batch_step().await);
        let config = world.config().clone();
        let batch = Batch {
            jobs: true,
            ..config.batch.clone()
        };
        let restarted = world.neighbour_with(Config { batch, ..config }).await;
        // The host's worker processes it.
        ended(world, &id).await;
        let path = format!("/v1/batch/{id}/status");
        assert_eq!(restarted.get(&path).await.at("/data/status"), "completed");
        completed(world, &id, 12).await;
    })
    .await;
}

#[tokio::test]
async fn hosts_share_a_batch_without_duplicate_lookups() {
    on_each_kind(jobs, async |world| {
        let neighbour = world.neighbour().await;
        let asked = RequestCounter::from_now(world);
        let id = made(world, 60).await;
        let (mut here, mut there) = (0, 0);
        let one = async {
            while world.batch_step().await {
                here += 1;
            }
        };
        let other = async {
            while neighbour.batch_step().await {
                there += 1;
            }
        };
        tokio::join!(one, other);
        // A host that found only claimed parts tries again.
        here += world.batch_work().await;
        assert_eq!(here + there, 12);
        assert!(here > 0 && there > 0, "{here} and {there}");
        assert_eq!(asked.of(Register::Rpo), 60);
        completed(world, &id, 60).await;
        assert_eq!(
            neighbour
                .get(&format!("/v1/batch/{id}/results"))
                .await
                .status,
            200
        );
    })
    .await;
}

#[tokio::test]
async fn unfinished_part_is_given_up_and_the_rest_stays() {
    on_each_kind(jobs, async |world| {
        let id = made(world, 7).await;
        for _ in 0..world.config().batch.attempts {
            dies_over_a_part(world).await;
            world.advance(1);
        }
        assert_eq!(world.batch_work().await, 2);
        let status = status(world, &id).await;
        assert_eq!(status.at("/data/status"), "failed");
        let results = world.get(&format!("/v1/batch/{id}/results")).await;
        assert_eq!(results.status, 200);
        let mut shown = results.body;
        shown["meta"]["batch_id"] = json!("[batch id]");
        assert_json_snapshot!("a batch of which a part was given up", shown);
    })
    .await;
}

/// The lines of a response that is still being written.
struct Lines {
    response: reqwest::Response,
    read: String,
}

impl Lines {
    async fn of(world: &World, items: usize) -> Self {
        let request = world.posting(ICO).header("accept", "application/x-ndjson");
        let request = request.json(&json!({"icos": numbers(items)}));
        let response = request.send().await.expect("the host answers");
        assert_eq!(response.status().as_u16(), 200);
        Self {
            response,
            read: String::new(),
        }
    }

    fn id(&self) -> String {
        let id = self
            .response
            .headers()
            .get("x-batch-id")
            .expect("every batch has one");
        id.to_str().expect("a text").to_owned()
    }

    /// Reads the next `count` lines.
    async fn next(&mut self, count: usize) -> Vec<Value> {
        while self.read.lines().count() < count || !self.read.ends_with('\n') {
            let chunk = self.response.chunk().await.expect("the host goes on");
            self.read += std::str::from_utf8(&chunk.expect("more lines")).expect("UTF-8");
        }
        let read: Vec<Value> = self
            .read
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON in each line"))
            .collect();
        assert_eq!(read.len(), count, "no line comes before its part is done");
        self.read.clear();
        read
    }
}

#[tokio::test]
async fn ndjson_streams_a_job_part_by_part() {
    on_each_kind(jobs, async |world| {
        let mut lines = Lines::of(world, 12).await;
        for part in [5, 5, 2] {
            assert!(world.batch_step().await);
            let read = lines.next(part).await;
            assert!(read.iter().all(|line| line["found"] == false), "{read:?}");
        }
        let id = lines.id();
        let meta = lines.next(1).await;
        assert_eq!(
            meta[0],
            json!({"meta": {"total": 12, "found": 0, "not_found": 12, "failed": 0, "batch_id": id}})
        );
        assert_eq!(lines.response.chunk().await.expect("an orderly end"), None);
        completed(world, &id, 12).await;
    })
    .await;
}

#[tokio::test]
async fn ndjson_includes_parts_of_other_hosts() {
    on_each_kind(jobs, async |world| {
        let neighbour = world.neighbour().await;
        let mut lines = Lines::of(world, 12).await;
        while neighbour.batch_step().await {}
        assert_eq!(lines.next(13).await[12]["meta"]["total"], 12);
    })
    .await;
}

#[tokio::test]
async fn job_completes_after_its_client_disconnects() {
    on_each_kind(jobs, async |world| {
        let mut lines = Lines::of(world, 12).await;
        let id = lines.id();
        assert!(world.batch_step().await);
        lines.next(5).await;
        drop(lines);
        assert_eq!(world.batch_work().await, 2);
        completed(world, &id, 12).await;
    })
    .await;
}

#[test]
fn small_batch_completes_after_client_disconnects() {
    reading_each(async |world| {
        // The response begins before the batch has ended; the client stops reading.
        let lines = Lines::of(world, 40).await;
        let id = lines.id();
        drop(lines);
        assert_eq!(ended(world, &id).await.processed, 40);
    });
}

#[test]
fn results_of_a_large_batch_are_streamed_completely() {
    reading_each(async |world| {
        let mut icos = world.icos.clone();
        icos.extend((0..100).map(|number| format!("0002{number:04}")));
        let batch = world.post(ICO, &json!({ "icos": icos })).await;
        assert_eq!(batch.status, 202, "{batch:?}");
        let id = batch.header("x-batch-id").expect("every batch has one");
        // Tests that share the world may process each other's parts.
        let path = format!("/v1/batch/{id}/results");
        let mut results = world.get(&path).await;
        while results.status == 202 {
            world.batch_work().await;
            results = world.get(&path).await;
        }
        assert_eq!(results.status, 200);
        let entries = results.at("/data").as_object().expect("entries by key");
        assert_eq!(
            entries.keys().collect::<Vec<_>>(),
            icos.iter().collect::<Vec<_>>()
        );
        assert_eq!(results.at("/meta/found"), 12);
        assert_eq!(results.at("/meta/not_found"), 100);
        assert_eq!(entries[&icos[5]]["data"]["ico"], icos[5]);
        assert_eq!(
            results.header("content-length"),
            None,
            "the response is streamed"
        );
    });
}
