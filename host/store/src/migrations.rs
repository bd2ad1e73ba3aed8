//! Migrations of this version, and the repair of stores that applied a migration before it was edited.
//!
//! A released migration is never edited, because every store keeps the checksum of what it applied; a test compares all
//! of them with a list. There was one exception: `0006_notifications` got a column after its release. Stores with the
//! first version get the column and the new checksum here.

use sqlx::Connection;
use sqlx::migrate::Migrator;
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;

use super::StoreError;

/// Number of the migration that was edited.
pub(super) const EDITED_MIGRATION: i64 = 6;

/// The statements that the second version added.
const ADDED_LATER: &str = "alter table subscription add column failed_at bigint; \
    update subscription set failed_at = failing_since";

/// SHA-384 checksums of the first version.
const FIRST_CHECKSUM_SQLITE: &str = "dbbfcee4f8e9fc209ba1e3023c3d637d222d5992cda3f37deb063de0aa5f344a1ed9728bb09fb3579aa12f1a06840120";
const FIRST_CHECKSUM_POSTGRES: &str = "feca5d78f90b8750814d84bd7ebc663504f4572b37ed42170c79da77e3f48b6960d6f3bcae84a5ee2d99b5a5f748bb83";

/// Migrations of the main `SQLite` file.
pub(super) fn of_sqlite() -> Migrator {
    without_newer(sqlx::migrate!("../../migrations/sqlite"))
}

/// Migrations of the `SQLite` file of credits.
pub(super) fn of_sqlite_billing() -> Migrator {
    without_newer(sqlx::migrate!("../../migrations/sqlite-billing"))
}

/// Migrations of the `PostgreSQL` database.
pub(super) fn of_postgres() -> Migrator {
    without_newer(sqlx::migrate!("../../migrations/postgres"))
}

/// Makes the migrator ignore applied migrations that this version does not know. `schema` refuses those that this
/// version must not ignore.
fn without_newer(mut migrator: Migrator) -> Migrator {
    migrator.set_ignore_missing(true);
    migrator
}

/// Defines a function that upgrades a store with the first version of the edited migration to the second. Other stores
/// are unchanged.
macro_rules! repair {
    ($name:ident, $connection:ty, $is_made:literal, $checksum:literal, $first:ident, $migrator:path) => {
        pub(super) async fn $name(connection: &mut $connection) -> Result<(), StoreError> {
            const SET: &str = "update _sqlx_migrations set checksum = $1 where version = $2";
            let is_made: i64 = sqlx::query_scalar($is_made)
                .fetch_one(&mut *connection)
                .await?;
            if is_made == 0 {
                return Ok(());
            }
            let mut tx = connection.begin().await?;
            let checksum: Option<String> = sqlx::query_scalar($checksum)
                .bind(EDITED_MIGRATION)
                .fetch_optional(&mut *tx)
                .await?;
            let migrator = $migrator();
            let second = migrator
                .iter()
                .find(|migration| migration.version == EDITED_MIGRATION);
            if let (Some(checksum), Some(second)) = (checksum, second)
                && checksum == $first
            {
                sqlx::raw_sql(ADDED_LATER).execute(&mut *tx).await?;
                sqlx::query(SET)
                    .bind(second.checksum.to_vec())
                    .bind(EDITED_MIGRATION)
                    .execute(&mut *tx)
                    .await?;
            }
            tx.commit().await?;
            Ok(())
        }
    };
}

repair!(
    repair_sqlite,
    SqliteConnection,
    "select count(*) from sqlite_master where name = '_sqlx_migrations'",
    "select lower(hex(checksum)) from _sqlx_migrations where version = $1",
    FIRST_CHECKSUM_SQLITE,
    of_sqlite
);
repair!(
    repair_postgres,
    PgConnection,
    "select count(*) from pg_class where oid = to_regclass('_sqlx_migrations')",
    "select encode(checksum, 'hex') from _sqlx_migrations where version = $1 for update",
    FIRST_CHECKSUM_POSTGRES,
    of_postgres
);
