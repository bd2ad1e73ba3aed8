//! One body of SQL for both databases.
//!
//! [`on!`] compiles the same expression once for each driver; `$1` parameters, `returning` and `on conflict` work in
//! both. Each difference between the databases is a named function of this file.

mod stored;

use sqlx::{AssertSqlSafe, FromRow};
use sqlx_postgres::{PgRow, Postgres};
use sqlx_sqlite::{Sqlite, SqliteRow};

pub use self::stored::UnknownWord;
pub(super) use self::stored::{Day, MaybeMillis, MaybeWord, Millis, day, millis, text_enum};
use super::bounded::{Pool, Transaction};
use super::{Cause, StoreError};

/// A value of one database or the other.
#[derive(Debug, Clone)]
pub(super) enum Either<S, P> {
    Sqlite(S),
    Postgres(P),
}

pub(super) type Db = Either<Pool<Sqlite>, Pool<Postgres>>;

/// An open transaction. Dropping it rolls back.
pub(super) type Tx = Either<Transaction<Sqlite>, Transaction<Postgres>>;

/// Evaluates one body for either database: `on!(&self.reads, |pool| sqlx::query(…).execute(pool).await)`, and in a
/// transaction `on!(tx, |tx| sqlx::query(…).execute(&mut **tx).await)`.
macro_rules! on {
    ($target:expr, |$executor:ident| $body:expr) => {
        match $target {
            $crate::db::Either::Sqlite($executor) => $body,
            $crate::db::Either::Postgres($executor) => $body,
        }
    };
}
pub(super) use on;

impl Db {
    /// Begins a write transaction. `SQLite` takes its write lock at once, because a transaction that has read first
    /// cannot wait for the lock later.
    pub(super) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Either::Sqlite(pool) => Either::Sqlite(pool.begin(BEGIN_IMMEDIATE).await?),
            Either::Postgres(pool) => Either::Postgres(pool.begin("begin").await?),
        })
    }

    /// Like [`Self::begin`], and reads the rows of queries whose only parameter is `$1`. `SQLite` gets them in one
    /// message, `PostgreSQL` in one for each: if the first query waits for locked rows, the next ones must see what the
    /// other transaction wrote.
    pub(super) async fn begin_and_read<T>(
        &self,
        queries: &[String],
        parameter: &str,
    ) -> Result<(Tx, Vec<T>), sqlx::Error>
    where
        T: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        Ok(match self {
            Either::Sqlite(pool) => {
                let sql = format!("{BEGIN_IMMEDIATE}; {}", queries.join("; "));
                let (tx, rows) = pool.begin_and_read(sql, parameter).await?;
                (Either::Sqlite(tx), rows)
            }
            Either::Postgres(pool) => {
                let mut tx = pool.begin("begin").await?;
                let mut rows = Vec::new();
                for sql in queries {
                    let query = sqlx::query_as(AssertSqlSafe(sql.as_str())).bind(parameter);
                    rows.extend(query.fetch_all(&mut *tx).await?);
                }
                (Either::Postgres(tx), rows)
            }
        })
    }

    /// Begins a read-only transaction in which all statements see one snapshot.
    pub(super) async fn begin_reading(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Either::Sqlite(pool) => Either::Sqlite(pool.begin("begin").await?),
            Either::Postgres(pool) => {
                // The transaction locks nothing, and its output may go to a slow terminal.
                let idle = pool.timeouts().long_statement.as_millis();
                let begin = format!(
                    "begin isolation level repeatable read, read only; \
                     set local idle_in_transaction_session_timeout = {idle}"
                );
                Either::Postgres(pool.begin(AssertSqlSafe(begin)).await?)
            }
        })
    }

    /// Like [`Self::begin`], for background work: retries when no connection is free in time, and gives statements the
    /// timeout of imports.
    pub(super) async fn begin_with_retry(&self) -> Result<Tx, StoreError> {
        for _ in 1..MAX_BEGIN_ATTEMPTS {
            match self.begin_long().await {
                Err(error)
                    if matches!(error.cause(), Some(Cause::NoConnection | Cause::Refused)) => {}
                begun => return begun,
            }
        }
        self.begin_long().await
    }

    async fn begin_long(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Either::Sqlite(pool) => Either::Sqlite(pool.begin_long(BEGIN_IMMEDIATE).await?),
            Either::Postgres(pool) => {
                let longest = pool.timeouts().long_statement.as_millis();
                let begin = format!("begin; set local statement_timeout = {longest}");
                Either::Postgres(pool.begin_long(AssertSqlSafe(begin)).await?)
            }
        })
    }
}

const BEGIN_IMMEDIATE: &str = "begin immediate";

/// Attempts to begin a background transaction. Each attempt waits as long as the pool's acquire timeout.
const MAX_BEGIN_ATTEMPTS: u32 = 20;

impl Tx {
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        on!(self, |tx| tx.commit().await)?;
        Ok(())
    }
}

impl<S, P> Either<S, P> {
    /// SQL condition that a column is in a list. The list is bound as one JSON array of texts, so one statement serves
    /// lists of any length.
    pub(super) fn is_listed(&self, column: &str, parameter: u8) -> String {
        match self {
            Either::Sqlite(_) => format!("{column} in (select value from json_each(${parameter}))"),
            Either::Postgres(_) => {
                format!(
                    "{column} = any(array(select json_array_elements_text(${parameter}::json)))"
                )
            }
        }
    }

    /// Like [`Self::is_listed`], for a column whose list need not be looked up in an index, because other conditions
    /// leave few rows. For those `SQLite` would look up each element, and then sort what it found.
    pub(super) fn is_listed_among_few(&self, column: &str, parameter: u8) -> String {
        match self {
            // The unary plus keeps the column out of indexes: https://www.sqlite.org/optoverview.html
            Either::Sqlite(_) => self.is_listed(&format!("+{column}"), parameter),
            Either::Postgres(_) => self.is_listed(column, parameter),
        }
    }

    /// Like [`Self::is_listed`], for a list of integers.
    pub(super) fn is_numbered(&self, column: &str, parameter: u8) -> String {
        match self {
            Either::Sqlite(_) => self.is_listed(column, parameter),
            Either::Postgres(_) => format!(
                "{column} = any(array(select json_array_elements_text(${parameter}::json)::bigint))"
            ),
        }
    }
}

impl<S, P> Either<S, P> {
    /// SQL of statements that change different rows and are sent together. `None` if there are no statements. On
    /// `PostgreSQL` they see one snapshot and run in any order.
    pub(super) fn in_one_message(&self, statements: &[String]) -> Option<String> {
        let (last, others) = statements.split_last()?;
        if others.is_empty() {
            return Some(last.clone());
        }
        Some(match self {
            Either::Sqlite(_) => statements.join("; "),
            // https://www.postgresql.org/docs/current/queries-with.html#QUERIES-WITH-MODIFYING
            Either::Postgres(_) => {
                let named = |(number, statement): (usize, &String)| {
                    format!("change_{number} as ({statement})")
                };
                let others: Vec<String> = others.iter().enumerate().map(named).collect();
                format!("with {} {last}", others.join(", "))
            }
        })
    }
}

/// SQL fragments that read a bound JSON array as rows.
impl<S, P> Either<S, P> {
    /// The array as a row source for `from`.
    pub(super) fn elements(&self, parameter: usize) -> String {
        match self {
            Either::Sqlite(_) => format!("json_each(${parameter}) element"),
            Either::Postgres(_) => {
                format!(
                    "json_array_elements(${parameter}::json) with ordinality element (value, number)"
                )
            }
        }
    }

    /// An array of objects as the table `element`, which has these members as columns: integers and texts.
    pub(super) fn rows(&self, parameter: usize, numbers: &[&str], texts: &[&str]) -> String {
        let columns = |number: fn(&str) -> String, text: fn(&str) -> String| {
            let numbers = numbers.iter().copied().map(number);
            let columns = numbers.chain(texts.iter().copied().map(text));
            columns.collect::<Vec<_>>().join(", ")
        };
        match self {
            Either::Sqlite(_) => {
                let columns = columns(
                    |name| format!("cast(value ->> '{name}' as bigint) as {name}"),
                    |name| format!("value ->> '{name}' as {name}"),
                );
                format!("(select {columns} from json_each(${parameter})) element")
            }
            // It reads each object once. Reading its members one by one with `->>` takes about twice as long.
            Either::Postgres(_) => {
                let columns = columns(
                    |name| format!("{name} bigint"),
                    |name| format!("{name} text"),
                );
                format!("json_to_recordset(${parameter}::json) element ({columns})")
            }
        }
    }

    /// SQL expression: these columns of a row as the text of a JSON array.
    pub(super) fn as_json_array(&self, columns: &str) -> String {
        match self {
            Either::Sqlite(_) => format!("json_array({columns})"),
            Either::Postgres(_) => format!("json_build_array({columns})::text"),
        }
    }

    /// SQL expression: index of the element, from 0.
    pub(super) fn number_of_element(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "element.key",
            Either::Postgres(_) => "(element.number - 1)",
        }
    }

    /// SQL expression: the element as JSON text.
    pub(super) fn text_of_element(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "element.value",
            Either::Postgres(_) => "element.value::text",
        }
    }

    /// Suffix of a query that locks its rows of one table for writing. Empty on `SQLite`, which has one writer at a
    /// time.
    pub(super) fn locking_of(&self, table: &str) -> String {
        match self {
            Either::Sqlite(_) => String::new(),
            Either::Postgres(_) => format!(" for update of {table}"),
        }
    }

    /// Like [`Self::locking_of`], but other transactions may still insert rows that refer to the locked ones.
    pub(super) fn locking_no_key_of(&self, table: &str) -> String {
        match self {
            Either::Sqlite(_) => String::new(),
            Either::Postgres(_) => format!(" for no key update of {table}"),
        }
    }

    /// Suffix of a query that prevents others from writing its rows until the transaction ends; others may read them
    /// and take the same lock. Empty on `SQLite`, where this transaction is the only writer.
    pub(super) fn locking_shared_of(&self, table: &str) -> String {
        match self {
            Either::Sqlite(_) => String::new(),
            Either::Postgres(_) => format!(" for share of {table}"),
        }
    }

    /// SQL before a statement that changes the rows of a query, at most as many as its limit: the table `chosen`, with
    /// rows that no other host has locked. As a subquery of a condition, `PostgreSQL` may run the query again for each
    /// row of the table, and each time it finds rows that are not locked yet, so that the limit has no effect.
    pub(super) fn chosen(&self, query: &str) -> String {
        format!(
            "with chosen as materialized ({query}{})",
            self.skipping_locked()
        )
    }

    /// Suffix of a query that locks its rows for writing and skips rows that another host has locked. Empty on
    /// `SQLite`, which has one writer at a time.
    pub(super) fn skipping_locked(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "",
            Either::Postgres(_) => " for update skip locked",
        }
    }
}

/// Encodes texts as a JSON array for [`Either::is_listed`].
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    serde_json::Value::from_iter(texts).to_string()
}

/// The smallest text after all texts that begin with the prefix: `column >= prefix and column < end` is an index range.
/// For the empty prefix the end is the last code point, U+10FFFF, which is not an assigned character.
pub(super) fn end_of_prefix(prefix: &str) -> String {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // U+D800 to U+DFFF are surrogates, not characters; skip them.
        let next = if last == '\u{d7ff}' {
            Some('\u{e000}')
        } else {
            char::from_u32(u32::from(last) + 1)
        };
        if let Some(next) = next {
            characters.push(next);
            return characters.into_iter().collect();
        }
    }
    format!("{prefix}\u{10ffff}")
}

#[cfg(test)]
mod tests {
    use super::end_of_prefix;

    #[test]
    fn end_of_prefix_sorts_after_all_continuations() {
        assert_eq!(end_of_prefix("abc"), "abd");
        assert_eq!(end_of_prefix("a\u{d7ff}"), "a\u{e000}");
        assert_eq!(end_of_prefix("a\u{10ffff}"), "b");
        assert_eq!(end_of_prefix(""), "\u{10ffff}");
    }
}
