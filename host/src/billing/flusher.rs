//! One queue of orders and the transactions that carry them out.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::Customer;
use super::booking::{self, Order, Outcome, Task};
use crate::clock::Clock;
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
    clock: Clock,
    most: usize,
    /// Calls that may have been charged without an answer: to be taken back.
    unanswered: Vec<(Arc<Customer>, String)>,
}

impl Flusher {
    /// A flusher that takes at most so many orders into a transaction.
    #[must_use]
    pub fn new(store: Store, clock: Clock, most: usize) -> Self {
        Self {
            store,
            clock,
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

    async fn flush(&mut self, mut waiting: Vec<Waiting>) {
        // Who has gone gets no answer, so there is nothing to be charged.
        waiting.retain(|waiting| !waiting.is_abandoned());
        let refunds = std::mem::take(&mut self.unanswered);
        waiting.extend(refunds.into_iter().map(|(customer, operation)| Waiting {
            order: Order {
                customer,
                task: Task::Refund { operation },
            },
            reply: None,
        }));
        if waiting.is_empty() {
            return;
        }
        let orders: Vec<Order> = waiting
            .iter()
            .map(|waiting| waiting.order.clone())
            .collect();
        match self.book(&orders).await {
            Ok(outcomes) => {
                for (waiting, outcome) in waiting.into_iter().zip(outcomes) {
                    self.answer(waiting, outcome);
                }
            }
            Err(Unbooked { in_doubt, error }) => {
                tracing::error!(%error, orders = orders.len(), in_doubt, "the ledger could not be written");
                for Waiting { order, .. } in waiting {
                    match order.task {
                        Task::Charge { operation, .. } if in_doubt => {
                            self.unanswered.push((order.customer, operation));
                        }
                        Task::Refund { operation } => {
                            self.unanswered.push((order.customer, operation));
                        }
                        // Nobody was charged; whoever waits is told by the reply that is dropped.
                        Task::Charge { .. } | Task::Admit(_) | Task::Advance => {}
                    }
                }
            }
        }
    }

    fn answer(&mut self, waiting: Waiting, outcome: Outcome) {
        let Some(reply) = waiting.reply else { return };
        let gone = reply.send(outcome).is_err();
        // Somebody went away during the commit: the answer that was paid for never went out.
        if gone
            && let Outcome::Charged(Ok(_)) = outcome
            && let Task::Charge { operation, .. } = waiting.order.task
        {
            self.unanswered.push((waiting.order.customer, operation));
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
        let now = self.clock.now();
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
