//! When the queues of webhook endpoints are due.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::StoreError;
use crate::db::Tx;
use crate::rows::insert;

/// Sets queues as due at these times, unless they are due earlier.
pub(crate) async fn wake_endpoints(
    tx: &mut Tx,
    due: impl Iterator<Item = (&str, i64)>,
) -> Result<(), StoreError> {
    // One row per queue, in key order to avoid deadlocks.
    let mut earliest: BTreeMap<&str, i64> = BTreeMap::new();
    for (key, due_at) in due {
        let known = earliest.entry(key).or_insert(due_at);
        *known = due_at.min(*known);
    }
    let rows: Vec<Value> = earliest
        .into_iter()
        .map(|(key, due_at)| json!({ "key": key, "due_at": due_at }))
        .collect();
    let conflict = "order by 2 on conflict (key) do update set due_at = case \
        when endpoint.due_at is null or excluded.due_at < endpoint.due_at then excluded.due_at \
        else endpoint.due_at end";
    insert(tx, "endpoint", &["due_at"], &["key"], conflict, rows).await?;
    Ok(())
}
