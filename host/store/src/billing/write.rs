//! The statements of bookings: one per table, for any number of rows.

use serde_json::{Value, json};

use super::{AccountBalance, Grant, LedgerEntry, Window};
use crate::StoreError;
use crate::db::{Tx, day, millis};
use crate::rows::{Changes, insert};

/// Columns of a balance row that change with a booking inside a period.
const MOVED: [&str; 7] = [
    "last_entry",
    "last_grant",
    "balance",
    "used",
    "overage",
    "noticed",
    "booked_at",
];

const ACCOUNT_NUMBERS: [&str; 14] = [
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

fn account_row(account: &AccountBalance) -> Value {
    json!({
        "account_id": account.account_id,
        "plan": account.plan,
        "plan_version": account.plan_version,
        "monthly": account.monthly,
        "rollover": account.rollover,
        "anchor": day(account.anchor),
        "period": account.period,
        "period_start": millis(account.period_start),
        "period_end": millis(account.period_end),
        "last_entry": account.last_entry,
        "last_grant": account.last_grant,
        "balance": account.balance,
        "used": account.used,
        "overage": account.overage,
        "noticed": account.noticed,
        "booked_at": millis(account.booked_at),
    })
}

/// Inserts balance rows. `false`: one of them already existed.
pub(super) async fn open_accounts(
    tx: &mut Tx,
    accounts: &[AccountBalance],
) -> Result<bool, StoreError> {
    let rows: Vec<Value> = accounts.iter().map(account_row).collect();
    let conflict = "order by 1 on conflict (account_id) do nothing";
    let numbers = &ACCOUNT_NUMBERS;
    let new = insert(
        tx,
        "billing_account",
        numbers,
        &["plan", "anchor"],
        conflict,
        rows,
    )
    .await?;
    Ok(usize::try_from(new).is_ok_and(|new| new == accounts.len()))
}

pub(super) fn move_accounts(changes: &mut Changes<'_>, accounts: &[AccountBalance]) {
    let row = |account: &AccountBalance| {
        json!({
            "account_id": account.account_id,
            "last_entry": account.last_entry,
            "last_grant": account.last_grant,
            "balance": account.balance,
            "used": account.used,
            "overage": account.overage,
            "noticed": account.noticed,
            "booked_at": millis(account.booked_at),
        })
    };
    let rows = accounts.iter().map(row).collect();
    changes.update("billing_account", &["account_id"], &MOVED, &[], rows);
}

pub(super) fn begin_periods(changes: &mut Changes<'_>, accounts: &[AccountBalance]) {
    let rows = accounts.iter().map(account_row).collect();
    let numbers = &ACCOUNT_NUMBERS[1..];
    changes.update(
        "billing_account",
        &["account_id"],
        numbers,
        &["plan", "anchor"],
        rows,
    );
}

pub(super) fn add_grants(changes: &mut Changes<'_>, grants: &[Grant]) {
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
    changes.insert("credit_grant", &numbers, &["kind", "source"], "", rows);
}

pub(super) fn change_grants(changes: &mut Changes<'_>, grants: &[Grant]) {
    let row = |grant: &Grant| {
        json!({
            "account_id": grant.account_id,
            "grant_no": grant.number,
            "remaining": grant.remaining,
        })
    };
    let rows = grants.iter().map(row).collect();
    let keys = ["account_id", "grant_no"];
    changes.update("credit_grant", &keys, &["remaining"], &[], rows);
}

pub(super) fn add_entries(changes: &mut Changes<'_>, entries: &[LedgerEntry]) {
    let row = |entry: &LedgerEntry| {
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
    let texts = ["kind", "operation", "about"];
    changes.insert("ledger_entry", &numbers, &texts, "", rows);
}

pub(super) fn move_windows(changes: &mut Changes<'_>, windows: &[Window]) {
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
    let numbers = ["account_id", "started_at", "used"];
    changes.insert("rate_window", &numbers, &["span"], conflict, rows);
}
