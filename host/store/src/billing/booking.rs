//! Booking: reads balances under row locks and writes the bookings before the locks are released.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Column, FromRow};
use sqlx_postgres::PgRow;
use sqlx_sqlite::SqliteRow;

use super::write::{
    add_entries, add_grants, begin_periods, change_grants, move_accounts, move_windows,
    open_accounts,
};
use super::{
    ACCOUNT_COLUMNS, AccountBalance, Billing, ENTRY, GRANT, Grant, LedgerEntry, Thresholds,
    UsageOfDay, Window, usage,
};
use crate::db::{Db, Either, Tx, on};
use crate::mail::{self, NewMail};
use crate::rows::Changes;
use crate::{AccountId, Store, StoreError};

/// Accounts with locked rows. The locks last until commit or drop.
pub struct LockedAccounts {
    tx: Tx,
    /// Stored state of each requested account.
    pub accounts: BTreeMap<AccountId, LockedAccount>,
}

/// Stored state of a locked account.
#[derive(Debug, Default)]
pub struct LockedAccount {
    /// `None`: the account has no bookings.
    pub account: Option<AccountBalance>,
    /// Grants with credits left, in number order.
    pub grants: Vec<Grant>,
    /// Request counts of its rate limit windows.
    pub windows: Vec<Window>,
    /// Usage thresholds and the addresses to notify.
    pub thresholds: Thresholds,
}

/// The rows that a booking writes.
#[derive(Debug, Default)]
pub struct Bookings {
    /// Balance rows of accounts without earlier bookings.
    pub opened: Vec<AccountBalance>,
    /// Balance rows of accounts whose period or plan changed.
    pub periods: Vec<AccountBalance>,
    /// Balance rows of the other booked accounts.
    pub moved: Vec<AccountBalance>,
    pub new_grants: Vec<Grant>,
    /// Grants whose remaining credits changed.
    pub grants: Vec<Grant>,
    pub entries: Vec<LedgerEntry>,
    /// Added to the stored counts of the same day.
    pub usage: Vec<UsageOfDay>,
    pub windows: Vec<Window>,
    pub mails: Vec<NewMail>,
}

/// Why bookings were not written.
#[derive(Debug, thiserror::Error)]
pub enum BookingError {
    /// Another host wrote the account's first booking at the same time. Read again and retry.
    #[error("another host wrote the account's first booking at the same time")]
    Overtaken,
    /// The store failed; nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The commit failed; the outcome is unknown. Either everything was written or nothing.
    #[error("the outcome of the booking is unknown: {0}")]
    InDoubt(#[source] StoreError),
}

impl Billing<'_> {
    /// Locks accounts and reads their stored state; with `limited` also their rate limit windows.
    pub async fn open(
        &self,
        accounts: &[AccountId],
        limited: bool,
    ) -> Result<LockedAccounts, StoreError> {
        let Store { billing, .. } = self.store;
        let wanted = json!(accounts).to_string();
        let mut queries = vec![accounts_locked(billing), grants_with_credits(billing)];
        if limited {
            queries.push(windows(billing));
        }
        let read = billing.begin_and_read(&queries, &wanted).await;
        let (tx, rows) = read.map_err(StoreError::reading(
            "billing_account, credit_grant or rate_window",
        ))?;
        let mut opened: BTreeMap<AccountId, LockedAccount> = accounts
            .iter()
            .map(|account| (*account, LockedAccount::default()))
            .collect();
        for row in rows {
            match row {
                Row::Account(row) => {
                    let account = opened.entry(row.account.account_id).or_default();
                    account.thresholds = row.thresholds()?;
                    account.account = Some(row.account);
                }
                Row::Grant(grant) => {
                    let account = opened.entry(grant.account_id).or_default();
                    account.grants.push(grant);
                }
                Row::Window(window) => {
                    let account = opened.entry(window.account_id).or_default();
                    account.windows.push(window);
                }
            }
        }
        Ok(LockedAccounts {
            tx,
            accounts: opened,
        })
    }
}

/// A row of one of the queries that open accounts.
enum Row {
    Account(Box<LockedRow>),
    Grant(Grant),
    Window(Window),
}

impl<'r, R: sqlx::Row> FromRow<'r, R> for Row
where
    LockedRow: FromRow<'r, R>,
    Grant: FromRow<'r, R>,
    Window: FromRow<'r, R>,
{
    fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
        let has = |name: &str| row.columns().iter().any(|column| column.name() == name);
        if has("grant_no") {
            Grant::from_row(row).map(Self::Grant)
        } else if has("span") {
            Window::from_row(row).map(Self::Window)
        } else {
            LockedRow::from_row(row).map(|row| Self::Account(Box::new(row)))
        }
    }
}

/// A balance row joined with the account's thresholds.
#[derive(sqlx::FromRow)]
struct LockedRow {
    #[sqlx(flatten)]
    account: AccountBalance,
    percents: Option<String>,
    emails: Option<String>,
}

impl LockedRow {
    fn thresholds(&self) -> Result<Thresholds, StoreError> {
        match (&self.percents, &self.emails) {
            (Some(percents), Some(emails)) => super::thresholds::read(percents, emails),
            (None, _) | (_, None) => Ok(Thresholds::default()),
        }
    }
}

/// The rows of a query whose one parameter is a JSON text.
async fn rows<T>(
    tx: &mut Tx,
    sql: String,
    parameter: &str,
    table: &'static str,
) -> Result<Vec<T>, StoreError>
where
    T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(parameter)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading(table))
}

fn accounts_locked(db: &Db) -> String {
    let (listed, lock) = (db.is_numbered("a.account_id", 1), db.locking_of("a"));
    format!(
        "select a.account_id, {ACCOUNT_COLUMNS}, t.percents, t.emails from billing_account a \
         left join billing_threshold t on t.account_id = a.account_id \
         where {listed} order by a.account_id{lock}"
    )
}

fn grants_with_credits(db: &Db) -> String {
    let listed = db.is_numbered("account_id", 1);
    format!("{GRANT} where {listed} and remaining > 0 order by account_id, grant_no")
}

fn windows(db: &Db) -> String {
    let listed = db.is_numbered("account_id", 1);
    format!("select account_id, span, started_at, used from rate_window where {listed}")
}

fn entries_of_operations<S, P>(db: &Either<S, P>) -> String {
    let operations = db.rows(1, &["account_id"], &["operation"]);
    // Without the condition on `part`, which is always true, `SQLite` does not use the index of operations, but reads
    // all entries of the account: it assumes that an account has as few entries as an operation.
    format!(
        "{ENTRY} join {operations} using (account_id, operation) where part >= 0 order by account_id, part"
    )
}

impl LockedAccounts {
    /// Entries of operations of locked accounts, in order of account and part. Operations without bookings have none.
    pub async fn entries_of(
        &mut self,
        operations: &[(AccountId, &str)],
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = |(account, operation): &(AccountId, &str)| json!({ "account_id": account, "operation": operation });
        let wanted: Vec<Value> = operations.iter().map(wanted).collect();
        let sql = entries_of_operations(&self.tx);
        rows(
            &mut self.tx,
            sql,
            &Value::from(wanted).to_string(),
            "ledger_entry",
        )
        .await
    }

    /// Grants of locked accounts by number, including used-up ones.
    pub async fn grants(&mut self, numbers: &[(AccountId, i64)]) -> Result<Vec<Grant>, StoreError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = |(account, grant): &(AccountId, i64)| json!({ "account_id": account, "grant_no": grant });
        let wanted: Vec<Value> = numbers.iter().map(wanted).collect();
        let elements = self.tx.rows(1, &["account_id", "grant_no"], &[]);
        let sql = format!("{GRANT} join {elements} using (account_id, grant_no)");
        rows(
            &mut self.tx,
            sql,
            &Value::from(wanted).to_string(),
            "credit_grant",
        )
        .await
    }

    /// Writes the bookings, commits and releases the locks.
    pub async fn commit(mut self, bookings: &Bookings) -> Result<(), BookingError> {
        let tx = &mut self.tx;
        if !bookings.opened.is_empty() && !open_accounts(tx, &bookings.opened).await? {
            return Err(BookingError::Overtaken);
        }
        let mut changes = Changes::of(tx);
        begin_periods(&mut changes, &bookings.periods);
        move_accounts(&mut changes, &bookings.moved);
        add_grants(&mut changes, &bookings.new_grants);
        change_grants(&mut changes, &bookings.grants);
        add_entries(&mut changes, &bookings.entries);
        usage::add(&mut changes, &bookings.usage);
        move_windows(&mut changes, &bookings.windows);
        changes.run().await?;
        for mail in &bookings.mails {
            mail::add(tx, mail).await?;
        }
        self.tx.commit().await.map_err(BookingError::InDoubt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestDatabase;

    #[tokio::test]
    async fn operations_are_found_by_their_index() {
        let database = TestDatabase::sqlite();
        let store = Store::connect(database.url(), 2)
            .await
            .expect("a fresh database");
        let Db::Sqlite(pool) = &store.billing else {
            panic!("the store is one of SQLite");
        };
        let plan = format!(
            "explain query plan {}",
            entries_of_operations(&store.billing)
        );
        let steps: Vec<(i64, i64, i64, String)> = sqlx::query_as(AssertSqlSafe(plan))
            .bind("[]")
            .fetch_all(pool)
            .await
            .expect("the statement is right");
        let is_found =
            |step: &(i64, i64, i64, String)| step.3.contains("account_id=? AND operation=?");
        assert!(steps.iter().any(is_found), "{steps:?}");
        store.close().await;
        database.remove().await;
    }
}
