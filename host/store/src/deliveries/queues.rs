//! Queues of deliveries: their locks, and when the next delivery of each is due.

use std::collections::BTreeSet;

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use crate::StoreError;
use crate::db::{Tx, list, millis, on};

/// Locks queues until the transaction ends. Lock order of all writers of deliveries: subscriptions, then queues, then
/// deliveries, each in key order, to avoid deadlocks. A later lock must not wait for another transaction. Read the
/// deliveries of a queue in a separate statement after locking it: only a new statement sees rows that were committed
/// during the wait.
pub(crate) async fn lock_queues(tx: &mut Tx, keys: &[&str]) -> Result<(), StoreError> {
    let sql = format!(
        "select key from endpoint where {} order by key{}",
        tx.is_listed("key", 1),
        tx.locking_of("endpoint")
    );
    let _locked: Vec<String> = on!(tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(list(keys.iter().copied()))
        .fetch_all(&mut **tx)
        .await)?;
    Ok(())
}

/// Locks the queues that hold deliveries of a subscription, and another queue if given.
pub(crate) async fn lock_queues_of(
    tx: &mut Tx,
    subscription: i64,
    other: Option<&str>,
) -> Result<(), StoreError> {
    const QUEUES: &str = "select distinct endpoint from delivery \
        where subscription = $1 and state in ('waiting', 'held', 'failed')";
    let queues: Vec<String> = on!(&mut *tx, |tx| sqlx::query_scalar(QUEUES)
        .bind(subscription)
        .fetch_all(&mut **tx)
        .await)?;
    let queues: Vec<&str> = queues.iter().map(String::as_str).chain(other).collect();
    lock_queues(tx, &queues).await
}

/// Stores when the next delivery of each of these queues is due. The caller must have locked the queues.
pub(super) async fn next_of_queues(tx: &mut Tx, keys: &[&str]) -> Result<(), StoreError> {
    let next = format!(
        "update endpoint set due_at = (select due_at from delivery \
         where delivery.endpoint = endpoint.key and due_at is not null order by due_at limit 1) where {}",
        tx.is_listed("key", 1)
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(next))
        .bind(list(keys.iter().copied()))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// Stores when the next delivery of each of these queues is due, after deliveries arrived or ended. Leaves out queues
/// that are due, because the next claim does it, and those that another transaction has locked. Their time may stay too
/// early, which costs a claim that finds nothing; it is never too late.
pub(super) async fn next_of_free_queues(
    tx: &mut Tx,
    queues: &BTreeSet<&str>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let sql = format!(
        "select key from endpoint where {} and due_at > $2 order by key{}",
        tx.is_listed("key", 1),
        tx.skipping_locked()
    );
    let free: Vec<String> = on!(&mut *tx, |tx| sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(list(queues.iter().copied()))
        .bind(millis(now))
        .fetch_all(&mut **tx)
        .await)?;
    let free: Vec<&str> = free.iter().map(String::as_str).collect();
    if free.is_empty() {
        return Ok(());
    }
    next_of_queues(tx, &free).await
}
