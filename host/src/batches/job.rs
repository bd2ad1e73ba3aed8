//! Batches of one host: creating them, waiting for them, and their progress.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tracing::Instrument;

use crate::companies::{AllowedScopes, Companies};
use crate::config;
use crate::context::Context;
use crate::search::Search;
use crate::store::{AccountId, Batch, BatchKind, ClaimedPart, KeyedRequest, NewBatch, StoreError};

/// Lease of a part. The worker extends it every third of this time.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// Delay between the scheduled times of a batch's parts. Newer batches run in between, but a batch that is created much
/// later does not overtake.
const PACE: Duration = Duration::from_secs(10);

/// Attempts to delete a batch whose request failed, and the pause between them.
const CANCEL_ATTEMPTS: u32 = 60;
const CANCEL_PAUSE: Duration = Duration::from_secs(10);

/// State of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BatchState {
    /// No part has been started.
    Pending,
    /// At least one part has been started.
    Processing,
    /// Every item has a result.
    Completed,
    /// The batch has ended, and at least one part was given up.
    Failed,
}

/// Derives a batch's state from its stored times and counts.
#[must_use]
pub fn state(batch: &Batch) -> BatchState {
    match (batch.completed_at, batch.started_at) {
        (Some(_), _) if batch.parts_given_up > 0 => BatchState::Failed,
        (Some(_), _) => BatchState::Completed,
        (None, Some(_)) => BatchState::Processing,
        (None, None) => BatchState::Pending,
    }
}

/// Batches of one host. Clones share all state.
#[derive(Clone)]
pub struct Batches(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) context: Context,
    pub(super) companies: Companies,
    pub(super) search: Search,
    pub(super) settings: config::Batch,
    pub(super) host: String,
    /// Limits concurrent items, so that batches leave capacity for single look-ups.
    pub(super) items: Semaphore,
    /// Limits the small batches that this host processes while their clients wait.
    small: Arc<Semaphore>,
    /// Numbers of workers; part of their names.
    pub(super) workers: AtomicU64,
    /// Signals that there may be a part to claim.
    pub(super) work: Notify,
    /// Counts the parts that this host has finished.
    pub(super) finished: watch::Sender<u64>,
}

impl Batches {
    /// The batches of one host. `host` is its name in claims.
    #[must_use]
    pub fn new(
        context: Context,
        companies: Companies,
        search: Search,
        settings: config::Batch,
        host: String,
    ) -> Self {
        Self(Arc::new(Inner {
            items: Semaphore::new(settings.concurrent),
            small: Arc::new(Semaphore::new(settings.workers)),
            workers: AtomicU64::new(0),
            work: Notify::new(),
            finished: watch::Sender::new(0),
            context,
            companies,
            search,
            settings,
            host,
        }))
    }

    /// Whether a batch with this many items is answered in the same request.
    #[must_use]
    pub fn is_small(&self, items: usize) -> bool {
        items <= self.0.settings.synchronous_items
    }

    /// Creates a batch of these distinct keys, each looked up with these scopes. This host processes a small batch at
    /// once if it has capacity; all others are left to the workers. `None`: the request's idempotency key is already
    /// known.
    ///
    /// # Errors
    /// The store failed; no batch was created.
    pub async fn create(
        &self,
        account_id: AccountId,
        kind: BatchKind,
        scopes: &AllowedScopes,
        keys: &[String],
        keyed: Option<&KeyedRequest>,
    ) -> Result<Option<Batch>, StoreError> {
        let permit = if self.is_small(keys.len()) {
            Arc::clone(&self.0.small).try_acquire_owned().ok()
        } else {
            None
        };
        let id = uuid::Uuid::new_v4().to_string();
        let scopes = (!scopes.is_empty()).then(|| scopes.key());
        let parts: Vec<&[String]> = keys.chunks(self.0.settings.part_items).collect();
        let new = NewBatch {
            id: &id,
            kind,
            scopes: scopes.as_deref(),
            parts: &parts,
            pace: PACE,
            claimed: permit.as_ref().map(|_| (self.0.host.as_str(), LEASE)),
        };
        let batches = self.store().batches().of(account_id);
        let created = batches.create(&new, keyed, self.now()).await;
        if created.is_err() && keyed.is_none() {
            // If the connection broke during COMMIT, the batch may exist. With an idempotency key the client's retry
            // would find it.
            self.cancel(account_id, id.clone());
        }
        let Some(batch) = created? else {
            return Ok(None);
        };
        match permit {
            Some(permit) => self.begin(&batch, &parts, permit),
            None => self.0.work.notify_one(),
        }
        Ok(Some(batch))
    }

    /// Deletes a batch in a background task, with retries while the store is unreachable.
    pub fn cancel(&self, account_id: AccountId, id: String) {
        let this = self.clone();
        let deletion = async move {
            for _ in 0..CANCEL_ATTEMPTS {
                let batches = this.store().batches().of(account_id);
                match batches.cancel(&id).await {
                    Ok(()) => return,
                    Err(error) => {
                        tracing::warn!(%error, batch.id = %id, "deleting a batch of a failed or abandoned request failed; retrying in {} s", CANCEL_PAUSE.as_secs());
                    }
                }
                tokio::time::sleep(CANCEL_PAUSE).await;
            }
            tracing::error!(batch.id = %id, "a batch of a failed or abandoned request was not deleted; it will expire");
        };
        tokio::spawn(deletion.in_current_span());
    }

    /// Processes a batch that this host has claimed, in a background task that continues if the client disconnects.
    fn begin(&self, batch: &Batch, parts: &[&[String]], permit: OwnedSemaphorePermit) {
        let claimed = |(part, keys): (i64, &&[String])| ClaimedPart {
            batch_id: batch.id.clone(),
            part,
            kind: batch.kind,
            scopes: batch.scopes.clone(),
            keys: keys.to_vec(),
            attempt: 1,
        };
        let parts: Vec<ClaimedPart> = (0..).zip(parts).map(claimed).collect();
        let this = self.clone();
        let processing = async move {
            let _permit = permit;
            for part in &parts {
                this.process_with_retries(part).await;
            }
        };
        tokio::spawn(processing.in_current_span());
    }

    /// Processes a part of a small batch. Retries for one lease length while the store fails.
    async fn process_with_retries(&self, part: &ClaimedPart) {
        let until = tokio::time::Instant::now() + LEASE;
        while let Err(error) = self.execute(part).await {
            let is_over = tokio::time::Instant::now() >= until;
            let next = if is_over {
                "other hosts will retry it"
            } else {
                "retrying"
            };
            tracing::error!(%error, batch.id = %part.batch_id, "processing a batch part failed; {next}");
            if is_over {
                return;
            }
            tokio::time::sleep(self.poll()).await;
        }
    }

    /// The account's newest batches that have not expired, at most 50.
    ///
    /// # Errors
    /// The store failed.
    pub async fn newest(&self, account_id: AccountId) -> Result<Vec<Batch>, StoreError> {
        let batches = self.store().batches();
        batches.of(account_id).newest(self.now()).await
    }

    /// The account's batch with the id, unless it has expired.
    ///
    /// # Errors
    /// The store failed.
    pub async fn find(&self, account_id: AccountId, id: &str) -> Result<Option<Batch>, StoreError> {
        // Skip the query for texts that are not UUIDs.
        if uuid::Uuid::try_parse(id).is_err() {
            return Ok(None);
        }
        let batches = self.store().batches();
        batches.of(account_id).find(id, self.now()).await
    }

    /// Waits until a batch ends, at most for the time limit of a synchronous answer, and returns its state then.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ended(&self, account_id: AccountId, batch: Batch) -> Result<Batch, StoreError> {
        let now = tokio::time::Instant::now();
        self.ended_until(account_id, batch, self.wait_from(now))
            .await
    }

    /// Deadline for an answer that waits for the end of a batch, requested at `asked_at`.
    #[must_use]
    pub fn wait_from(&self, asked_at: tokio::time::Instant) -> tokio::time::Instant {
        asked_at + Duration::from_secs(self.0.settings.synchronous_seconds)
    }

    /// Like [`Self::ended`], with a deadline.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ended_until(
        &self,
        account_id: AccountId,
        batch: Batch,
        until: tokio::time::Instant,
    ) -> Result<Batch, StoreError> {
        let mut batch = batch;
        loop {
            let mut finished = self.0.finished.subscribe();
            if let Some(now) = self.find(account_id, &batch.id).await? {
                batch = now;
            }
            if batch.completed_at.is_some() || tokio::time::Instant::now() >= until {
                return Ok(batch);
            }
            let next_look = until.min(tokio::time::Instant::now() + self.poll());
            drop(tokio::time::timeout_at(next_look, finished.changed()).await);
        }
    }

    /// Interval for polling what other hosts have written.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs(self.0.settings.poll_seconds)
    }

    pub(super) fn store(&self) -> &crate::store::Store {
        &self.0.context.store
    }

    pub(super) fn now(&self) -> time::OffsetDateTime {
        self.0.context.now()
    }
}
