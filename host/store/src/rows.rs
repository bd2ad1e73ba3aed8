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

fn insert_statement(
    tx: &Tx,
    parameter: usize,
    table: &str,
    numbers: &[&str],
    texts: &[&str],
    conflict: &str,
) -> String {
    let (names, values) = columns(numbers, texts);
    let elements = tx.objects(parameter);
    // Without `where true`, `SQLite` parses `on conflict` as a join condition.
    format!("insert into {table} ({names}) select {values} from {elements} where true {conflict}")
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
    let sql = insert_statement(tx, 1, table, numbers, texts, conflict);
    execute(tx, sql, rows).await
}

/// Runs a statement with a JSON array as its parameter. Returns the number of affected rows.
pub(crate) async fn execute(tx: &mut Tx, sql: String, rows: Vec<Value>) -> Result<u64, StoreError> {
    Ok(on!(tx, |tx| sqlx::query(AssertSqlSafe(sql))
        .bind(Value::from(rows).to_string())
        .execute(&mut **tx)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Statements that change rows of several tables and are sent to the database together, which saves the round trips
/// between them.
///
/// On `PostgreSQL` they are parts of one statement: none sees what another one writes, and they run in any order. So no
/// two of them may change the same row, and none may need a row that another one inserts, except for a foreign key.
pub(crate) struct Changes<'a> {
    tx: &'a mut Tx,
    statements: Vec<String>,
    parameters: Vec<String>,
}

impl<'a> Changes<'a> {
    pub(crate) fn of(tx: &'a mut Tx) -> Self {
        Self {
            tx,
            statements: Vec::new(),
            parameters: Vec::new(),
        }
    }

    /// Adds the insertion of the elements of a JSON array, unless there are none.
    pub(crate) fn insert(
        &mut self,
        table: &str,
        numbers: &[&str],
        texts: &[&str],
        conflict: &str,
        rows: Vec<Value>,
    ) {
        if let Some(parameter) = self.add_parameter(rows) {
            let statement = insert_statement(self.tx, parameter, table, numbers, texts, conflict);
            self.statements.push(statement);
        }
    }

    /// Adds the update of rows by key with the elements of a JSON array, unless there are none.
    pub(crate) fn update(
        &mut self,
        table: &str,
        keys: &[&str],
        numbers: &[&str],
        texts: &[&str],
        rows: Vec<Value>,
    ) {
        let Some(parameter) = self.add_parameter(rows) else {
            return;
        };
        let numbers = numbers
            .iter()
            .map(|name| format!("{name} = {}", number(name)));
        let texts = texts.iter().map(|name| format!("{name} = {}", text(name)));
        let set = numbers.chain(texts).collect::<Vec<_>>().join(", ");
        let keys = keys.iter().map(|name| format!("{name} = {}", number(name)));
        let keys = keys.collect::<Vec<_>>().join(" and ");
        let elements = self.tx.objects(parameter);
        let statement = format!("update {table} set {set} from {elements} where {keys}");
        self.statements.push(statement);
    }

    /// The number of the rows as a parameter. `None` if there are no rows.
    fn add_parameter(&mut self, rows: Vec<Value>) -> Option<usize> {
        if rows.is_empty() {
            return None;
        }
        self.parameters.push(Value::from(rows).to_string());
        Some(self.parameters.len())
    }

    /// Runs the statements.
    pub(crate) async fn run(self) -> Result<(), StoreError> {
        let Self {
            tx,
            statements,
            parameters,
        } = self;
        let Some(sql) = tx.in_one_message(&statements) else {
            return Ok(());
        };
        Ok(on!(tx, |tx| {
            let mut query = sqlx::query(AssertSqlSafe(sql));
            for parameter in parameters {
                query = query.bind(parameter);
            }
            query.execute(&mut **tx).await.map(drop)
        })?)
    }
}
