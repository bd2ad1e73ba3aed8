//! Carrying out parts: one step, and the loop that goes on for ever.
//!
//! A part's claim is extended while it is worked on. A host that dies, or that others believe dead, loses no more than
//! the parts that it had begun: they are begun anew, and what it still brings is not written. Where the store fails, a
//! worker keeps its claim and tries again.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use tracing::Instrument;

use super::Batches;
use super::item::{self, Entry, Outcome};
use crate::store::{ClaimedPart, Counts, StoreError};
use crate::worker::Workers;

/// How long a claim holds without being extended.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// Parts of expired batches that are deleted by one transaction. Each holds the answers about some 25 companies.
const PARTS_OF_A_SLICE: u64 = 4;

impl Batches {
    /// Claims the part whose turn it is and carries it out. False: there is none.
    ///
    /// # Errors
    /// The store failed; a part that was claimed is begun anew when its lease has ended.
    pub async fn step(&self) -> Result<bool, StoreError> {
        self.step_of(&self.new_worker(), &mut None).await
    }

    /// A step of a worker. `kept` is the part that it could not finish in its last step, because the store failed.
    async fn step_of(
        &self,
        worker: &str,
        kept: &mut Option<ClaimedPart>,
    ) -> Result<bool, StoreError> {
        // Taken, not borrowed: a part that panics is claimed again, which counts as another attempt.
        let part = match kept.take() {
            Some(part) => part,
            None => match self.claim(worker).await? {
                Some(part) => part,
                None => return Ok(false),
            },
        };
        let done = if part.attempt > i64::from(self.0.settings.attempts) {
            self.give_up(&part).instrument(span(&part)).await
        } else {
            self.carry_out(&part).await
        };
        if done.is_err() {
            *kept = Some(part);
        }
        done.map(|()| true)
    }

    async fn claim(&self, worker: &str) -> Result<Option<ClaimedPart>, StoreError> {
        let batches = self.store().batches();
        let part = batches.claim(worker, LEASE, self.now()).await?;
        if part.is_some() {
            // Where there was one there may be another, for the next worker.
            self.0.work.notify_one();
        }
        Ok(part)
    }

    /// The name of a worker of this process, which no other has.
    fn new_worker(&self) -> String {
        let number = self.0.workers.fetch_add(1, Ordering::Relaxed);
        format!("{}/{number}", self.0.host)
    }

    /// Looks up every item of a claimed part and writes what came of it, unless the claim is lost meanwhile.
    pub(super) async fn carry_out(&self, part: &ClaimedPart) -> Result<(), StoreError> {
        self.look_up_and_finish(part).instrument(span(part)).await
    }

    async fn look_up_and_finish(&self, part: &ClaimedPart) -> Result<(), StoreError> {
        let Some(entries) = self.look_up(part).await? else {
            tracing::warn!("another host has taken a part of the batch over");
            return Ok(());
        };
        let (results, counts) = written(&entries);
        if counts.failed > 0 {
            tracing::warn!(
                failed = counts.failed,
                "{} of {} items of a batch could not be looked up; its results say why",
                counts.failed,
                entries.len()
            );
        }
        let (batches, keep) = (self.store().batches(), self.keep());
        let ours = batches
            .finish(part, &results, counts, keep, self.now())
            .await?;
        if ours {
            self.0.finished.send_modify(|count| *count += 1);
        } else {
            tracing::warn!("another host has finished a part of the batch");
        }
        Ok(())
    }

    /// The entries of a part, in its order; none where the claim was lost.
    async fn look_up(&self, part: &ClaimedPart) -> Result<Option<Vec<Entry>>, StoreError> {
        let batches = self.store().batches();
        let mut entries = Vec::with_capacity(part.keys.len());
        let kind = part.kind;
        let look_up = |key: String| {
            let this = self.clone();
            async move { this.item(kind, &key).await }.boxed()
        };
        let mut looked_up = stream::iter(part.keys.clone())
            .map(look_up)
            .buffered(self.0.settings.concurrent);
        // The first beat comes at once: a part of a small batch may have waited for the one before it.
        let mut beat = tokio::time::interval(LEASE / 3);
        loop {
            tokio::select! {
                biased;
                _ = beat.tick() => {
                    if !batches.extend(part, LEASE, self.now()).await? {
                        return Ok(None);
                    }
                }
                entry = looked_up.next() => match entry {
                    Some(entry) => entries.push(entry),
                    None => return Ok(Some(entries)),
                },
            }
        }
    }

    async fn give_up(&self, part: &ClaimedPart) -> Result<(), StoreError> {
        tracing::error!(
            "a part of the batch was begun {} times and never finished; it is given up",
            part.attempt - 1
        );
        let entries: Vec<Entry> = part
            .keys
            .iter()
            .map(|_| item::given_up(part.kind))
            .collect();
        let (results, counts) = written(&entries);
        let (batches, keep) = (self.store().batches(), self.keep());
        if batches
            .give_up(part, &results, counts, keep, self.now())
            .await?
        {
            self.0.finished.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    fn keep(&self) -> Duration {
        Duration::from_secs(self.0.settings.results_hours.saturating_mul(3_600))
    }

    /// Deletes what has expired, slice by slice; how many rows.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Result<u64, StoreError> {
        let mut swept = 0;
        loop {
            let batches = self.store().batches();
            match batches.sweep(PARTS_OF_A_SLICE, self.now()).await? {
                0 => return Ok(swept),
                rows => swept += rows,
            }
        }
    }

    /// Starts as many workers as the settings say, and the one that deletes expired batches.
    pub fn start(&self, workers: &Workers) {
        for _ in 0..self.0.settings.workers {
            let this = self.clone();
            workers.spawn("batch-parts", move || this.clone().work());
        }
        let this = self.clone();
        workers.spawn("batch-sweep", move || this.clone().sweep_always());
    }

    async fn sweep_always(self) {
        loop {
            if let Err(error) = self.sweep().await {
                tracing::error!(%error, "expired batches could not be deleted");
            }
            tokio::time::sleep(self.poll()).await;
        }
    }

    async fn work(self) {
        let (worker, mut kept) = (self.new_worker(), None);
        loop {
            let step = self.step_of(&worker, &mut kept);
            match AssertUnwindSafe(step).catch_unwind().await {
                Ok(Ok(true)) => continue,
                Ok(Ok(false)) => {}
                Ok(Err(error)) => {
                    tracing::error!(%error, "a part of a batch could not be claimed or written");
                }
                Err(_panic) => tracing::error!("a part of a batch panicked"),
            }
            // Woken by this host's requests; what other hosts leave is found by looking.
            drop(tokio::time::timeout(self.poll(), self.0.work.notified()).await);
        }
    }

    /// Gives back what this host has claimed, so that the others need not wait for the leases to end.
    pub async fn leave(&self) {
        if let Err(error) = self.store().batches().release(&self.0.host).await {
            tracing::debug!(%error, "the parts of batches that this host had begun are free when their leases end");
        }
    }
}

/// What log lines about a part carry.
fn span(part: &ClaimedPart) -> tracing::Span {
    tracing::info_span!("batch", batch.id = %part.batch_id, batch.part = part.part)
}

/// The lines of a part's results, and their sums.
fn written(entries: &[Entry]) -> (String, Counts) {
    let mut counts = Counts::default();
    let mut lines: Vec<&str> = Vec::with_capacity(entries.len());
    for entry in entries {
        match entry.outcome {
            Outcome::Found => counts.found += 1,
            Outcome::NotFound => counts.not_found += 1,
            Outcome::Failed => counts.failed += 1,
        }
        lines.push(&entry.text);
    }
    (lines.join("\n"), counts)
}
