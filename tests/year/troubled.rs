//! Calls that run while a database fails, and go on until it is back.
//!
//! How many of them are answered depends on the speed of the machine. So they are those of an account of its own,
//! nothing of them is in the log, and what is checked holds for any number of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lustra_tests::lustra::store::AccountId;
use lustra_tests::{Answer, answered, client};
use serde_json::json;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::clients::{Day, is_an_error, new_key};
use crate::invariants::{
    BATCH_OR_NOTHING, CHARGED_ONCE, ERRORS_ARE_FREE, HOSTS_RECOVER, ONE_FORM_OF_ERRORS,
};
use crate::ledger;
use crate::stage::{Stage, TROUBLED};

/// Time of the machine in which every call is answered again after a fault, and refunds are booked.
pub const RECOVERY: Duration = Duration::from_secs(30);

/// Time in which at least one call fails during a fault.
const FAILS_WITHIN: Duration = Duration::from_secs(10);

/// Pause between calls.
const PACE: Duration = Duration::from_millis(5);

/// What a worker repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Search,
    Batch,
    /// A batch with an idempotency key, sent with the same key until it is answered.
    KeyedBatch,
    /// Free calls.
    Read,
}

const WORKERS: [Work; 8] = [
    Work::Search,
    Work::Search,
    Work::Batch,
    Work::Batch,
    Work::Batch,
    Work::KeyedBatch,
    Work::KeyedBatch,
    Work::Read,
];

const READS: [&str; 4] = [
    "/v1/account/quota",
    "/v1/account/usage",
    "/v1/batch",
    "/v1/notifications",
];

/// The account.
pub struct Troubled {
    id: AccountId,
    key: String,
    client: reqwest::Client,
    bursts: usize,
    got: Got,
}

/// What was answered.
#[derive(Default)]
struct Got {
    /// Request ids of answered calls with their cost.
    paid: Vec<(String, i64)>,
    /// Answered requests that cost a credit each, those with an idempotency key too, whichever attempt was charged.
    answered: i64,
    /// Batches whose id was in an answer.
    batches: BTreeSet<String>,
    /// Errors that are not in the one form, and charged ones.
    malformed: Vec<String>,
    charged: Vec<String>,
    /// Workers that were not answered after the fault.
    stuck: Vec<String>,
}

/// Calls under way.
pub struct Burst {
    workers: JoinSet<Got>,
    shared: Arc<Shared>,
}

/// What workers share.
struct Shared {
    /// Workers that were answered.
    begun: AtomicUsize,
    refused: AtomicUsize,
    changed: Notify,
    /// When the fault ended.
    healed: watch::Sender<Option<Instant>>,
}

struct Worker {
    client: reqwest::Client,
    url: String,
    key: String,
    work: Work,
    /// Distinguishes its idempotency keys.
    name: String,
    shared: Arc<Shared>,
}

impl Troubled {
    pub async fn new(stage: &Stage) -> Self {
        let keys = stage.world.store.keys();
        let account = keys.create_account("troubled", TROUBLED, stage.world.now());
        let id = account.await.expect("a fresh store").id;
        Self {
            id,
            key: new_key(stage, id, "troubled").await,
            client: client(),
            bursts: 0,
            got: Got::default(),
        }
    }

    pub fn key(&self) -> &str {
        &self.key
    }

    /// Starts calls to these hosts, and waits until each kind of them was answered.
    pub async fn begin(&mut self, urls: &[String]) -> Burst {
        self.bursts += 1;
        let shared = Arc::new(Shared {
            begun: AtomicUsize::new(0),
            refused: AtomicUsize::new(0),
            changed: Notify::new(),
            healed: watch::Sender::new(None),
        });
        let mut workers = JoinSet::new();
        for (number, (work, url)) in WORKERS.into_iter().zip(urls.iter().cycle()).enumerate() {
            let worker = Worker {
                client: self.client.clone(),
                url: url.clone(),
                key: self.key.clone(),
                work,
                name: format!("burst-{}-{number}", self.bursts),
                shared: Arc::clone(&shared),
            };
            workers.spawn(worker.run());
        }
        let burst = Burst { workers, shared };
        burst
            .wait(RECOVERY, |shared| &shared.begun, WORKERS.len())
            .await;
        burst
    }

    /// Whether a host that is not disturbed answers a charged call of the account.
    pub async fn answers_within(&mut self, url: &str, within: Duration) -> bool {
        let began = Instant::now();
        let mut pace = pace(Duration::from_millis(50));
        while began.elapsed() < within {
            pace.tick().await;
            let request = self.client.get(format!("{url}/v1/search/ico?q=1"));
            let answer = answered(request.header("x-api-key", &self.key)).await;
            if self.got.note(Work::Search, &answer) {
                return began.elapsed() < within;
            }
        }
        false
    }

    /// Ends a fault of which `what` says what it was: every call is answered again, and what was answered is charged
    /// and kept.
    pub async fn end(&mut self, stage: &Stage, burst: Burst, what: &str, day: &mut Day<'_>) {
        let Burst {
            mut workers,
            shared,
        } = burst;
        shared.healed.send_replace(Some(Instant::now()));
        while let Some(got) = workers.join_next().await {
            self.got.add(got.expect("workers do not panic"));
        }
        let today = day.day;
        for (invariant, wrong) in [
            (HOSTS_RECOVER, &mut self.got.stuck),
            (ONE_FORM_OF_ERRORS, &mut self.got.malformed),
            (ERRORS_ARE_FREE, &mut self.got.charged),
        ] {
            let wrong = std::mem::take(wrong);
            let holds = wrong.is_empty();
            day.findings
                .check(today, invariant, holds, || format!("{what}: {wrong:?}"));
        }
        self.check_ledger(stage, what, day).await;
        self.check_batches(&stage.world.url(), what, day).await;
    }

    /// The account was charged for what was answered, and nothing else. Refunds take a moment.
    async fn check_ledger(&self, stage: &Stage, what: &str, day: &mut Day<'_>) {
        let began = Instant::now();
        let mut pace = pace(Duration::from_millis(50));
        let mut entries = ledger::entries(&stage.world.store, self.id).await;
        while ledger::kept(&entries) != self.got.answered && began.elapsed() < RECOVERY {
            pace.tick().await;
            entries = ledger::entries(&stage.world.store, self.id).await;
        }
        let (kept, answered) = (ledger::kept(&entries), self.got.answered);
        day.findings
            .check(day.day, CHARGED_ONCE, kept == answered, || {
                format!("{what}: {kept} kept, {answered} answered")
            });
        ledger::check_charged(&entries, &self.got.paid, what, day);
        ledger::check_sums(stage, self.id, day).await;
    }

    /// Every batch of the account is one whose id it knows.
    async fn check_batches(&self, url: &str, what: &str, day: &mut Day<'_>) {
        let began = Instant::now();
        let mut pace = pace(Duration::from_millis(50));
        let unknown = loop {
            pace.tick().await;
            let request = self.client.get(format!("{url}/v1/batch"));
            let answer = answered(request.header("x-api-key", &self.key)).await;
            let listed = answer.at("/data").as_array().cloned().unwrap_or_default();
            let ids = listed.iter().filter_map(|batch| batch["id"].as_str());
            let unknown = ids.filter(|id| !self.got.batches.contains(*id));
            let unknown: Vec<String> = unknown.map(str::to_owned).collect();
            let is_read = answer.status == 200 && !listed.is_empty();
            if (is_read && unknown.is_empty()) || began.elapsed() > RECOVERY {
                let missing = (!is_read).then(|| format!("{answer:?}"));
                break unknown.into_iter().chain(missing).collect::<Vec<String>>();
            }
        };
        let is_known = unknown.is_empty();
        day.findings.check(day.day, BATCH_OR_NOTHING, is_known, || {
            format!("{what}: {unknown:?}")
        });
    }
}

impl Burst {
    /// Waits until a call failed.
    ///
    /// # Panics
    /// If none fails. Then there is no fault.
    pub async fn fails(&self) {
        self.wait(FAILS_WITHIN, |shared| &shared.refused, 1).await;
    }

    async fn wait(&self, within: Duration, of: fn(&Shared) -> &AtomicUsize, count: usize) {
        let reached = async {
            loop {
                let changed = self.shared.changed.notified();
                if of(&self.shared).load(Ordering::SeqCst) >= count {
                    return;
                }
                changed.await;
            }
        };
        let waited = tokio::time::timeout(within, reached).await;
        waited.unwrap_or_else(|_| panic!("calls neither succeed nor fail within {within:?}"));
    }
}

impl Worker {
    async fn run(self) -> Got {
        let mut got = Got::default();
        let mut pace = pace(PACE);
        for number in 0_usize.. {
            let mut attempts = 0_usize;
            loop {
                pace.tick().await;
                let healed = *self.shared.healed.borrow();
                let answer = self.ask(number).await;
                let is_answered = got.note(self.work, &answer);
                attempts += 1;
                if is_answered && number == 0 {
                    self.shared.begun.fetch_add(1, Ordering::SeqCst);
                }
                if !is_answered {
                    self.shared.refused.fetch_add(1, Ordering::SeqCst);
                }
                self.shared.changed.notify_waiters();
                match healed {
                    Some(_) if is_answered => return got,
                    Some(healed) if healed.elapsed() > RECOVERY => {
                        let line = format!("{:?} after {attempts} attempts: {answer:?}", self.work);
                        got.stuck.push(line);
                        return got;
                    }
                    Some(_) | None => {}
                }
                if is_answered {
                    break;
                }
            }
        }
        got
    }

    /// Sends the worker's request with this number.
    async fn ask(&self, number: usize) -> Answer {
        let at = |path: &str| format!("{}{path}", self.url);
        // A name that no company has needs no register.
        let batch = || {
            let body = json!({ "names": ["Qwxz Qwxz"] });
            self.client.post(at("/v1/batch/names")).json(&body)
        };
        let request = match self.work {
            Work::Search => self.client.get(at("/v1/search/ico?q=1")),
            Work::Batch => batch(),
            Work::KeyedBatch => {
                batch().header("idempotency-key", format!("{}-{number}", self.name))
            }
            Work::Read => self.client.get(at(READS[number % READS.len()])),
        };
        answered(request.header("x-api-key", &self.key)).await
    }
}

impl Got {
    /// Takes an answer. Returns whether the request succeeded.
    fn note(&mut self, work: Work, answer: &Answer) -> bool {
        let cost = answer.header("x-credits-charged").unwrap_or("0");
        if answer.status >= 400 {
            if answer.status != 503 || !is_an_error(answer) {
                self.malformed.push(format!("{work:?}: {answer:?}"));
            }
            // With a key the batch is kept and charged, and the next attempt finds it.
            if cost != "0" && work != Work::KeyedBatch {
                self.charged.push(format!("{work:?}: {answer:?}"));
            }
            return false;
        }
        if let Some(id) = answer.header("x-batch-id") {
            self.batches.insert(id.to_owned());
        }
        if work != Work::Read {
            self.answered += 1;
        }
        if cost != "0" {
            let id = answer.header("x-request-id").unwrap_or_default();
            self.paid.push((id.to_owned(), cost.parse().unwrap_or(-1)));
        }
        true
    }

    fn add(&mut self, other: Self) {
        self.paid.extend(other.paid);
        self.answered += other.answered;
        self.batches.extend(other.batches);
        self.malformed.extend(other.malformed);
        self.charged.extend(other.charged);
        self.stuck.extend(other.stuck);
    }
}

fn pace(every: Duration) -> tokio::time::Interval {
    let mut pace = tokio::time::interval(every);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pace
}
