//! A rolling upgrade on `PostgreSQL`: a migration of a later version is applied while hosts of this version serve, and
//! hosts replace one another under load.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use lustra_tests::lustra::billing::verify::verify_all;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::membership::Membership;
use lustra_tests::lustra::server::Host;
use lustra_tests::lustra::store::{DatabaseKind, EntryKind, Store};
use lustra_tests::{Receiver, World, client};
use serde_json::json;
use sqlx::Connection;
use sqlx_postgres::PgConnection;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::notified::found_in_the_store;

/// A host with its background work.
pub struct Running {
    url: String,
    membership: Membership,
    end: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub async fn start(config: Config, clock: Clock) -> Self {
        let host = Box::pin(Host::prepare(config, clock)).await;
        let host = host.expect("the host starts");
        let listener = host.listen().await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let membership = host.membership.clone();
        let (end, ended) = oneshot::channel::<()>();
        let serving = tokio::spawn(host.serve(listener, None, async {
            drop(ended.await);
        }));
        Self {
            url,
            membership,
            end,
            serving,
        }
    }

    /// Ends as after SIGTERM: running responses are finished.
    pub async fn stop(self) {
        drop(self.end);
        let served = self.serving.await.expect("it does not panic");
        served.expect("it ends in order");
    }
}

/// The hosts that the clients know, as behind a load balancer.
#[derive(Clone, Default)]
struct Balancer(Arc<Mutex<Vec<String>>>);

impl Balancer {
    fn set(&self, hosts: &[&Running]) {
        let urls = hosts.iter().map(|host| host.url.clone());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = urls.collect();
    }

    fn pick(&self, turn: usize) -> String {
        let hosts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hosts[turn % hosts.len()].clone()
    }
}

/// Sends charged requests until told to end. Returns the ids of the answered calls.
async fn ask(
    hosts: Balancer,
    key: String,
    path: String,
    ended: Arc<AtomicBool>,
    answers: Arc<AtomicUsize>,
) -> Vec<String> {
    let mut answered = Vec::new();
    let client = client();
    for turn in 0.. {
        if ended.load(Ordering::SeqCst) {
            break;
        }
        let request = client.get(format!("{}{path}", hosts.pick(turn)));
        // A host that ends refuses connections; the balancer's clients ask the next one.
        let Ok(response) = request.header("x-api-key", &key).send().await else {
            continue;
        };
        let (status, headers) = (response.status(), response.headers().clone());
        if response.bytes().await.is_err() {
            continue;
        }
        assert_eq!(status, 200, "no request is refused during the upgrade");
        if headers["x-credits-charged"] != "0" {
            let id = headers["x-request-id"].to_str().expect("an id");
            answered.push(id.to_owned());
        }
        answers.fetch_add(1, Ordering::SeqCst);
    }
    answered
}

/// Executes statements outside of any host, as the migration of a later version.
async fn execute(world: &World, statements: &'static str) {
    let url = world.config().store_url();
    let mut connection = PgConnection::connect(&url)
        .await
        .expect("the server answers");
    sqlx::raw_sql(statements)
        .execute(&mut connection)
        .await
        .expect("the statements are right");
    connection.close().await.expect("the server answers");
}

/// An additive migration: hosts that do not know it may go on.
const ADDITIVE: &str = "begin; \
    alter table subscription add column of_the_future text collate \"C\"; \
    alter table company add column of_the_future bigint not null default 0; \
    create table future (id bigint primary key, account_id bigint not null references account (id)); \
    insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
        values (9001, 'future', true, ''::bytea, 0); \
    insert into schema_change (migration, oldest_program, applied_by) \
        select 9001, max(migration), '9.0.1' from schema_change; \
    commit;";

/// A migration after which earlier hosts must stop.
const BREAKING: &str = "begin; \
    insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
        values (9002, 'breaking', true, ''::bytea, 0); \
    insert into schema_change (migration, oldest_program, applied_by) values (9002, 9002, '9.0.2'); \
    commit;";

/// The configuration of another host of the world's store, whose data folder is made here.
fn config_in(world: &World, data: &Path) -> Config {
    let mut config = world.config().clone();
    data.clone_into(&mut config.data);
    config.notifications.on = true;
    config.notifications.poll_ms = 20;
    config.notifications.refresh_hours = 100_000;
    config.notifications.secrets_key = world.config().notifications.secrets_key.clone();
    std::fs::create_dir_all(data).expect("tests can write temporary files");
    let key = world.config().data.join("secrets.key");
    std::fs::copy(key, data.join("secrets.key")).expect("the world has a key");
    config
}

/// Applies a migration that ends the host and refuses the start of others of its version.
async fn newer_schema_stops(host: Running, world: &World) {
    assert_eq!(host.membership.check_schema().await.ok(), Some(()));
    assert_eq!(host.membership.refusal(), None);
    execute(world, BREAKING).await;
    host.membership
        .check_schema()
        .await
        .expect("the store is there");
    let stopped = host
        .serving
        .await
        .expect("it does not panic")
        .expect_err("it must stop");
    for named in ["lustra 9.0.2", "schema 9002", env!("CARGO_PKG_VERSION")] {
        assert!(stopped.to_string().contains(named), "{stopped}");
    }
    let refused = Store::connect(&world.config().store_url(), 1).await;
    let refused = refused.expect_err("no host of this version starts");
    assert!(
        refused.to_string().contains("start the newer program"),
        "{refused}"
    );
}

/// Checks that the ledger has one charge for each answered call.
async fn charged_once(world: &World, answered: &[String]) {
    let findings = verify_all(&world.store).await.expect("the store is there");
    assert_eq!(findings.mistakes, []);
    let account = world
        .store
        .keys()
        .find_account("tests")
        .await
        .expect("a store");
    let account = account.expect("the world made it").id;
    let unique: BTreeSet<&String> = answered.iter().collect();
    assert!(unique.len() == answered.len() && !answered.is_empty());
    for operation in answered {
        let entries = world.store.billing().entries_of(account, operation).await;
        let kinds: Vec<EntryKind> = entries
            .expect("a store")
            .iter()
            .map(|one| one.kind)
            .collect();
        assert_eq!(kinds, [EntryKind::Charge], "{operation}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rolling_upgrade_loses_and_doubles_nothing() {
    let world = World::new()
        .on(DatabaseKind::Postgres)
        .companies(12)
        .without_index();
    let Some(world) = world.connectors(&["rpo"]).start_if_possible().await else {
        return;
    };
    let receiver = Receiver::start().await;
    let ico = world.icos[0].clone();
    let subscribed = world
        .post(
            "/v1/notifications",
            &json!({ "ico": ico, "url": receiver.url() }),
        )
        .await;
    assert_eq!(subscribed.status, 201, "{subscribed:?}");
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let start = async |name: &str| {
        let days = world.simulator.clock().clone();
        let clock = Clock::from_fn(move || days.now());
        Running::start(config_in(&world, &folder.path().join(name)), clock).await
    };
    let first = start("first").await;
    let hosts = Balancer::default();
    hosts.set(&[&first]);
    let (ended, answers) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let asking: Vec<_> = (0..4)
        .map(|client| {
            let path = format!("/v1/company/ico/{}", world.icos[client % world.icos.len()]);
            let (hosts, key) = (hosts.clone(), world.key.clone());
            tokio::spawn(ask(
                hosts,
                key,
                path,
                Arc::clone(&ended),
                Arc::clone(&answers),
            ))
        })
        .collect();
    let mut events = BTreeSet::new();
    // Load and events of one phase of the upgrade.
    let mut phase = async |name: &str| {
        let ids: Vec<String> = (0..25)
            .map(|number| format!("evt_{name}_{number}"))
            .collect();
        found_in_the_store(&world, &ico, &ids).await;
        events.extend(ids);
        let enough = answers.load(Ordering::SeqCst) + 40;
        while answers.load(Ordering::SeqCst) < enough {
            tokio::task::yield_now().await;
        }
    };
    phase("before").await;
    execute(&world, ADDITIVE).await;
    phase("migrated").await;
    let second = start("second").await;
    hosts.set(&[&first, &second]);
    phase("beside").await;
    hosts.set(&[&second]);
    first.stop().await;
    phase("replaced").await;
    let third = start("third").await;
    hosts.set(&[&second, &third]);
    phase("third").await;
    hosts.set(&[&third]);
    second.stop().await;
    phase("after").await;
    ended.store(true, Ordering::SeqCst);
    let mut answered = Vec::new();
    for client in asking {
        answered.extend(client.await.expect("every request is answered"));
    }
    // Every event reaches the receiver. Attempts that a stop interrupted are repeated under the same id.
    let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(30);
    let events_of = || -> BTreeSet<String> {
        let received = receiver.received().into_iter();
        received
            .map(|one| one.json()["id"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    while events_of().len() < events.len() && tokio::time::Instant::now() < deadline {
        tokio::task::yield_now().await;
    }
    assert_eq!(events_of(), events);
    let per_delivery: BTreeSet<(String, String)> = receiver
        .received()
        .iter()
        .map(|one| (one.json()["id"].to_string(), one.delivery().to_owned()))
        .collect();
    assert_eq!(
        per_delivery.len(),
        events.len(),
        "one delivery for each event"
    );

    newer_schema_stops(third, &world).await;
    charged_once(&world, &answered).await;
    world.end().await;
}
