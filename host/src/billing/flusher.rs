//! A queue of commands, and the worker that executes them in transactions.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::BookingTime;
use super::booking::{self, CommandOutcome, LedgerCommand, Task};
use super::ledger_counts::Counters;
use crate::store::{BookingError, Store, StoreError};

/// Attempts of a transaction that was overtaken or whose outcome is unknown.
const MAX_ATTEMPTS: u32 = 4;

/// Pauses before the next attempt of a transaction, and before pending refunds are retried.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
const REFUND_RETRY_PAUSE: Duration = Duration::from_secs(2);

/// A queued command with its reply channel.
pub struct Waiting {
    pub command: LedgerCommand,
    /// Reply channel. `None` for refunds that the queue issues itself.
    pub reply: Option<oneshot::Sender<CommandOutcome>>,
}

/// The worker of one queue.
pub(super) struct Flusher {
    store: Store,
    time: BookingTime,
    most: usize,
    counters: Counters,
    /// Refunds of calls that were or may have been charged, but whose caller got no answer.
    unanswered: Vec<LedgerCommand>,
}

impl Flusher {
    /// A worker that takes at most `most` commands into a transaction.
    #[must_use]
    pub fn new(store: Store, time: BookingTime, most: usize, counters: Counters) -> Self {
        Self {
            store,
            time,
            most,
            counters,
            unanswered: Vec::new(),
        }
    }

    /// Processes commands until the channel is closed.
    pub async fn run(mut self, mut commands: mpsc::Receiver<Waiting>) {
        loop {
            let first = if self.unanswered.is_empty() {
                commands.recv().await
            } else {
                match tokio::time::timeout(REFUND_RETRY_PAUSE, commands.recv()).await {
                    Ok(first) => first,
                    Err(_elapsed) => {
                        self.flush(Vec::new()).await;
                        continue;
                    }
                }
            };
            let Some(first) = first else { break };
            let mut waiting = vec![first];
            self.take(&mut commands, &mut waiting);
            if waiting.len() < self.most {
                // Calls that are ready to be charged come into this transaction too. On an idle host nothing is ready,
                // and this takes no time.
                tokio::task::yield_now().await;
                self.take(&mut commands, &mut waiting);
            }
            self.flush(waiting).await;
        }
        self.flush(Vec::new()).await;
    }

    /// Takes the commands that are queued, as far as they fit into the transaction.
    fn take(&self, commands: &mut mpsc::Receiver<Waiting>, waiting: &mut Vec<Waiting>) {
        while waiting.len() < self.most
            && let Ok(next) = commands.try_recv()
        {
            waiting.push(next);
        }
    }

    async fn flush(&mut self, waiting: Vec<Waiting>) {
        // Drop calls whose caller has left: they get no answer, so they are not charged.
        let waiting = waiting
            .into_iter()
            .filter(|waiting| !waiting.is_abandoned());
        let waiting = waiting.map(|waiting| (waiting.command, waiting.reply));
        let refunds = self.unanswered.drain(..).map(|command| (command, None));
        let (commands, replies): (Vec<LedgerCommand>, Vec<_>) = waiting.chain(refunds).unzip();
        if commands.is_empty() {
            return;
        }
        match self.book(&commands).await {
            Ok(outcomes) => {
                for ((command, reply), outcome) in commands.iter().zip(replies).zip(outcomes) {
                    if outcome == CommandOutcome::Refunded(true) {
                        self.counters.refunded();
                    }
                    let gone = reply.is_some_and(|reply| reply.send(outcome).is_err());
                    // The caller left during the commit. The charged answer is never sent, so refund it.
                    if gone && matches!(outcome, CommandOutcome::Charged(Ok(_))) {
                        self.unanswered.extend(command.rollback());
                    }
                }
            }
            Err(Unbooked { in_doubt, error }) => {
                tracing::error!(%error, commands = commands.len(), in_doubt, "writing the ledger failed");
                // The dropped reply channel tells waiting callers. Refunds are retried until they are booked.
                let to_settle = commands
                    .iter()
                    .filter(|command| in_doubt || matches!(command.task, Task::Refund { .. }));
                self.unanswered
                    .extend(to_settle.filter_map(LedgerCommand::rollback));
            }
        }
    }

    async fn book(&self, commands: &[LedgerCommand]) -> Result<Vec<CommandOutcome>, Unbooked> {
        let mut in_doubt = false;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(commands, in_doubt).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(BookingError::Overtaken) if attempt < MAX_ATTEMPTS => {
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
                        error: "another host opened the account first in every attempt".to_owned(),
                    });
                }
            };
            // Retry only if the outcome of a commit is unknown. Other errors go to the callers at once.
            if !in_doubt || attempt == MAX_ATTEMPTS {
                return Err(Unbooked {
                    in_doubt,
                    error: error.to_string(),
                });
            }
            attempt += 1;
            tokio::time::sleep(RETRY_PAUSE).await;
        }
    }

    async fn attempt(
        &self,
        commands: &[LedgerCommand],
        in_doubt: bool,
    ) -> Result<Vec<CommandOutcome>, BookingError> {
        let now = self.time.now();
        let prepared = booking::prepare(&self.store, commands, in_doubt, now).await;
        prepared
            .map_err(|error: StoreError| BookingError::Store(error))?
            .commit()
            .await
    }
}

/// Why a transaction failed.
struct Unbooked {
    /// The transaction may have been committed nevertheless.
    in_doubt: bool,
    error: String,
}

impl Waiting {
    /// Whether this is a call whose caller has left.
    fn is_abandoned(&self) -> bool {
        matches!(self.command.task, Task::Charge { .. } | Task::Admit(_))
            && self.reply.as_ref().is_some_and(oneshot::Sender::is_closed)
    }
}
