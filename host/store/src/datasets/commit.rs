//! Commits what a run has read, batch by batch, together with the cursor to continue at.
//!
//! A batch that is too large for one transaction is committed in slices, and only the last slice moves the cursor. A
//! run that is resumed in between reads the batch again; writing it twice changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sqlx::{AssertSqlSafe, QueryBuilder};
use time::OffsetDateTime;

use super::marking::{Subjects, mark};
use super::{DatasetKind, Datasets, Differences, Run, RunError, end_of_lease};
use crate::companies::{preferred_per_ico, upsert_in};
use crate::content::NewContent;
use crate::db::{Tx, list, on};
use crate::{BaseCompany, ChangeSet, CompareCompanies, ScopeName, StoreError, Upserted};

/// Most records per transaction.
const RECORDS_OF_A_SLICE: usize = 250;
/// Most companies per transaction.
const COMPANIES_OF_A_SLICE: usize = 250;
/// Most records per statement.
const ROWS_OF_A_STATEMENT: usize = 50;

/// One record of a list, as its connector returned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Unique in the dataset.
    pub key: String,
    pub ico: Option<String>,
    pub name: Option<String>,
    pub name_key: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    pub content: String,
    /// Hash of all fields above: records with equal hashes count as equal.
    pub content_hash: String,
    /// In a delta: the record was deleted.
    pub removed: bool,
}

/// The position of a run after a batch. Fields that are `None` keep their stored value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// Where the next batch begins.
    pub cursor: Option<String>,
    /// Calendar day as `YYYY-MM-DD`.
    pub list_date: Option<String>,
    /// Rows of this batch that were skipped; added to the run's total.
    pub skipped: u32,
    /// JSON text about the whole run; replaces the stored one.
    pub notes: Option<String>,
    /// Progress in thousandths, 0 to 1000.
    pub progress: Option<u16>,
}

/// Result of a committed batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Records of the batch; each key counts once.
    pub records: u64,
    /// The companies of a delta's records, changed or not, by IČO. Empty for a snapshot and for a delta's first run,
    /// because their records are not visible before the end of the run.
    pub companies: BTreeSet<String>,
    /// Those of the companies that had a clean section before this batch marked it.
    pub marked: BTreeSet<String>,
    /// Counts of the changes; zero for a snapshot.
    pub differences: Differences,
}

/// What a slice adds to the counters of its run.
#[derive(Default)]
pub(super) struct Counts {
    records: usize,
    companies: usize,
    companies_new: u64,
}

impl Datasets<'_> {
    /// Like [`Self::commit_batch_and_mark`], but marks no sections.
    pub async fn commit_batch(
        &self,
        run: &Run,
        items: &[Record],
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<Committed, RunError> {
        self.commit_batch_and_mark(run, items, checkpoint, &[], now)
            .await
    }

    /// Commits a batch of records and the cursor, and extends the lease. If a key occurs twice, the last record counts.
    /// Batches of at most 250 records are one transaction.
    ///
    /// A delta whose records are visible at once also marks the sections of `scopes` of every company of the batch as
    /// dirty, in the same transaction: a crash after it loses no mark. The companies of unchanged records are marked
    /// too. Their sections also state how far the list was read and whether it is behind; one that was built shortly
    /// before the import would state the former until its next refresh.
    pub async fn commit_batch_and_mark(
        &self,
        run: &Run,
        items: &[Record],
        checkpoint: &Checkpoint,
        scopes: &[ScopeName],
        now: OffsetDateTime,
    ) -> Result<Committed, RunError> {
        // Write in key order to avoid deadlocks.
        let latest: BTreeMap<&str, &Record> =
            items.iter().map(|item| (item.key.as_str(), item)).collect();
        let latest: Vec<&Record> = latest.into_values().collect();
        let mut committed = Committed {
            records: latest.len() as u64,
            ..Committed::default()
        };
        let mut rest = latest.as_slice();
        loop {
            let (slice, behind) = rest.split_at(rest.len().min(RECORDS_OF_A_SLICE));
            let reached = behind.is_empty().then_some(checkpoint);
            let mut tx = self.store.writes.begin_with_retry().await?;
            let counts = Counts {
                records: slice.len(),
                ..Counts::default()
            };
            record_progress(&mut tx, run, reached, &counts, now).await?;
            let written = write_slice(&mut tx, run, slice).await?;
            let marked = mark(&mut tx, scopes, written.subjects).await?;
            tx.commit().await?;
            committed.companies.extend(marked.companies);
            committed.marked.extend(marked.were_clean);
            committed.differences += written.differences;
            if behind.is_empty() {
                return Ok(committed);
            }
            rest = behind;
        }
    }

    /// Like [`Self::commit_companies_compared`], but raises no events.
    pub async fn commit_companies(
        &self,
        run: &Run,
        companies: &[BaseCompany],
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<Upserted, RunError> {
        let silent: CompareCompanies<'_> = &|_, _, _| ChangeSet::default();
        self.commit_companies_compared(run, companies, checkpoint, silent, now)
            .await
    }

    /// Commits a batch of base companies and the cursor, and extends the lease. Stores the changes and events that
    /// `compare` finds for each changed record. Batches of at most 250 companies are one transaction. Unchanged records
    /// are not rewritten.
    pub async fn commit_companies_compared(
        &self,
        run: &Run,
        companies: &[BaseCompany],
        checkpoint: &Checkpoint,
        compare: CompareCompanies<'_>,
        now: OffsetDateTime,
    ) -> Result<Upserted, RunError> {
        let companies = preferred_per_ico(companies);
        let mut total = Upserted::default();
        let mut rest = companies.as_slice();
        loop {
            let (slice, behind) = rest.split_at(rest.len().min(COMPANIES_OF_A_SLICE));
            let reached = behind.is_empty().then_some(checkpoint);
            let mut tx = self.store.writes.begin_with_retry().await?;
            record_progress(&mut tx, run, None, &Counts::default(), now).await?;
            let (outcome, raised_events) = upsert_in(&mut tx, slice, false, compare, now).await?;
            let counts = Counts {
                records: slice.len(),
                companies: slice.len(),
                companies_new: outcome.inserted,
            };
            record_progress(&mut tx, run, reached, &counts, now).await?;
            tx.commit().await?;
            if raised_events {
                self.store.signals.events.notify_one();
            }
            total += outcome;
            if behind.is_empty() {
                return Ok(total);
            }
            rest = behind;
        }
    }

    /// Commits the cursor after an empty batch and extends the lease.
    pub async fn commit_cursor(
        &self,
        run: &Run,
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<(), RunError> {
        let mut tx = self.store.writes.begin_with_retry().await?;
        record_progress(&mut tx, run, Some(checkpoint), &Counts::default(), now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Extends the run's lease and records progress. Keeps the row locked so that another host cannot take over before the
/// transaction ends.
pub(super) async fn record_progress(
    tx: &mut Tx,
    run: &Run,
    reached: Option<&Checkpoint>,
    counts: &Counts,
    now: OffsetDateTime,
) -> Result<(), RunError> {
    const RECORD: &str = "update import_run set lease_until = $3, cursor = coalesce($4, cursor), \
        list_date = coalesce($5, list_date), skipped = skipped + $6, notes = coalesce($7, notes), \
        progress = coalesce($8, progress), records = records + $9, companies = companies + $10, \
        companies_new = companies_new + $11 where id = $1 and attempt = $2 and state = 'running'";
    let nothing = Checkpoint::default();
    let checkpoint = reached.unwrap_or(&nothing);
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let ours = on!(tx, |tx| sqlx::query(RECORD)
        .bind(run.id)
        .bind(run.attempt)
        .bind(end_of_lease(now, run.lease))
        .bind(&checkpoint.cursor)
        .bind(&checkpoint.list_date)
        .bind(i64::from(checkpoint.skipped))
        .bind(&checkpoint.notes)
        .bind(checkpoint.progress.map(i64::from))
        .bind(count(counts.records as u64))
        .bind(count(counts.companies as u64))
        .bind(count(counts.companies_new))
        .execute(&mut **tx)
        .await
        .map(|done| done.rows_affected()))?;
    if ours == 0 {
        Err(RunError::LeaseLost)
    } else {
        Ok(())
    }
}

/// Result of a written slice.
#[derive(Default)]
pub(super) struct WrittenSlice {
    /// Whose sections are built from visible records of the slice.
    pub(super) subjects: Subjects,
    pub(super) differences: Differences,
}

/// Writes records with distinct keys. The result of a snapshot is empty.
pub(super) async fn write_slice(
    tx: &mut Tx,
    run: &Run,
    slice: &[&Record],
) -> Result<WrittenSlice, StoreError> {
    match run.kind {
        DatasetKind::Snapshot => {
            let (gone, there): (Vec<&Record>, Vec<&Record>) =
                slice.iter().partition(|record| record.removed);
            upsert(tx, run, &there).await?;
            delete(tx, run, &gone).await?;
            Ok(WrittenSlice::default())
        }
        DatasetKind::Delta => write_delta(tx, run, slice).await,
    }
}

#[derive(sqlx::FromRow)]
struct Known {
    key: String,
    ico: Option<String>,
    name_key: Option<String>,
    content_hash: String,
}

async fn write_delta(
    tx: &mut Tx,
    run: &Run,
    slice: &[&Record],
) -> Result<WrittenSlice, StoreError> {
    let known = known(tx, run, slice).await?;
    let known: HashMap<&str, &Known> = known
        .iter()
        .map(|known| (known.key.as_str(), known))
        .collect();
    let (mut there, mut gone) = (Vec::new(), Vec::new());
    let mut written = WrittenSlice::default();
    let is_visible = run.published == Some(run.generation);
    for record in slice {
        let before = known.get(record.key.as_str());
        match (before, record.removed) {
            (None, true) => continue,
            (Some(before), false) if before.content_hash == record.content_hash => {}
            (Some(_), true) => {
                gone.push(*record);
                written.differences.removed += 1;
            }
            (Some(_), false) => {
                there.push(*record);
                written.differences.changed += 1;
            }
            (None, false) => {
                there.push(*record);
                written.differences.added += 1;
            }
        }
        if is_visible {
            let before = before.map(|before| (before.ico.as_deref(), before.name_key.as_deref()));
            let now = (record.ico.as_deref(), record.name_key.as_deref());
            let now = (!record.removed).then_some(now);
            for (ico, name_key) in [before, now].into_iter().flatten() {
                written.subjects.add(ico, name_key);
            }
        }
    }
    upsert(tx, run, &there).await?;
    delete(tx, run, &gone).await?;
    Ok(written)
}

async fn known(tx: &mut Tx, run: &Run, slice: &[&Record]) -> Result<Vec<Known>, StoreError> {
    let sql = format!(
        "select key, ico, name_key, content_hash from dataset_record where dataset_id = $1 and generation = $2 and {}",
        tx.is_listed("key", 3)
    );
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(run.dataset_id)
        .bind(run.generation)
        .bind(list(slice.iter().map(|record| record.key.as_str())))
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("dataset_record"))
}

async fn upsert(tx: &mut Tx, run: &Run, records: &[&Record]) -> Result<(), StoreError> {
    const INSERT: &str = "insert into dataset_record \
        (dataset_id, generation, key, ico, name, name_key, city, postal_code, content, content_hash) ";
    const ON_CONFLICT: &str = " on conflict (dataset_id, generation, key) do update set ico = excluded.ico, \
        name = excluded.name, name_key = excluded.name_key, city = excluded.city, \
        postal_code = excluded.postal_code, content = excluded.content, content_hash = excluded.content_hash";
    for chunk in records.chunks(ROWS_OF_A_STATEMENT) {
        on!(&mut *tx, |tx| {
            let mut statement = QueryBuilder::new(INSERT);
            statement.push_values(chunk, |mut row, record| {
                row.push_bind(run.dataset_id)
                    .push_bind(run.generation)
                    .push_bind(&record.key);
                row.push_bind(&record.ico)
                    .push_bind(&record.name)
                    .push_bind(&record.name_key);
                row.push_bind(&record.city).push_bind(&record.postal_code);
                row.push_bind(NewContent(&record.content))
                    .push_bind(&record.content_hash);
            });
            statement.push(ON_CONFLICT);
            // Only full-size chunks recur often enough to cache the prepared statement.
            let keep = chunk.len() == ROWS_OF_A_STATEMENT;
            statement
                .build()
                .persistent(keep)
                .execute(&mut **tx)
                .await
                .map(drop)
        })?;
    }
    Ok(())
}

async fn delete(tx: &mut Tx, run: &Run, records: &[&Record]) -> Result<(), StoreError> {
    if records.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "delete from dataset_record where dataset_id = $1 and generation = $2 and {}",
        tx.is_listed("key", 3)
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(run.dataset_id)
        .bind(run.generation)
        .bind(list(records.iter().map(|record| record.key.as_str())))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
