//! Retention of changes and of the event log.
//!
//! What is old is read first. A transaction that writes begins only if there are rows to delete, so that a sweep that
//! finds nothing stops no other writer.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::Events;
use crate::StoreError;
use crate::db::{millis, on};

/// Rows that one transaction deletes.
const SLICE: i64 = 500;

/// Condition on an event: no delivery of it waits or is held, and no e-mail with other events of its reading waits.
const ENDED: &str = "not exists (select 1 from delivery d where d.event = event.number \
        and (d.due_at is not null or d.state = 'held')) \
    and not exists (select 1 from event sibling join delivery d on d.event = sibling.number \
        where sibling.reading = event.reading and d.letter is not null and d.due_at is not null)";

/// Time of detection in milliseconds, and number.
type EventKey = (i64, i64);

impl Events<'_> {
    /// Deletes what was detected before a time: changes, and numbered events without waiting or held deliveries, with
    /// their deliveries and attempts. Returns the number of deleted changes and events. Each slice is a transaction.
    pub async fn sweep(&self, before: OffsetDateTime) -> Result<u64, StoreError> {
        let mut deleted = self.sweep_changes(before).await?;
        let mut reached = (i64::MIN, 0);
        loop {
            let old = self.ended_events(before, reached).await?;
            let Some(last) = old.last() else {
                return Ok(deleted);
            };
            reached = *last;
            let numbers = old.into_iter().map(|(_, number)| number);
            deleted += self.delete(numbers.collect()).await?;
        }
    }

    async fn sweep_changes(&self, before: OffsetDateTime) -> Result<u64, StoreError> {
        const OLD: &str =
            "select id from change where detected_at < $1 order by detected_at limit 1";
        const DELETE: &str = "delete from change where id in \
            (select id from change where detected_at < $1 order by detected_at limit $2)";
        let mut deleted = 0;
        loop {
            let old: Option<i64> = on!(&self.store.reads, |pool| sqlx::query_scalar(OLD)
                .bind(millis(before))
                .fetch_optional(pool)
                .await)?;
            if old.is_none() {
                return Ok(deleted);
            }
            deleted += on!(&self.store.writes, |pool| sqlx::query(DELETE)
                .bind(millis(before))
                .bind(SLICE)
                .execute(pool)
                .await
                .map(|done| done.rows_affected()))?;
        }
    }

    /// The oldest events that may be deleted, after the given one.
    async fn ended_events(
        &self,
        before: OffsetDateTime,
        after: EventKey,
    ) -> Result<Vec<EventKey>, StoreError> {
        let sql = ended_events();
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql.as_str())
        )
        .bind(millis(before))
        .bind(after.0)
        .bind(after.1)
        .bind(SLICE)
        .fetch_all(pool)
        .await)?)
    }

    /// Deletes those of the events that still may be deleted, and returns how many.
    async fn delete(&self, numbers: Vec<i64>) -> Result<u64, StoreError> {
        let mut tx = self.store.writes.begin_with_retry().await?;
        let (of_event, of_number) = (tx.is_numbered("event", 1), tx.is_numbered("number", 1));
        let lock = format!(
            "select count(*) from (select number from delivery where {of_event} order by number{}) locked",
            tx.locking_of("delivery")
        );
        let ended = format!("select number from event where {of_number} and {ENDED}");
        let newest = format!("(select coalesce(max(seq), 0) from event where {of_number})");
        let statements = [
            format!(
                "update counter set value = {newest} where name = 'event_swept' and value < {newest}"
            ),
            format!(
                "delete from attempt where delivery in (select number from delivery where {of_event})"
            ),
            format!("delete from delivery where {of_event}"),
            format!("delete from event where {of_number}"),
        ];
        // While they are locked, none is sent again, and no attempt is recorded that would be left without its delivery.
        let _locked: i64 = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(lock))
            .bind(json(&numbers))
            .fetch_one(&mut **tx)
            .await)?;
        let numbers: Vec<i64> = on!(&mut tx, |tx| sqlx::query_scalar(AssertSqlSafe(ended))
            .bind(json(&numbers))
            .fetch_all(&mut **tx)
            .await)?;
        if numbers.is_empty() {
            return Ok(0);
        }
        for sql in statements {
            on!(&mut tx, |tx| sqlx::query(AssertSqlSafe(sql))
                .bind(json(&numbers))
                .execute(&mut **tx)
                .await
                .map(drop))?;
        }
        tx.commit().await?;
        Ok(numbers.len() as u64)
    }
}

/// The plus sign keeps `SQLite` from the index on the sequence number, with which it would read the whole log.
fn ended_events() -> String {
    format!(
        "select detected_at, number from event where +seq is not null and detected_at < $1 \
         and (detected_at, number) > ($2, $3) and {ENDED} order by detected_at, number limit $4"
    )
}

fn json(numbers: &[i64]) -> String {
    serde_json::Value::from(numbers).to_string()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;
    use crate::Store;
    use crate::db::Db;
    use crate::testing::TestDatabase;

    #[tokio::test]
    async fn old_events_are_found_by_their_time() {
        let database = TestDatabase::sqlite();
        let store = Store::connect(database.url(), 2).await.unwrap();
        let Db::Sqlite(pool) = &store.reads else {
            panic!("the store is one of SQLite");
        };
        let plan = format!("explain query plan {}", ended_events());
        let steps: Vec<(i64, i64, i64, String)> = sqlx::query_as(AssertSqlSafe(plan))
            .bind(1_i64)
            .bind(0_i64)
            .bind(0_i64)
            .bind(SLICE)
            .fetch_all(pool)
            .await
            .unwrap();
        let first = &steps[0].3;
        assert!(
            first.contains("event_detected_at (detected_at"),
            "{steps:?}"
        );
        let sorted = steps.iter().any(|step| step.3.contains("ORDER BY"));
        assert!(!sorted, "{steps:?}");
        store.close().await;
        database.remove().await;
    }
}
