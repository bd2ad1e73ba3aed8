//! Small batches, answered at once, and the content of batch responses.

use insta::assert_json_snapshot;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, START, World, answered};
use serde_json::{Value, json};

use crate::faults_support::on_each_kind;
use crate::support::{keys, reading, reading_each, shown, shown_part};

const ICO: &str = "/v1/batch/ico";

/// The outcome of each item, without the companies' data.
fn outcomes(answer: &Answer) -> Value {
    let entries = answer.at("/data").as_object().expect("entries by key");
    let without_data = |entry: &Value| {
        let mut entry = entry.clone();
        if entry["data"].is_object() {
            entry["data"] = json!(format!("[company {}]", entry["data"]["ico"]));
            entry["meta"] = json!("[meta]");
        }
        entry
    };
    let entries = entries.iter();
    entries
        .map(|(key, entry)| (key.clone(), without_data(entry)))
        .collect()
}

fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    // A body of a single line is one JSON document.
    let text = answer.body.as_str().expect("several lines");
    assert!(text.ends_with('\n'));
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON in each line")
}

async fn in_lines(world: &World, path: &str, body: &Value) -> Answer {
    let request = world.posting(path).header("accept", "application/x-ndjson");
    answered(request.json(body)).await
}

#[tokio::test]
async fn each_number_has_its_own_outcome() {
    on_each_kind(
        |kind| World::new().on(kind),
        async |world| {
            let (cached, stored) = (world.icos[0].as_str(), world.icos[3].as_str());
            assert_eq!(world.company(cached, "").await.status, 200);
            assert_eq!(world.company("00000001", "").await.status, 404);
            world.fault(Register::Rpo, Fault::Down);
            world.fault(Register::Orsr, Fault::Down);
            let icos = [cached, "00000001", stored, "00000002", cached, stored];
            let answer = world.post(ICO, &json!({ "icos": icos })).await;
            assert_json_snapshot!(
                "a small batch",
                shown(&Answer {
                    body: json!({"data": outcomes(&answer), "meta": answer.at("/meta")}),
                    ..answer.clone()
                })
            );
            let order: Vec<&String> = answer
                .at("/data")
                .as_object()
                .expect("entries")
                .keys()
                .collect();
            assert_eq!(order, [cached, "00000001", stored, "00000002"]);
            assert_eq!(answer.body["data"][cached]["meta"]["source"], "cache");
            assert_eq!(answer.body["data"][stored]["meta"]["source"], "database");

            let id = answer
                .header("x-batch-id")
                .expect("every batch has one")
                .to_owned();
            assert_eq!(answer.at("/meta/batch_id"), &json!(id));
            let status = world.get(&format!("/v1/batch/{id}/status")).await;
            assert_json_snapshot!("the status of a small batch", shown(&status));
            let again = world.get(&format!("/v1/batch/{id}/results")).await;
            assert_eq!((again.status, &again.body), (200, &answer.body));
        },
    )
    .await;
}

#[test]
fn batch_item_equals_the_single_answer() {
    reading_each(async |world| {
        let icos: Vec<&String> = world.icos.iter().collect();
        // A first request, so that both responses are assembled from the same parts.
        let asked = world.post(ICO, &json!({ "icos": icos })).await;
        assert_eq!(asked.status, 200, "{asked:?}");
        let answer = world.post(ICO, &json!({ "icos": icos })).await;
        for ico in icos {
            let company = world.company(ico, "").await;
            let entry = &answer.body["data"][ico.as_str()];
            assert_eq!(&entry["data"], company.at("/data"), "{ico}");
            assert_eq!(keys(&entry["meta"]), keys(company.at("/meta")), "{ico}");
            assert_eq!(keys(entry), ["data", "found", "meta"]);
        }
        let sums = answer.at("/meta");
        assert_eq!((&sums["total"], &sums["found"]), (&json!(12), &json!(12)));
    });
}

#[test]
fn batches_up_to_the_limit_are_answered_at_once() {
    reading(async |world| {
        let one = world.post(ICO, &json!({"icos": [world.icos[0]]})).await;
        assert_eq!((one.status, one.at("/meta/found")), (200, &json!(1)));
        let numbers: Vec<String> = (0..100)
            .map(|number| format!("000010{number:02}"))
            .collect();
        let most = world.post(ICO, &json!({ "icos": numbers })).await;
        assert_eq!(
            (most.status, most.at("/meta/not_found")),
            (200, &json!(100))
        );
        let order: Vec<&String> = most
            .at("/data")
            .as_object()
            .expect("entries")
            .keys()
            .collect();
        assert_eq!(order, numbers.iter().collect::<Vec<_>>());
    });
}

#[test]
fn ndjson_is_sent_if_it_is_accepted() {
    reading(async |world| {
        let icos: Vec<&str> = world.icos[..3].iter().map(String::as_str).collect();
        let body = json!({"icos": [icos[0], "00000001", icos[1], icos[2]]});
        let answer = in_lines(world, ICO, &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let reported = lines(&answer);
        let numbers: Vec<&Value> = reported.iter().map(|line| &line["ico"]).collect();
        assert_eq!(numbers[..4], [icos[0], "00000001", icos[1], icos[2]]);
        assert_eq!(reported[0]["data"]["ico"], icos[0]);
        assert_json_snapshot!(
            "lines without a company",
            shown_part(&json!([reported[1], reported[4]]))
        );
        let id = answer.header("x-batch-id").expect("every batch has one");
        let path = format!("/v1/batch/{id}/results");
        let headers = [
            ("x-api-key", world.key.as_str()),
            ("accept", "application/x-ndjson"),
        ];
        let again = world.get_with(&path, &headers).await;
        assert_eq!(again.body, answer.body);
        let object = world.get(&path).await;
        assert_eq!(object.at("/meta"), &reported[4]["meta"]);
        assert_eq!(object.body["data"][icos[2]]["data"], reported[3]["data"]);
    });
}

#[test]
fn batch_is_visible_only_to_its_account() {
    reading_each(async |world| {
        let batch = world.post(ICO, &json!({"icos": ["00000001"]})).await;
        let id = batch.header("x-batch-id").expect("every batch has one");
        let keys = world.store.keys();
        let name = format!("stranger to {id}");
        let account = keys.create_account(&name, "enterprise", START).await;
        let account = account.expect("the name is new");
        let key = NewKey::live();
        let hash = key.text.hash();
        let created = keys.create_key(account.id, "k", &key.prefix, &hash, None, START);
        created.await.expect("the store is there");
        let unknown = world
            .get("/v1/batch/0b9a3c52-6f0e-4d0e-8f44-1f4a5a0d7e11/status")
            .await;
        for page in ["status", "results"] {
            let path = format!("/v1/batch/{id}/{page}");
            let strange = world
                .get_with(&path, &[("x-api-key", key.text.reveal())])
                .await;
            assert_eq!((strange.status, &strange.body), (404, &unknown.body));
            assert_eq!(world.get_with(&path, &[]).await.status, 401);
            assert_eq!(world.get(&path).await.status, 200);
        }
    });
}

#[tokio::test]
async fn results_expire_by_the_clock() {
    on_each_kind(
        |kind| World::new().nothing_imported().on(kind),
        async |world| {
            let batch = world.post(ICO, &json!({"icos": ["00000001"]})).await;
            let id = batch
                .header("x-batch-id")
                .expect("every batch has one")
                .to_owned();
            assert_eq!(world.batches.sweep().await.expect("the store is there"), 0);
            world.advance(1);
            for page in ["status", "results"] {
                let answer = world.get(&format!("/v1/batch/{id}/{page}")).await;
                assert_eq!(answer.status, 404, "{answer:?}");
            }
            let rows = world.batches.sweep().await.expect("the store is there");
            assert_eq!(rows, 2, "the batch and its part");
        },
    )
    .await;
}

#[tokio::test]
async fn slow_small_batch_becomes_a_job() {
    let world = World::new().nothing_imported().settings(|config| {
        config.batch.synchronous_seconds = 0;
    });
    let world = world.start().await;
    world.fault(Register::Rpo, Fault::Slow);
    let batch = world.post(ICO, &json!({"icos": ["00000001"]})).await;
    assert_eq!(
        (batch.status, batch.at("/data/status")),
        (202, &json!("processing"))
    );
    let id = batch.header("x-batch-id").expect("every batch has one");
    let results = world.get(&format!("/v1/batch/{id}/results")).await;
    assert_eq!((results.status, &results.body), (202, &batch.body));
    world.end().await;
}

#[tokio::test]
async fn slow_item_is_marked_as_timed_out() {
    let world = World::new().nothing_imported().settings(|config| {
        config.batch.item_seconds = 1;
    });
    let world = world.start().await;
    world.fault(Register::Rpo, Fault::Slow);
    let batch = world
        .post(ICO, &json!({"icos": ["00000001", "00000002"]}))
        .await;
    assert_json_snapshot!("items that take too long", shown(&batch));
    world.end().await;
}
