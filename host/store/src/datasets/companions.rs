//! Records that an import of companies stores beside them.
//!
//! They are committed before the companies of their batch. A run that is interrupted in between reads the batch again;
//! writing it twice changes nothing.

use std::collections::BTreeMap;

use time::OffsetDateTime;

use super::commit::{Checkpoint, Committed, Counts, record_progress, write_slice};
use super::marking::mark;
use super::{Datasets, Record, Run, RunError};
use crate::ScopeName;

/// Most records per transaction.
const RECORDS_OF_A_SLICE: usize = 250;

impl Datasets<'_> {
    /// Writes the records beside a batch of companies, extends the lease, and marks the sections of `scopes` of every
    /// company of the records. If a key occurs twice, the last record counts. Neither the cursor nor the number
    /// of records read changes: [`Self::commit_companies_compared`] commits the batch.
    pub async fn write_companions(
        &self,
        run: &Run,
        items: &[Record],
        scopes: &[ScopeName],
        now: OffsetDateTime,
    ) -> Result<Committed, RunError> {
        // Write in key order to avoid deadlocks.
        let latest: BTreeMap<&str, &Record> =
            items.iter().map(|item| (item.key.as_str(), item)).collect();
        let latest: Vec<&Record> = latest.into_values().collect();
        let mut committed = Committed::default();
        for slice in latest.chunks(RECORDS_OF_A_SLICE) {
            let mut tx = self.store.writes.begin_with_retry().await?;
            let nothing = Checkpoint::default();
            record_progress(&mut tx, run, Some(&nothing), &Counts::default(), now).await?;
            let written = write_slice(&mut tx, run, slice).await?;
            let marked = mark(&mut tx, scopes, written.subjects).await?;
            tx.commit().await?;
            committed.companies.extend(marked.companies);
            committed.marked.extend(marked.were_clean);
            committed.differences += written.differences;
        }
        Ok(committed)
    }
}
