//! The daily check of known companies: the last result of each source, and its problem if any.

use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, millis, on};
use super::{ConnectorId, Store, StoreError};

/// The last result of one source for one known company.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SentinelReading {
    pub connector: ConnectorId,
    /// A scope; empty for the company itself.
    pub scope: String,
    /// IČO of the company.
    pub ico: String,
    pub version: String,
    /// Names of the members that had a value in the last good result, one per line.
    pub members: String,
    /// When the source was last read.
    #[sqlx(try_from = "Millis")]
    pub checked_at: OffsetDateTime,
    /// Description of the problem for operators. `None`: no problem.
    pub problem: Option<String>,
    /// When the problem was first seen.
    #[sqlx(try_from = "MaybeMillis")]
    pub problem_since: Option<OffsetDateTime>,
}

/// Results of the daily check of known companies.
#[derive(Debug, Clone, Copy)]
pub struct Sentinels<'a> {
    pub(super) store: &'a Store,
}

impl Sentinels<'_> {
    /// All results, in order of connector, scope and company.
    ///
    /// # Errors
    /// The database failed.
    pub async fn all(&self) -> Result<Vec<SentinelReading>, StoreError> {
        const ALL: &str = "select connector, scope, ico, version, members, checked_at, problem, problem_since \
            from sentinel order by connector, scope, ico";
        Ok(on!(&self.store.reads, |pool| sqlx::query_as(ALL)
            .fetch_all(pool)
            .await)?)
    }

    /// Stores a result, replacing the one before.
    ///
    /// # Errors
    /// The database failed.
    pub async fn put(&self, reading: &SentinelReading) -> Result<(), StoreError> {
        const PUT: &str = "insert into sentinel \
            (connector, scope, ico, version, members, checked_at, problem, problem_since) \
            values ($1, $2, $3, $4, $5, $6, $7, $8) \
            on conflict (connector, scope, ico) do update set version = excluded.version, \
            members = excluded.members, checked_at = excluded.checked_at, \
            problem = excluded.problem, problem_since = excluded.problem_since";
        on!(&self.store.writes, |pool| sqlx::query(PUT)
            .bind(&reading.connector)
            .bind(&reading.scope)
            .bind(&reading.ico)
            .bind(&reading.version)
            .bind(&reading.members)
            .bind(millis(reading.checked_at))
            .bind(&reading.problem)
            .bind(reading.problem_since.map(millis))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Deletes the result of a company or a scope that is no longer checked.
    ///
    /// # Errors
    /// The database failed.
    pub async fn delete(&self, reading: &SentinelReading) -> Result<(), StoreError> {
        const DELETE: &str =
            "delete from sentinel where connector = $1 and scope = $2 and ico = $3";
        on!(&self.store.writes, |pool| sqlx::query(DELETE)
            .bind(&reading.connector)
            .bind(&reading.scope)
            .bind(&reading.ico)
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }
}
