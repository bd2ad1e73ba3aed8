//! Writes many rows in one statement. The rows are bound as one JSON array of objects.

use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::StoreError;
use super::db::{Tx, on};

fn joined(names: &[&str], separator: &str, of: impl Fn(&str) -> String) -> String {
    let parts: Vec<String> = names.iter().map(|name| of(name)).collect();
    parts.join(separator)
}

fn insert_statement(
    tx: &Tx,
    parameter: usize,
    table: &str,
    numbers: &[&str],
    texts: &[&str],
    conflict: &str,
) -> String {
    let all = [numbers, texts].concat();
    let names = all.join(", ");
    let values = joined(&all, ", ", |name| format!("element.{name}"));
    let elements = tx.rows(parameter, numbers, texts);
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
        let set = joined(&[numbers, texts].concat(), ", ", |name| {
            format!("{name} = element.{name}")
        });
        let found = joined(keys, " and ", |name| {
            format!("{table}.{name} = element.{name}")
        });
        let numbers = [keys, numbers].concat();
        let elements = self.tx.rows(parameter, &numbers, texts);
        let statement = format!("update {table} set {set} from {elements} where {found}");
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
