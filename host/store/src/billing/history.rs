//! Everything that was booked, read back in its order: for exports and for the check of the books.

use sqlx::AssertSqlSafe;

use super::{Billing, ENTRY, Entry, Grant, Standing, grants_in, standing, standing_in};
use crate::StoreError;
use crate::db::{Tx, on};

/// An account's books at one moment, however long it takes to read them.
pub struct Books {
    tx: Tx,
    pub standing: Standing,
    /// Used up and expired ones too, by their numbers.
    pub grants: Vec<Grant>,
    /// Credits charged and calls beyond them, as the account's usage has them.
    pub usage: (i64, i64),
}

fn page() -> String {
    format!("{ENTRY} where account_id = $1 and entry_no > $2 order by entry_no limit $3")
}

impl Books {
    /// Entries behind the one of the number, by their numbers, at most `most`.
    pub async fn entries(&mut self, behind: i64, most: i64) -> Result<Vec<Entry>, StoreError> {
        let sql = page();
        on!(&mut self.tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.standing.account_id)
            .bind(behind)
            .bind(most)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("ledger_entry"))
    }
}

impl Billing<'_> {
    /// The accounts for which something was booked, by their ids.
    pub async fn standings(&self) -> Result<Vec<Standing>, StoreError> {
        let sql = format!("{} order by account_id", standing());
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("billing_account"))
    }

    /// The ids of accounts that have a standing or were ever granted credits, in their order.
    pub async fn accounts(&self) -> Result<Vec<i64>, StoreError> {
        const ACCOUNTS: &str = "select account_id from billing_account \
            union select account_id from credit_grant order by account_id";
        Ok(on!(&self.store.billing_reads, |pool| sqlx::query_scalar(
            ACCOUNTS
        )
        .fetch_all(pool)
        .await)?)
    }

    /// Whether anything was booked for an account.
    pub async fn has_entries(&self, account_id: i64) -> Result<bool, StoreError> {
        Ok(!self.entries(account_id, 0, 1).await?.is_empty())
    }

    /// An account's books. `None`: nothing was ever booked for it.
    pub async fn books(&self, account_id: i64) -> Result<Option<Books>, StoreError> {
        const USAGE: &str = "select cast(coalesce(sum(credits), 0) as bigint), cast(coalesce(sum(overage), 0) as bigint) \
            from usage_day where account_id = $1";
        let mut tx = self.store.billing_reads.begin_reading().await?;
        let Some(standing) = standing_in(&mut tx, account_id).await? else {
            return Ok(None);
        };
        let grants = grants_in(&mut tx, account_id, true).await?;
        let usage = on!(&mut tx, |tx| sqlx::query_as(USAGE)
            .bind(account_id)
            .fetch_one(&mut **tx)
            .await)?;
        Ok(Some(Books {
            tx,
            standing,
            grants,
            usage,
        }))
    }

    /// Entries of an account behind the one of the number, by their numbers, at most `most`. Entries are only added, so
    /// pages that are read one after another are of one history, without a transaction that lasts as long.
    pub async fn entries(
        &self,
        account_id: i64,
        behind: i64,
        most: i64,
    ) -> Result<Vec<Entry>, StoreError> {
        let sql = page();
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(account_id)
        .bind(behind)
        .bind(most)
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("ledger_entry"))
    }

    /// The entries of an operation, in their order; none where it was not booked.
    pub async fn entries_of(
        &self,
        account_id: i64,
        operation: &str,
    ) -> Result<Vec<Entry>, StoreError> {
        let sql = format!("{ENTRY} where account_id = $1 and operation = $2 order by part");
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(account_id)
        .bind(operation)
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("ledger_entry"))
    }
}
