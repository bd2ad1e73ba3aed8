//! Customers: what they call, what they were charged, and what every answer must keep to.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::AccountId;
use lustra_tests::{Answer, answered, client};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::invariants::{
    BATCHES_ARE_PRIVATE, ERRORS_ARE_FREE, Findings, HOSTS_RECOVER, Invariant, NO_FALSE_ABSENCE,
    NO_FALSE_NOT_FOUND, NO_OVERSPENDING, ONE_FORM_OF_ERRORS, REVOKED_KEYS_ARE_REFUSED,
    SCOPES_OF_THE_PLAN, SEARCH_FINDS,
};
use crate::log::Log;
use crate::stage::{CREDITS, FREE, QUOTA, Stage};

/// How long a host may know a key that was revoked: a second, and some more on a busy machine.
const FORGOTTEN: Duration = Duration::from_millis(1_500);

/// What a customer reads of its account.
const ACCOUNT_PATHS: [&str; 3] = [
    "/v1/account/usage",
    "/v1/account/quota",
    "/v1/notifications",
];

/// An account, and what it was charged.
pub struct Customer {
    pub id: AccountId,
    pub name: &'static str,
    pub key: String,
    scopes: &'static [&'static str],
    /// Request ids of answered calls with their cost.
    pub charged: Vec<(String, i64)>,
}

/// All customers, and keys that no longer work.
pub struct Customers {
    pub all: Vec<Customer>,
    /// Revoked keys, and when that was on the machine's clock.
    revoked: Vec<(String, Instant)>,
    /// Every key that was ever issued.
    pub secrets: Vec<String>,
    client: reqwest::Client,
}

/// A call under way: on which day it is made, and where its results go.
pub struct Day<'a> {
    pub day: u32,
    /// Whether a register or the network fails today.
    pub is_disturbed: bool,
    pub findings: &'a mut Findings,
    pub log: &'a mut Log,
}

impl Customers {
    pub async fn new(stage: &Stage) -> Self {
        let mut customers = Self {
            all: Vec::new(),
            revoked: Vec::new(),
            secrets: vec![stage.world.key.clone()],
            client: client(),
        };
        let plans: [(&str, &str, &[&str]); 3] = [
            ("credits", CREDITS, &["tax"]),
            ("quota", QUOTA, &["tax", "debtor_status"]),
            ("free", FREE, &["tax", "debtor_status", "bank_accounts"]),
        ];
        for (name, plan, scopes) in plans {
            let keys = stage.world.store.keys();
            let account = keys.create_account(name, plan, stage.world.now()).await;
            let id = account.expect("a fresh store").id;
            let key = customers.issue(stage, id, name).await;
            customers.all.push(Customer {
                id,
                name,
                key,
                scopes,
                charged: Vec::new(),
            });
        }
        customers
    }

    async fn issue(&mut self, stage: &Stage, account: AccountId, name: &str) -> String {
        let text = new_key(stage, account, name).await;
        self.secrets.push(text.clone());
        text
    }

    /// Replaces a customer's key; the former one must be refused from the next day on.
    pub async fn rotate(&mut self, stage: &Stage, number: usize) {
        let (id, name) = (self.all[number].id, self.all[number].name);
        let former = self.all[number].key.clone();
        let keys = stage.world.store.keys();
        for key in keys.list_keys(id).await.expect("the store is there") {
            let revoked = keys.revoke_key(key.id, stage.world.now()).await;
            revoked.expect("the store is there");
        }
        self.all[number].key = self.issue(stage, id, name).await;
        self.revoked.push((former, Instant::now()));
    }

    /// A day's calls of all customers, who call at the same time. Their results are kept in the order of customers.
    pub async fn work(&mut self, stage: &Stage, dice: &mut Dice, day: &mut Day<'_>) {
        let icos = stage.icos();
        let urls = stage.urls();
        let keys: Vec<String> = self.all.iter().map(|one| one.key.clone()).collect();
        let mut working = Vec::new();
        for (number, customer) in self.all.iter_mut().enumerate() {
            let planned = (0..=dice.below(3)).map(|_| Call::any(&urls, &icos, dice));
            let planned: Vec<Call> = planned.collect();
            let other = &keys[(number + 1) % keys.len()];
            let mut caller = Caller::of(customer, &self.client, other, day);
            working.push(async move {
                for call in &planned {
                    caller.make(call).await;
                }
                (caller.findings, caller.log)
            });
        }
        for (findings, log) in join_all(working).await {
            day.findings.append(findings);
            day.log.append(&log);
        }
        self.use_revoked(&urls, day).await;
    }

    /// A revoked key is refused by every host once a second has passed.
    async fn use_revoked(&mut self, urls: &[String], day: &mut Day<'_>) {
        let is_due = |revoked: &Instant| revoked.elapsed() > FORGOTTEN;
        for (key, _) in self.revoked.iter().filter(|(_, revoked)| is_due(revoked)) {
            for url in urls {
                let request = self.client.get(format!("{url}/v1/account/usage"));
                let answer = answered(request.header("x-api-key", key)).await;
                let is_refused = answer.status == 401;
                day.findings
                    .check(day.day, REVOKED_KEYS_ARE_REFUSED, is_refused, || {
                        format!("{answer:?}")
                    });
            }
        }
        self.revoked.retain(|(_, revoked)| !is_due(revoked));
    }

    /// Lets every customer make a charged call that needs no register, one after the other.
    pub async fn search_each(&mut self, url: &str, day: &mut Day<'_>) {
        for customer in &mut self.all {
            let mut caller = Caller::of(customer, &self.client, "", day);
            caller.call(url, "/v1/search/ico?q=1", None).await;
            day.findings.append(caller.findings);
            day.log.append(&caller.log);
        }
    }
}

/// A call that a customer will make.
struct Call {
    url: String,
    kind: CallKind,
}

enum CallKind {
    LookUp(String),
    LookUpUnknown(String),
    Search(String),
    Batch([String; 3]),
    BeyondThePlan(String),
    Account(&'static str),
}

impl Call {
    /// A call to one of the hosts.
    fn any(urls: &[String], icos: &[String], dice: &mut Dice) -> Self {
        let (url, ico) = (dice.pick(urls).clone(), dice.pick(icos).clone());
        let kind = match dice.below(10) {
            0..=4 => CallKind::LookUp(ico),
            5 => CallKind::LookUpUnknown(format!("0{:07}", 4_000_000 + dice.below(1_000_000))),
            6 => CallKind::Search(ico),
            7 => CallKind::Batch(std::array::from_fn(|_| dice.pick(icos).clone())),
            8 => CallKind::BeyondThePlan(ico),
            _ => CallKind::Account(dice.pick::<&str>(&ACCOUNT_PATHS)),
        };
        Self { url, kind }
    }
}

/// A customer who makes calls, and their results.
struct Caller<'a> {
    customer: &'a mut Customer,
    client: &'a reqwest::Client,
    /// The key of another customer.
    other: &'a str,
    today: u32,
    is_disturbed: bool,
    findings: Findings,
    log: Log,
}

impl<'a> Caller<'a> {
    fn of(
        customer: &'a mut Customer,
        client: &'a reqwest::Client,
        other: &'a str,
        day: &Day<'_>,
    ) -> Self {
        Self {
            customer,
            client,
            other,
            today: day.day,
            is_disturbed: day.is_disturbed,
            findings: Findings::default(),
            log: Log::default(),
        }
    }

    async fn make(&mut self, call: &Call) {
        let url = &call.url;
        match &call.kind {
            CallKind::LookUp(ico) => self.look_up(url, ico).await,
            CallKind::LookUpUnknown(ico) => self.look_up_unknown(url, ico).await,
            CallKind::Search(ico) => self.search(url, ico).await,
            CallKind::Batch(icos) => self.batch(url, icos).await,
            CallKind::BeyondThePlan(ico) => self.beyond_the_plan(url, ico).await,
            CallKind::Account(path) => self.account(url, path).await,
        }
    }

    /// One call to one of the hosts. Checks what holds for every answer.
    async fn call(&mut self, url: &str, path: &str, body: Option<&Value>) -> Answer {
        let request = match body {
            None => self.client.get(format!("{url}{path}")),
            Some(body) => self.client.post(format!("{url}{path}")).json(body),
        };
        let answer = answered(request.header("x-api-key", &self.customer.key)).await;
        let cost = answer.header("x-credits-charged").unwrap_or("0");
        let cost: i64 = cost.parse().unwrap_or(-1);
        let what = || format!("{path}: {answer:?}");
        if answer.status < 400 {
            let id = answer.header("x-request-id").unwrap_or_default().to_owned();
            if cost > 0 {
                self.customer.charged.push((id, cost));
            }
        } else {
            self.check(ERRORS_ARE_FREE, cost == 0, what);
            self.check(ONE_FORM_OF_ERRORS, is_an_error(&answer), what);
        }
        let is_there = self.is_disturbed || answer.status != 503;
        self.check(HOSTS_RECOVER, is_there, what);
        let left = answer.header("x-credits-remaining");
        let left = left.and_then(|left| left.parse::<i64>().ok());
        let is_covered = left.is_none_or(|left| left >= 0)
            && (answer.status != 402 || left.is_none_or(|left| left == 0));
        self.check(NO_OVERSPENDING, is_covered, what);
        let name = self.customer.name;
        self.log.add(
            self.today,
            &format!("{name} {path} {} charged {cost}", answer.status),
        );
        answer
    }

    fn check(&mut self, of: Invariant, holds: bool, what: impl FnOnce() -> String) {
        self.findings.check(self.today, of, holds, what);
    }

    async fn look_up(&mut self, url: &str, ico: &str) {
        let scopes = self.customer.scopes.join(",");
        let path = format!("/v1/company/ico/{ico}?scope={scopes}");
        let answer = self.call(url, &path, None).await;
        let is_known = answer.status != 404;
        self.check(NO_FALSE_NOT_FOUND, is_known, || {
            format!("{path}: {answer:?}")
        });
        if answer.status == 200 {
            self.check_absence(&answer);
        }
    }

    /// A verdict is never `false` beside a source that should have been read and was not.
    fn check_absence(&mut self, answer: &Answer) {
        let section = answer.at("/data/debtor_status");
        let unread = section["unread"].as_array().into_iter().flatten();
        let has_unread = unread
            .filter_map(|source| source["why"].as_str())
            .any(|why| !why.starts_with("off"));
        let is_honest = section["is_debtor"] != false || !has_unread;
        self.check(NO_FALSE_ABSENCE, is_honest, || section.to_string());
    }

    async fn look_up_unknown(&mut self, url: &str, ico: &str) {
        let path = format!("/v1/company/ico/{ico}");
        let answer = self.call(url, &path, None).await;
        let is_expected = [402, 404, 429, 503].contains(&answer.status);
        self.check(NO_FALSE_NOT_FOUND, is_expected, || {
            format!("{path}: {answer:?}")
        });
    }

    async fn search(&mut self, url: &str, ico: &str) {
        let path = format!("/v1/search/ico?q={ico}");
        let answer = self.call(url, &path, None).await;
        let found = answer.at("/data/0/ico");
        let is_found = answer.status != 200 || found == ico;
        self.check(SEARCH_FINDS, is_found, || format!("{path}: {answer:?}"));
    }

    async fn batch(&mut self, url: &str, icos: &[String]) {
        let body = json!({ "icos": icos });
        let answer = self.call(url, "/v1/batch/ico", Some(&body)).await;
        let Some(id) = answer.at("/meta/batch_id").as_str() else {
            return;
        };
        let path = format!("{url}/v1/batch/{id}/status");
        let answer = answered(self.client.get(path).header("x-api-key", self.other)).await;
        let is_hidden = answer.status == 404;
        self.check(BATCHES_ARE_PRIVATE, is_hidden, || format!("{answer:?}"));
    }

    async fn beyond_the_plan(&mut self, url: &str, ico: &str) {
        if self.customer.name == "free" {
            return;
        }
        let path = format!("/v1/company/ico/{ico}?scope=bank_accounts");
        let answer = self.call(url, &path, None).await;
        let is_refused = answer.status == 403;
        self.check(SCOPES_OF_THE_PLAN, is_refused, || format!("{answer:?}"));
    }

    async fn account(&mut self, url: &str, path: &str) {
        let answer = self.call(url, path, None).await;
        let is_answered = answer.status == 200;
        self.check(ONE_FORM_OF_ERRORS, is_answered, || {
            format!("{path}: {answer:?}")
        });
    }
}

/// Creates a key of an account.
pub async fn new_key(stage: &Stage, account: AccountId, name: &str) -> String {
    let (key, keys) = (NewKey::live(), stage.world.store.keys());
    let hash = key.text.hash();
    let created = keys.create_key(account, name, &key.prefix, &hash, None, stage.world.now());
    created.await.expect("the store is there");
    key.text.reveal().to_owned()
}

/// Whether an error has the one form. No call of a year may fail with 500.
pub fn is_an_error(answer: &Answer) -> bool {
    answer.at("/error").is_string()
        && answer.at("/message").is_string()
        && answer.header("x-request-id").is_some()
        && answer.status != 500
        && (answer.status != 503 || answer.header("retry-after").is_some())
}
