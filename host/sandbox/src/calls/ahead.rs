//! Reads one batch of an import ahead, while the host checks and commits the one before.
//!
//! Invariant: a connector reads from the store what it would read without reading ahead. Its reads wait until the batch
//! before is committed.

use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::sync::OwnedRwLockWriteGuard;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::OpenImport;
use super::import::UncheckedBatch;
use crate::bindings::importer::exports::lustra::connector::importer::Batch;
use crate::call_failure::CallFailure;
use crate::state::Commits;

type Read = (OpenImport, Result<Option<UncheckedBatch>, CallFailure>);

/// An import run that is read ahead by one batch, as a task of the current runtime. Dropping it ends the run.
#[derive(Debug)]
pub struct ReadAhead {
    /// The batch that is being read. Empty after the last one and after a failure.
    reading: JoinSet<Read>,
    commits: Commits,
    /// Held from the return of a batch to the request of the next one.
    committing: Option<OwnedRwLockWriteGuard<()>>,
}

impl ReadAhead {
    /// Starts to read the first batch.
    #[must_use]
    pub fn start(mut open: OpenImport) -> Self {
        let commits = open.commits();
        let mut ahead = Self {
            reading: JoinSet::new(),
            commits,
            committing: None,
        };
        ahead.read(open);
        ahead
    }

    fn read(&mut self, mut open: OpenImport) {
        let reading = async move {
            let batch = open.read().await;
            (open, batch)
        };
        self.reading.spawn(reading.in_current_span());
    }

    /// The next batch; `None` after the last. The one before counts as committed now.
    ///
    /// # Errors
    /// A [`CallFailure`]; the run cannot continue afterwards.
    pub async fn next(&mut self) -> Result<Option<Batch>, CallFailure> {
        self.committing = None;
        let Some(read) = self.reading.join_next().await else {
            return Ok(None);
        };
        let (open, batch) = match read {
            Ok(read) => read,
            // The task is only cancelled when this is dropped.
            Err(error) => resume_unwind(error.into_panic()),
        };
        let Some(unchecked) = batch? else {
            return Ok(None);
        };
        self.committing = Some(Arc::clone(&self.commits).write_owned().await);
        self.read(open);
        unchecked.check().await.map(Some)
    }
}
