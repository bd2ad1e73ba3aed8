//! Rows in bulk, for tests and benchmarks of large stores.

use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::db::millis;
use crate::rows::execute;
use crate::{AccountId, Store, StoreError};

/// Rows per statement.
const ROWS: usize = 1_000;

impl Store {
    /// Subscribes an account to companies by webhook, as one request for each would. The companies become due for a
    /// refresh at `due`, so with a later time they count as just read.
    pub async fn subscribe_in_bulk(
        &self,
        account: AccountId,
        icos: &[String],
        webhook: &str,
        due: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        for icos in icos.chunks(ROWS) {
            let rows: Vec<Value> = icos
                .iter()
                .map(|ico| {
                    json!({
                        "id": format!("sub_{}_{ico}", account.get()),
                        "account": account.get(),
                        "ico": ico,
                        "webhook": webhook,
                        "at": millis(now),
                        "due": millis(due),
                    })
                })
                .collect();
            let mut tx = self.writes.begin().await?;
            let elements = tx.rows(1, &["account", "at", "due"], &["id", "ico", "webhook"]);
            let subscribe = format!(
                "insert into subscription (id, account_id, ico, active, webhook_url, webhook_state, had_webhook, secret, \
                 created_at, updated_at, since_seq) select element.id, element.account, element.ico, true, \
                 element.webhook, 'active', true, '', element.at, element.at, \
                 (select value from counter where name = 'event_seq') from {elements}"
            );
            // Without `where true`, `SQLite` parses `on conflict` as a join condition.
            let watch = format!(
                "insert into watch (ico, due_at) select element.ico, element.due from {elements} where true \
                 on conflict (ico) do update set due_at = excluded.due_at"
            );
            execute(&mut tx, subscribe, rows.clone()).await?;
            execute(&mut tx, watch, rows).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}
