//! Booking: what is read under the accounts' locks, and what is written before they are let go.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{
    Billing, ENTRY, Entry, GRANT, Grant, STANDING, Standing, Thresholds, UsageOfDay, usage,
};
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
    /// Accounts that stand elsewhere now.
    pub standings: Vec<Standing>,
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
    /// Locks accounts and reads what is stored of them.
    pub async fn open(&self, accounts: &[i64]) -> Result<Opened, StoreError> {
        let Store { billing, .. } = self.store;
        let wanted = Value::from(accounts).to_string();
        let listed = billing.is_numbered("account_id", 1);
        let lock = billing.locking();
        let mut tx = billing.begin().await?;
        let standings = format!("{STANDING} where {listed} order by account_id{lock}");
        let standings: Vec<Standing> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(standings))
            .bind(&wanted)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("billing_account"))?;
        let grants =
            format!("{GRANT} where {listed} and remaining > 0 order by account_id, grant_no");
        let grants: Vec<Grant> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(grants))
            .bind(&wanted)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("credit_grant"))?;
        let windows =
            format!("select account_id, span, started_at, used from rate_window where {listed}");
        let windows: Vec<Window> = on!(&mut tx, |tx| sqlx::query_as(AssertSqlSafe(windows))
            .bind(&wanted)
            .fetch_all(&mut **tx)
            .await)
        .map_err(StoreError::reading("rate_window"))?;
        let mut opened: BTreeMap<i64, OpenedAccount> = accounts
            .iter()
            .map(|account| (*account, OpenedAccount::default()))
            .collect();
        for thresholds in super::thresholds::of(&mut tx, &listed, &wanted).await? {
            let (account, thresholds) = thresholds?;
            opened.entry(account).or_default().thresholds = thresholds;
        }
        for standing in standings {
            let account = opened.entry(standing.account_id).or_default();
            account.standing = Some(standing);
        }
        for grant in grants {
            opened
                .entry(grant.account_id)
                .or_default()
                .grants
                .push(grant);
        }
        for window in windows {
            opened
                .entry(window.account_id)
                .or_default()
                .windows
                .push(window);
        }
        Ok(Opened {
            tx,
            accounts: opened,
        })
    }
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
            (self.tx.elements(1), number("account"), text("operation"));
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
        let (elements, account, grant) = (self.tx.elements(1), number("account"), number("grant"));
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
        if !bookings.standings.is_empty() {
            move_accounts(tx, &bookings.standings).await?;
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
    let elements = tx.elements(1);
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
    let rows: Vec<Value> = standings.iter().map(standing_row).collect();
    let numbers = STANDING_NUMBERS[1..]
        .iter()
        .map(|name| format!("{name} = {}", number(name)));
    let texts = ["plan", "anchor"]
        .iter()
        .map(|name| format!("{name} = {}", text(name)));
    let set = numbers.chain(texts).collect::<Vec<_>>().join(", ");
    let (elements, id) = (tx.elements(1), number("account_id"));
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
    let (elements, account) = (tx.elements(1), number("account_id"));
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
