//! Batches of one host: making them, waiting for them, and how far they are.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tracing::Instrument;

use super::worker::LEASE;
use crate::companies::Companies;
use crate::config;
use crate::search::Search;
use crate::store::{Batch, BatchKind, ClaimedPart, KeyedRequest, NewBatch, StoreError};

/// By how much later each part of a batch has its turn than the one before: a batch of many parts lets those pass that
/// are made in the meantime, and is itself passed by none that is made much later.
const PACE: Duration = Duration::from_secs(10);

/// How often and at what intervals it is tried to delete a batch whose request got no answer.
const CANCEL_ATTEMPTS: u32 = 60;
const CANCEL_PAUSE: Duration = Duration::from_secs(10);

/// Where a batch stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BatchState {
    /// Nothing of it was begun.
    Pending,
    /// It is being carried out.
    Processing,
    /// Every item has a result.
    Completed,
    /// It has ended, and some of its items were given up.
    Failed,
}

/// Where a batch stands.
#[must_use]
pub fn state(batch: &Batch) -> BatchState {
    match (batch.completed_at, batch.started_at) {
        (Some(_), _) if batch.parts_given_up > 0 => BatchState::Failed,
        (Some(_), _) => BatchState::Completed,
        (None, Some(_)) => BatchState::Processing,
        (None, None) => BatchState::Pending,
    }
}

/// Batches of one host. Clones share everything.
#[derive(Clone)]
pub struct Batches(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) companies: Companies,
    pub(super) search: Search,
    pub(super) settings: config::Batch,
    pub(super) host: String,
    /// Turns of items: batches leave room for single look-ups.
    pub(super) items: Semaphore,
    /// Turns of small batches that this host carries out while they are waited for.
    small: Arc<Semaphore>,
    /// Counts workers, which are named by their numbers.
    pub(super) workers: AtomicU64,
    /// Told when there may be a part to be claimed.
    pub(super) work: Notify,
    /// Counts the parts that this host has finished.
    pub(super) finished: watch::Sender<u64>,
}

impl Batches {
    /// The batches of a host, which `host` names in claims.
    #[must_use]
    pub fn new(
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
            companies,
            search,
            settings,
            host,
        }))
    }

    /// Whether a batch of so many items is answered at once.
    #[must_use]
    pub fn is_small(&self, items: usize) -> bool {
        items <= self.0.settings.synchronous_items
    }

    /// Makes a batch of these keys, each of which stands there once. A small one is begun by this host, where it has a
    /// turn for it; the others are jobs. `None`: the idempotency key of the request is known already.
    ///
    /// # Errors
    /// The store failed; there is no batch then.
    pub async fn create(
        &self,
        account_id: i64,
        kind: BatchKind,
        keys: &[String],
        keyed: Option<&KeyedRequest>,
    ) -> Result<Option<Batch>, StoreError> {
        let turn = if self.is_small(keys.len()) {
            Arc::clone(&self.0.small).try_acquire_owned().ok()
        } else {
            None
        };
        let id = uuid::Uuid::new_v4().to_string();
        let parts: Vec<&[String]> = keys.chunks(self.0.settings.part_items).collect();
        let new = NewBatch {
            id: &id,
            kind,
            parts: &parts,
            pace: PACE,
            claimed: turn.as_ref().map(|_| (self.0.host.as_str(), LEASE)),
        };
        let batches = self.store().batches().of(account_id);
        let created = batches.create(&new, keyed, self.now()).await;
        if created.is_err() && keyed.is_none() {
            // Where the connection broke during the commit, the batch may be there. By its key it would be found.
            self.cancel(account_id, id.clone());
        }
        let Some(batch) = created? else {
            return Ok(None);
        };
        match turn {
            Some(turn) => self.begin(&batch, &parts, turn),
            None => self.0.work.notify_one(),
        }
        Ok(Some(batch))
    }

    /// Deletes a batch in a task of its own, which tries again while the store is out of reach.
    pub fn cancel(&self, account_id: i64, id: String) {
        let this = self.clone();
        let cancelling = async move {
            for _ in 0..CANCEL_ATTEMPTS {
                let batches = this.store().batches().of(account_id);
                match batches.cancel(&id).await {
                    Ok(()) => return,
                    Err(error) => {
                        tracing::warn!(%error, batch.id = %id, "a batch whose request got no answer could not be deleted; retrying in {} s", CANCEL_PAUSE.as_secs());
                    }
                }
                tokio::time::sleep(CANCEL_PAUSE).await;
            }
            tracing::error!(batch.id = %id, "a batch whose request got no answer was not deleted; it expires by itself");
        };
        tokio::spawn(cancelling.in_current_span());
    }

    /// Carries out a batch that this host has claimed, in a task of its own: a client that leaves loses nothing.
    fn begin(&self, batch: &Batch, parts: &[&[String]], turn: OwnedSemaphorePermit) {
        let claimed = |(part, keys): (i64, &&[String])| ClaimedPart {
            batch_id: batch.id.clone(),
            part,
            kind: batch.kind,
            keys: keys.to_vec(),
            attempt: 1,
        };
        let parts: Vec<ClaimedPart> = (0..).zip(parts).map(claimed).collect();
        let this = self.clone();
        let carrying_out = async move {
            let _turn = turn;
            for part in &parts {
                this.carry_out_with_retries(part).await;
            }
        };
        tokio::spawn(carrying_out.in_current_span());
    }

    /// Carries out a part of a small batch. While the store fails it is tried again, as long as the claim may hold.
    async fn carry_out_with_retries(&self, part: &ClaimedPart) {
        let until = tokio::time::Instant::now() + LEASE;
        while let Err(error) = self.execute(part).await {
            let is_over = tokio::time::Instant::now() >= until;
            let next = if is_over {
                "it is left to others"
            } else {
                "it is tried again"
            };
            tracing::error!(%error, batch.id = %part.batch_id, "a part of a batch was broken off; {next}");
            if is_over {
                return;
            }
            tokio::time::sleep(self.poll()).await;
        }
    }

    /// The account's batch with the id.
    ///
    /// # Errors
    /// The store failed.
    pub async fn find(&self, account_id: i64, id: &str) -> Result<Option<Batch>, StoreError> {
        // Only texts that could be one are looked for.
        if uuid::Uuid::try_parse(id).is_err() {
            return Ok(None);
        }
        let batches = self.store().batches();
        batches.of(account_id).find(id, self.now()).await
    }

    /// Waits for the end of a batch, at most as long as an answer may take; how far it is then.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ended(&self, account_id: i64, batch: Batch) -> Result<Batch, StoreError> {
        let now = tokio::time::Instant::now();
        self.ended_until(account_id, batch, self.wait_from(now))
            .await
    }

    /// Until when an answer may wait for the end of a batch that was asked for at `asked_at`.
    #[must_use]
    pub fn wait_from(&self, asked_at: tokio::time::Instant) -> tokio::time::Instant {
        asked_at + Duration::from_secs(self.0.settings.synchronous_seconds)
    }

    /// As [`Self::ended`], at most until a moment.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ended_until(
        &self,
        account_id: i64,
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

    /// How long to wait for news of other hosts.
    pub(super) fn poll(&self) -> Duration {
        Duration::from_secs(self.0.settings.poll_seconds)
    }

    pub(super) fn store(&self) -> &crate::store::Store {
        self.0.companies.store()
    }

    pub(super) fn now(&self) -> time::OffsetDateTime {
        self.0.companies.now()
    }
}
