//! A host that is killed repeatedly under load: every answered call is in the ledger exactly once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use lustra_tests::client;
use lustra_tests::lustra::billing::verify::{Findings, verify};
use lustra_tests::lustra::store::testing::TestDatabase;
use lustra_tests::lustra::store::{EntryKind, Store};
use reqwest::Client;
use tokio::sync::Notify;

use crate::command_line::{lustra, serve};

/// Number of concurrent clients.
const CLIENTS: usize = 8;

/// Sends requests until the host is gone. Returns the ids of the answered, charged calls.
async fn ask(
    client: Client,
    url: String,
    key: String,
    answers: Arc<AtomicUsize>,
    reported: Arc<Notify>,
) -> Vec<String> {
    let mut answered = Vec::new();
    loop {
        let request = client
            .get(format!("{url}/search/ico?q=1"))
            .header("x-api-key", &key);
        let Ok(response) = request.send().await else {
            return answered;
        };
        let (status, headers) = (response.status(), response.headers().clone());
        // An incomplete response does not count.
        if response.bytes().await.is_err() {
            return answered;
        }
        if status == 200 {
            assert_eq!(headers["x-credits-charged"], "1");
            answered.push(headers["x-request-id"].to_str().expect("an id").to_owned());
            answers.fetch_add(1, Ordering::SeqCst);
            reported.notify_one();
        } else {
            // The index is being built, or another process still holds the store.
            assert_eq!(status, 503);
        }
    }
}

async fn killed_again_and_again(database: &TestDatabase, times: usize) {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let config = folder.path().join("lustra.toml");
    let (data, components) = (folder.path().join("data"), folder.path().join("components"));
    std::fs::create_dir_all(&components).expect("tests can write temporary files");
    let text = format!(
        "listen = \"127.0.0.1:0\"\nstore = {:?}\ndata = {data:?}\ncomponents = {components:?}\n\
         [operator]\non = false\n[imports]\nscheduled = false\n[reload]\nwatch = false\n\
         [plans.own]\ncredits = 1000000\n",
        database.url(),
    );
    std::fs::write(&config, text).expect("tests can write temporary files");
    let file = config.display().to_string();
    let key = lustra(&[
        "key",
        "create",
        "--config",
        &file,
        "--account",
        "acme",
        "--plan",
        "own",
    ])
    .await;
    let key = key.printed().trim().to_owned();
    let client = client();
    let mut answered = Vec::new();
    for time in 0..times {
        let (mut host, url) = serve(&config).await;
        let (answers, reported) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let asking: Vec<_> = (0..CLIENTS)
            .map(|_| {
                tokio::spawn(ask(
                    client.clone(),
                    url.clone(),
                    key.clone(),
                    Arc::clone(&answers),
                    Arc::clone(&reported),
                ))
            })
            .collect();
        // Kills at varying moments; responses arrive in groups that are committed together.
        let enough = 1 + (time * 37) % 101;
        while answers.load(Ordering::SeqCst) < enough {
            reported.notified().await;
        }
        host.kill().await.expect("it is ours");
        for client in asking {
            answered.extend(client.await.expect("no client is answered wrongly"));
        }
    }
    let store = Store::connect(database.url(), 4)
        .await
        .expect("it is as the last host left it");
    let account = store
        .keys()
        .find_account("acme")
        .await
        .expect("the store is there")
        .expect("it was made");
    let mut findings = Findings::default();
    verify(&store, account.id, &mut findings)
        .await
        .expect("the store is there");
    assert_eq!(findings.mistakes, []);
    for operation in &answered {
        let entries = store
            .billing()
            .entries_of(account.id, operation)
            .await
            .expect("the store is there");
        let kinds: Vec<EntryKind> = entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::Charge], "{operation} was answered");
    }
    // The rest are calls in flight at a kill, which may be charged without a response.
    let charged = usize::try_from(findings.entries).expect("a number") - 1;
    assert!(
        charged >= answered.len() && charged <= answered.len() + times * CLIENTS,
        "{charged} {}",
        answered.len()
    );
    assert!(answered.len() >= times);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_host_has_booked_every_answered_call() {
    let database = TestDatabase::sqlite();
    killed_again_and_again(&database, 100).await;
    database.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_host_on_postgres_has_booked_every_call() {
    if let Some(database) = TestDatabase::postgres().await {
        killed_again_and_again(&database, 15).await;
        database.remove().await;
    }
}
