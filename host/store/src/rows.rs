//! Writes many rows in one statement. The rows are bound as one JSON array of objects.

use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::StoreError;
use super::db::{Tx, on};

/// SQL expression: an integer member of a JSON array element.
pub(crate) fn number(name: &str) -> String {
    format!("cast(element.value ->> '{name}' as bigint)")
}

pub(crate) fn text(name: &str) -> String {
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

/// Inserts the elements of a JSON array. Returns how many rows were inserted.
pub(crate) async fn insert(
    tx: &mut Tx,
    table: &str,
    numbers: &[&str],
    texts: &[&str],
    conflict: &str,
    rows: Vec<Value>,
) -> Result<u64, StoreError> {
    let (names, values) = columns(numbers, texts);
    let elements = tx.objects(1);
    // Without `where true`, `SQLite` parses `on conflict` as a join condition.
    let sql = format!(
        "insert into {table} ({names}) select {values} from {elements} where true {conflict}"
    );
    execute(tx, sql, rows).await
}

/// Updates rows by key with the elements of a JSON array.
pub(crate) async fn change(
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

/// Runs a statement with a JSON array as its parameter. Returns the number of affected rows.
pub(crate) async fn execute(tx: &mut Tx, sql: String, rows: Vec<Value>) -> Result<u64, StoreError> {
    Ok(on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .execute(&mut **tx)
        .await
        .map(|done| done.rows_affected()))?)
}
