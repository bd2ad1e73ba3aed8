//! Imports of watch lists: a file of companies becomes subscriptions with one target.
//!
//! Every import is stored and done in parts, each by the host that holds the lease. The host that receives a short list
//! does it while the client waits. Each line ends with an outcome, and a line that fails does not affect the others.
//! Invariant: a part that is repeated after a crash reports the subscriptions of the first attempt as its own.

mod line;
mod worker;

pub use line::{LineOutcome, Rejection, ReportLine, Target};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tracing::Instrument;

use crate::batches::Batches;
use crate::config::{self, Secret};
use crate::context::Context;
use crate::notifications::Notifier;
use crate::store::{
    AccountId, KeyedRequest, NewWatchImport, Store, StoreError, WatchImport, WatchImportCreation,
};
use crate::tables;
use line::StoredLine;

/// Lease of a part. It is longer than one line may take.
const LEASE: Duration = Duration::from_secs(90);

/// Lines of a part. Other imports take their turn after each part.
const LINES_OF_A_PART: usize = 50;

/// Imports of one host. Clones share all state.
#[derive(Clone)]
pub struct WatchLists(Arc<Inner>);

struct Inner {
    context: Context,
    batches: Batches,
    notifier: Notifier,
    settings: config::Files,
    poll: Duration,
    host: String,
    /// Numbers of workers; part of their names.
    workers: AtomicU64,
    /// Signals that there may be a part to claim.
    work: Notify,
    /// Counts the parts that this host has finished.
    finished: watch::Sender<u64>,
}

impl WatchLists {
    /// The imports of one host. `host` is its name in claims.
    #[must_use]
    pub fn new(
        context: Context,
        batches: Batches,
        notifier: Notifier,
        config: &config::Config,
        host: String,
    ) -> Self {
        Self(Arc::new(Inner {
            context,
            batches,
            notifier,
            settings: config.files.clone(),
            poll: Duration::from_secs(config.batch.poll_seconds),
            host,
            workers: AtomicU64::new(0),
            work: Notify::new(),
            finished: watch::Sender::new(0),
        }))
    }

    fn store(&self) -> &Store {
        &self.0.context.store
    }

    fn now(&self) -> time::OffsetDateTime {
        self.0.context.now()
    }

    /// A unique name for a worker of this process.
    fn new_worker(&self) -> String {
        let number = self.0.workers.fetch_add(1, Ordering::Relaxed);
        format!("{}/{number}", self.0.host)
    }

    /// Creates an import of these lines. This host does a short one at once, in a background task that continues if the
    /// client disconnects.
    ///
    /// # Errors
    /// The store failed; no import was created.
    pub async fn create(
        &self,
        account: AccountId,
        target: &Target,
        secret: &Secret,
        dry_run: bool,
        lines: Vec<tables::Line>,
        keyed: Option<&KeyedRequest>,
    ) -> Result<WatchImportCreation, StoreError> {
        let count = lines.len();
        let lines: Vec<StoredLine> = lines.into_iter().map(StoredLine::of).collect();
        let parts = lines.chunks(LINES_OF_A_PART).map(line::encode);
        let new = NewWatchImport {
            id: &uuid::Uuid::new_v4().to_string(),
            dry_run,
            target: &line::encode(target),
            secret: &self.0.notifier.seal(secret),
            lines: count,
            parts: &parts.collect::<Vec<_>>(),
        };
        let imports = self.store().watch_imports().of(account);
        let most = self.0.settings.waiting_imports;
        let created = imports.create(&new, keyed, most, self.now()).await?;
        if let WatchImportCreation::Created(import) = &created {
            if count <= self.0.settings.synchronous_lines {
                self.begin(import.id.clone());
            } else {
                self.0.work.notify_one();
            }
        }
        Ok(created)
    }

    /// Does an import in a background task.
    fn begin(&self, id: String) {
        let this = self.clone();
        let worker = self.new_worker();
        let doing = async move {
            loop {
                match this.step_of(Some(&id), &worker).await {
                    Ok(true) => {}
                    Ok(false) => return,
                    Err(error) => {
                        tracing::error!(%error, import.id = %id, "importing a watch list failed; a worker will repeat the part");
                        return;
                    }
                }
            }
        };
        tokio::spawn(doing.in_current_span());
    }

    /// The account's import with the id.
    ///
    /// # Errors
    /// The store failed.
    pub async fn find(
        &self,
        account: AccountId,
        id: &str,
    ) -> Result<Option<WatchImport>, StoreError> {
        // Skip the query for texts that are not UUIDs.
        if uuid::Uuid::try_parse(id).is_err() {
            return Ok(None);
        }
        let imports = self.store().watch_imports();
        imports.of(account).find(id, self.now()).await
    }

    /// The secret of an import's webhooks. `None` if it cannot be decrypted.
    ///
    /// # Errors
    /// The store failed.
    pub async fn secret(&self, account: AccountId, id: &str) -> Result<Option<Secret>, StoreError> {
        let imports = self.store().watch_imports();
        let Some(sealed) = imports.of(account).secret(id).await? else {
            return Ok(None);
        };
        let opened = self.0.notifier.open_sealed(&sealed);
        Ok(opened
            .inspect_err(|error| {
                tracing::error!(%error, import.id = %id, "the secret of an import cannot be decrypted for a repeated answer");
            })
            .ok())
    }

    /// The newest imports of an account, at most 50.
    ///
    /// # Errors
    /// The store failed.
    pub async fn newest(&self, account: AccountId) -> Result<Vec<WatchImport>, StoreError> {
        let imports = self.store().watch_imports();
        imports.of(account).newest(self.now()).await
    }

    /// Waits until a short import ends, at most until the deadline for an immediate answer, and returns its state then.
    ///
    /// # Errors
    /// The store failed.
    pub async fn ended(
        &self,
        account: AccountId,
        import: WatchImport,
        asked_at: Instant,
    ) -> Result<WatchImport, StoreError> {
        let until = self.0.batches.wait_from(asked_at);
        let is_short = usize::try_from(import.lines)
            .is_ok_and(|lines| lines <= self.0.settings.synchronous_lines);
        let mut import = import;
        while is_short && import.completed_at.is_none() && Instant::now() < until {
            let mut finished = self.0.finished.subscribe();
            if let Some(now) = self.find(account, &import.id).await? {
                import = now;
            }
            if import.completed_at.is_none() {
                let next_look = until.min(Instant::now() + self.0.poll);
                drop(tokio::time::timeout_at(next_look, finished.changed()).await);
            }
        }
        Ok(import)
    }

    /// The results of a part, a JSON array of [`ReportLine`]s. `None`: it is not finished, or the import has expired.
    ///
    /// # Errors
    /// The store failed.
    pub async fn results(
        &self,
        account: AccountId,
        id: &str,
        part: i64,
    ) -> Result<Option<String>, StoreError> {
        let imports = self.store().watch_imports();
        imports.of(account).results(id, part).await
    }
}
