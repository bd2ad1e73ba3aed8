//! One queue of orders and the transactions that carry them out.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::BookingTime;
use super::booking::{self, Order, Outcome, Task};
use crate::store::{BookingError, Store, StoreError};

/// How often a transaction is tried whose outcome is not known, or that somebody overtook.
const ATTEMPTS: u32 = 4;

/// How long to wait in between, and before refunds are tried again.
const PAUSE: Duration = Duration::from_millis(100);
const REFUND_PAUSE: Duration = Duration::from_secs(2);

/// An order and who waits for it.
pub struct Waiting {
    /// What is to be done.
    pub order: Order,
    /// Where the outcome goes; nobody waits for refunds of this queue's own.
    pub reply: Option<oneshot::Sender<Outcome>>,
}

/// Carries out the orders of one queue.
pub struct Flusher {
    store: Store,
    time: BookingTime,
    most: usize,
    /// Refunds of calls that were or may have been charged without an answer.
    unanswered: Vec<Order>,
}

impl Flusher {
    /// A flusher that takes at most so many orders into a transaction.
    #[must_use]
    pub fn new(store: Store, time: BookingTime, most: usize) -> Self {
        Self {
            store,
            time,
            most,
            unanswered: Vec::new(),
        }
    }

    /// Carries out orders until nobody can send one any more.
    pub async fn run(mut self, mut orders: mpsc::Receiver<Waiting>) {
        loop {
            let first = if self.unanswered.is_empty() {
                orders.recv().await
            } else {
                match tokio::time::timeout(REFUND_PAUSE, orders.recv()).await {
                    Ok(first) => first,
                    Err(_elapsed) => {
                        self.flush(Vec::new()).await;
                        continue;
                    }
                }
            };
            let Some(first) = first else { break };
            let mut waiting = vec![first];
            while waiting.len() < self.most
                && let Ok(next) = orders.try_recv()
            {
                waiting.push(next);
            }
            self.flush(waiting).await;
        }
        self.flush(Vec::new()).await;
    }

    async fn flush(&mut self, waiting: Vec<Waiting>) {
        // Who has gone gets no answer, so there is nothing to be charged.
        let waiting = waiting
            .into_iter()
            .filter(|waiting| !waiting.is_abandoned());
        let waiting = waiting.map(|waiting| (waiting.order, waiting.reply));
        let refunds = self.unanswered.drain(..).map(|order| (order, None));
        let (orders, replies): (Vec<Order>, Vec<_>) = waiting.chain(refunds).unzip();
        if orders.is_empty() {
            return;
        }
        match self.book(&orders).await {
            Ok(outcomes) => {
                for ((order, reply), outcome) in orders.iter().zip(replies).zip(outcomes) {
                    let gone = reply.is_some_and(|reply| reply.send(outcome).is_err());
                    // Somebody went away during the commit: the answer that was paid for never goes out.
                    if gone && matches!(outcome, Outcome::Charged(Ok(_))) {
                        self.unanswered.extend(order.taken_back());
                    }
                }
            }
            Err(Unbooked { in_doubt, error }) => {
                tracing::error!(%error, orders = orders.len(), in_doubt, "the ledger could not be written");
                // Whoever waits is told by the reply that is dropped; a refund is tried until it is booked.
                let to_settle = orders
                    .iter()
                    .filter(|order| in_doubt || matches!(order.task, Task::Refund { .. }));
                self.unanswered
                    .extend(to_settle.filter_map(Order::taken_back));
            }
        }
    }

    async fn book(&self, orders: &[Order]) -> Result<Vec<Outcome>, Unbooked> {
        let mut in_doubt = false;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(orders, in_doubt).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(BookingError::Overtaken) if attempt < ATTEMPTS => {
                    attempt += 1;
                    continue;
                }
                Err(BookingError::InDoubt(error)) => {
                    in_doubt = true;
                    error
                }
                Err(BookingError::Store(error)) => error,
                Err(BookingError::Overtaken) => {
                    return Err(Unbooked {
                        in_doubt,
                        error: "it was overtaken every time".to_owned(),
                    });
                }
            };
            // Only what may have happened must be found out; what has not is answered with an error at once.
            if !in_doubt || attempt == ATTEMPTS {
                return Err(Unbooked {
                    in_doubt,
                    error: error.to_string(),
                });
            }
            attempt += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn attempt(
        &self,
        orders: &[Order],
        in_doubt: bool,
    ) -> Result<Vec<Outcome>, BookingError> {
        let now = self.time.now();
        let prepared = booking::prepare(&self.store, orders, in_doubt, now).await;
        prepared
            .map_err(|error: StoreError| BookingError::Store(error))?
            .commit()
            .await
    }
}

/// Why orders were not carried out.
struct Unbooked {
    /// They may have been all the same.
    in_doubt: bool,
    error: String,
}

impl Waiting {
    /// Whether it is a call whose caller has gone.
    fn is_abandoned(&self) -> bool {
        matches!(self.order.task, Task::Charge { .. } | Task::Admit(_))
            && self.reply.as_ref().is_some_and(oneshot::Sender::is_closed)
    }
}
