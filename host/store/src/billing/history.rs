//! Reads the ledger back in entry order, for exports and for the ledger check.

use sqlx::AssertSqlSafe;

use super::{
    AccountBalance, Billing, ENTRY, GRANT, Grant, LedgerEntry, account_in, grants_in,
    select_accounts,
};
use crate::db::{Tx, on};
use crate::{AccountId, StoreError};

/// A consistent snapshot of one account's ledger, held open while it is read in pages.
pub struct Books {
    tx: Tx,
    pub account: AccountBalance,
    /// All grants in number order, including used-up and expired ones.
    pub grants: Vec<Grant>,
    /// Sums of the stored and the deleted usage: credits charged, and calls beyond the credits.
    pub usage: (i64, i64),
}

fn page() -> String {
    format!("{ENTRY} where account_id = $1 and entry_no > $2 order by entry_no limit $3")
}

impl Books {
    /// At most `most` entries with a number greater than `behind`, in number order.
    pub async fn entries(
        &mut self,
        behind: i64,
        most: i64,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let sql = page();
        on!(&mut self.tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(self.account.account_id)
            .bind(behind)
            .bind(most)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("ledger_entry"))
    }
}

impl Billing<'_> {
    /// Balance rows of all accounts with bookings, in id order.
    pub async fn balances(&self) -> Result<Vec<AccountBalance>, StoreError> {
        let sql = format!("{} order by account_id", select_accounts());
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("billing_account"))
    }

    /// Ids of accounts that have a balance row or were ever granted credits, in order.
    pub async fn accounts(&self) -> Result<Vec<AccountId>, StoreError> {
        const ACCOUNTS: &str = "select account_id from billing_account \
            union select account_id from credit_grant order by account_id";
        Ok(on!(&self.store.billing_reads, |pool| sqlx::query_scalar(
            ACCOUNTS
        )
        .fetch_all(pool)
        .await)?)
    }

    pub async fn has_entries(&self, account_id: AccountId) -> Result<bool, StoreError> {
        Ok(!self.entries(account_id, 0, 1).await?.is_empty())
    }

    /// A snapshot of an account's ledger. `None`: the account has no bookings.
    pub async fn books(&self, account_id: AccountId) -> Result<Option<Books>, StoreError> {
        const USAGE: &str = "select cast(coalesce(sum(credits), 0) as bigint), cast(coalesce(sum(overage), 0) as bigint) \
            from (select credits, overage from usage_day where account_id = $1 \
            union all select credits, overage from deleted_usage where account_id = $1) used";
        let mut tx = self.store.billing_reads.begin_reading().await?;
        let Some(account) = account_in(&mut tx, account_id).await? else {
            return Ok(None);
        };
        let grants = grants_in(&mut tx, account_id, true).await?;
        let usage = on!(&mut tx, |tx| sqlx::query_as(USAGE)
            .bind(account_id)
            .fetch_one(&mut **tx)
            .await)?;
        Ok(Some(Books {
            tx,
            account,
            grants,
            usage,
        }))
    }

    /// At most `most` entries of an account with a number greater than `behind`, in number order. Entries are
    /// append-only, so consecutive pages are consistent without one long transaction.
    pub async fn entries(
        &self,
        account_id: AccountId,
        behind: i64,
        most: i64,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
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

    /// At most `most` entries of an account, newest first: those with a number below `before`, or the last ones.
    pub async fn entries_before(
        &self,
        account_id: AccountId,
        before: Option<i64>,
        most: i64,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        let sql = format!(
            "{ENTRY} where account_id = $1 and entry_no < $2 order by entry_no desc limit $3"
        );
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(account_id)
        .bind(before.unwrap_or(i64::MAX))
        .bind(most)
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("ledger_entry"))
    }

    /// The grants with these numbers, in number order.
    pub async fn grants_numbered(
        &self,
        account_id: AccountId,
        numbers: &[i64],
    ) -> Result<Vec<Grant>, StoreError> {
        let listed = self.store.billing_reads.is_numbered("grant_no", 2);
        let sql = format!("{GRANT} where account_id = $1 and {listed} order by grant_no");
        let numbers = serde_json::Value::from_iter(numbers.iter().copied());
        on!(&self.store.billing_reads, |pool| sqlx::query_as(
            AssertSqlSafe(sql)
        )
        .bind(account_id)
        .bind(numbers.to_string())
        .fetch_all(pool)
        .await)
        .map_err(StoreError::reading("credit_grant"))
    }

    /// Entries of an operation in part order; empty if it was not booked.
    pub async fn entries_of(
        &self,
        account_id: AccountId,
        operation: &str,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
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
