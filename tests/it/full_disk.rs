//! A full disk: charged calls are refused while it is full, and succeed again once there is space.

use std::time::{Duration, Instant};

use lustra_tests::lustra::billing::verify::{Findings, verify};
use lustra_tests::lustra::store::{EntryKind, Store};
use lustra_tests::{SmallDisk, client};
use reqwest::Client;
use serde_json::Value;

use crate::command_line::{lustra, serve};

/// Makes a charged call. Returns its status and id.
async fn call(client: &Client, url: &str, key: &str) -> (u16, String) {
    let request = client
        .get(format!("{url}/search/ico?q=1"))
        .header("x-api-key", key);
    let response = request.send().await.expect("the host answers");
    let id = response.headers()["x-request-id"].to_str().expect("an id");
    (response.status().as_u16(), id.to_owned())
}

async fn health(client: &Client, url: &str) -> Value {
    let answer = client.get(format!("{url}/health")).send().await;
    let answer = answer.expect("the host answers");
    answer.json().await.expect("JSON")
}

/// Makes calls until this status. Returns the ids of the charged ones.
async fn until(status: u16, client: &Client, url: &str, key: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut pace = tokio::time::interval(Duration::from_millis(20));
    let mut charged = Vec::new();
    loop {
        pace.tick().await;
        let (answered, id) = call(client, url, key).await;
        assert!([200, 503].contains(&answered), "{answered}");
        if answered == 200 {
            charged.push(id);
        }
        if answered == status {
            return charged;
        }
        assert!(Instant::now() < deadline, "still no {status}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_stops_charged_calls_only_while_it_is_full() {
    let Some(disk) = SmallDisk::of(24) else {
        return;
    };
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let config = folder.path().join("lustra.toml");
    let (data, components) = (disk.path().join("data"), folder.path().join("components"));
    std::fs::create_dir_all(&components).expect("tests can write temporary files");
    let text = format!(
        "listen = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {components:?}\n\
         [operator]\non = false\n[imports]\nscheduled = false\n[reload]\nwatch = false\n\
         [search]\nwriter_mib = 15\n[disk]\nlow_mib = 4\n[plans.own]\ncredits = 1000000\n"
    );
    std::fs::write(&config, text).expect("tests can write temporary files");
    let file = config.display().to_string();
    let (account, plan) = ("acme", "own");
    let create = ["key", "create", "--config", &file, "--account", account];
    let key = lustra(&[&create[..], &["--plan", plan]].concat()).await;
    let key = key.printed().trim().to_owned();
    let (host, url) = serve(&config).await;
    let client = client();
    let mut charged = until(200, &client, &url, &key).await;
    assert_eq!(health(&client, &url).await["warnings"], Value::Null);
    for _ in 0..3 {
        let filler = disk.fill();
        charged.extend(until(503, &client, &url, &key).await);
        drop(filler);
        charged.extend(until(200, &client, &url, &key).await);
    }
    drop(host);
    let url = format!("sqlite:{}", data.join("lustra.db").display());
    let store = Store::connect(&url, 1).await.expect("the file is in order");
    let account = store.keys().find_account(account).await;
    let account = account.expect("the store is there").expect("it was made");
    let mut findings = Findings::default();
    let verified = verify(&store, account.id, &mut findings).await;
    verified.expect("the store is there");
    assert_eq!(findings.mistakes, []);
    for operation in &charged {
        let entries = store.billing().entries_of(account.id, operation).await;
        let entries = entries.expect("the store is there");
        let kinds: Vec<EntryKind> = entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::Charge], "{operation} was answered");
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn low_disk_space_is_reported_and_pauses_imports() {
    let world = lustra_tests::World::new()
        .nothing_imported()
        .without_index()
        .settings(|config| config.disk.low_mib = 1 << 40)
        .start()
        .await;
    let health = world.get_with("/v1/health", &[]).await;
    assert_eq!(health.status, 200);
    assert_eq!(health.at("/warnings/0"), "disk_space_low");
    let metrics = world.operator(reqwest::Method::GET, "/metrics", &[]).await;
    let text = metrics.body.as_str().expect("a text");
    assert!(text.contains("\nlustra_disk_low{} 1.0"), "{text}");
    assert!(text.contains("\nlustra_disk_free_bytes{} "), "{text}");
    assert_eq!(world.import_due().await, 0);
    let states = world.store.datasets().states().await;
    assert!(states.expect("the store is there").is_empty());
    world.end().await;
}
