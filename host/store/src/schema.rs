//! Which programs may use a store.
//!
//! The schema of a store is its newest migration, the schema of a program the newest migration that it knows. A program
//! ignores a migration that it does not know only if the migration declared in `schema_change` that the program may go
//! on: so hosts of neighbouring versions run side by side during an upgrade, and no program writes to a store that it
//! would misunderstand.

use std::collections::BTreeSet;

use sqlx::migrate::Migrator;
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;

use super::db::{Either, on};
use super::{DatabaseKind, SchemaRefusal, Store, StoreError, migrations};

/// The schemas that a program can work with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) version: &'static str,
    /// The newest migration that it knows.
    pub(super) schema: i64,
    /// The migrations of the main database that it knows.
    pub(super) known: BTreeSet<i64>,
    /// The migrations of the `SQLite` file of credits that it knows.
    pub(super) known_of_billing: BTreeSet<i64>,
    /// The oldest store that it can migrate.
    pub(super) oldest_store: i64,
}

/// The schema of the oldest store that this program can migrate. It rises when old migrations are removed.
const OLDEST_STORE: i64 = 1;

/// What a migration declares about programs.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Declared {
    pub(super) migration: i64,
    pub(super) oldest_program: i64,
    pub(super) applied_by: Option<String>,
}

impl Program {
    /// This program, with its migrations of one kind of database.
    pub(super) fn this(kind: DatabaseKind) -> Self {
        let (sqlite, postgres) = (
            versions(&migrations::of_sqlite()),
            versions(&migrations::of_postgres()),
        );
        Self {
            version: env!("CARGO_PKG_VERSION"),
            schema: sqlite.union(&postgres).max().copied().unwrap_or_default(),
            known: match kind {
                DatabaseKind::Sqlite => sqlite,
                DatabaseKind::Postgres => postgres,
            },
            known_of_billing: versions(&migrations::of_sqlite_billing()),
            oldest_store: OLDEST_STORE,
        }
    }

    /// Whether the program may use a store with these migrations, before it migrates the store.
    pub(super) fn judge(
        &self,
        applied: &[i64],
        declared: &[Declared],
    ) -> Result<(), SchemaRefusal> {
        let (program, schema) = (self.version, self.schema);
        if let Some(store) = applied.iter().max()
            && *store < self.oldest_store
        {
            return Err(SchemaRefusal::OlderStore {
                store: *store,
                oldest_store: self.oldest_store,
                program,
                schema,
            });
        }
        self.judge_unknown(applied, &self.known, declared)
    }

    /// Like [`Self::judge`], for the file of credits. Its migrations are declared in the main file.
    fn judge_billing(&self, applied: &[i64], declared: &[Declared]) -> Result<(), SchemaRefusal> {
        self.judge_unknown(applied, &self.known_of_billing, declared)
    }

    fn judge_unknown(
        &self,
        applied: &[i64],
        known: &BTreeSet<i64>,
        declared: &[Declared],
    ) -> Result<(), SchemaRefusal> {
        let (program, schema) = (self.version, self.schema);
        // The newest migration first: its refusal names the newest program.
        let mut unknown: Vec<i64> = applied
            .iter()
            .copied()
            .filter(|one| !known.contains(one))
            .collect();
        unknown.sort_unstable_by(|one, other| other.cmp(one));
        for migration in unknown {
            match declared.iter().find(|one| one.migration == migration) {
                None => {
                    return Err(SchemaRefusal::Undeclared {
                        migration,
                        program,
                        schema,
                    });
                }
                Some(declared) if declared.oldest_program > schema => {
                    return Err(SchemaRefusal::NewerStore {
                        store: migration,
                        applied_by: declared.applied_by.clone(),
                        oldest_program: declared.oldest_program,
                        program,
                        schema,
                    });
                }
                Some(_may_go_on) => {}
            }
        }
        Ok(())
    }
}

fn versions(migrator: &Migrator) -> BTreeSet<i64> {
    migrator.iter().map(|migration| migration.version).collect()
}

const APPLIED: &str = "select version from _sqlx_migrations order by version";
const DECLARED: &str = "select migration, oldest_program, applied_by from schema_change";
/// Records which program applied the migrations. A migration that the program does not know was applied by another one.
const NOTE: &str =
    "update schema_change set applied_by = $1 where applied_by is null and migration <= $2";

/// Defines the functions that check and mark a database before and after its migration.
macro_rules! schema_of {
    ($read:ident, $note:ident, $connection:ty, $has_table:literal) => {
        /// The applied migrations and what they declare. Empty: a new database.
        pub(super) async fn $read(
            connection: &mut $connection,
        ) -> Result<(Vec<i64>, Vec<Declared>), StoreError> {
            let mut has = [false; 2];
            for (place, table) in ["_sqlx_migrations", "schema_change"].iter().enumerate() {
                let count: i64 = sqlx::query_scalar($has_table)
                    .bind(*table)
                    .fetch_one(&mut *connection)
                    .await?;
                has[place] = count > 0;
            }
            let mut applied = Vec::new();
            let mut declared = Vec::new();
            if has[0] {
                applied = sqlx::query_scalar(APPLIED)
                    .fetch_all(&mut *connection)
                    .await?;
            }
            if has[1] {
                declared = sqlx::query_as(DECLARED).fetch_all(&mut *connection).await?;
            }
            Ok((applied, declared))
        }

        /// Records this program as the one that applied the migrations.
        pub(super) async fn $note(
            connection: &mut $connection,
            program: &Program,
        ) -> Result<(), StoreError> {
            sqlx::query(NOTE)
                .bind(program.version)
                .bind(program.schema)
                .execute(&mut *connection)
                .await?;
            Ok(())
        }
    };
}

schema_of!(
    read_sqlite,
    note_sqlite,
    SqliteConnection,
    "select count(*) from sqlite_master where name = $1"
);
schema_of!(
    read_postgres,
    note_postgres,
    PgConnection,
    "select count(*) from pg_class where oid = to_regclass($1)"
);

/// Checks the file of credits against what the main file declares.
pub(super) async fn check_billing(
    connection: &mut SqliteConnection,
    program: &Program,
    declared: &[Declared],
) -> Result<(), StoreError> {
    let (applied, _none) = read_sqlite(connection).await?;
    Ok(program.judge_billing(&applied, declared)?)
}

impl Store {
    /// Why this program may not go on with the store, because another program has migrated it since it was opened.
    /// `None`: it may.
    ///
    /// # Errors
    /// The database failed.
    pub async fn schema_refusal(&self) -> Result<Option<SchemaRefusal>, StoreError> {
        let program = Program::this(self.kind());
        let applied = |db: super::db::Db| async move {
            let applied: Vec<i64> = on!(&db, |pool| sqlx::query_scalar(APPLIED)
                .fetch_all(pool)
                .await)?;
            Ok::<_, StoreError>(applied)
        };
        let main = applied(self.reads.clone()).await?;
        let declared: Vec<Declared> = on!(&self.reads, |pool| sqlx::query_as(DECLARED)
            .fetch_all(pool)
            .await)?;
        let mut judged = program.judge(&main, &declared);
        if let (Ok(()), Either::Sqlite(_)) = (&judged, &self.billing_reads) {
            let billing = applied(self.billing_reads.clone()).await?;
            judged = program.judge_billing(&billing, &declared);
        }
        Ok(judged.err())
    }

    /// The newest migration that this program knows.
    #[must_use]
    pub fn schema_of_program() -> i64 {
        Program::this(DatabaseKind::Sqlite).schema
    }
}
