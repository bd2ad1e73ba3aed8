//! Cancels deliveries that are no longer wanted.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{Channel, lock_queues, lock_queues_of};
use crate::StoreError;
use crate::db::{Tx, list, millis, on};

/// Cancels waiting deliveries of a subscription to these targets, or to all targets if the list is empty.
pub(crate) async fn cancel_of(
    tx: &mut Tx,
    subscription: i64,
    targets: &[&str],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    lock_queues_of(tx, subscription, None).await?;
    let (condition, targets) = target_condition(tx, targets);
    let sql = format!(
        "update delivery set state = 'cancelled', due_at = null, finished_at = $3 \
         where subscription = $1 and state in ('waiting', 'held') and {condition}"
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(subscription)
        .bind(targets)
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// Cancels waiting deliveries of several subscriptions to these targets.
pub(crate) async fn cancel_of_all(
    tx: &mut Tx,
    subscriptions: &[i64],
    targets: &[&str],
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let (of_subscription, to_target) =
        (tx.is_numbered("subscription", 1), tx.is_listed("target", 2));
    let condition = format!("{of_subscription} and state in ('waiting', 'held') and {to_target}");
    let queues = format!("select distinct endpoint from delivery where {condition}");
    let cancel = format!(
        "update delivery set state = 'cancelled', due_at = null, finished_at = $3 where {condition}"
    );
    let (subscriptions, targets) = (
        serde_json::Value::from(subscriptions).to_string(),
        list(targets.iter().copied()),
    );
    let queues: Vec<String> = on!(&mut *tx, |tx| sqlx::query_scalar(AssertSqlSafe(queues))
        .bind(&subscriptions)
        .bind(&targets)
        .fetch_all(&mut **tx)
        .await)?;
    let queues: Vec<&str> = queues.iter().map(String::as_str).collect();
    lock_queues(tx, &queues).await?;
    on!(tx, |tx| sqlx::query(AssertSqlSafe(cancel))
        .bind(&subscriptions)
        .bind(&targets)
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// Cancels waiting deliveries of a subscription by one channel.
pub(crate) async fn cancel_channel_of(
    tx: &mut Tx,
    subscription: i64,
    channel: Channel,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    const CANCEL: &str = "update delivery set state = 'cancelled', due_at = null, finished_at = $3 \
        where subscription = $1 and channel = $2 and state in ('waiting', 'held')";
    on!(tx, |tx| sqlx::query(CANCEL)
        .bind(subscription)
        .bind(channel.word())
        .bind(millis(now))
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

/// SQL condition that a delivery goes to one of the bound targets, or to any target if the list is empty.
fn target_condition(tx: &Tx, targets: &[&str]) -> (String, String) {
    let condition = if targets.is_empty() {
        "$2 is not null".to_owned()
    } else {
        tx.is_listed("target", 2)
    };
    (condition, list(targets.iter().copied()))
}
