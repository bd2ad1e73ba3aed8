//! Committing what a run read, batch by batch, together with where it goes on.
//!
//! A batch larger than one transaction may be is committed in slices and only the last one moves the cursor: who
//! resumes in between reads the batch again, which changes nothing.

use std::collections::{BTreeMap, HashMap};

use sqlx::{AssertSqlSafe, QueryBuilder};
use time::OffsetDateTime;

use super::{ChangedRecord, DatasetKind, Datasets, Differences, Run, RunError, end_of_lease};
use crate::companies::{upsert_in, without_rivals};
use crate::db::{Tx, list, on};
use crate::{BaseCompany, CompareCompanies, Found, StoreError, Upserted};

/// Records of one transaction.
const RECORDS_OF_A_SLICE: usize = 250;
/// Companies of one transaction.
const COMPANIES_OF_A_SLICE: usize = 250;
/// Records written by one statement.
const ROWS_OF_A_STATEMENT: usize = 50;

/// One record of a list, as its connector gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Unique in the dataset.
    pub key: String,
    pub ico: Option<String>,
    pub name: Option<String>,
    /// The folded name.
    pub name_key: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// JSON text.
    pub content: String,
    /// Of all the above: records with equal hashes are taken for equal.
    pub content_hash: String,
    /// In a delta: the record is gone.
    pub removed: bool,
}

/// Where a run is after a batch. What is none stays as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkpoint {
    /// Where the next batch begins.
    pub cursor: Option<String>,
    /// `YYYY-MM-DD`.
    pub list_date: Option<String>,
    /// Rows of this batch that were not taken; added up.
    pub skipped: u32,
    /// JSON text about the whole run, in place of what is stored.
    pub notes: Option<String>,
    /// Thousandths.
    pub progress: Option<u16>,
}

/// What became of a batch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Committed {
    /// Records of the batch, each key once.
    pub records: u64,
    /// For a delta: what was added, changed or removed. A snapshot's differences are known when all of it is.
    pub changed: Vec<ChangedRecord>,
    /// How many those are; zeros for a snapshot.
    pub differences: Differences,
}

/// What a slice adds to its run's numbers.
#[derive(Default)]
struct Counts {
    records: usize,
    companies: usize,
    companies_new: u64,
}

impl Datasets<'_> {
    /// Commits a batch of records and where the run goes on; of equal keys the last one counts. Batches of at most
    /// 250 are one transaction. Extends the lease.
    pub async fn commit_batch(
        &self,
        run: &Run,
        items: &[Record],
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<Committed, RunError> {
        // In the order of the keys, so that nobody waits in a circle.
        let latest: BTreeMap<&str, &Record> =
            items.iter().map(|item| (item.key.as_str(), item)).collect();
        let latest: Vec<&Record> = latest.into_values().collect();
        let (mut changed, mut differences) = (Vec::new(), Differences::default());
        let mut rest = latest.as_slice();
        loop {
            let (slice, behind) = rest.split_at(rest.len().min(RECORDS_OF_A_SLICE));
            let reached = behind.is_empty().then_some(checkpoint);
            let mut tx = self.store.writes.begin_patiently().await?;
            let counts = Counts {
                records: slice.len(),
                ..Counts::default()
            };
            check_in(&mut tx, run, reached, &counts, now).await?;
            let (of_slice, counted) = write_slice(&mut tx, run, slice).await?;
            changed.extend(of_slice);
            differences += counted;
            tx.commit().await?;
            if behind.is_empty() {
                return Ok(Committed {
                    records: latest.len() as u64,
                    changed,
                    differences,
                });
            }
            rest = behind;
        }
    }

    /// Commits a batch of base companies, as [`Self::commit_companies_compared`], of which nobody is told.
    pub async fn commit_companies(
        &self,
        run: &Run,
        companies: &[BaseCompany],
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<Upserted, RunError> {
        let silent: CompareCompanies<'_> = &|_, _, _| Found::default();
        self.commit_companies_compared(run, companies, checkpoint, silent, now)
            .await
    }

    /// Commits a batch of base companies, for a list of those, with what the comparison of each changed record with
    /// the stored one finds, and where the run goes on. Batches of at most 250 are
    /// one transaction. Records that did not change are not rewritten. Extends the lease.
    pub async fn commit_companies_compared(
        &self,
        run: &Run,
        companies: &[BaseCompany],
        checkpoint: &Checkpoint,
        compare: CompareCompanies<'_>,
        now: OffsetDateTime,
    ) -> Result<Upserted, RunError> {
        let companies = without_rivals(companies);
        let mut total = Upserted::default();
        let mut rest = companies.as_slice();
        loop {
            let (slice, behind) = rest.split_at(rest.len().min(COMPANIES_OF_A_SLICE));
            let reached = behind.is_empty().then_some(checkpoint);
            let mut tx = self.store.writes.begin_patiently().await?;
            check_in(&mut tx, run, None, &Counts::default(), now).await?;
            let (outcome, told) = upsert_in(&mut tx, slice, false, compare, now).await?;
            let counts = Counts {
                records: slice.len(),
                companies: slice.len(),
                companies_new: outcome.inserted,
            };
            check_in(&mut tx, run, reached, &counts, now).await?;
            tx.commit().await?;
            if told {
                self.store.signals.events.notify_one();
            }
            total += outcome;
            if behind.is_empty() {
                return Ok(total);
            }
            rest = behind;
        }
    }

    /// Commits where the run goes on, when a batch was empty. Extends the lease.
    pub async fn commit_cursor(
        &self,
        run: &Run,
        checkpoint: &Checkpoint,
        now: OffsetDateTime,
    ) -> Result<(), RunError> {
        let mut tx = self.store.writes.begin_patiently().await?;
        check_in(&mut tx, run, Some(checkpoint), &Counts::default(), now).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Extends the run's lease and notes how far it is. The run's row stays locked, so that nobody takes it over before
/// the transaction ends.
async fn check_in(
    tx: &mut Tx,
    run: &Run,
    reached: Option<&Checkpoint>,
    counts: &Counts,
    now: OffsetDateTime,
) -> Result<(), RunError> {
    const CHECK_IN: &str = "update import_run set lease_until = $3, cursor = coalesce($4, cursor), \
        list_date = coalesce($5, list_date), skipped = skipped + $6, notes = coalesce($7, notes), \
        progress = coalesce($8, progress), records = records + $9, companies = companies + $10, \
        companies_new = companies_new + $11 where id = $1 and attempt = $2 and state = 'running'";
    let nothing = Checkpoint::default();
    let checkpoint = reached.unwrap_or(&nothing);
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let ours = on!(tx, |tx| sqlx::query(CHECK_IN)
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

/// Writes records with different keys; gives what a delta's slice changed.
async fn write_slice(
    tx: &mut Tx,
    run: &Run,
    slice: &[&Record],
) -> Result<(Vec<ChangedRecord>, Differences), StoreError> {
    match run.kind {
        DatasetKind::Snapshot => {
            let (gone, there): (Vec<&Record>, Vec<&Record>) =
                slice.iter().partition(|record| record.removed);
            upsert(tx, run, &there).await?;
            delete(tx, run, &gone).await?;
            Ok((Vec::new(), Differences::default()))
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
) -> Result<(Vec<ChangedRecord>, Differences), StoreError> {
    let known = known(tx, run, slice).await?;
    let known: HashMap<&str, &Known> = known
        .iter()
        .map(|known| (known.key.as_str(), known))
        .collect();
    let (mut written, mut gone, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let mut counted = Differences::default();
    for record in slice {
        let before = known.get(record.key.as_str());
        let before_and_now = match (before, record.removed) {
            (None, true) => continue,
            (Some(before), false) if before.content_hash == record.content_hash => continue,
            (Some(before), true) => {
                gone.push(*record);
                counted.removed += 1;
                [Some((&before.ico, &before.name_key)), None]
            }
            (before, false) => {
                written.push(*record);
                match before {
                    Some(_) => counted.changed += 1,
                    None => counted.added += 1,
                }
                [
                    before.map(|before| (&before.ico, &before.name_key)),
                    Some((&record.ico, &record.name_key)),
                ]
            }
        };
        changed.extend(ChangedRecord::of(&record.key, before_and_now));
    }
    upsert(tx, run, &written).await?;
    delete(tx, run, &gone).await?;
    Ok((changed, counted))
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
                row.push_bind(&record.content)
                    .push_bind(&record.content_hash);
            });
            statement.push(ON_CONFLICT);
            // Only the full size comes again often enough to be worth keeping prepared.
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
