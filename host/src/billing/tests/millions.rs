//! A million operations in each database compared with the model: groups of many accounts, crashes before and after
//! commits, and clocks that go back.

use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use time::{Duration, OffsetDateTime};

use super::model::{Model, ModelPlan};
use super::{START, customer, terms_of};
use crate::billing::Customer;
use crate::billing::account_ledger::NewGrant;
use crate::billing::booking::{CommandOutcome, LedgerCommand, Task, prepare};
use crate::billing::operator;
use crate::billing::verify::{Findings, verify};
use crate::store::testing::on_each_database;
use crate::store::{AccountId, GrantKind, Store};

/// Number of operations; `LUSTRA_LEDGER_OPERATIONS` reduces it.
fn operations() -> u64 {
    let set = std::env::var("LUSTRA_LEDGER_OPERATIONS").ok();
    set.and_then(|set| set.parse().ok()).unwrap_or(1_000_000)
}

const ACCOUNTS: i64 = 300;

/// Maximum commands per transaction: more than a host takes, which makes the same test shorter.
const GROUP: usize = 400;

struct Account {
    id: AccountId,
    plan: ModelPlan,
    model: Option<Model>,
    calls: Vec<String>,
    grants: u32,
}

impl Account {
    fn customer(&self) -> Arc<Customer> {
        customer(self.id, terms_of(self.plan))
    }

    /// The model. It begins with the account's first booking.
    fn model(&mut self, now: OffsetDateTime) -> &mut Model {
        let plan = self.plan;
        self.model.get_or_insert_with(|| Model::new(plan, now))
    }
}

struct Simulation {
    random: SmallRng,
    accounts: Vec<Account>,
    now: OffsetDateTime,
    named: u64,
    done: u64,
    crashes: u64,
}

// Each database has a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn million_operations_match_the_model() {
    on_each_database(|store| async move {
        let mut simulation = Simulation::new(7);
        while simulation.done < operations() {
            simulation.pass();
            match simulation.random.random_range(0..20) {
                0 => simulation.change_a_plan(),
                1..=3 => simulation.operate(&store).await,
                _ => simulation.group(&store).await,
            }
        }
        simulation.compare(&store).await;
        assert!(simulation.crashes > 0, "there were crashes");
    })
    .await;
}

impl Simulation {
    fn new(seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let account = |id| Account {
            id,
            plan: ModelPlan {
                version: 1,
                monthly: random.random_range(0..40),
                rollover: random.random_range(0..30),
                overage: random.random_bool(0.3),
            },
            model: None,
            calls: Vec::new(),
            grants: 0,
        };
        let accounts = (1..=ACCOUNTS).map(AccountId::new).map(account).collect();
        Self {
            random,
            accounts,
            now: START,
            named: 0,
            done: 0,
            crashes: 0,
        }
    }

    /// Advances the clock: mostly by hours, sometimes by weeks, sometimes back.
    fn pass(&mut self) {
        let minutes = match self.random.random_range(0..100) {
            0..60 => self.random.random_range(0..30),
            60..95 => self.random.random_range(0..60 * 20),
            95..97 => self.random.random_range(0..60 * 24 * 20),
            _ => -self.random.random_range(0..60 * 24 * 2),
        };
        self.now += Duration::minutes(minutes);
    }

    fn change_a_plan(&mut self) {
        let place = self.random.random_range(0..self.accounts.len());
        let plan = ModelPlan {
            version: self.accounts[place].plan.version + 1,
            monthly: self.random.random_range(0..40),
            rollover: self.random.random_range(0..30),
            overage: self.random.random_bool(0.3),
        };
        self.accounts[place].plan = plan;
        self.done += 1;
    }

    /// Executes commands as hosts do, with simulated failures.
    async fn group(&mut self, store: &Store) {
        let size = self.random.random_range(1..=GROUP);
        let mut commands = Vec::with_capacity(size);
        let mut places = Vec::with_capacity(size);
        for _ in 0..size {
            // Some accounts are called more often than others.
            let place = self
                .random
                .random_range(0..self.accounts.len())
                .min(self.random.random_range(0..self.accounts.len()));
            let account = &mut self.accounts[place];
            let customer = account.customer();
            let refund = self.random.random_bool(0.1) && !account.calls.is_empty();
            let task = if refund {
                let call = account.calls[self.random.random_range(0..account.calls.len())].clone();
                Task::Refund { operation: call }
            } else if self.random.random_bool(0.05) {
                Task::Advance
            } else {
                self.named += 1;
                let operation = format!("call {}", self.named);
                Task::Charge {
                    operation,
                    endpoint: "company",
                }
            };
            places.push(place);
            commands.push(LedgerCommand { customer, task });
        }
        let now = self.now;
        let mut crashed_after = None;
        match self.random.random_range(0..10) {
            // The host dies before the commit: nothing was written, and the commands are repeated.
            0 => {
                drop(prepare(store, &commands, false, now).await.unwrap());
                self.crashes += 1;
            }
            // The connection broke during COMMIT: the transaction was committed, but the client does not know.
            1 => {
                crashed_after = Some(
                    prepare(store, &commands, false, now)
                        .await
                        .unwrap()
                        .commit()
                        .await
                        .unwrap(),
                );
                self.crashes += 1;
            }
            _ => {}
        }
        let in_doubt = crashed_after.is_some();
        let again = prepare(store, &commands, in_doubt, now)
            .await
            .unwrap()
            .commit()
            .await
            .unwrap();
        for (place, (command, outcome)) in places.iter().zip(
            commands
                .iter()
                .zip(crashed_after.as_ref().unwrap_or(&again)),
        ) {
            self.check(command, *place, *outcome);
        }
        if let Some(before) = crashed_after {
            for (at, (before, again)) in before.into_iter().zip(again).enumerate() {
                if let CommandOutcome::Charged(Ok(_)) = before {
                    assert_eq!(
                        again, before,
                        "a repeated command must return its first result"
                    );
                } else {
                    // Commands that were not booked are repeated; a refund may have made room meanwhile.
                    self.check(&commands[at], places[at], again);
                }
            }
        }
        self.done += u64::try_from(size).unwrap();
    }

    fn check(&mut self, command: &LedgerCommand, place: usize, outcome: CommandOutcome) {
        let (now, account) = (self.now, &mut self.accounts[place]);
        let plan = account.plan;
        match (&command.task, outcome) {
            (Task::Charge { operation, .. }, CommandOutcome::Charged(paid)) => {
                let expected = account.model(now).call(operation, plan, now);
                let paid = paid.ok().map(|paid| (paid.credits, paid.remaining));
                assert_eq!(
                    paid, expected,
                    "account {} at {now}, {operation}",
                    account.id
                );
                if paid.is_some() {
                    account.calls.push(operation.clone());
                }
            }
            (Task::Refund { operation }, CommandOutcome::Refunded(done)) => {
                let expected = account.model(now).refund(operation, plan, now);
                assert_eq!(
                    done, expected,
                    "account {} at {now}, {operation}",
                    account.id
                );
            }
            (Task::Advance, CommandOutcome::Advanced) => {
                account.model(now).pass(plan, now);
            }
            (task, outcome) => panic!("{task:?} became {outcome:?}"),
        }
    }

    /// Runs operator commands twice each: the second run must change nothing.
    async fn operate(&mut self, store: &Store) {
        let place = self.random.random_range(0..self.accounts.len());
        let (now, gives) = (self.now, self.random.random_bool(0.7));
        let (credits, days) = (
            self.random.random_range(1..12),
            self.random.random_range(0..200),
        );
        let account = &mut self.accounts[place];
        let (customer, plan) = (account.customer(), account.plan);
        account.grants += 1;
        let source = format!("by hand {}", account.grants);
        account.model(now).pass(plan, now);
        // The ledger opens with the first command, like the model.
        operator::advance(store, &customer, now).await.unwrap();
        if gives {
            let expires_at = (days > 0).then(|| now + Duration::days(days));
            let new = NewGrant {
                kind: GrantKind::Purchase,
                credits,
                expires_at,
                source: source.clone(),
                about: "invoice".to_owned(),
            };
            let given = account
                .model(now)
                .grant(2, credits, expires_at, &source, plan, now);
            assert_eq!(
                operator::grant(store, &customer, &new, now).await.unwrap(),
                given
            );
            assert!(!operator::grant(store, &customer, &new, now).await.unwrap());
        } else {
            let taken = operator::take(store, &customer, credits, &source, "mistake", now).await;
            assert_eq!(taken.is_ok(), account.model(now).take(credits, plan, now));
            if taken.is_ok() {
                assert!(
                    !operator::take(store, &customer, credits, &source, "mistake", now)
                        .await
                        .unwrap()
                );
            }
        }
        self.done += 1;
    }

    async fn compare(&mut self, store: &Store) {
        let mut findings = Findings::default();
        for account in &self.accounts {
            let Some(model) = &account.model else {
                continue;
            };
            let (balance, grants) = store.billing().find(account.id).await.unwrap().unwrap();
            assert_eq!(balance.balance, model.balance(), "account {}", account.id);
            assert_eq!(
                (balance.used, balance.overage),
                (model.used, model.beyond),
                "account {}",
                account.id
            );
            assert_eq!(
                grants.iter().map(|grant| grant.remaining).sum::<i64>(),
                balance.balance
            );
            let books = store.billing().books(account.id).await.unwrap().unwrap();
            assert_eq!(
                books.usage,
                (model.calls_in_all, model.beyond_in_all),
                "account {}",
                account.id
            );
            drop(books);
            verify(store, account.id, &mut findings).await.unwrap();
        }
        assert_eq!(findings.mistakes, []);
        let drift: i64 = self
            .accounts
            .iter()
            .filter_map(|account| account.model.as_ref())
            .map(Model::balance)
            .sum();
        assert_eq!(findings.credits - drift, 0);
    }
}
