//! Credits: where accounts stand, their grants, everything that was booked, and how endpoints were used.
//!
//! The rules are `billing`'s. This reads what a booking needs under the account's lock and writes what came of it in the
//! same transaction, many accounts at once.
//! Invariants: entries are only added; an operation is booked once for an account; an account's row is locked from
//! before it is read until its bookings are committed, always in the order of the accounts, so nobody waits in a circle.

mod booking;
mod history;
mod thresholds;
mod usage;
mod write;

use sqlx::AssertSqlSafe;
use time::{Date, OffsetDateTime};

use super::db::{Day, MaybeMillis, Millis, Tx, millis, on, text_enum};
use super::{Store, StoreError};

pub use booking::{BookingError, Bookings, Opened, OpenedAccount, Window, WindowSpan};
pub use history::Books;
pub use thresholds::Thresholds;
pub use usage::UsageOfDay;

/// Where an account stands.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Standing {
    pub account_id: i64,
    pub plan: String,
    /// How many plans the account had been on.
    pub plan_version: i64,
    /// Credits of a month, as the plan gave them when the period began.
    pub monthly: i64,
    /// The most of a month's credits that roll over, likewise.
    pub rollover: i64,
    /// The day from which the plan's months are counted.
    #[sqlx(try_from = "Day")]
    pub anchor: Date,
    /// Which of these months it is, from 0.
    pub period: i64,
    #[sqlx(try_from = "Millis")]
    pub period_start: OffsetDateTime,
    #[sqlx(try_from = "Millis")]
    pub period_end: OffsetDateTime,
    /// The number of the last entry; 0: none.
    pub last_entry: i64,
    /// The number of the last grant; 0: none.
    pub last_grant: i64,
    /// Credits that are left, those included whose expiry has not been booked.
    pub balance: i64,
    /// Credits charged in this period.
    pub used: i64,
    /// Calls beyond the credits in this period.
    pub overage: i64,
    /// The highest share of the credits that was told in this period: percent; 0: none.
    pub noticed: i64,
    /// The latest time of anything booked.
    #[sqlx(try_from = "Millis")]
    pub booked_at: OffsetDateTime,
}

/// Where credits come from. In the order in which they are used, of those that expire at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantKind {
    /// The plan's, for a month.
    Plan,
    /// What was left of a month.
    Rollover,
    /// Bought.
    Purchase,
    /// Given by the operator.
    Adjustment,
    /// Given back for a charge whose grant has expired since.
    Refund,
}

text_enum!(GrantKind {
    Plan: "plan",
    Rollover: "rollover",
    Purchase: "purchase",
    Adjustment: "adjustment",
    Refund: "refund",
});

/// A dated amount of credits.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Grant {
    pub account_id: i64,
    /// Counted for each account, from 1.
    #[sqlx(rename = "grant_no")]
    pub number: i64,
    #[sqlx(try_from = "String")]
    pub kind: GrantKind,
    pub granted: i64,
    pub remaining: i64,
    #[sqlx(try_from = "Millis")]
    pub effective_at: OffsetDateTime,
    /// From this instant on it cannot be spent. `None`: it does not expire.
    #[sqlx(try_from = "MaybeMillis")]
    pub expires_at: Option<OffsetDateTime>,
    /// What it was granted for: once for each account.
    pub source: String,
}

/// What an entry books.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A grant begins.
    Grant,
    /// A call.
    Charge,
    /// A charge is taken back.
    Refund,
    /// The operator takes credits away.
    Adjustment,
    /// A grant ends with credits left.
    Expiry,
    /// A call beyond the credits. Its amount is not a part of the balance.
    Overage,
    /// Such a call is taken back; likewise.
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
    /// Whether its amount changes the balance.
    #[must_use]
    pub fn moves_balance(self) -> bool {
        !matches!(self, Self::Overage | Self::OverageRefund)
    }
}

/// One booking.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Entry {
    pub account_id: i64,
    /// Counted for each account, from 1, without gaps.
    #[sqlx(rename = "entry_no")]
    pub number: i64,
    #[sqlx(try_from = "Millis")]
    pub booked_at: OffsetDateTime,
    #[sqlx(try_from = "String")]
    pub kind: EntryKind,
    /// The grant whose credits it moves; none for overage.
    #[sqlx(rename = "grant_no")]
    pub grant: Option<i64>,
    /// Credits, negative where they are taken.
    pub amount: i64,
    /// The balance after it.
    pub balance: i64,
    /// What it was booked for; with `part` unique for its account.
    pub operation: String,
    pub part: i64,
    /// In words: an endpoint, a reference, a reason.
    pub about: String,
}

/// What accounts may spend and have spent.
#[derive(Debug, Clone, Copy)]
pub struct Billing<'a> {
    pub(super) store: &'a Store,
}

/// By name, as everywhere: a host goes on when a later version adds a column.
const STANDING_COLUMNS: &str = "plan, plan_version, monthly, rollover, anchor, period, period_start, period_end, \
    last_entry, last_grant, balance, used, overage, noticed, booked_at";

fn standing() -> String {
    format!("select account_id, {STANDING_COLUMNS} from billing_account")
}

/// An account's standing as a part of somebody's transaction.
async fn standing_in(tx: &mut Tx, account_id: i64) -> Result<Option<Standing>, StoreError> {
    let sql = format!("{} where account_id = $1", standing());
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(account_id)
        .fetch_optional(&mut **tx)
        .await)
    .map_err(StoreError::reading("billing_account"))
}

/// Grants of an account, by their numbers: those with credits left, or all.
async fn grants_in(tx: &mut Tx, account_id: i64, all: bool) -> Result<Vec<Grant>, StoreError> {
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
    /// Where an account stands, as it was last booked, with the grants that had credits left then. `None`: nothing was
    /// ever booked for it.
    pub async fn find(
        &self,
        account_id: i64,
    ) -> Result<Option<(Standing, Vec<Grant>)>, StoreError> {
        // Both of one moment.
        let mut tx = self.store.billing_reads.begin_reading().await?;
        let standing = standing_in(&mut tx, account_id).await?;
        let grants = grants_in(&mut tx, account_id, false).await?;
        tx.commit().await?;
        Ok(standing.map(|standing| (standing, grants)))
    }

    /// The time of the newest booking of any account.
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

    /// How many requests an account has made, where its plan limits them; windows that have ended too.
    pub async fn windows(&self, account_id: i64) -> Result<Vec<Window>, StoreError> {
        const WINDOWS: &str =
            "select account_id, span, started_at, used from rate_window where account_id = $1";
        on!(&self.store.billing_reads, |pool| sqlx::query_as(WINDOWS)
            .bind(account_id)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("rate_window"))
    }

    /// Accounts that have something to be booked by `now`: a period or a grant that has ended. At most `most`.
    pub async fn due(&self, now: OffsetDateTime, most: usize) -> Result<Vec<i64>, StoreError> {
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
