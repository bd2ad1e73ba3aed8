//! Hosts that are killed repeatedly during imports, fan-outs and deliveries. In the end every event is delivered
//! once, as with a host that was never killed.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use lustra_demo as demo;
use lustra_tests::lustra::clock::Clock;
use lustra_tests::lustra::config::{Config, Secret};
use lustra_tests::lustra::notifications::new_secret;
use lustra_tests::lustra::server::Host;
use lustra_tests::lustra::store::testing::TestDatabase;
use lustra_tests::lustra::store::{
    AccountId, AttemptOutcome, DeliveryFilter, NewSubscription, ScopeName, State, Store,
};
use lustra_tests::register_simulator::Simulator;
use lustra_tests::{Received, Receiver, START, client, components};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::OnceCell;

/// Environment variable with a child host's parameters, as JSON.
const PARAMETERS: &str = "LUSTRA_TEST_HOST";

/// The connectors of the hosts: the base register, lists that are imported, and registers that are asked for a company.
const CONNECTORS: [&str; 5] = ["crz", "debtors", "orsr", "rpo", "tax-authority"];

/// Number of simulated days.
const DAYS: u32 = 9;

/// Clock advance, in milliseconds, that expires the claims of dead hosts. In total less than a day, so dates stay the
/// simulator's.
const LEASES_END: i64 = 6 * 60 * 1_000;

/// The settings of all hosts of a test: the same registers, store and key, and a separate folder for each.
fn settings(simulator: &str, store: &str, data: &Path, components: &Path) -> Config {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut config = demo::config(simulator, components, data, listen).expect("they are right");
    let connectors = &mut config.connector;
    connectors.retain(|id, _| CONNECTORS.contains(&id.as_str()));
    config.store = Some(Secret::new(store.to_owned()));
    config.store_connections = 8;
    config.compiled = Some(components.join("../compiled-for-tests"));
    config.operator.on = false;
    config.reload.watch = false;
    config.mail.on = false;
    config.batch.jobs = false;
    let notifications = &mut config.notifications;
    notifications.allow_loopback = true;
    notifications.poll_ms = 20;
    notifications.secrets_key = Some(Secret::new(format!("{}=", "A".repeat(43))));
    config
}

/// Not a test of its own: the child process that other tests start and kill.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "that is how it says where it serves")]
async fn child_host_process() {
    let Ok(reported) = std::env::var(PARAMETERS) else {
        return;
    };
    let reported: Value = serde_json::from_str(&reported).expect("JSON");
    let text = |name: &str| reported[name].as_str().expect("a text").to_owned();
    let (data, components) = (text("data"), text("components"));
    let (data, components) = (Path::new(&data), Path::new(&components));
    let config = settings(&text("simulator"), &text("store"), data, components);
    let ahead = PathBuf::from(text("ahead"));
    let clock = Clock::from_fn(move || {
        let ahead = std::fs::read_to_string(&ahead).expect("it was written first");
        let ahead = time::Duration::milliseconds(ahead.trim().parse().expect("a number"));
        OffsetDateTime::now_utc() + ahead
    });
    let host = Box::pin(Host::prepare(config, clock)).await;
    let host = host.expect("the host starts");
    let listener = host.listen().await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    println!("\nserving on http://{address}");
    let serving = host.serve(listener, None, std::future::pending());
    serving.await.expect("it is killed before");
}

/// Registers, a receiver, a store, and a clock that follows the registers' days plus the advances so far.
struct Stage {
    simulator: Simulator,
    receiver: Receiver,
    database: TestDatabase,
    folder: tempfile::TempDir,
    turned: Arc<AtomicI64>,
    clock: Clock,
}

impl Stage {
    async fn on(database: TestDatabase) -> Self {
        let (simulator, clock) = demo::simulator(60, 1, START)
            .await
            .expect("the simulator starts");
        let turned = Arc::new(AtomicI64::new(0));
        let ahead = Arc::clone(&turned);
        let stage = Self {
            receiver: Receiver::start().await,
            folder: tempfile::tempdir().expect("tests can write temporary files"),
            clock: Clock::from_fn(move || {
                clock.now() + time::Duration::milliseconds(ahead.load(Ordering::SeqCst))
            }),
            simulator,
            database,
            turned,
        };
        stage.turn(0);
        stage
    }

    /// Advances the clock, also for hosts in other processes. The file is renamed into place, so that readers never
    /// see a partial one.
    fn turn(&self, milliseconds: i64) {
        self.turned.fetch_add(milliseconds, Ordering::SeqCst);
        let ahead = (self.clock.now() - OffsetDateTime::now_utc()).whole_milliseconds();
        let new = self.folder.path().join("new");
        std::fs::write(&new, ahead.to_string()).expect("tests can write temporary files");
        std::fs::rename(new, self.ahead()).expect("tests can write temporary files");
    }

    fn ahead(&self) -> PathBuf {
        self.folder.path().join("ahead")
    }

    fn settings(&self) -> Config {
        let data = self.folder.path().join("quiet");
        settings(
            &self.simulator.url(),
            self.database.url(),
            &data,
            &components(),
        )
    }

    /// Companies of the script, except the one with several changes on one day: the number of its events depends on
    /// when each list is read.
    fn watched(&self) -> Vec<String> {
        let mut showcase = self.simulator.population().showcase();
        showcase.remove(5);
        showcase
    }

    /// Starts a host in a separate process. Returns it and its address.
    async fn host(&self) -> (Child, String) {
        let reported = json!({
            "simulator": self.simulator.url(),
            "store": self.database.url(),
            "data": self.folder.path().join("killed"),
            "ahead": self.ahead(),
            "components": components(),
        });
        let program = std::env::current_exe().expect("a test is a program");
        let mut host = Command::new(program)
            .args([
                "--exact",
                "notifications_killed::child_host_process",
                "--nocapture",
            ])
            .env(PARAMETERS, reported.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("it is this program");
        let mut lines = BufReader::new(host.stdout.take().expect("it was asked for")).lines();
        loop {
            let line = lines.next_line().await.expect("text");
            let line = line.expect("it says where it serves");
            if let Some((_, url)) = line.split_once("serving on ") {
                return (host, url.to_owned());
            }
        }
    }

    /// Lets a host do what is due, and kills it after this many responses.
    async fn kill_one(&self, answers: usize) {
        let (mut host, url) = self.host().await;
        let client = client();
        for _ in 0..answers {
            let answer = client.get(format!("{url}/v1/status")).send().await;
            assert_eq!(answer.expect("it lives").status(), 200);
        }
        host.kill().await.expect("it is ours");
        self.turn(LEASES_END);
    }
}

/// Does due work until none is left.
async fn quiet(host: &Host) {
    loop {
        let mut done = host.importer.run_due().await.expect("the store is there");
        let notifier = &host.notifier;
        done += notifier.refresh_due().await.expect("the store is there");
        done += notifier.fan_out().await.expect("the store is there");
        done += notifier.send_due().await.expect("the store is there");
        if done == 0 {
            return;
        }
    }
}

async fn subscribe(host: &Host, stage: &Stage) -> AccountId {
    let store = host.importer.context().store.clone();
    let (keys, now) = (store.keys(), stage.clock.now());
    let account = keys.create_account("tests", "enterprise", now).await;
    let account = account.expect("a fresh store");
    for ico in stage.watched() {
        let url = stage.receiver.url();
        let new = NewSubscription {
            id: format!("sub_{ico}"),
            ico,
            kinds: None,
            webhook_endpoint: url.strip_suffix("/hooks").map(str::to_owned),
            webhook_url: Some(url),
            emails: Vec::new(),
            secret: host.notifier.seal(&new_secret()),
            most: None,
            confirm: false,
        };
        let of = store.subscriptions_of(account.id);
        let put = of.put(&new, stage.clock.now()).await;
        put.expect("the store is there");
    }
    account.id
}

/// What was found: company, field, operation, old and new value of each change; kind, company and field of each
/// event.
type Reported = (Vec<[String; 5]>, Vec<[String; 3]>);

/// All changes and events, after checking that they were delivered correctly.
async fn reported(
    store: &Store,
    account: AccountId,
    stage: &Stage,
    scopes: &[ScopeName],
) -> Reported {
    let mut changes = Vec::new();
    let received = stage.receiver.received();
    let mut arrived: BTreeMap<&str, Vec<&Received>> = BTreeMap::new();
    for one in &received {
        arrived.entry(one.delivery()).or_default().push(one);
    }
    let mut delivered = BTreeSet::new();
    for ico in stage.watched() {
        let history = store.events().history(&ico, scopes, 1_000, 0).await;
        let rows = history.expect("the store is there").0.into_iter();
        changes.extend(rows.map(|row| {
            let (old, new) = (row.old.unwrap_or_default(), row.new.unwrap_or_default());
            [ico.clone(), row.field, row.op, old, new]
        }));
        let of = store.subscriptions_of(account).find(&ico).await;
        let number = of.expect("the store is there").expect("it was put").number;
        let deliveries = store
            .deliveries_of(account)
            .list(&DeliveryFilter::of(number), 1_000, 0)
            .await;
        for delivery in deliveries.expect("the store is there").0 {
            assert_eq!(delivery.state, State::Delivered, "{delivery:?}");
            assert!(
                delivered.insert(delivery.event_id.clone()),
                "one event has two deliveries"
            );
            let requests = arrived.remove(delivery.id.as_str()).unwrap_or_default();
            assert!(
                requests
                    .iter()
                    .all(|one| one.json()["id"] == delivery.event_id.as_str())
            );
            let succeeded = |one: &&_| matches!(one, AttemptOutcome::Success);
            let outcomes: Vec<AttemptOutcome> =
                delivery.tries.iter().map(|one| one.outcome).collect();
            assert_eq!(outcomes.iter().filter(succeeded).count(), 1, "{delivery:?}");
            // Each request is a recorded attempt, some of them `unknown`.
            assert!(
                (1..=outcomes.len()).contains(&requests.len()),
                "{delivery:?}"
            );
        }
    }
    assert_eq!(
        arrived.len(),
        0,
        "every arrived request belongs to a delivery"
    );
    let events = store.events();
    let logged = events.logged_after(account, scopes, 0, 10_000).await;
    let (logged, _) = logged.expect("the store is there");
    let mut kinds = Vec::new();
    for event in &logged {
        assert!(
            delivered.remove(&event.id),
            "{} is delivered exactly once",
            event.id
        );
        let payload: Value = serde_json::from_str(&event.payload).expect("JSON");
        let text = |name: &str| {
            payload["data"][name]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        kinds.push([event.kind.clone(), text("ico"), text("field")]);
    }
    assert!(delivered.is_empty(), "{delivered:?} is not in the log");
    changes.sort();
    kinds.sort();
    (changes, kinds)
}

/// Asserts equal findings; a failure shows only the differences.
fn are_the_same(reported: &Reported, wanted: &Reported) {
    fn beyond<T: PartialEq + Clone>(some: &[T], others: &[T]) -> Vec<T> {
        let mut others = others.to_vec();
        let mut beyond = some.to_vec();
        beyond.retain(|one| {
            let known = others.iter().position(|other| other == one);
            known.map(|place| others.swap_remove(place)).is_none()
        });
        beyond
    }
    let changes = (
        beyond(&reported.0, &wanted.0),
        beyond(&wanted.0, &reported.0),
    );
    let events = (
        beyond(&reported.1, &wanted.1),
        beyond(&wanted.1, &reported.1),
    );
    assert_eq!(
        (changes, events),
        Default::default(),
        "unexpected events, and missing ones"
    );
}

/// Default number of kills on each of the ten days. `LUSTRA_KILLS` sets another number.
fn kills(usual: usize) -> usize {
    let set = std::env::var("LUSTRA_KILLS").ok();
    let most = set.and_then(|set| set.parse().ok()).unwrap_or(usual);
    usual.min(most).max(1)
}

/// Advances the days with this many kills on each. Returns the findings.
async fn days(database: TestDatabase, kills: usize) -> Reported {
    let stage = Stage::on(database).await;
    let host = Box::pin(Host::prepare(stage.settings(), stage.clock.clone())).await;
    let host = host.expect("the host starts");
    let account = subscribe(&host, &stage).await;
    let mut killed = 0;
    for _day in 0..=DAYS {
        for _ in 0..kills {
            // At varying moments.
            stage.kill_one(1 + (killed * 37) % 41).await;
            killed += 1;
        }
        quiet(&host).await;
        stage.simulator.advance(1);
        stage.turn(0);
    }
    let store = host.importer.context().store.clone();
    let catalogue = host.importer.companies().connectors().catalogue();
    let scopes: Vec<ScopeName> = catalogue.scopes().cloned().collect();
    let reported = reported(&store, account, &stage, &scopes).await;
    store.close().await;
    stage.database.remove().await;
    reported
}

/// The findings of a host that is never killed.
async fn by_one_that_lives() -> &'static Reported {
    static WANTED: OnceCell<Reported> = OnceCell::const_new();
    let wanted = WANTED.get_or_init(async || days(TestDatabase::sqlite(), 0).await);
    let wanted = wanted.await;
    assert!(wanted.0.len() > 10 && wanted.1.len() > 10, "{wanted:?}");
    wanted
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_hosts_deliver_the_same_events() {
    let wanted = by_one_that_lives().await;
    are_the_same(&days(TestDatabase::sqlite(), kills(10)).await, wanted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_hosts_on_postgres_deliver_the_same_events() {
    if let Some(database) = TestDatabase::postgres().await {
        let wanted = by_one_that_lives().await;
        are_the_same(&days(database, kills(2)).await, wanted);
    }
}
