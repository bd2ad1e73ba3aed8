//! The ledger of one host: the interface for handlers, and the queues behind it.
//!
//! Commands queue while a transaction runs, and the next transaction takes all of them (group commit). A busy server
//! commits once for many calls; an idle one commits immediately. The result of a command is returned after its commit.

mod answer;
mod clock;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use time::Date;
use tokio::sync::{mpsc, oneshot};

use self::answer::Answer;
use super::account_ledger::{AccountLedger, Paid};
use super::booking::{CommandOutcome, LedgerCommand, Task};
use super::flusher::{Flusher, Waiting};
use super::ledger_counts::{Counters, LedgerCounts};
use super::limits::RateLimitDecision;
use super::uncharged::Uncharged;
use super::{BookingTime, Customer, Metering};
use crate::clock::Clock;
use crate::config;
use crate::config::RateLimits;
use crate::store::{
    AccountBalance, AccountId, DatabaseKind, Grant, LockedAccount, Store, StoreError, UsageOfDay,
};

/// Workers on a shared database; accounts are distributed among them. A file has one writer and so one worker.
const FLUSHERS: usize = 4;

/// Maximum commands per transaction.
pub const MAX_COMMANDS: usize = 64;

/// Maximum accounts per sweep step.
const MAX_SWEPT_ACCOUNTS: usize = 500;

/// How long this host caches that an account has credits. The charge decides in any case.
const CAN_PAY_TTL: Duration = Duration::from_secs(1);

/// Pause between writes of calls that cost nothing.
const USAGE_PAUSE: Duration = Duration::from_secs(1);

/// Pause between sweeps of expired grants and ended months.
const SWEEP_PAUSE: Duration = Duration::from_secs(60);

/// Pause between checks of a clock that is not trusted.
const CLOCK_CHECK_PAUSE: Duration = Duration::from_secs(10);

/// Why a call was not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChargeError {
    /// No credits are left.
    #[error("the credits are used up")]
    Exhausted,
    /// The store is unreachable. If the call was charged nevertheless, the charge is refunded.
    #[error("the ledger is unavailable")]
    Unavailable,
}

/// State of an account at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    /// The balance, after booking everything that is due by then.
    pub account: AccountBalance,
    /// Live grants, in order of use.
    pub grants: Vec<Grant>,
}

/// The ledger of one host. Clones share all state.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    store: Store,
    time: BookingTime,
    queues: Vec<mpsc::Sender<Waiting>>,
    can_pay: moka::sync::Cache<AccountId, ()>,
    uncharged: Uncharged,
    counters: Counters,
}

impl Ledger {
    /// Creates a ledger with its queues. Must be called inside the runtime.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self::with_most(store, clock, MAX_COMMANDS)
    }

    /// Like [`Self::new`], with at most `most` commands per transaction.
    #[must_use]
    pub fn with_most(store: Store, clock: Clock, most: usize) -> Self {
        let time = BookingTime::new(clock, &config::Ledger::default());
        Self::with_time(store, time, most)
    }

    /// The ledger of a host. Checks the host's clock first, see [`BookingTime::begin`].
    ///
    /// # Errors
    /// The store failed.
    pub async fn begin(
        store: Store,
        clock: Clock,
        settings: &config::Ledger,
    ) -> Result<Self, StoreError> {
        let time = BookingTime::new(clock, settings);
        time.begin(&store).await?;
        Ok(Self::with_time(store, time, MAX_COMMANDS))
    }

    fn with_time(store: Store, time: BookingTime, most: usize) -> Self {
        let flushers = match store.kind() {
            DatabaseKind::Sqlite => 1,
            DatabaseKind::Postgres => FLUSHERS,
        };
        let counters = Counters::default();
        let queues = (0..flushers)
            .map(|_| {
                let (queue, commands) = mpsc::channel(1_024);
                let flusher = Flusher::new(store.clone(), time.clone(), most, counters.clone());
                // Not a supervised worker: a restart would drop a transaction's replies and its pending refunds, and
                // the queue still takes refunds while the workers end. It runs until the ledger is dropped.
                tokio::spawn(flusher.run(commands));
                queue
            })
            .collect();
        Self(Arc::new(Inner {
            queues,
            can_pay: moka::sync::Cache::builder()
                .max_capacity(100_000)
                .time_to_live(CAN_PAY_TTL)
                .build(),
            uncharged: Uncharged::default(),
            counters,
            store,
            time,
        }))
    }

    /// Charges a call with a unique id, unless the account is unmetered. When this returns, the charge is durable. A
    /// caller that leaves earlier is not charged.
    ///
    /// # Errors
    /// A [`ChargeError`]; nothing is charged.
    pub async fn charge(
        &self,
        customer: &Arc<Customer>,
        operation: &str,
        endpoint: &'static str,
    ) -> Result<Option<Paid>, ChargeError> {
        if customer.metering == Metering::Unmetered {
            self.count(customer.account_id, endpoint, false);
            return Ok(None);
        }
        let task = Task::Charge {
            operation: operation.to_owned(),
            endpoint,
        };
        let charged = match self.execute(customer, task).await {
            Some(CommandOutcome::Charged(charged)) => charged,
            Some(
                CommandOutcome::Refunded(_)
                | CommandOutcome::Admitted(_)
                | CommandOutcome::Advanced,
            )
            | None => {
                return Err(ChargeError::Unavailable);
            }
        };
        if !charged.is_ok_and(|paid| paid.remaining > 0 || customer.terms.overage) {
            self.0.can_pay.invalidate(&customer.account_id);
        }
        charged.map(Some).map_err(|_exhausted| {
            self.0.counters.refused();
            ChargeError::Exhausted
        })
    }

    /// Refunds a charged call. Once the command is queued it completes, even if the caller leaves.
    pub async fn refund(&self, customer: &Arc<Customer>, operation: &str) {
        let operation = operation.to_owned();
        // The result is irrelevant here, and the queue retries failed refunds.
        let _refunded: Option<CommandOutcome> =
            self.execute(customer, Task::Refund { operation }).await;
    }

    /// Counts a request against its plan's rate limits.
    ///
    /// # Errors
    /// The store is unreachable.
    pub async fn admit(
        &self,
        customer: &Arc<Customer>,
        limits: RateLimits,
    ) -> Result<RateLimitDecision, ChargeError> {
        match self.execute(customer, Task::Admit(limits)).await {
            Some(CommandOutcome::Admitted(admission)) => Ok(admission),
            Some(
                CommandOutcome::Charged(_) | CommandOutcome::Refunded(_) | CommandOutcome::Advanced,
            )
            | None => Err(ChargeError::Unavailable),
        }
    }

    /// Whether an account can pay for a call, as far as this host knows; if not, the call counts as refused. `false` is
    /// certain; `true` may be outdated.
    ///
    /// # Errors
    /// The store failed.
    pub async fn can_pay(&self, customer: &Customer) -> Result<bool, StoreError> {
        if customer.metering == Metering::Unmetered || customer.terms.overage {
            return Ok(true);
        }
        if self.0.can_pay.contains_key(&customer.account_id) {
            return Ok(true);
        }
        let can = self.state(customer).await?.account.balance > 0;
        if can {
            self.0.can_pay.insert(customer.account_id, ());
        } else {
            self.0.counters.refused();
        }
        Ok(can)
    }

    /// What this host has refused and refunded since its start.
    #[must_use]
    pub fn counts(&self) -> LedgerCounts {
        self.0.counters.snapshot()
    }

    /// The current state of an account. Writes nothing.
    ///
    /// # Errors
    /// The store failed.
    pub async fn state(&self, customer: &Customer) -> Result<AccountState, StoreError> {
        let now = self.0.time.now();
        let billing = self.0.store.billing();
        let (account, grants) = billing.find(customer.account_id).await?.unzip();
        let stored = LockedAccount {
            account,
            grants: grants.unwrap_or_default(),
            ..LockedAccount::default()
        };
        let mut ledger = AccountLedger::of(customer.account_id, stored, &customer.terms, now);
        ledger.advance(&customer.terms, now);
        Ok(AccountState {
            grants: ledger.live().into_iter().cloned().collect(),
            account: ledger.account().clone(),
        })
    }

    pub fn count(&self, account_id: AccountId, endpoint: &'static str, cached: bool) {
        let today = self.0.time.now().date();
        self.0.uncharged.count(account_id, today, endpoint, cached);
    }

    /// Usage of an account between two days, both inclusive, including calls of this host that are not written yet.
    ///
    /// # Errors
    /// The store failed.
    pub async fn usage(
        &self,
        account_id: AccountId,
        from: Date,
        to: Date,
    ) -> Result<Vec<UsageOfDay>, StoreError> {
        self.write_usage().await?;
        self.0.store.billing().usage(account_id, from, to).await
    }

    /// Writes the counts of calls that cost nothing.
    ///
    /// # Errors
    /// The store failed; the counts are kept for the next attempt.
    pub async fn write_usage(&self) -> Result<(), StoreError> {
        let this = self.clone();
        // A task of its own: a client that disconnects drops the request's future.
        let writing = tokio::spawn(async move { this.0.uncharged.write(&this.0.store).await });
        match writing.await {
            Ok(written) => written,
            Err(ended) => {
                tracing::error!(error = %ended, "the task that writes usage ended");
                Ok(())
            }
        }
    }

    /// Books expired grants and ended months of accounts without recent calls, and returns the number of accounts.
    /// `customer` returns the terms of an account, or nothing if the account has none. Concurrent sweeps are harmless:
    /// the later one finds nothing to book.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep<F>(&self, customer: impl Fn(AccountId) -> F) -> Result<usize, StoreError>
    where
        F: Future<Output = Result<Option<Customer>, StoreError>>,
    {
        let billing = self.0.store.billing();
        let mut swept = 0;
        loop {
            let due = billing.due(self.0.time.now(), MAX_SWEPT_ACCOUNTS).await?;
            let mut customers = Vec::with_capacity(due.len());
            for account in &due {
                let customer = customer(*account).await?;
                let customer = customer.unwrap_or_else(|| Customer::without_plan(*account));
                customers.push(Arc::new(customer));
            }
            // Send all commands at once, so that they share transactions.
            let commands = customers
                .iter()
                .map(|customer| self.execute(customer, Task::Advance));
            let done = join_all(commands).await.into_iter().flatten().count();
            swept += done;
            // Accounts that could not be booked now are due again at the next sweep.
            if due.len() < MAX_SWEPT_ACCOUNTS || done < due.len() {
                return Ok(swept);
            }
        }
    }

    /// Writes usage, checks the clock and sweeps, for as long as the host runs.
    pub async fn run<F>(self, customer: impl Fn(AccountId) -> F)
    where
        F: Future<Output = Result<Option<Customer>, StoreError>>,
    {
        let mut swept = tokio::time::Instant::now();
        let mut clock_checked = swept;
        loop {
            tokio::time::sleep(USAGE_PAUSE).await;
            let pause = if self.clock_state().trusted {
                SWEEP_PAUSE
            } else {
                CLOCK_CHECK_PAUSE
            };
            if clock_checked.elapsed() >= pause {
                clock_checked = tokio::time::Instant::now();
                if let Err(error) = self.settle_clock().await {
                    tracing::warn!(%error, "comparing the host's clock with the database's clock failed");
                }
            }
            if let Err(error) = self.write_usage().await {
                tracing::warn!(%error, "writing usage counts failed; retrying with the next write");
            }
            if swept.elapsed() >= SWEEP_PAUSE {
                swept = tokio::time::Instant::now();
                if let Err(error) = self.sweep(&customer).await {
                    tracing::warn!(%error, "booking expired grants and ended months failed; retrying (expired credits cannot be spent meanwhile)");
                }
            }
        }
    }

    /// Sends a command to its queue and waits for the result. `None`: it was not executed.
    async fn execute(&self, customer: &Arc<Customer>, task: Task) -> Option<CommandOutcome> {
        let queues = &self.0.queues;
        let place =
            usize::try_from(customer.account_id.get().unsigned_abs()).unwrap_or(0) % queues.len();
        let (reply, outcome) = oneshot::channel();
        let waiting = Waiting {
            command: LedgerCommand {
                customer: Arc::clone(customer),
                task,
            },
            reply: Some(reply),
        };
        let mut answer = Answer {
            unpaid: waiting.command.rollback(),
            queue: queues[place].clone(),
            outcome,
        };
        queues[place].send(waiting).await.ok()?;
        let outcome = (&mut answer.outcome).await.ok()?;
        answer.unpaid = None;
        Some(outcome)
    }
}
