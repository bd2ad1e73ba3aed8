//! Database outages: the service reports them and recovers by itself.

use std::sync::{Arc, Mutex, PoisonError};

use lustra_tests::lustra::config::{Config, Plan, Secret};
use lustra_tests::{DatabaseKind, World};
use reqwest::Method;
use serde_json::json;
use sqlx::Connection;
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::task::JoinSet;

use crate::credits::on_plan;
use crate::faults_support::assert_out_of_order;

/// A proxy to the database that can be closed and reopened.
struct Doorway {
    address: std::net::SocketAddr,
    /// The database's address: a socket directory, or a host and port.
    target: String,
    open: Mutex<Option<tokio::task::JoinHandle<()>>>,
}

impl Doorway {
    /// Puts a proxy before the database of a host's settings.
    fn before(config: &mut Config) -> Arc<Self> {
        let mut url = reqwest::Url::parse(&config.store_url()).expect("a database's address");
        let folder = url
            .query_pairs()
            .find(|(name, _)| name == "host")
            .map(|(_, folder)| format!("{folder}/.s.PGSQL.5432"));
        let beyond = || {
            format!(
                "{}:{}",
                url.host_str().unwrap_or("localhost"),
                url.port().unwrap_or(5432)
            )
        };
        let target = folder.unwrap_or_else(beyond);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        url.set_query(None);
        url.set_host(Some("127.0.0.1"))
            .expect("an address is a host");
        url.set_port(Some(address.port()))
            .expect("databases have ports");
        config.store = Some(Secret::new(url));
        let doorway = Arc::new(Self {
            address,
            target,
            open: Mutex::default(),
        });
        doorway.open_on(listener);
        doorway
    }

    fn open_on(&self, listener: std::net::TcpListener) {
        listener.set_nonblocking(true).expect("a socket of our own");
        let listener = TcpListener::from_std(listener).expect("a socket of our own");
        let target = self.target.clone();
        let task = tokio::spawn(async move {
            let mut passing = JoinSet::new();
            while let Ok((inner, _)) = listener.accept().await {
                passing.spawn(pass(inner, target.clone()));
            }
        });
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    /// Closes all connections and accepts no new ones.
    async fn close(&self) {
        let task = self
            .open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .expect("it was open");
        task.abort();
        assert!(task.await.is_err_and(|error| error.is_cancelled()));
    }

    /// Closes all connections, and closes new ones as soon as they are accepted.
    async fn shut(&self) {
        self.close().await;
        let listener = std::net::TcpListener::bind(self.address).expect("the port is ours");
        listener.set_nonblocking(true).expect("a socket of our own");
        let listener = TcpListener::from_std(listener).expect("a socket of our own");
        let task = tokio::spawn(async move { while listener.accept().await.is_ok() {} });
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(task);
    }

    fn open(&self) {
        self.open_on(std::net::TcpListener::bind(self.address).expect("the port is ours"));
    }
}

/// Copies bytes in both directions until either side ends.
async fn pass(mut inner: TcpStream, target: String) {
    let ended = if target.starts_with('/') {
        let mut outer = UnixStream::connect(target)
            .await
            .expect("the database listens");
        tokio::io::copy_bidirectional(&mut inner, &mut outer).await
    } else {
        let mut outer = TcpStream::connect(target)
            .await
            .expect("the database listens");
        tokio::io::copy_bidirectional(&mut inner, &mut outer).await
    };
    drop(ended);
}

#[tokio::test]
async fn database_outage_is_reported_and_recovers() {
    let doorway: Arc<Mutex<Option<Arc<Doorway>>>> = Arc::default();
    let kept = Arc::clone(&doorway);
    let start = World::new()
        .on(DatabaseKind::Postgres)
        .settings(move |config| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Doorway::before(config));
        });
    let Some(world) = start.start_if_possible().await else {
        return;
    };
    let doorway = doorway
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .expect("the world has started");
    let ico = world.icos[0].clone();
    let before = world.company(&ico, "").await;
    doorway.close().await;
    let path = format!("/v1/company/ico/{ico}?scope=tax");
    let (company, status, health) = tokio::join!(
        world.get(&path),
        world.get_with("/v1/status", &[]),
        world.get_with("/v1/health", &[])
    );
    for answer in [company, status, health] {
        assert_out_of_order(&answer);
    }
    assert_eq!(
        world.get_with("/v1/sandbox/companies", &[]).await.status,
        200,
        "the sandbox needs no database"
    );
    let unstored = metrics(&world).await;
    for line in [
        "lustra_store_up{} 0.0",
        "lustra_store_pool_max{pool=\"all\"} 8.0",
        "lustra_http_requests_total{",
        "lustra_connector_calls_total{connector=\"tax-authority\"}",
        "lustra_search_companies{} ",
    ] {
        assert!(unstored.contains(line), "{line}: {unstored}");
    }
    for name in STORED {
        assert!(
            !unstored.contains(name),
            "{name} cannot be known: {unstored}"
        );
    }
    doorway.open();
    assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
    assert_eq!(
        world.company(&ico, "").await.at("/data"),
        before.at("/data")
    );
    assert_eq!(world.import_due().await, 0, "the schedule is as it was");
    let stored = metrics(&world).await;
    assert!(stored.contains("lustra_store_up{} 1.0"), "{stored}");
    for name in STORED {
        assert!(stored.contains(name), "{name}: {stored}");
    }
    world.end().await;
}

/// Metrics whose values come from the store.
const STORED: [&str; 7] = [
    "lustra_dataset_records",
    "lustra_dataset_failed",
    "lustra_sentinel_readings",
    "lustra_batch_parts_unfinished",
    "lustra_mail_waiting",
    "lustra_deliveries_waiting",
    "lustra_events_waiting_seconds",
];

async fn metrics(world: &World) -> String {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    assert_eq!(metrics.status, 200, "{metrics:?}");
    metrics.body.as_str().expect("it is text").to_owned()
}

#[tokio::test]
async fn database_that_accepts_and_closes_is_503() {
    let doorway: Arc<Mutex<Option<Arc<Doorway>>>> = Arc::default();
    let kept = Arc::clone(&doorway);
    let plan = Plan {
        credits: Some(1_000),
        requests_per_day: Some(1_000),
        watched_companies: 10,
        ..Plan::default()
    };
    let start = on_plan(plan)
        .on(DatabaseKind::Postgres)
        .settings(move |config| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Doorway::before(config));
        });
    let Some(world) = start.start_if_possible().await else {
        return;
    };
    let doorway = doorway
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .expect("the world has started");
    let ico = world.icos[0].clone();
    assert_eq!(world.company(&ico, "").await.status, 200);
    doorway.shut().await;
    // Routes without a key keep working. The others fail at the key, or later if the key is cached.
    let company = format!("/v1/company/ico/{ico}?scope=tax");
    for _ in 0..3 {
        for path in [
            company.as_str(),
            "/v1/company/1",
            "/v1/company/id/346",
            "/v1/search/name?q=vzorostav",
            "/v1/search/autocomplete?q=vzorostav",
            "/v1/account/usage",
            "/v1/account/quota",
            "/v1/account/history",
            "/v1/account/thresholds",
            "/v1/notifications",
            "/v1/notifications/events",
            "/v1/notifications/sub_1/deliveries",
            "/v1/batch/3fa85f64-5717-4562-b3fc-2c963f66afa6/status",
            "/v1/batch/3fa85f64-5717-4562-b3fc-2c963f66afa6/results",
            "/v1/status",
            "/v1/health",
        ] {
            let answer = world.get(path).await;
            assert_out_of_order(&answer);
        }
        let icos = json!({ "icos": [ico] });
        assert_out_of_order(&world.post("/v1/batch/ico", &icos).await);
        let watched = json!({ "ico": ico, "notification_emails": ["risk@shop.example"] });
        assert_out_of_order(&world.post("/v1/notifications", &watched).await);
    }
    doorway.close().await;
    doorway.open();
    assert_eq!(world.get_with("/v1/health", &[]).await.status, 200);
    assert_eq!(world.company(&ico, "tax").await.status, 200);
    world.verify_ledgers().await;
    world.end().await;
}

#[tokio::test]
async fn locked_database_serves_reads_and_delays_writes() {
    let world = World::new().nothing_imported().start().await;
    let (known, new) = (world.icos[0].clone(), world.icos[1].clone());
    assert_eq!(world.company(&known, "").await.status, 200);
    let path = world
        .config()
        .store_url()
        .trim_start_matches("sqlite:")
        .to_owned();
    let options = SqliteConnectOptions::new().filename(path);
    let mut other = SqliteConnection::connect_with(&options)
        .await
        .expect("the file is there");
    sqlx::query("begin immediate")
        .execute(&mut other)
        .await
        .expect("there is no other writer");
    let (waits, answered) = tokio::join!(world.company(&new, ""), world.company(&known, ""));
    assert_out_of_order(&waits);
    assert_eq!(answered.status, 200, "{answered:?}");
    assert!(answered.at("/data/statutory_body").is_array());
    sqlx::query("rollback")
        .execute(&mut other)
        .await
        .expect("it was ours");
    assert_eq!(world.company(&new, "").await.status, 200);
    world.end().await;
}
