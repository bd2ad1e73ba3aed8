//! Workers that process parts: a single step, and the loop.
//!
//! A worker extends its lease while it processes a part. If a host dies or seems dead, only its unfinished parts are
//! repeated, and its late results are discarded. If the store fails, the worker keeps its claim and retries.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt, stream};
use tracing::Instrument;

use super::Batches;
use super::item::{self, ItemEntry, ItemOutcome};
use super::job::LEASE;
use crate::companies::AllowedScopes;
use crate::store::{BatchCounts, ClaimedPart, StoreError};
use crate::worker::Workers;

/// Parts of expired batches that one transaction deletes. Each holds the results of about 25 companies.
const PARTS_OF_A_SLICE: u64 = 4;

impl Batches {
    /// Claims and processes the next part. `false`: there is none.
    ///
    /// # Errors
    /// The store failed. A claimed part is repeated after its lease ends.
    pub async fn step(&self) -> Result<bool, StoreError> {
        self.step_of(&self.new_worker(), &mut None).await
    }

    /// One step of a worker. `kept` is the part that its last step could not finish because the store failed.
    async fn step_of(
        &self,
        worker: &str,
        kept: &mut Option<ClaimedPart>,
    ) -> Result<bool, StoreError> {
        // Take the part instead of borrowing it: if processing panics, the part is claimed again, which counts as
        // another attempt.
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
            self.execute(&part).await
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
            // There may be another part: wake the next worker.
            self.0.work.notify_one();
        }
        Ok(part)
    }

    /// A unique name for a worker of this process.
    fn new_worker(&self) -> String {
        let number = self.0.workers.fetch_add(1, Ordering::Relaxed);
        format!("{}/{number}", self.0.host)
    }

    /// Looks up every item of a claimed part and writes the results, unless the claim is lost meanwhile.
    pub(super) async fn execute(&self, part: &ClaimedPart) -> Result<(), StoreError> {
        self.look_up_and_finish(part).instrument(span(part)).await
    }

    async fn look_up_and_finish(&self, part: &ClaimedPart) -> Result<(), StoreError> {
        let Some(entries) = self.look_up(part).await? else {
            tracing::warn!("lost the lease of a batch part to another host");
            return Ok(());
        };
        let (results, counts) = encode(&entries);
        if counts.failed > 0 {
            tracing::warn!(
                failed = counts.failed,
                "look-up of {} of {} batch items failed; the results contain the reasons",
                counts.failed,
                entries.len()
            );
        }
        let (batches, keep) = (self.store().batches(), self.retention());
        let is_written = batches
            .finish(part, &results, counts, keep, self.now())
            .await?;
        if is_written {
            self.0.finished.send_modify(|count| *count += 1);
        } else {
            tracing::warn!(
                "discarded the results of a batch part: another host has claimed or finished it"
            );
        }
        Ok(())
    }

    /// The entries of a part in item order. `None`: the claim was lost.
    async fn look_up(&self, part: &ClaimedPart) -> Result<Option<Vec<ItemEntry>>, StoreError> {
        let batches = self.store().batches();
        let mut entries = Vec::with_capacity(part.keys.len());
        let kind = part.kind;
        let scopes = part.scopes.as_deref().map(AllowedScopes::of_key);
        let scopes = Arc::new(scopes.unwrap_or_default());
        let look_up = |key: String| {
            let (this, scopes) = (self.clone(), Arc::clone(&scopes));
            async move { this.item(kind, &key, &scopes).await }.boxed()
        };
        let mut looked_up = stream::iter(part.keys.clone())
            .map(look_up)
            .buffered(self.0.settings.concurrent);
        // The first tick is immediate: a part of a small batch may have waited for the part before it.
        let mut heartbeat = tokio::time::interval(LEASE / 3);
        loop {
            tokio::select! {
                biased;
                _ = heartbeat.tick() => {
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
            "giving up a batch part after {} unfinished attempts",
            part.attempt - 1
        );
        let entries: Vec<ItemEntry> = part
            .keys
            .iter()
            .map(|_| item::given_up(part.kind))
            .collect();
        let (results, counts) = encode(&entries);
        let (batches, keep) = (self.store().batches(), self.retention());
        if batches
            .give_up(part, &results, counts, keep, self.now())
            .await?
        {
            self.0.finished.send_modify(|count| *count += 1);
        }
        Ok(())
    }

    fn retention(&self) -> Duration {
        Duration::from_secs(self.0.settings.results_hours.saturating_mul(3_600))
    }

    /// Deletes expired batches in slices and returns the number of rows.
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

    /// Starts the configured number of workers, and the one that deletes expired batches.
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
                tracing::error!(%error, "deleting expired batches failed; retrying");
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
                    tracing::error!(%error, "claiming or writing a batch part failed");
                }
                Err(_panic) => tracing::error!("worker of a batch part panicked"),
            }
            // Requests of this host wake the worker; parts of other hosts are found by polling.
            drop(tokio::time::timeout(self.poll(), self.0.work.notified()).await);
        }
    }

    /// Releases this host's claims, so that other hosts need not wait for the leases to end.
    pub async fn leave(&self) {
        if let Err(error) = self.store().batches().release(&self.0.host).await {
            tracing::debug!(%error, "releasing batch parts failed; other hosts can claim them when their leases end");
        }
    }
}

/// Fields of log lines about a part.
fn span(part: &ClaimedPart) -> tracing::Span {
    tracing::info_span!("batch", batch.id = %part.batch_id, batch.part = part.part)
}

/// A part's results as lines, and their counts.
fn encode(entries: &[ItemEntry]) -> (String, BatchCounts) {
    let mut counts = BatchCounts::default();
    let mut lines: Vec<&str> = Vec::with_capacity(entries.len());
    for entry in entries {
        match entry.outcome {
            ItemOutcome::Found => counts.found += 1,
            ItemOutcome::NotFound => counts.not_found += 1,
            ItemOutcome::Failed => counts.failed += 1,
        }
        lines.push(&entry.text);
    }
    (lines.join("\n"), counts)
}
