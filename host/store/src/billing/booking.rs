//! Booking: reads balances under row locks and writes the bookings before the locks are released.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, FromRow};
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
use crate::db::{Tx, on};
use crate::mail::{self, NewMail};
use crate::rows::{number, text};
use crate::{AccountId, Store, StoreError};

/// Accounts with locked rows. The locks last until commit or drop.
pub struct Opened {
    tx: Tx,
    /// Stored state of each requested account.
    pub accounts: BTreeMap<AccountId, OpenedAccount>,
}

/// Stored state of a locked account.
#[derive(Debug, Default)]
pub struct OpenedAccount {
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
    pub async fn open(&self, accounts: &[AccountId], limited: bool) -> Result<Opened, StoreError> {
        let Store { billing, .. } = self.store;
        let wanted = json!(accounts).to_string();
        let mut tx = billing.begin().await?;
        let mut opened: BTreeMap<AccountId, OpenedAccount> = accounts
            .iter()
            .map(|account| (*account, OpenedAccount::default()))
            .collect();
        for row in locked(&mut tx, &wanted).await? {
            let thresholds = row.thresholds()?;
            let opened_account = opened.entry(row.account.account_id).or_default();
            opened_account.thresholds = thresholds;
            opened_account.account = Some(row.account);
        }
        for grant in live(&mut tx, &wanted).await? {
            let account = opened.entry(grant.account_id).or_default();
            account.grants.push(grant);
        }
        if limited {
            for window in windows(&mut tx, &wanted).await? {
                let account = opened.entry(window.account_id).or_default();
                account.windows.push(window);
            }
        }
        Ok(Opened {
            tx,
            accounts: opened,
        })
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

async fn locked(tx: &mut Tx, accounts: &str) -> Result<Vec<LockedRow>, StoreError> {
    let (listed, lock) = (tx.is_numbered("a.account_id", 1), tx.locking_of("a"));
    let sql = format!(
        "select a.account_id, {ACCOUNT_COLUMNS}, t.percents, t.emails from billing_account a \
         left join billing_threshold t on t.account_id = a.account_id \
         where {listed} order by a.account_id{lock}"
    );
    rows(tx, sql, accounts, "billing_account").await
}

async fn live(tx: &mut Tx, accounts: &str) -> Result<Vec<Grant>, StoreError> {
    let listed = tx.is_numbered("account_id", 1);
    let sql = format!("{GRANT} where {listed} and remaining > 0 order by account_id, grant_no");
    rows(tx, sql, accounts, "credit_grant").await
}

async fn windows(tx: &mut Tx, accounts: &str) -> Result<Vec<Window>, StoreError> {
    let listed = tx.is_numbered("account_id", 1);
    let sql = format!("select account_id, span, started_at, used from rate_window where {listed}");
    rows(tx, sql, accounts, "rate_window").await
}

impl Opened {
    /// Entries of operations of locked accounts, in order of account and part. Operations without bookings have none.
    pub async fn entries_of(
        &mut self,
        operations: &[(AccountId, &str)],
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = |(account, operation): &(AccountId, &str)| json!({ "account": account, "operation": operation });
        let wanted: Vec<Value> = operations.iter().map(wanted).collect();
        let (elements, account, operation) =
            (self.tx.objects(1), number("account"), text("operation"));
        let sql = format!(
            "{ENTRY} join {elements} on account_id = {account} and operation = {operation} order by account_id, part"
        );
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
        let wanted =
            |(account, grant): &(AccountId, i64)| json!({ "account": account, "grant": grant });
        let wanted: Vec<Value> = numbers.iter().map(wanted).collect();
        let (elements, account, grant) = (self.tx.objects(1), number("account"), number("grant"));
        let sql =
            format!("{GRANT} join {elements} on account_id = {account} and grant_no = {grant}");
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
        if !bookings.periods.is_empty() {
            begin_periods(tx, &bookings.periods).await?;
        }
        if !bookings.moved.is_empty() {
            move_accounts(tx, &bookings.moved).await?;
        }
        if !bookings.new_grants.is_empty() {
            add_grants(tx, &bookings.new_grants).await?;
        }
        if !bookings.grants.is_empty() {
            change_grants(tx, &bookings.grants).await?;
        }
        if !bookings.entries.is_empty() {
            add_entries(tx, &bookings.entries).await?;
        }
        if !bookings.usage.is_empty() {
            usage::add(tx, &bookings.usage).await?;
        }
        if !bookings.windows.is_empty() {
            move_windows(tx, &bookings.windows).await?;
        }
        for mail in &bookings.mails {
            mail::add(tx, mail).await?;
        }
        self.tx.commit().await.map_err(BookingError::InDoubt)
    }
}
