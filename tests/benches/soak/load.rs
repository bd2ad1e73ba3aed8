//! A constant load of what customers send, right and wrong.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lustra_tests::register_simulator::Population;
use serde_json::json;

use crate::support::client::{self, Connection, Request};

/// Connections that send at the same time.
const CONNECTIONS: u32 = 4;
/// Requests after which a client opens a new connection.
const OF_CONNECTION: usize = 100;

/// The number of answers by status.
#[derive(Default)]
pub struct Answers(Mutex<BTreeMap<u16, u64>>);

impl Answers {
    fn count(&self, status: u16) {
        let mut all = self.0.lock().expect("no client panics");
        *all.entry(status).or_default() += 1;
    }

    pub fn all(&self) -> u64 {
        self.by_status().values().sum()
    }

    pub fn by_status(&self) -> BTreeMap<u16, u64> {
        self.0.lock().expect("no client panics").clone()
    }
}

/// Requests that are sent in turn.
pub struct Load {
    host: SocketAddr,
    requests: Vec<Request>,
    rate: u32,
    watching: String,
    icos: Vec<String>,
}

impl Load {
    /// Requests about these companies with the keys of an account that is not charged, and of one that is.
    pub fn new(host: SocketAddr, population: &Population, keys: &[String; 2], rate: u32) -> Self {
        let icos: Vec<String> = (0..population.len())
            .map(|index| population.ico(index))
            .collect();
        let [free, charged] = keys;
        let mut requests = Vec::new();
        for (turn, ico) in icos.iter().enumerate() {
            let company = format!("/v1/company/ico/{ico}");
            requests.push(client::get(&company, charged));
            requests.push(client::get(
                &format!("{company}?scope=tax,debtor_status"),
                charged,
            ));
            requests.push(match turn % 10 {
                0 | 1 => client::get(&format!("{company}?scope=all"), free),
                2 => client::get(&format!("/v1/search/ico?q={}", &ico[..4]), free),
                3 => client::get("/v1/search/autocomplete?q=sta", free),
                4 => client::get("/v1/account/usage", free),
                5 => client::get(&format!("/company/{ico}"), ""),
                6 => client::get("/v1/company/ico/1234", free),
                7 => client::get(&company, "not-a-key"),
                8 => batch(&icos[turn..icos.len().min(turn + 20)], charged),
                _ => client::get("/v1/nowhere", free),
            });
        }
        Self {
            host,
            requests,
            rate,
            watching: free.clone(),
            icos,
        }
    }

    /// Watches the first companies with a webhook each.
    pub fn subscribe(&self, receiver: SocketAddr, watched: u32) {
        let mut connection = Connection::open(self.host);
        for ico in self.icos.iter().take(watched as usize) {
            let body = json!({ "ico": ico, "webhook_url": format!("http://{receiver}/") });
            let request = client::post("/v1/notifications", &self.watching, &body);
            let (status, answer) = connection.exchange(&request);
            let answer = String::from_utf8_lossy(answer);
            assert!(matches!(status, 200 | 201), "{status}: {answer}");
        }
    }

    /// Sends the requests at the rate, whether or not answers arrive, and counts the answers.
    pub fn run(&self, span: Duration, answers: &Answers) {
        let interval = Duration::from_secs(1) / self.rate;
        let next = AtomicUsize::new(0);
        let started = Instant::now();
        let client = || {
            let mut connection = Connection::open(self.host);
            let mut sent = 0;
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                let due = interval * u32::try_from(turn).expect("an hour ends before");
                if due >= span {
                    return;
                }
                let due = started + due;
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let (status, _) = connection.exchange(&self.requests[turn % self.requests.len()]);
                answers.count(status);
                sent += 1;
                if sent % OF_CONNECTION == 0 {
                    connection = Connection::open(self.host);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..CONNECTIONS {
                scope.spawn(client);
            }
        });
    }
}

fn batch(icos: &[String], key: &str) -> Request {
    client::post("/v1/batch/ico", key, &json!({ "icos": icos }))
}
