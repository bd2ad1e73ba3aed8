//! The daily check of known companies: what each source last gave, and what is wrong with it.

use time::OffsetDateTime;

use super::db::{MaybeMillis, Millis, millis, on};
use super::{Store, StoreError};

/// What a source gave about a known company.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SentinelReading {
    /// The connector.
    pub connector: String,
    /// A scope; empty for the company itself.
    pub scope: String,
    /// The company.
    pub ico: String,
    /// The connector's version.
    pub version: String,
    /// Names of members with a value in the last good reading, a line each.
    pub members: String,
    /// When the source was last asked.
    #[sqlx(try_from = "Millis")]
    pub checked_at: OffsetDateTime,
    /// What is wrong, for operators.
    pub problem: Option<String>,
    /// Since when.
    #[sqlx(try_from = "MaybeMillis")]
    pub problem_since: Option<OffsetDateTime>,
}

/// Readings of known companies.
#[derive(Debug, Clone, Copy)]
pub struct Sentinels<'a> {
    pub(super) store: &'a Store,
}

impl Sentinels<'_> {
    /// All readings, by connector, scope and company.
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

    /// Writes a reading in place of the one before.
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

    /// Deletes a reading of a company or a scope that is not checked any more.
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
