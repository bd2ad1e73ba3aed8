//! Sizes of the tables and of the databases. They are measured from time to time and stored, so that showing them costs
//! one small read on every host.

use sqlx::AssertSqlSafe;
use time::OffsetDateTime;

use super::{OldRows, TableRule};
use crate::StoreError;
use crate::db::{Db, Either, Millis, millis, on, text_enum};

/// Up to this estimate `PostgreSQL` counts rows exactly. Above it the estimate of its statistics is close enough, and a
/// count would read the whole table.
const COUNTED_EXACTLY: i64 = 100_000;

/// Days after which the size of a table that no longer exists is deleted.
const FORGOTTEN_AFTER: time::Duration = time::Duration::days(30);

/// What a size counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeKind {
    /// Rows of a table.
    Rows,
    /// Bytes of a database: `main` and `billing` on `SQLite`, `database` on `PostgreSQL`.
    Bytes,
}

text_enum!(SizeKind {
    Rows: "rows",
    Bytes: "bytes"
});

/// A measured size.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct StoreSize {
    #[sqlx(try_from = "String")]
    pub kind: SizeKind,
    /// The table or the database.
    pub name: String,
    pub amount: i64,
    #[sqlx(try_from = "Millis")]
    pub measured_at: OffsetDateTime,
}

impl OldRows<'_> {
    /// Counts the rows of a table and stores the number. On `PostgreSQL` the number of a large table is an estimate.
    pub async fn measure(&self, rule: &TableRule, now: OffsetDateTime) -> Result<(), StoreError> {
        let db = if rule.in_billing {
            &self.store.billing_reads
        } else {
            &self.store.reads
        };
        let rows = match estimated(db, rule.table).await? {
            Some(estimate) if estimate > COUNTED_EXACTLY => estimate,
            Some(_) | None => {
                let count = format!("select count(*) from {}", rule.table);
                on!(db, |pool| sqlx::query_scalar(AssertSqlSafe(count))
                    .fetch_one(pool)
                    .await)?
            }
        };
        self.note(SizeKind::Rows, rule.table, rows, now).await
    }

    /// Stores the sizes of the database files, and deletes sizes that are no longer measured.
    pub async fn measure_bytes(&self, now: OffsetDateTime) -> Result<(), StoreError> {
        const FORGET: &str = "delete from store_size where measured_at < $1";
        let databases: &[(&str, &Db)] = match &self.store.reads {
            Either::Sqlite(_) => &[
                ("main", &self.store.reads),
                ("billing", &self.store.billing_reads),
            ],
            Either::Postgres(_) => &[("database", &self.store.reads)],
        };
        for (name, db) in databases {
            let bytes = bytes_of(db).await?;
            self.note(SizeKind::Bytes, name, bytes, now).await?;
        }
        on!(&self.store.writes, |pool| sqlx::query(FORGET)
            .bind(millis(now - FORGOTTEN_AFTER))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    async fn note(
        &self,
        kind: SizeKind,
        name: &str,
        amount: i64,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        const NOTE: &str = "insert into store_size (kind, name, amount, measured_at) values ($1, $2, $3, $4) \
            on conflict (kind, name) do update set amount = excluded.amount, measured_at = excluded.measured_at";
        on!(&self.store.writes, |pool| sqlx::query(NOTE)
            .bind(kind.word())
            .bind(name)
            .bind(amount)
            .bind(millis(now))
            .execute(pool)
            .await
            .map(drop))?;
        Ok(())
    }

    /// The sizes as last measured, in order of kind and name.
    pub async fn sizes(&self) -> Result<Vec<StoreSize>, StoreError> {
        const SIZES: &str =
            "select kind, name, amount, measured_at from store_size order by kind, name";
        on!(&self.store.reads, |pool| sqlx::query_as(SIZES)
            .fetch_all(pool)
            .await)
        .map_err(StoreError::reading("store_size"))
    }
}

/// The number of rows by the statistics of `PostgreSQL`; -1 if it has none yet. `None` on `SQLite`, which has no
/// statistics.
async fn estimated(db: &Db, table: &str) -> Result<Option<i64>, StoreError> {
    const ESTIMATE: &str = "select reltuples::bigint from pg_class where oid = to_regclass($1)";
    let Either::Postgres(pool) = db else {
        return Ok(None);
    };
    Ok(sqlx::query_scalar(ESTIMATE)
        .bind(table)
        .fetch_optional(pool)
        .await?)
}

async fn bytes_of(db: &Db) -> Result<i64, StoreError> {
    const FILE: &str = "select page_count * page_size from pragma_page_count(), pragma_page_size()";
    const DATABASE: &str = "select pg_database_size(current_database())";
    Ok(match db {
        Either::Sqlite(pool) => sqlx::query_scalar(FILE).fetch_one(pool).await?,
        Either::Postgres(pool) => sqlx::query_scalar(DATABASE).fetch_one(pool).await?,
    })
}
