//! Recorded states of sources: which state each source has, since when, and its earlier states.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, Tx, list, millis, on};
use super::{Store, StoreError};

/// A state of a source over a time.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SourceSpan {
    /// Id of the connector, or the name of a file without a readable manifest.
    pub source: String,
    /// Word of the state.
    pub state: String,
    /// Code of the reason when the state began.
    pub reason: Option<String>,
    /// The scope or dataset that the reason is about.
    pub part: Option<String>,
    #[sqlx(try_from = "Millis")]
    pub from_at: OffsetDateTime,
    /// `None`: the source still has this state.
    #[sqlx(try_from = "MaybeMillis")]
    pub to_at: Option<OffsetDateTime>,
    /// The state that followed. `None` after the end: it was not recorded.
    pub next_state: Option<String>,
}

/// The present state of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceNow {
    /// Id of the connector, or the name of a file without a readable manifest.
    pub source: String,
    /// Word of the state.
    pub state: String,
    /// Code of the reason.
    pub reason: Option<String>,
    /// The scope or dataset that the reason is about.
    pub part: Option<String>,
}

/// The time over which states were recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Recording {
    #[sqlx(try_from = "Millis")]
    pub since: OffsetDateTime,
    /// When the states were last compared.
    #[sqlx(try_from = "Millis")]
    pub seen_at: OffsetDateTime,
}

#[derive(Debug, Clone, Copy)]
pub struct SourceStates<'a> {
    pub(super) store: &'a Store,
}

const RECORDING: &str = "select since, seen_at from source_state_recording where id = 1";

const COLUMNS: &str = "source, state, reason, part, from_at, to_at, next_state";

impl SourceStates<'_> {
    /// Records the present states of all sources. A state is stored when it differs from the source's last one. If
    /// nothing was recorded for longer than `gap`, the last states end when they were last seen. Returns how many
    /// states began.
    ///
    /// # Errors
    /// The database failed.
    pub async fn record(
        &self,
        present: &[SourceNow],
        gap: Duration,
        now: OffsetDateTime,
    ) -> Result<usize, StoreError> {
        let mut tx = self.store.writes.begin().await?;
        let recording: Option<Recording> = on!(&mut tx, |tx| sqlx::query_as(RECORDING)
            .fetch_optional(&mut **tx)
            .await)?;
        if let Some(recording) = recording.filter(|last| now - last.seen_at > gap) {
            end_all(&mut tx, recording.seen_at).await?;
        }
        let current: BTreeMap<String, SourceSpan> = current(&mut tx).await?;
        let mut begun = 0;
        for source in present {
            let last = current.get(&source.source);
            if last.is_some_and(|last| last.state == source.state) {
                continue;
            }
            if last.is_some() {
                end(&mut tx, &source.source, Some(&source.state), now).await?;
            }
            begin(&mut tx, source, now).await?;
            begun += 1;
        }
        for source in current.keys() {
            if !present.iter().any(|present| present.source == *source) {
                end(&mut tx, source, None, now).await?;
            }
        }
        seen(&mut tx, now).await?;
        tx.commit().await?;
        Ok(begun)
    }

    /// The time over which states were recorded. `None`: no state was recorded yet.
    ///
    /// # Errors
    /// The database failed.
    pub async fn recording(&self) -> Result<Option<Recording>, StoreError> {
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(RECORDING)
            .fetch_optional(pool)
            .await)?)
    }

    /// The newest times at which a source had one of these states and that ended after `after` or last, at most
    /// `limit`, by source and time.
    ///
    /// # Errors
    /// The database failed.
    pub async fn spans(
        &self,
        states: &[&str],
        after: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<SourceSpan>, StoreError> {
        let listed = self.store.reads.is_listed("state", 1);
        let sql = format!(
            "select {COLUMNS} from (select {COLUMNS} from source_state \
             where {listed} and (to_at is null or to_at > $2) order by from_at desc limit $3) newest \
             order by source, from_at"
        );
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(list(states.iter().copied()))
        .bind(millis(after))
        .bind(i64::from(limit))
        .fetch_all(pool)
        .await)?)
    }

    /// Deletes states that ended before then. Returns how many were deleted.
    ///
    /// # Errors
    /// The database failed.
    pub async fn sweep(&self, before: OffsetDateTime) -> Result<u64, StoreError> {
        const DUE: &str = "select 1 from source_state where to_at < $1 limit 1";
        const SWEEP: &str = "delete from source_state where to_at < $1";
        // Check with a read first: most sweeps find nothing and must not take the write lock.
        let due: Option<i32> = on!(&self.store.reads, |pool| sqlx::query_scalar(DUE)
            .bind(millis(before))
            .fetch_optional(pool)
            .await)?;
        if due.is_none() {
            return Ok(0);
        }
        Ok(on!(&self.store.writes, |pool| sqlx::query(SWEEP)
            .bind(millis(before))
            .execute(pool)
            .await
            .map(|done| done.rows_affected()))?)
    }
}

async fn current(tx: &mut Tx) -> Result<BTreeMap<String, SourceSpan>, StoreError> {
    let sql = format!("select {COLUMNS} from source_state where to_at is null");
    let spans: Vec<SourceSpan> = on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .fetch_all(&mut **tx)
        .await)?;
    let by_source = spans.into_iter().map(|span| (span.source.clone(), span));
    Ok(by_source.collect())
}

async fn end_all(tx: &mut Tx, at: OffsetDateTime) -> Result<(), StoreError> {
    const END: &str = "update source_state set to_at = $1 where to_at is null";
    on!(tx, |tx| sqlx::query(END)
        .bind(millis(at))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn end(
    tx: &mut Tx,
    source: &str,
    next: Option<&str>,
    at: OffsetDateTime,
) -> Result<(), StoreError> {
    const END: &str = "update source_state set to_at = $1, next_state = $2 \
        where source = $3 and to_at is null";
    on!(tx, |tx| sqlx::query(END)
        .bind(millis(at))
        .bind(next)
        .bind(source)
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn begin(tx: &mut Tx, source: &SourceNow, at: OffsetDateTime) -> Result<(), StoreError> {
    // Another host may have recorded the state after this host's lease ended.
    const BEGIN: &str = "insert into source_state (source, state, reason, part, from_at) \
        values ($1, $2, $3, $4, $5) on conflict do nothing";
    on!(tx, |tx| sqlx::query(BEGIN)
        .bind(&source.source)
        .bind(&source.state)
        .bind(&source.reason)
        .bind(&source.part)
        .bind(millis(at))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn seen(tx: &mut Tx, at: OffsetDateTime) -> Result<(), StoreError> {
    const SEEN: &str = "insert into source_state_recording (id, since, seen_at) values (1, $1, $1) \
        on conflict (id) do update set seen_at = excluded.seen_at";
    on!(tx, |tx| sqlx::query(SEEN)
        .bind(millis(at))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}
