//! One body of SQL for two databases.
//!
//! [`on!`] writes the same expression once for each driver; `$1` parameters, `returning` and `on conflict` bind alike.
//! Whatever differs between the databases is a named function of this file.

use sqlx::AssertSqlSafe;
use sqlx_postgres::Postgres;
use sqlx_sqlite::Sqlite;
use time::{Date, OffsetDateTime};

use super::bounded::{Pool, Transaction};
use super::{Cause, StoreError};

/// The same thing for one database or the other.
#[derive(Debug, Clone)]
pub(super) enum Either<S, P> {
    Sqlite(S),
    Postgres(P),
}

/// A pool of connections.
pub(super) type Db = Either<Pool<Sqlite>, Pool<Postgres>>;

/// An open transaction; dropping it takes everything back.
pub(super) type Tx = Either<Transaction<Sqlite>, Transaction<Postgres>>;

/// Runs one body on whichever database it is: `on!(&self.reads, |pool| sqlx::query(…).execute(pool).await)`, and in a
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
    /// Begins a transaction that writes. `SQLite` takes its write lock at once: a transaction that read first could not
    /// wait for it any more.
    pub(super) async fn begin(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Either::Sqlite(pool) => Either::Sqlite(pool.begin(BEGIN_IMMEDIATE).await?),
            Either::Postgres(pool) => Either::Postgres(pool.begin("begin").await?),
        })
    }

    /// Begins a transaction that only reads, all of it from one moment.
    pub(super) async fn begin_reading(&self) -> Result<Tx, StoreError> {
        Ok(match self {
            Either::Sqlite(pool) => Either::Sqlite(pool.begin("begin").await?),
            Either::Postgres(pool) => {
                // It locks nothing, and what is read may be on its way to a slow terminal.
                let idle = pool.limits().long_statement.as_millis();
                let begin = format!(
                    "begin isolation level repeatable read, read only; \
                     set local idle_in_transaction_session_timeout = {idle}"
                );
                Either::Postgres(pool.begin(AssertSqlSafe(begin)).await?)
            }
        })
    }

    /// As [`Self::begin`], for work that has time: a turn that does not come at once is asked for again, and statements
    /// have the time of an import's.
    pub(super) async fn begin_patiently(&self) -> Result<Tx, StoreError> {
        for _ in 1..TURNS {
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
                let longest = pool.limits().long_statement.as_millis();
                let begin = format!("begin; set local statement_timeout = {longest}");
                Either::Postgres(pool.begin_long(AssertSqlSafe(begin)).await?)
            }
        })
    }
}

const BEGIN_IMMEDIATE: &str = "begin immediate";

/// How often a patient writer asks for its turn; each time it waits as long as the pool lets it.
const TURNS: u32 = 20;

impl Tx {
    /// Makes it so.
    pub(super) async fn commit(self) -> Result<(), StoreError> {
        on!(self, |tx| tx.commit().await)?;
        Ok(())
    }
}

impl<S, P> Either<S, P> {
    /// The condition that a column is one of a list, which is bound as a JSON array of texts: one statement serves
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

    /// As [`Self::is_listed`], of whole numbers.
    pub(super) fn is_numbered(&self, column: &str, parameter: u8) -> String {
        match self {
            Either::Sqlite(_) => self.is_listed(column, parameter),
            Either::Postgres(_) => format!(
                "{column} = any(array(select json_array_elements_text(${parameter}::json)::bigint))"
            ),
        }
    }
}

/// The elements of a bound JSON array as rows, and what a statement may say of each.
impl<S, P> Either<S, P> {
    /// What stands behind `from`.
    pub(super) fn elements(&self, parameter: u8) -> String {
        match self {
            Either::Sqlite(_) => format!("json_each(${parameter}) element"),
            Either::Postgres(_) => {
                format!(
                    "json_array_elements(${parameter}::json) with ordinality element (value, number)"
                )
            }
        }
    }

    /// As [`Self::elements`], of objects whose members are read by `element.value ->> 'name'`.
    pub(super) fn objects(&self, parameter: u8) -> String {
        match self {
            Either::Sqlite(_) => self.elements(parameter),
            // Taken apart once, and not again for each member.
            Either::Postgres(_) => {
                format!("jsonb_array_elements(${parameter}::jsonb) element (value)")
            }
        }
    }

    /// Its place, counted from 0.
    pub(super) fn number_of_element(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "element.key",
            Either::Postgres(_) => "(element.number - 1)",
        }
    }

    /// It as JSON text.
    pub(super) fn text_of_element(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "element.value",
            Either::Postgres(_) => "element.value::text",
        }
    }

    /// Ends a query whose rows of one table are about to be written: whoever else wants to write them waits. `SQLite`
    /// has one writer, so nobody else is.
    pub(super) fn locking_of(&self, table: &str) -> String {
        match self {
            Either::Sqlite(_) => String::new(),
            Either::Postgres(_) => format!(" for update of {table}"),
        }
    }

    /// As [`Self::locking_of`], for rows that others may go on to refer to.
    pub(super) fn locking_no_key_of(&self, table: &str) -> String {
        match self {
            Either::Sqlite(_) => String::new(),
            Either::Postgres(_) => format!(" for no key update of {table}"),
        }
    }

    /// Ends a query whose rows must not be written by others until the transaction ends; others may read and lock them so
    /// too. `SQLite` has one writer, which this transaction is.
    pub(super) fn locking_shared(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "",
            Either::Postgres(_) => " for share",
        }
    }

    /// Ends a query whose rows are about to be written: rows that another host is writing are left out. `SQLite` has
    /// one writer, so nobody else is.
    pub(super) fn skipping_locked(&self) -> &'static str {
        match self {
            Either::Sqlite(_) => "",
            Either::Postgres(_) => " for update skip locked",
        }
    }
}

/// A JSON array of texts, for [`Either::is_listed`].
pub(super) fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    serde_json::Value::from_iter(texts).to_string()
}

/// The smallest text behind every text that begins with the prefix, so that `column >= prefix and column < end` is a
/// range of an index. For the empty prefix it is behind everything but the last code point, which is no character.
pub(super) fn end_of_prefix(prefix: &str) -> String {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The surrogates between these two are no characters.
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

/// Milliseconds since 1970, as times are stored.
pub(super) fn millis(moment: OffsetDateTime) -> i64 {
    moment.unix_timestamp() * 1000 + i64::from(moment.millisecond())
}

/// A stored time on its way to an [`OffsetDateTime`].
#[derive(Debug, Clone, Copy, sqlx::Type)]
#[sqlx(transparent)]
pub(super) struct Millis(i64);

impl TryFrom<Millis> for OffsetDateTime {
    type Error = time::error::ComponentRange;

    fn try_from(stored: Millis) -> Result<Self, Self::Error> {
        Self::from_unix_timestamp_nanos(i128::from(stored.0) * 1_000_000)
    }
}

/// A stored time that may be absent.
#[derive(Debug, Clone, Copy, sqlx::Type)]
#[sqlx(transparent)]
pub(super) struct MaybeMillis(Option<i64>);

impl TryFrom<MaybeMillis> for Option<OffsetDateTime> {
    type Error = time::error::ComponentRange;

    fn try_from(stored: MaybeMillis) -> Result<Self, Self::Error> {
        stored
            .0
            .map(|stored| OffsetDateTime::try_from(Millis(stored)))
            .transpose()
    }
}

/// A stored day, `YYYY-MM-DD`, on its way to a [`Date`].
#[derive(Debug, Clone, sqlx::Type)]
#[sqlx(transparent)]
pub(super) struct Day(String);

impl TryFrom<Day> for Date {
    type Error = time::error::Parse;

    fn try_from(stored: Day) -> Result<Self, Self::Error> {
        Self::parse(&stored.0, DAY)
    }
}

/// A day as it is stored.
pub(super) fn day(date: Date) -> String {
    date.to_string()
}

const DAY: &[time::format_description::BorrowedFormatItem<'_>] =
    time::macros::format_description!("[year]-[month]-[day]");

/// An enum that is stored as a word: `text_enum!(Kind { One: "one", Two: "two" })`.
macro_rules! text_enum {
    ($name:ident { $($variant:ident: $word:literal),+ $(,)? }) => {
        impl $name {
            /// The word that it is stored and shown as.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::UnknownWord;

            fn try_from(word: String) -> Result<Self, Self::Error> {
                match word.as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::UnknownWord(word)),
                }
            }
        }
    };
}
pub(super) use text_enum;

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::{Millis, OffsetDateTime, end_of_prefix, millis};

    #[test]
    fn the_end_of_a_prefix_follows_all_its_continuations() {
        assert_eq!(end_of_prefix("abc"), "abd");
        assert_eq!(end_of_prefix("a\u{d7ff}"), "a\u{e000}");
        assert_eq!(end_of_prefix("a\u{10ffff}"), "b");
        assert_eq!(end_of_prefix(""), "\u{10ffff}");
    }

    #[test]
    fn times_survive_to_the_millisecond() {
        for moment in [
            datetime!(2026-07-01 10:11:12.345 UTC),
            datetime!(1969-12-31 23:59:59.999 UTC),
        ] {
            let read = OffsetDateTime::try_from(Millis(millis(moment)));
            assert_eq!(read.expect("in range"), moment);
        }
    }
}
