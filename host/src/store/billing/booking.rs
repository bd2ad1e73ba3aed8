//! Booking: what is read under the accounts' locks, and what is written before they are let go.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{Billing, ENTRY, Entry, GRANT, Grant, Standing, Thresholds, UsageOfDay, usage};
use crate::store::db::{Millis, Tx, day, millis, on, worded};
use crate::store::mail::{self, NewMail};
use crate::store::{Store, StoreError};

/// Accounts whose rows are locked until this is committed or dropped.
pub struct Opened {
    tx: Tx,
    /// What was found of each account that was asked for.
    pub accounts: BTreeMap<i64, OpenedAccount>,
}

/// What is stored of a locked account.
#[derive(Debug, Default)]
pub struct OpenedAccount {
    /// `None`: nothing was ever booked for it.
    pub standing: Option<Standing>,
    /// Its grants that have credits left, by their numbers.
    pub grants: Vec<Grant>,
    /// How many requests it has made, where its plan limits them.
    pub windows: Vec<Window>,
    /// Who is told when which shares are used up.
    pub thresholds: Thresholds,
}

/// The span of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WindowSpan {
    Minute,
    Day,
}

worded!(WindowSpan {
    Minute: "minute",
    Day: "day"
});

/// Requests of an account in a minute or a day.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Window {
    pub account_id: i64,
    #[sqlx(try_from = "String")]
    pub span: WindowSpan,
    #[sqlx(try_from = "Millis")]
    pub started_at: OffsetDateTime,
    pub used: i64,
}

/// What is to be written.
#[derive(Debug, Default)]
pub struct Bookings {
    /// Accounts that are booked for the first time.
    pub opened: Vec<Standing>,
    /// Accounts whose period or plan is another one now.
    pub periods: Vec<Standing>,
    /// Other accounts for which something was booked.
    pub moved: Vec<Standing>,
    pub new_grants: Vec<Grant>,
    /// Grants that have more or less left.
    pub grants: Vec<Grant>,
    pub entries: Vec<Entry>,
    /// Added to what is stored of the same day.
    pub usage: Vec<UsageOfDay>,
    pub windows: Vec<Window>,
    pub mails: Vec<NewMail>,
}

/// Why bookings were not written.
#[derive(Debug, thiserror::Error)]
pub enum BookingError {
    /// Somebody else booked the first thing for an account meanwhile: read again.
    #[error("an account was opened by somebody else meanwhile")]
    Overtaken,
    /// The store failed; nothing was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store failed while it committed: everything was written, or nothing.
    #[error("whether it was booked is not known: {0}")]
    InDoubt(#[source] StoreError),
}

impl Billing<'_> {
    /// Locks accounts and reads what is stored of them; `limited`: their windows too.
    pub async fn open(&self, accounts: &[i64], limited: bool) -> Result<Opened, StoreError> {
        let Store { billing, .. } = self.store;
        let wanted = Value::from(accounts).to_string();
        let mut tx = billing.begin().await?;
        let mut opened: BTreeMap<i64, OpenedAccount> = accounts
            .iter()
            .map(|account| (*account, OpenedAccount::default()))
            .collect();
        for row in locked(&mut tx, &wanted).await? {
            let thresholds = row.thresholds()?;
            let account = opened.entry(row.standing.account_id).or_default();
            account.thresholds = thresholds;
            account.standing = Some(row.standing);
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

/// A standing with the thresholds beside it.
#[derive(sqlx::FromRow)]
struct LockedRow {
    #[sqlx(flatten)]
    standing: Standing,
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

async fn locked(tx: &mut Tx, accounts: &str) -> Result<Vec<LockedRow>, StoreError> {
    let (listed, lock) = (tx.is_numbered("a.account_id", 1), tx.locking_of("a"));
    let sql = format!(
        "select a.*, t.percents, t.emails from billing_account a \
         left join billing_threshold t on t.account_id = a.account_id \
         where {listed} order by a.account_id{lock}"
    );
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(accounts)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("billing_account"))
}

async fn live(tx: &mut Tx, accounts: &str) -> Result<Vec<Grant>, StoreError> {
    let listed = tx.is_numbered("account_id", 1);
    let sql = format!("{GRANT} where {listed} and remaining > 0 order by account_id, grant_no");
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(accounts)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("credit_grant"))
}

async fn windows(tx: &mut Tx, accounts: &str) -> Result<Vec<Window>, StoreError> {
    let listed = tx.is_numbered("account_id", 1);
    let sql = format!("select account_id, span, started_at, used from rate_window where {listed}");
    on!(tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
        .bind(accounts)
        .fetch_all(&mut **tx)
        .await)
    .map_err(StoreError::reading("rate_window"))
}

impl Opened {
    /// The entries of operations of locked accounts, by account and part; none of those that were not booked.
    pub async fn entries_of(
        &mut self,
        operations: &[(i64, &str)],
    ) -> Result<Vec<Entry>, StoreError> {
        if operations.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = |(account, operation): &(i64, &str)| json!({ "account": account, "operation": operation });
        let wanted: Vec<Value> = operations.iter().map(wanted).collect();
        let (elements, account, operation) =
            (self.tx.objects(1), number("account"), text("operation"));
        let sql = format!(
            "{ENTRY} join {elements} on account_id = {account} and operation = {operation} order by account_id, part"
        );
        on!(&mut self.tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(Value::from(wanted).to_string())
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("ledger_entry"))
    }

    /// Grants of locked accounts by their numbers, whether anything is left of them or not.
    pub async fn grants(&mut self, numbers: &[(i64, i64)]) -> Result<Vec<Grant>, StoreError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let wanted = |(account, grant): &(i64, i64)| json!({ "account": account, "grant": grant });
        let wanted: Vec<Value> = numbers.iter().map(wanted).collect();
        let (elements, account, grant) = (self.tx.objects(1), number("account"), number("grant"));
        let sql =
            format!("{GRANT} join {elements} on account_id = {account} and grant_no = {grant}");
        on!(&mut self.tx, |tx| sqlx::query_as(AssertSqlSafe(sql))
            .bind(Value::from(wanted).to_string())
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("credit_grant"))
    }

    /// Writes what was booked and lets the accounts go.
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

/// What a statement says of each element of the JSON array that is bound to it.
fn number(name: &str) -> String {
    format!("cast(element.value ->> '{name}' as bigint)")
}

fn text(name: &str) -> String {
    format!("element.value ->> '{name}'")
}

fn columns(numbers: &[&str], texts: &[&str]) -> (String, String) {
    let names = numbers
        .iter()
        .chain(texts)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    let values = numbers
        .iter()
        .map(|name| number(name))
        .chain(texts.iter().map(|name| text(name)));
    (names, values.collect::<Vec<_>>().join(", "))
}

/// Inserts the elements of a JSON array; how many rows there are then that were not there before.
pub(super) async fn insert(
    tx: &mut Tx,
    table: &str,
    numbers: &[&str],
    texts: &[&str],
    conflict: &str,
    rows: Vec<Value>,
) -> Result<u64, StoreError> {
    let (names, values) = columns(numbers, texts);
    let elements = tx.objects(1);
    // `where true` keeps SQLite from reading the conflict as a join's.
    let sql = format!(
        "insert into {table} ({names}) select {values} from {elements} where true {conflict}"
    );
    Ok(on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .execute(&mut **tx)
        .await
        .map(|done| done.rows_affected()))?)
}

/// What a booking within a period changes of a standing.
const MOVED: [&str; 7] = [
    "last_entry",
    "last_grant",
    "balance",
    "used",
    "overage",
    "noticed",
    "booked_at",
];

const STANDING_NUMBERS: [&str; 14] = [
    "account_id",
    "plan_version",
    "monthly",
    "rollover",
    "period",
    "period_start",
    "period_end",
    "last_entry",
    "last_grant",
    "balance",
    "used",
    "overage",
    "noticed",
    "booked_at",
];

fn standing_row(standing: &Standing) -> Value {
    json!({
        "account_id": standing.account_id,
        "plan": standing.plan,
        "plan_version": standing.plan_version,
        "monthly": standing.monthly,
        "rollover": standing.rollover,
        "anchor": day(standing.anchor),
        "period": standing.period,
        "period_start": millis(standing.period_start),
        "period_end": millis(standing.period_end),
        "last_entry": standing.last_entry,
        "last_grant": standing.last_grant,
        "balance": standing.balance,
        "used": standing.used,
        "overage": standing.overage,
        "noticed": standing.noticed,
        "booked_at": millis(standing.booked_at),
    })
}

/// False: one of them was there.
async fn open_accounts(tx: &mut Tx, standings: &[Standing]) -> Result<bool, StoreError> {
    let rows: Vec<Value> = standings.iter().map(standing_row).collect();
    let conflict = "order by 1 on conflict (account_id) do nothing";
    let numbers = &STANDING_NUMBERS;
    let new = insert(
        tx,
        "billing_account",
        numbers,
        &["plan", "anchor"],
        conflict,
        rows,
    )
    .await?;
    Ok(usize::try_from(new).is_ok_and(|new| new == standings.len()))
}

async fn move_accounts(tx: &mut Tx, standings: &[Standing]) -> Result<(), StoreError> {
    let row = |standing: &Standing| {
        json!({
            "account_id": standing.account_id,
            "last_entry": standing.last_entry,
            "last_grant": standing.last_grant,
            "balance": standing.balance,
            "used": standing.used,
            "overage": standing.overage,
            "noticed": standing.noticed,
            "booked_at": millis(standing.booked_at),
        })
    };
    let rows = standings.iter().map(row).collect();
    change_accounts(tx, &MOVED, &[], rows).await
}

async fn begin_periods(tx: &mut Tx, standings: &[Standing]) -> Result<(), StoreError> {
    let rows = standings.iter().map(standing_row).collect();
    change_accounts(tx, &STANDING_NUMBERS[1..], &["plan", "anchor"], rows).await
}

async fn change_accounts(
    tx: &mut Tx,
    numbers: &[&str],
    texts: &[&str],
    rows: Vec<Value>,
) -> Result<(), StoreError> {
    let numbers = numbers
        .iter()
        .map(|name| format!("{name} = {}", number(name)));
    let texts = texts.iter().map(|name| format!("{name} = {}", text(name)));
    let set = numbers.chain(texts).collect::<Vec<_>>().join(", ");
    let (elements, id) = (tx.objects(1), number("account_id"));
    let sql = format!("update billing_account set {set} from {elements} where account_id = {id}");
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn add_grants(tx: &mut Tx, grants: &[Grant]) -> Result<(), StoreError> {
    let row = |grant: &Grant| {
        json!({
            "account_id": grant.account_id,
            "grant_no": grant.number,
            "kind": grant.kind.word(),
            "granted": grant.granted,
            "remaining": grant.remaining,
            "effective_at": millis(grant.effective_at),
            "expires_at": grant.expires_at.map(millis),
            "source": grant.source,
        })
    };
    let numbers = [
        "account_id",
        "grant_no",
        "granted",
        "remaining",
        "effective_at",
        "expires_at",
    ];
    let rows = grants.iter().map(row).collect();
    insert(tx, "credit_grant", &numbers, &["kind", "source"], "", rows).await?;
    Ok(())
}

async fn change_grants(tx: &mut Tx, grants: &[Grant]) -> Result<(), StoreError> {
    let row = |grant: &Grant| {
        json!({
            "account_id": grant.account_id,
            "grant_no": grant.number,
            "remaining": grant.remaining,
        })
    };
    let rows: Vec<Value> = grants.iter().map(row).collect();
    let (elements, account) = (tx.objects(1), number("account_id"));
    let (grant, remaining) = (number("grant_no"), number("remaining"));
    let sql = format!(
        "update credit_grant set remaining = {remaining} from {elements} \
         where account_id = {account} and grant_no = {grant}"
    );
    on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .execute(&mut **tx)
        .await
        .map(drop))?;
    Ok(())
}

async fn add_entries(tx: &mut Tx, entries: &[Entry]) -> Result<(), StoreError> {
    let row = |entry: &Entry| {
        json!({
            "account_id": entry.account_id,
            "entry_no": entry.number,
            "booked_at": millis(entry.booked_at),
            "kind": entry.kind.word(),
            "grant_no": entry.grant,
            "amount": entry.amount,
            "balance": entry.balance,
            "operation": entry.operation,
            "part": entry.part,
            "about": entry.about,
        })
    };
    let numbers = [
        "account_id",
        "entry_no",
        "booked_at",
        "grant_no",
        "amount",
        "balance",
        "part",
    ];
    let rows = entries.iter().map(row).collect();
    insert(
        tx,
        "ledger_entry",
        &numbers,
        &["kind", "operation", "about"],
        "",
        rows,
    )
    .await?;
    Ok(())
}

async fn move_windows(tx: &mut Tx, windows: &[Window]) -> Result<(), StoreError> {
    let row = |window: &Window| {
        json!({
            "account_id": window.account_id,
            "span": window.span.word(),
            "started_at": millis(window.started_at),
            "used": window.used,
        })
    };
    let conflict = "on conflict (account_id, span) do update \
        set started_at = excluded.started_at, used = excluded.used";
    let rows = windows.iter().map(row).collect();
    insert(
        tx,
        "rate_window",
        &["account_id", "started_at", "used"],
        &["span"],
        conflict,
        rows,
    )
    .await?;
    Ok(())
}
