//! Credits: account balances, grants, the ledger entries and endpoint usage.
//!
//! The rules are in `billing`. The store reads what a booking needs under the account's row lock and writes the result
//! in the same transaction, for many accounts at once.
//! Invariants: entries are append-only; an operation is booked at most once per account; an account's row is locked
//! from before it is read until its bookings are committed. Accounts are locked in id order to avoid deadlocks.

mod booking;
mod history;
mod thresholds;
mod usage;
mod window;
mod write;

use sqlx::AssertSqlSafe;
use time::{Date, OffsetDateTime};

use super::db::{Day, MaybeMillis, Millis, Tx, millis, on, text_enum};
use super::{AccountId, Store, StoreError};

pub use booking::{BookingError, Bookings, LockedAccount, LockedAccounts};
pub use history::Books;
pub use thresholds::Thresholds;
pub use usage::UsageOfDay;
pub use window::{Window, WindowSpan};

/// The balance and billing period of an account.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct AccountBalance {
    pub account_id: AccountId,
    pub plan: String,
    /// How many plans the account has had; identifies the plan change.
    pub plan_version: i64,
    /// Credits per month, as the plan defined them when the period began.
    pub monthly: i64,
    /// The most credits of a month that roll over, as the plan defined it when the period began.
    pub rollover: i64,
    /// The day from which monthly periods are counted.
    #[sqlx(try_from = "Day")]
    pub anchor: Date,
    /// Index of the current period, from 0.
    pub period: i64,
    #[sqlx(try_from = "Millis")]
    pub period_start: OffsetDateTime,
    #[sqlx(try_from = "Millis")]
    pub period_end: OffsetDateTime,
    /// Number of the last entry; 0 if there is none.
    pub last_entry: i64,
    /// Number of the last grant; 0 if there is none.
    pub last_grant: i64,
    /// Remaining credits. Includes expired credits whose expiry is not booked yet.
    pub balance: i64,
    /// Credits charged in this period.
    pub used: i64,
    /// Calls beyond the credits in this period.
    pub overage: i64,
    /// The highest usage threshold announced in this period, in percent; 0 if none was.
    pub noticed: i64,
    /// Time of the latest booking.
    #[sqlx(try_from = "Millis")]
    pub booked_at: OffsetDateTime,
}

/// The origin of credits. Grants that expire at the same time are used in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantKind {
    /// Monthly credits of the plan.
    Plan,
    /// Unused credits of the previous month.
    Rollover,
    Purchase,
    /// Credits added by the operator.
    Adjustment,
    /// Refund of a charge whose grant has expired since.
    Refund,
}

text_enum!(GrantKind {
    Plan: "plan",
    Rollover: "rollover",
    Purchase: "purchase",
    Adjustment: "adjustment",
    Refund: "refund",
});

/// An amount of credits with an expiry.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Grant {
    pub account_id: AccountId,
    /// Counts from 1 for each account.
    #[sqlx(rename = "grant_no")]
    pub number: i64,
    #[sqlx(try_from = "String")]
    pub kind: GrantKind,
    pub granted: i64,
    pub remaining: i64,
    #[sqlx(try_from = "Millis")]
    pub effective_at: OffsetDateTime,
    /// The credits cannot be spent from this instant on. `None`: they do not expire.
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    /// Reference of the grant; unique per account.
    pub source: String,
}

/// What a ledger entry books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A grant begins and adds its credits.
    Grant,
    /// A call is charged.
    Charge,
    /// A charge is reversed.
    Refund,
    /// The operator removes credits.
    Adjustment,
    /// A grant expires with credits left.
    Expiry,
    /// A call beyond the credits. Its amount is not part of the balance.
    Overage,
    /// A call beyond the credits is reversed. Its amount is not part of the balance.
    OverageRefund,
}

text_enum!(EntryKind {
    Grant: "grant",
    Charge: "charge",
    Refund: "refund",
    Adjustment: "adjustment",
    Expiry: "expiry",
    Overage: "overage",
    OverageRefund: "overage-refund",
});

impl EntryKind {
    /// Whether the entry's amount changes the balance.
    #[must_use]
    pub fn moves_balance(self) -> bool {
        !matches!(self, Self::Overage | Self::OverageRefund)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LedgerEntry {
    pub account_id: AccountId,
    /// Counts from 1 for each account, without gaps.
    #[sqlx(rename = "entry_no")]
    pub number: i64,
    #[sqlx(try_from = "Millis")]
    pub booked_at: OffsetDateTime,
    #[sqlx(try_from = "String")]
    pub kind: EntryKind,
    /// Number of the grant whose credits change. `None` for overage.
    #[sqlx(rename = "grant_no")]
    pub grant: Option<i64>,
    /// Credits; negative if they are taken.
    pub amount: i64,
    /// The balance after this entry.
    pub balance: i64,
    /// Id of the booked operation; unique per account together with `part`.
    pub operation: String,
    pub part: i64,
    /// Readable text: an endpoint, a reference or a reason.
    pub about: String,
}

/// Access to credits, bookings and usage.
#[derive(Debug, Clone, Copy)]
pub struct Billing<'a> {
    pub(super) store: &'a Store,
}

/// Columns are named, as everywhere: this host keeps working when a later version adds a column.
const ACCOUNT_COLUMNS: &str = "plan, plan_version, monthly, rollover, anchor, period, period_start, period_end, \
    last_entry, last_grant, balance, used, overage, noticed, booked_at";

fn select_accounts() -> String {
    format!("select account_id, {ACCOUNT_COLUMNS} from billing_account")
}

/// An account's balance row, read within the given transaction.
async fn account_in(
    tx: &mut Tx,
    account_id: AccountId,
) -> Result<Option<AccountBalance>, StoreError> {
    let sql = format!("{} where account_id = $1", select_accounts());
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(account_id)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading("billing_account"))
}

/// Grants of an account in number order: those with credits left, or all.
async fn grants_in(
    tx: &mut Tx,
    account_id: AccountId,
    all: bool,
) -> Result<Vec<Grant>, StoreError> {
    let live = if all { "" } else { " and remaining > 0" };
    let sql = format!("{GRANT} where account_id = $1{live} order by grant_no");
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(account_id)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("credit_grant"))
}

const GRANT: &str = "select account_id, grant_no, kind, granted, remaining, effective_at, expires_at, source \
    from credit_grant";

const ENTRY: &str = "select account_id, entry_no, booked_at, kind, grant_no, amount, balance, operation, part, about \
    from ledger_entry";

impl Billing<'_> {
    /// An account's balance as of its last booking, with the grants that had credits left then. `None`: the account has
    /// no bookings.
    pub async fn find(
        &self,
        account_id: AccountId,
    ) -> Result<Option<(AccountBalance, Vec<Grant>)>, StoreError> {
        // One snapshot for both statements.
        let mut tx = self.store.billing_reads.begin_reading().await?;
        let account = account_in(&mut tx, account_id).await?;
        let grants = grants_in(&mut tx, account_id, false).await?;
        tx.commit().await?;
        Ok(account.map(|account| (account, grants)))
    }

    /// Time of the newest booking of any account.
    pub async fn newest_booking(&self) -> Result<Option<OffsetDateTime>, StoreError> {
        const NEWEST: &str = "select max(booked_at) from billing_account";
        let newest: Option<Millis> =
            on!(&self.store.billing_reads, |pool| sqlx::query_scalar(NEWEST)
                .fetch_one(pool)
                .await)
            .map_err(StoreError::reading("billing_account"))?;
        let newest = newest.map(OffsetDateTime::try_from).transpose();
        newest.map_err(|error| StoreError::Unreadable {
            table: "billing_account",
            why: format!("column booked_at: {error}"),
        })
    }

    /// Request counts of an account's rate limit windows, including windows that have ended.
    pub async fn windows(&self, account_id: AccountId) -> Result<Vec<Window>, StoreError> {
        const WINDOWS: &str =
            "select account_id, span, started_at, used from rate_window where account_id = $1";
        on!(&self.store.billing_reads, |pool| sqlx::query_as(WINDOWS)
            .bind(account_id)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("rate_window"))
    }

    /// At most `most` accounts that need a booking by `now`, because a period or a grant has ended.
    pub async fn due(
        &self,
        now: OffsetDateTime,
        most: usize,
    ) -> Result<Vec<AccountId>, StoreError> {
        const DUE: &str = "select account_id from billing_account where period_end <= $1 \
            union select account_id from credit_grant \
            where remaining > 0 and expires_at is not null and expires_at <= $1 order by account_id limit $2";
        Ok(on!(&self.store.billing_reads, |pool| sqlx::query_scalar(
            DUE
        )
        .bind(millis(now))
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await)?)
    }
}
