//! Customers: what they call, what they were charged, and what every answer must keep to.

use std::time::{Duration, Instant};

use lustra_tests::lustra::billing::NewKey;
use lustra_tests::lustra::store::AccountId;
use lustra_tests::{Answer, answered, client};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::invariants::{
    BATCHES_ARE_PRIVATE, ERRORS_ARE_FREE, Findings, HOSTS_RECOVER, NO_FALSE_ABSENCE,
    NO_FALSE_NOT_FOUND, NO_OVERSPENDING, ONE_FORM_OF_ERRORS, REVOKED_KEYS_ARE_REFUSED,
    SCOPES_OF_THE_PLAN, SEARCH_FINDS,
};
use crate::log::Log;
use crate::stage::{CREDITS, FREE, QUOTA, Stage};

/// How long a host may know a key that was revoked: a second, and some more on a busy machine.
const FORGOTTEN: Duration = Duration::from_millis(1_500);

/// An account, and what it was charged.
pub struct Customer {
    pub id: AccountId,
    pub name: &'static str,
    pub key: String,
    scopes: &'static [&'static str],
    /// Request ids of answered calls with their cost.
    pub charged: Vec<(String, i64)>,
    /// Batches that it created.
    batches: Vec<String>,
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
                batches: Vec::new(),
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

    /// One call of a customer to one of the hosts. Checks what holds for every answer.
    async fn call(
        &mut self,
        number: usize,
        url: &str,
        path: &str,
        body: Option<&Value>,
        day: &mut Day<'_>,
    ) -> Answer {
        let customer = &mut self.all[number];
        let request = match body {
            None => self.client.get(format!("{url}{path}")),
            Some(body) => self.client.post(format!("{url}{path}")).json(body),
        };
        let answer = answered(request.header("x-api-key", &customer.key)).await;
        let cost = answer.header("x-credits-charged").unwrap_or("0");
        let cost: i64 = cost.parse().unwrap_or(-1);
        let today = day.day;
        if answer.status < 400 {
            let id = answer.header("x-request-id").unwrap_or_default().to_owned();
            if cost > 0 {
                customer.charged.push((id, cost));
            }
        } else {
            day.findings.check(today, ERRORS_ARE_FREE, cost == 0, || {
                format!("{path}: {answer:?}")
            });
            let is_form = is_an_error(&answer);
            day.findings.check(today, ONE_FORM_OF_ERRORS, is_form, || {
                format!("{path}: {answer:?}")
            });
        }
        let is_there = day.is_disturbed || answer.status != 503;
        day.findings.check(today, HOSTS_RECOVER, is_there, || {
            format!("{path}: {answer:?}")
        });
        let left = answer.header("x-credits-remaining");
        let left = left.and_then(|left| left.parse::<i64>().ok());
        let is_covered = left.is_none_or(|left| left >= 0)
            && (answer.status != 402 || left.is_none_or(|left| left == 0));
        day.findings.check(today, NO_OVERSPENDING, is_covered, || {
            format!("{path}: {answer:?}")
        });
        let name = customer.name;
        day.log.add(
            today,
            &format!("{name} {path} {} charged {cost}", answer.status),
        );
        answer
    }

    /// A day's calls of all customers.
    pub async fn work(&mut self, stage: &Stage, dice: &mut Dice, day: &mut Day<'_>) {
        let icos = stage.icos();
        let urls = stage.urls();
        for number in 0..self.all.len() {
            for _ in 0..=dice.below(3) {
                let (url, ico) = (dice.pick(&urls).clone(), dice.pick(&icos).clone());
                match dice.below(10) {
                    0..=4 => self.look_up(number, &url, &ico, day).await,
                    5 => self.look_up_unknown(number, &url, dice, day).await,
                    6 => self.search(number, &url, &ico, day).await,
                    7 => self.batch(number, &url, &icos, dice, day).await,
                    8 => self.beyond_the_plan(number, &url, &ico, day).await,
                    _ => self.account(number, &url, dice, day).await,
                }
            }
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

    /// A charged call that needs no register.
    pub async fn search_once(&mut self, number: usize, url: &str, day: &mut Day<'_>) {
        self.call(number, url, "/v1/search/ico?q=1", None, day)
            .await;
    }

    async fn look_up(&mut self, number: usize, url: &str, ico: &str, day: &mut Day<'_>) {
        let scopes = self.all[number].scopes.join(",");
        let path = format!("/v1/company/ico/{ico}?scope={scopes}");
        let answer = self.call(number, url, &path, None, day).await;
        let is_known = answer.status != 404;
        day.findings
            .check(day.day, NO_FALSE_NOT_FOUND, is_known, || {
                format!("{path}: {answer:?}")
            });
        if answer.status == 200 {
            check_absence(&answer, day);
        }
    }

    async fn look_up_unknown(
        &mut self,
        number: usize,
        url: &str,
        dice: &mut Dice,
        day: &mut Day<'_>,
    ) {
        let ico = format!("0{:07}", 4_000_000 + dice.below(1_000_000));
        let path = format!("/v1/company/ico/{ico}");
        let answer = self.call(number, url, &path, None, day).await;
        let is_expected = [402, 404, 429, 503].contains(&answer.status);
        day.findings
            .check(day.day, NO_FALSE_NOT_FOUND, is_expected, || {
                format!("{path}: {answer:?}")
            });
    }

    async fn search(&mut self, number: usize, url: &str, ico: &str, day: &mut Day<'_>) {
        let path = format!("/v1/search/ico?q={ico}");
        let answer = self.call(number, url, &path, None, day).await;
        let found = answer.at("/data/0/ico");
        let is_found = answer.status != 200 || found == ico;
        day.findings.check(day.day, SEARCH_FINDS, is_found, || {
            format!("{path}: {answer:?}")
        });
    }

    async fn batch(
        &mut self,
        number: usize,
        url: &str,
        icos: &[String],
        dice: &mut Dice,
        day: &mut Day<'_>,
    ) {
        let some: Vec<&String> = (0..3).map(|_| dice.pick(icos)).collect();
        let body = json!({ "icos": some });
        let answer = self
            .call(number, url, "/v1/batch/ico", Some(&body), day)
            .await;
        let Some(id) = answer.at("/meta/batch_id").as_str() else {
            return;
        };
        self.all[number].batches.push(id.to_owned());
        let other = (number + 1) % self.all.len();
        let theirs = self.all[other].key.clone();
        let path = format!("{url}/v1/batch/{id}/status");
        let answer = answered(self.client.get(path).header("x-api-key", &theirs)).await;
        let is_hidden = answer.status == 404;
        day.findings
            .check(day.day, BATCHES_ARE_PRIVATE, is_hidden, || {
                format!("{answer:?}")
            });
    }

    async fn beyond_the_plan(&mut self, number: usize, url: &str, ico: &str, day: &mut Day<'_>) {
        if self.all[number].name == "free" {
            return;
        }
        let path = format!("/v1/company/ico/{ico}?scope=bank_accounts");
        let answer = self.call(number, url, &path, None, day).await;
        let is_refused = answer.status == 403;
        day.findings
            .check(day.day, SCOPES_OF_THE_PLAN, is_refused, || {
                format!("{answer:?}")
            });
    }

    async fn account(&mut self, number: usize, url: &str, dice: &mut Dice, day: &mut Day<'_>) {
        let paths = [
            "/v1/account/usage",
            "/v1/account/quota",
            "/v1/notifications",
        ];
        let path = *dice.pick(&paths);
        let answer = self.call(number, url, path, None, day).await;
        let is_answered = answer.status == 200;
        day.findings
            .check(day.day, ONE_FORM_OF_ERRORS, is_answered, || {
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

/// A verdict is never `false` beside a source that should have been read and was not.
fn check_absence(answer: &Answer, day: &mut Day<'_>) {
    let section = answer.at("/data/debtor_status");
    let unread = section["unread"].as_array().into_iter().flatten();
    let has_unread = unread
        .filter_map(|source| source["why"].as_str())
        .any(|why| !why.starts_with("off"));
    let is_honest = section["is_debtor"] != false || !has_unread;
    day.findings
        .check(day.day, NO_FALSE_ABSENCE, is_honest, || section.to_string());
}
