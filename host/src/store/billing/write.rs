//! What is written of bookings: one statement for each table, however many rows.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::{Entry, Grant, Standing, Window};
use crate::store::StoreError;
use crate::store::db::{Tx, day, millis, on};

/// What a statement says of each element of the JSON array that is bound to it.
pub(super) fn number(name: &str) -> String {
    format!("cast(element.value ->> '{name}' as bigint)")
}

pub(super) fn text(name: &str) -> String {
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
    execute(tx, sql, rows).await
}

/// Changes the rows of a table that have these keys, to what the elements of a JSON array say.
async fn change(
    tx: &mut Tx,
    table: &str,
    keys: &[&str],
    numbers: &[&str],
    texts: &[&str],
    rows: Vec<Value>,
) -> Result<(), StoreError> {
    let numbers = numbers
        .iter()
        .map(|name| format!("{name} = {}", number(name)));
    let texts = texts.iter().map(|name| format!("{name} = {}", text(name)));
    let set = numbers.chain(texts).collect::<Vec<_>>().join(", ");
    let keys = keys.iter().map(|name| format!("{name} = {}", number(name)));
    let keys = keys.collect::<Vec<_>>().join(" and ");
    let elements = tx.objects(1);
    let sql = format!("update {table} set {set} from {elements} where {keys}");
    execute(tx, sql, rows).await?;
    Ok(())
}

/// Runs a statement that takes a JSON array; how many rows it wrote.
async fn execute(tx: &mut Tx, sql: String, rows: Vec<Value>) -> Result<u64, StoreError> {
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
pub(super) async fn open_accounts(tx: &mut Tx, standings: &[Standing]) -> Result<bool, StoreError> {
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

pub(super) async fn move_accounts(tx: &mut Tx, standings: &[Standing]) -> Result<(), StoreError> {
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
    change(tx, "billing_account", &["account_id"], &MOVED, &[], rows).await
}

pub(super) async fn begin_periods(tx: &mut Tx, standings: &[Standing]) -> Result<(), StoreError> {
    let rows = standings.iter().map(standing_row).collect();
    let numbers = &STANDING_NUMBERS[1..];
    change(
        tx,
        "billing_account",
        &["account_id"],
        numbers,
        &["plan", "anchor"],
        rows,
    )
    .await
}

pub(super) async fn add_grants(tx: &mut Tx, grants: &[Grant]) -> Result<(), StoreError> {
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

pub(super) async fn change_grants(tx: &mut Tx, grants: &[Grant]) -> Result<(), StoreError> {
    let row = |grant: &Grant| {
        json!({
            "account_id": grant.account_id,
            "grant_no": grant.number,
            "remaining": grant.remaining,
        })
    };
    let rows = grants.iter().map(row).collect();
    let keys = ["account_id", "grant_no"];
    change(tx, "credit_grant", &keys, &["remaining"], &[], rows).await
}

pub(super) async fn add_entries(tx: &mut Tx, entries: &[Entry]) -> Result<(), StoreError> {
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

pub(super) async fn move_windows(tx: &mut Tx, windows: &[Window]) -> Result<(), StoreError> {
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
