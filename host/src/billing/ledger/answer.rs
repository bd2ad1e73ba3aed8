//! The result of a command that a caller waits for.

use tokio::sync::{mpsc, oneshot};

use crate::billing::booking::{CommandOutcome, LedgerCommand};
use crate::billing::flusher::Waiting;

/// A pending result. If it is dropped before it was read, a charge made meanwhile is refunded, because its answer is
/// never sent.
pub(super) struct Answer {
    pub(super) outcome: oneshot::Receiver<CommandOutcome>,
    pub(super) queue: mpsc::Sender<Waiting>,
    /// The command that refunds the call.
    pub(super) unpaid: Option<LedgerCommand>,
}

impl Drop for Answer {
    fn drop(&mut self) {
        // After `close` the queue sees that no caller waits. A result that was sent before is read here.
        self.outcome.close();
        let charged = matches!(self.outcome.try_recv(), Ok(CommandOutcome::Charged(Ok(_))));
        if let Some(command) = self.unpaid.take().filter(|_| charged)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let queue = self.queue.clone();
            runtime.spawn(async move {
                let reply = None;
                if queue.send(Waiting { command, reply }).await.is_err() {
                    tracing::error!(
                        "refunding an unanswered call failed: the ledger has shut down"
                    );
                }
            });
        }
    }
}
