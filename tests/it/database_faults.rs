//! Faults between hosts and `PostgreSQL` under charged load. Service recovers within 30 s, and every answered call is
//! in the ledger exactly once.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::billing::verify::{Findings, verify};
use lustra_tests::lustra::store::testing::TestDatabase;
use lustra_tests::lustra::store::{AccountId, EntryKind, Store};
use lustra_tests::{Proxy, START, Way, client};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::process::Child;
use tokio::sync::Notify;

use crate::command_line::serve_with_log;

const HOSTS: usize = 2;
const ACCOUNTS: usize = 4;

/// Maximum time to recover after a fault.
const BACK: Duration = Duration::from_secs(30);

/// Maximum time in which the unaffected host answers all accounts during the other host's fault.
const UNHARMED: Duration = Duration::from_secs(10);

/// Minimum duration of a fault.
const FAULT: Duration = Duration::from_millis(1_200);

/// Default repetitions of each kind of fault per host. `LUSTRA_FAULTS` sets another number.
const ROUNDS: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Fault {
    /// A fault of its database connection.
    Way(Way),
    /// The process is stopped and later resumed.
    Stopped,
}

const FAULTS: [(&str, Fault); 7] = [
    ("cut", Fault::Way(Way::Cut)),
    ("black hole", Fault::Way(Way::BlackHole)),
    ("host's side closed", Fault::Way(Way::HostSideClosed)),
    (
        "database's side closed",
        Fault::Way(Way::DatabaseSideClosed),
    ),
    ("frozen way", Fault::Way(Way::Frozen)),
    (
        "slow way",
        Fault::Way(Way::Slow(Duration::from_millis(150))),
    ),
    ("stopped host", Fault::Stopped),
];

/// Prints to the terminal, although the test harness captures the output of passing tests.
fn say(what: &str) {
    writeln!(std::io::stderr(), "{what}").expect("standard error is open");
}

fn rounds() -> usize {
    let set = std::env::var("LUSTRA_FAULTS").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(ROUNDS)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Responses that the clients received.
#[derive(Default)]
struct Answers {
    /// Per host and account: start of the latest answered request.
    latest: Mutex<BTreeMap<(usize, usize), Instant>>,
    /// Answered calls with their accounts.
    charged: Mutex<Vec<(usize, String)>>,
    added: Notify,
    /// Whether the clients have stopped.
    ended: AtomicBool,
}

impl Answers {
    fn add(&self, host: usize, account: usize, began: Instant, operation: String) {
        locked(&self.charged).push((account, operation));
        let mut latest = locked(&self.latest);
        let known = latest.entry((host, account)).or_insert(began);
        *known = began.max(*known);
        drop(latest);
        self.added.notify_waiters();
    }

    fn charged(&self) -> Vec<(usize, String)> {
        locked(&self.charged).clone()
    }

    /// Waits until a host has answered a request of every account that began after `since`.
    async fn of_all_accounts(&self, host: usize, since: Instant, within: Duration) -> Duration {
        let all = async {
            loop {
                let added = self.added.notified();
                let answered = {
                    let latest = locked(&self.latest);
                    let is_answered = |account| latest.get(&(host, account)) > Some(&since);
                    (0..ACCOUNTS).all(is_answered)
                };
                if answered {
                    return since.elapsed();
                }
                added.await;
            }
        };
        let waited = tokio::time::timeout(within, all).await;
        waited.unwrap_or_else(|_| panic!("host {host} did not answer all accounts in {within:?}"))
    }
}

/// A host process and its proxy to the database.
struct Running {
    process: Child,
    url: String,
    proxy: Proxy,
    log: Arc<Mutex<VecDeque<String>>>,
    _folder: tempfile::TempDir,
}

/// Number of log lines shown when the test fails.
const SHOWN: usize = 150;

impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = locked(&self.log);
            let lines: Vec<&str> = log.iter().map(String::as_str).collect();
            say(&format!("{}:\n{}", self.url, lines.join("\n")));
        }
    }
}

impl Running {
    async fn start(database: &TestDatabase, has_jobs: bool) -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let proxy = Proxy::before(database.url()).await;
        let (data, components) = (folder.path().join("data"), folder.path().join("components"));
        std::fs::create_dir_all(&components).expect("tests can write temporary files");
        let config = folder.path().join("lustra.toml");
        let text = format!(
            "listen = \"127.0.0.1:0\"\nstore = {:?}\ndata = {data:?}\ncomponents = {components:?}\n\
             [operator]\non = false\n[imports]\nscheduled = false\n[reload]\nwatch = false\n\
             [database]\nacquire_ms = 1000\nstatement_ms = 1500\nimport_statement_ms = 1500\nlock_ms = 1200\n\
             idle_transaction_ms = 800\ncheck_ms = 300\nsilent_host_ms = 2000\n\
             [batch]\njobs = {has_jobs}\nsynchronous_items = 0\n\
             [plans.own]\ncredits = 1000000\n",
            proxy.url(),
        );
        std::fs::write(&config, text).expect("tests can write temporary files");
        let log: Arc<Mutex<VecDeque<String>>> = Arc::default();
        let kept = Arc::clone(&log);
        let keep = move |line| {
            let mut lines = locked(&kept);
            lines.push_back(line);
            if lines.len() > SHOWN {
                lines.pop_front();
            }
        };
        let (process, url) = serve_with_log(&config, keep).await;
        Self {
            process,
            url,
            proxy,
            log,
            _folder: folder,
        }
    }

    async fn signal(&self, signal: &str) {
        let id = self.process.id().expect("it runs").to_string();
        let sent = tokio::process::Command::new("kill")
            .args([signal, &id])
            .status()
            .await;
        assert!(sent.expect("there is kill").success());
    }

    async fn fail(&self, fault: Fault) {
        match fault {
            Fault::Way(way) => self.proxy.fail(way),
            Fault::Stopped => self.signal("-STOP").await,
        }
    }

    async fn heal(&self, fault: Fault) {
        match fault {
            Fault::Way(_) => self.proxy.heal(),
            Fault::Stopped => self.signal("-CONT").await,
        }
    }
}

/// Sends requests of one account to one host until the end.
async fn ask(url: String, host: usize, key: String, account: usize, answers: Arc<Answers>) {
    let client = client();
    let mut pace = tokio::time::interval(Duration::from_millis(50));
    pace.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    while !answers.ended.load(Ordering::SeqCst) {
        pace.tick().await;
        let began = Instant::now();
        let request = client
            .get(format!("{url}/search/ico?q=1"))
            .header("x-api-key", &key);
        let response = request.send().await.expect("the host answers");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.text().await.expect("the answer is whole");
        if status == 200 {
            assert_eq!(headers["x-credits-charged"], "1");
            let operation = headers["x-request-id"].to_str().expect("an id").to_owned();
            answers.add(host, account, began, operation);
        } else {
            assert_eq!(status, 503, "{body}");
            assert!(headers.contains_key("retry-after"), "{headers:?}");
        }
    }
}

/// A host accepts and processes a batch.
async fn process_a_batch(client: &Client, url: &str, key: &str, deadline: Instant) {
    let mut pace = tokio::time::interval(Duration::from_millis(100));
    let mut id: Option<String> = None;
    loop {
        pace.tick().await;
        assert!(Instant::now() < deadline, "no batch was processed");
        let request = match &id {
            None => client
                .post(format!("{url}/batch/ico"))
                .json(&json!({ "icos": ["00000001", "00000002"] })),
            Some(id) => client.get(format!("{url}/batch/{id}/status")),
        };
        let response = request.header("x-api-key", key).send().await;
        let response = response.expect("the host answers");
        if response.status() == 503 {
            continue;
        }
        let answer: Value = response.json().await.expect("JSON");
        match &id {
            None => {
                let created = answer["meta"]["batch_id"].as_str();
                id = Some(created.unwrap_or_else(|| panic!("{answer}")).to_owned());
            }
            Some(_) if answer["data"]["completed_at"].is_string() => return,
            Some(_) => {}
        }
    }
}

/// Creates an account with a key. Returns its id and the key.
async fn account(store: &Store, name: &str) -> (AccountId, String) {
    let account = store.keys().create_account(name, "own", START).await;
    let account = account.expect("a fresh store").id;
    let key = NewKey::live();
    let hash = key.text.hash();
    let keys = store.keys();
    let created = keys.create_key(account, "tests", &key.prefix, &hash, None, START);
    created.await.expect("a fresh store");
    (account, key.text.reveal().to_owned())
}

/// Every answered call is booked once. Once refunds are written, no other call stays charged.
async fn compare_with_the_ledger(
    store: &Store,
    accounts: &[(AccountId, String)],
    answers: &Answers,
) {
    let answered = answers.charged();
    let billing = store.billing();
    for (account, operation) in &answered {
        let entries = billing.entries_of(accounts[*account].0, operation).await;
        let entries = entries.expect("the store is there");
        let kinds: Vec<EntryKind> = entries.iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, [EntryKind::Charge], "{operation} was answered");
    }
    let deadline = Instant::now() + BACK;
    let mut pace = tokio::time::interval(Duration::from_millis(200));
    for (number, (account, _)) in accounts.iter().enumerate() {
        let wanted = answered.iter().filter(|(of, _)| *of == number).count();
        let wanted = i64::try_from(wanted).expect("a count");
        loop {
            pace.tick().await;
            let kept = kept_charges(store, *account).await;
            if kept == wanted {
                break;
            }
            assert!(Instant::now() < deadline, "{kept} charged for {wanted}");
        }
        let mut findings = Findings::default();
        let verified = verify(store, *account, &mut findings).await;
        verified.expect("the store is there");
        assert_eq!(findings.mistakes, []);
    }
    let count = answered.len();
    say(&format!("{count} calls were answered and charged"));
}

/// An account's credits that were charged and not refunded.
async fn kept_charges(store: &Store, account: AccountId) -> i64 {
    let books = store.billing().books(account).await;
    let mut books = books.expect("the store is there").expect("it was charged");
    let (mut behind, mut kept) = (0, 0);
    loop {
        let entries = books.entries(behind, 1_000).await;
        let entries = entries.expect("the store is there");
        let Some(last) = entries.last() else {
            return kept;
        };
        behind = last.number;
        kept -= entries
            .iter()
            .filter(|entry| matches!(entry.kind, EntryKind::Charge | EntryKind::Refund))
            .map(|entry| entry.amount)
            .sum::<i64>();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hosts_recover_from_database_faults_without_loss() {
    let Some(database) = TestDatabase::postgres().await else {
        return;
    };
    let store = database.store().await;
    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        accounts.push(account(&store, &format!("account-{number}")).await);
    }
    let (_, key_of_batches) = account(&store, "batches").await;
    // Only the first host processes batches, so its worker must recover.
    let hosts = [
        Running::start(&database, true).await,
        Running::start(&database, false).await,
    ];
    let answers = Arc::new(Answers::default());
    let mut clients = tokio::task::JoinSet::new();
    for (number, host) in hosts.iter().enumerate() {
        for (account, (_, key)) in accounts.iter().enumerate() {
            for _ in 0..2 {
                let (url, key) = (host.url.clone(), key.clone());
                clients.spawn(ask(url, number, key, account, Arc::clone(&answers)));
            }
        }
    }
    let begun = Instant::now();
    for host in 0..HOSTS {
        answers.of_all_accounts(host, begun, BACK).await;
    }
    let client = client();
    let mut slowest: BTreeMap<&str, (Duration, Duration)> = BTreeMap::new();
    for round in 0..rounds() {
        for (place, (name, fault)) in FAULTS.into_iter().enumerate() {
            let hurt = (round + place) % HOSTS;
            let (other, began) = ((hurt + 1) % HOSTS, Instant::now());
            hosts[hurt].fail(fault).await;
            // The fault must last in real time, because the timeouts of connections to a database do.
            tokio::time::sleep(FAULT).await;
            let unharmed = answers
                .of_all_accounts(other, began + FAULT, UNHARMED)
                .await;
            hosts[hurt].heal(fault).await;
            let healed = Instant::now();
            let mut back = Duration::ZERO;
            for host in 0..HOSTS {
                back = back.max(answers.of_all_accounts(host, healed, BACK).await);
            }
            process_a_batch(&client, &hosts[hurt].url, &key_of_batches, healed + BACK).await;
            let all = healed.elapsed();
            assert!(
                clients.try_join_next().is_none(),
                "a client was answered wrongly"
            );
            let known = slowest.entry(name).or_default();
            *known = (known.0.max(back), known.1.max(all));
            say(&format!(
                "{name}, host {hurt}: the other {unharmed:.1?}, calls {back:.1?}, all {all:.1?}"
            ));
        }
    }
    answers.ended.store(true, Ordering::SeqCst);
    while let Some(ended) = clients.join_next().await {
        ended.expect("no client is answered wrongly");
    }
    say(&format!(
        "slowest until calls, and all, were back: {slowest:.1?}"
    ));
    compare_with_the_ledger(&store, &accounts, &answers).await;
    store.close().await;
    drop(hosts);
    database.remove().await;
}
