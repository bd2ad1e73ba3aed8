//! The ledger of one host: what handlers ask about credits, and the queues behind it.
//!
//! Orders wait in a queue while a transaction is under way; the next takes all that wait, so that a busy server commits
//! once for many calls and an idle one at once. An order's answer comes after the commit that it is in.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use time::{Date, OffsetDateTime};
use tokio::sync::{mpsc, oneshot};

use super::book::{Book, Paid};
use super::booking::{Order, Outcome, Task};
use super::flusher::{Flusher, Waiting};
use super::limits::Admission;
use super::uncharged::Uncharged;
use super::{BookingTime, ClockState, Customer, Metering};
use crate::clock::Clock;
use crate::config;
use crate::config::RateLimits;
use crate::store::{Grant, Kind, OpenedAccount, Standing, Store, StoreError, UsageOfDay};

/// Flushers of a host, which accounts are shared among. A file has one writer, so there is one.
const FLUSHERS: usize = 4;

/// Orders of one transaction at most.
pub const MOST: usize = 64;

/// Accounts that the sweep brings up to date at once.
const MOST_DUE: usize = 500;

/// For how long a host believes that an account has credits; whether it has is decided by the charge.
const BELIEVED: Duration = Duration::from_secs(1);

/// How often calls that cost nothing are written.
const USAGE_PAUSE: Duration = Duration::from_secs(1);

/// How often it is looked for what has expired or ended.
const SWEEP_PAUSE: Duration = Duration::from_secs(60);

/// How often a clock that is not believed is compared again.
const SETTLE_PAUSE: Duration = Duration::from_secs(10);

/// Why a call was not charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ChargeError {
    /// The credits are used up.
    #[error("the credits are used up")]
    Exhausted,
    /// The store is out of reach. Should it have been charged all the same, that is taken back.
    #[error("the ledger is unavailable")]
    Unavailable,
}

/// Where an account stands at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountState {
    /// Its standing, with all that has happened by itself until then.
    pub standing: Standing,
    /// Its live grants, in the order in which they are used.
    pub grants: Vec<Grant>,
}

/// The ledger of one host. Clones share everything.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    store: Store,
    time: BookingTime,
    queues: Vec<mpsc::Sender<Waiting>>,
    can_pay: moka::sync::Cache<i64, ()>,
    uncharged: Uncharged,
}

impl Ledger {
    /// The ledger over a store, with its queues. It must be made within the runtime.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self::with_most(store, clock, MOST)
    }

    /// As [`Self::new`], with at most so many orders in a transaction.
    #[must_use]
    pub fn with_most(store: Store, clock: Clock, most: usize) -> Self {
        let time = BookingTime::new(clock, &config::Ledger::default());
        Self::with_time(store, time, most)
    }

    /// The ledger of a host, whose clock is compared first, see [`BookingTime::begin`].
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
        Ok(Self::with_time(store, time, MOST))
    }

    fn with_time(store: Store, time: BookingTime, most: usize) -> Self {
        let flushers = match store.kind() {
            Kind::Sqlite => 1,
            Kind::Postgres => FLUSHERS,
        };
        let queues = (0..flushers)
            .map(|_| {
                let (queue, orders) = mpsc::channel(1_024);
                tokio::spawn(Flusher::new(store.clone(), time.clone(), most).run(orders));
                queue
            })
            .collect();
        Self(Arc::new(Inner {
            queues,
            can_pay: moka::sync::Cache::builder()
                .max_capacity(100_000)
                .time_to_live(BELIEVED)
                .build(),
            uncharged: Uncharged::default(),
            store,
            time,
        }))
    }

    /// Charges a call that no other has the name of, if it is to be charged at all. What is answered is in the ledger
    /// for good. A caller that goes away before it is answered is not charged.
    ///
    /// # Errors
    /// A [`ChargeError`]; nothing is charged then.
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
        let charged = match self.order(customer, task).await {
            Some(Outcome::Charged(charged)) => charged,
            Some(Outcome::Refunded(_) | Outcome::Admitted(_) | Outcome::Advanced) | None => {
                return Err(ChargeError::Unavailable);
            }
        };
        if !charged.is_ok_and(|paid| paid.remaining > 0 || customer.terms.overage) {
            self.0.can_pay.invalidate(&customer.account_id);
        }
        charged
            .map(Some)
            .map_err(|_exhausted| ChargeError::Exhausted)
    }

    /// Takes a charged call back. Once it waits in the queue it is done, whoever goes away.
    pub async fn refund(&self, customer: &Arc<Customer>, operation: &str) {
        let operation = operation.to_owned();
        // Whether there was something to be taken back does not matter here, and what fails is tried again.
        let _refunded: Option<Outcome> = self.order(customer, Task::Refund { operation }).await;
    }

    /// Counts a request against the limits of its plan.
    ///
    /// # Errors
    /// The store is out of reach.
    pub async fn admit(
        &self,
        customer: &Arc<Customer>,
        limits: RateLimits,
    ) -> Result<Admission, ChargeError> {
        match self.order(customer, Task::Admit(limits)).await {
            Some(Outcome::Admitted(admission)) => Ok(admission),
            Some(Outcome::Charged(_) | Outcome::Refunded(_) | Outcome::Advanced) | None => {
                Err(ChargeError::Unavailable)
            }
        }
    }

    /// Whether an account can pay for a call, as far as this host knows: a refusal is certain, a consent is not.
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
        let can = self.state(customer).await?.standing.balance > 0;
        if can {
            self.0.can_pay.insert(customer.account_id, ());
        }
        Ok(can)
    }

    /// Where an account stands now. Nothing is written.
    ///
    /// # Errors
    /// The store failed.
    pub async fn state(&self, customer: &Customer) -> Result<AccountState, StoreError> {
        let now = self.0.time.now();
        let (standing, grants) = self
            .0
            .store
            .billing()
            .find(customer.account_id)
            .await?
            .unzip();
        let stored = OpenedAccount {
            standing,
            grants: grants.unwrap_or_default(),
            ..OpenedAccount::default()
        };
        let mut book = Book::of(customer.account_id, stored, &customer.terms, now);
        book.advance(&customer.terms, now);
        Ok(AccountState {
            grants: book.live().into_iter().cloned().collect(),
            standing: book.standing().clone(),
        })
    }

    /// Counts a call that cost nothing.
    pub fn count(&self, account_id: i64, endpoint: &'static str, cached: bool) {
        let today = self.0.time.now().date();
        self.0.uncharged.count(account_id, today, endpoint, cached);
    }

    /// How an account used its endpoints from a day to another, calls of this host up to now included.
    ///
    /// # Errors
    /// The store failed.
    pub async fn usage(
        &self,
        account_id: i64,
        from: Date,
        to: Date,
    ) -> Result<Vec<UsageOfDay>, StoreError> {
        self.write_usage().await?;
        self.0.store.billing().usage(account_id, from, to).await
    }

    /// Writes the calls that cost nothing.
    ///
    /// # Errors
    /// The store failed; they are kept for the next time.
    pub async fn write_usage(&self) -> Result<(), StoreError> {
        self.0.uncharged.write(&self.0.store).await
    }

    /// Books what has expired and which months have ended, of accounts that nobody has touched since; how many.
    /// `customer` gives the terms of an account, or nothing where it has none any more. Whoever does it at the same time
    /// finds it done.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep<F>(&self, customer: impl Fn(i64) -> F) -> Result<usize, StoreError>
    where
        F: Future<Output = Result<Option<Customer>, StoreError>>,
    {
        let billing = self.0.store.billing();
        let mut swept = 0;
        loop {
            let due = billing.due(self.0.time.now(), MOST_DUE).await?;
            let mut customers = Vec::with_capacity(due.len());
            for account in &due {
                let customer = customer(*account).await?;
                let customer = customer.unwrap_or_else(|| Customer::without_plan(*account));
                customers.push(Arc::new(customer));
            }
            // All at once, so that they share transactions.
            let orders = customers
                .iter()
                .map(|customer| self.order(customer, Task::Advance));
            let done = join_all(orders).await.into_iter().flatten().count();
            swept += done;
            // What could not be booked now is due again at the next look.
            if due.len() < MOST_DUE || done < due.len() {
                return Ok(swept);
            }
        }
    }

    /// Writes what waits in memory and sweeps, for as long as the host runs.
    pub async fn run<F>(self, customer: impl Fn(i64) -> F)
    where
        F: Future<Output = Result<Option<Customer>, StoreError>>,
    {
        let mut looked = tokio::time::Instant::now();
        let mut settled = looked;
        loop {
            tokio::time::sleep(USAGE_PAUSE).await;
            let pause = if self.clock_state().trusted {
                SWEEP_PAUSE
            } else {
                SETTLE_PAUSE
            };
            if settled.elapsed() >= pause {
                settled = tokio::time::Instant::now();
                if let Err(error) = self.settle_clock().await {
                    tracing::warn!(%error, "the host's clock could not be compared with the database's");
                }
            }
            if let Err(error) = self.write_usage().await {
                tracing::warn!(%error, "calls could not be counted; they are kept for the next time");
            }
            if looked.elapsed() >= SWEEP_PAUSE {
                looked = tokio::time::Instant::now();
                if let Err(error) = self.sweep(&customer).await {
                    tracing::warn!(%error, "what has expired could not be booked; it is not spent all the same");
                }
            }
        }
    }

    /// Sends an order and waits for its outcome. `None`: it was not carried out.
    async fn order(&self, customer: &Arc<Customer>, task: Task) -> Option<Outcome> {
        let queues = &self.0.queues;
        let place = usize::try_from(customer.account_id.unsigned_abs()).unwrap_or(0) % queues.len();
        let (reply, outcome) = oneshot::channel();
        let waiting = Waiting {
            order: Order {
                customer: Arc::clone(customer),
                task,
            },
            reply: Some(reply),
        };
        let mut answer = Answer {
            unpaid: waiting.order.taken_back(),
            queue: queues[place].clone(),
            outcome,
        };
        queues[place].send(waiting).await.ok()?;
        let outcome = (&mut answer.outcome).await.ok()?;
        answer.unpaid = None;
        Some(outcome)
    }

    /// Whether the host's clock is believed for bookings.
    #[must_use]
    pub fn clock_state(&self) -> ClockState {
        self.0.time.clock_state()
    }

    /// An operator says that the host's clock is right. False: the database's clock says otherwise, and that decides.
    ///
    /// # Errors
    /// The store failed.
    pub async fn confirm_clock(&self) -> Result<bool, StoreError> {
        self.0.time.confirm(&self.0.store).await
    }

    /// Looks whether the host's clock can be believed.
    ///
    /// # Errors
    /// The store failed; nothing has changed.
    pub async fn settle_clock(&self) -> Result<(), StoreError> {
        self.0.time.settle(&self.0.store).await
    }

    /// Now, by the time that bookings are made by.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.0.time.now()
    }
}

/// The outcome of an order on its way. Dropped before it was looked at, a call that was charged meanwhile is taken back:
/// its answer never goes out.
struct Answer {
    outcome: oneshot::Receiver<Outcome>,
    queue: mpsc::Sender<Waiting>,
    /// What takes the call back.
    unpaid: Option<Order>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        // From here on the queue sees that nobody waits; what it said before is looked at now.
        self.outcome.close();
        let charged = matches!(self.outcome.try_recv(), Ok(Outcome::Charged(Ok(_))));
        if let Some(order) = self.unpaid.take().filter(|_| charged)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let queue = self.queue.clone();
            runtime.spawn(async move {
                let reply = None;
                if queue.send(Waiting { order, reply }).await.is_err() {
                    tracing::error!(
                        "a call without an answer could not be taken back: the ledger has ended"
                    );
                }
            });
        }
    }
}
