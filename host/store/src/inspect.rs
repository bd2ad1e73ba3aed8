//! Opens a database without changing it, and describes it for diagnosis.
//!
//! No migration runs, no file is created, and every connection refuses writes. So this works beside running hosts and
//! before the first start. A store of an earlier version opens too; statements that need its pending migrations fail.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sqlx::migrate::Migrator;
use sqlx::{ConnectOptions, Connection};
use sqlx_postgres::{PgConnectOptions, PgPoolOptions};
use sqlx_sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};

use super::bounded::{Losses, Pool};
use super::connect::{
    Location, address, billing_path, bound_session, millis, no_answer, statement_timeouts,
};
use super::db::{Either, on};
use super::{DatabaseKind, DatabaseSettings, Store, StoreError, migrations};

/// The edited migration, which the next start repairs.
const REPAIRED: i64 = migrations::EDITED_MIGRATION;

/// Description of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inspection {
    pub kind: DatabaseKind,
    /// Version of the database program.
    pub version: String,
    /// Number of the newest applied migration; 0 if none was applied.
    pub schema: i64,
    /// Migrations that the next start of this version applies.
    pub pending: usize,
    /// Applied migrations that this version does not know, because a newer version has run.
    pub newer: usize,
    /// Applied migrations whose content differs from the one of this version. A host refuses such a store.
    pub changed: Vec<i64>,
    /// Size of the database; on `SQLite` of both files.
    pub bytes: u64,
    /// Size of the write-ahead log. `None`: the role may not read it.
    pub wal_bytes: Option<u64>,
    /// Connections of all programs, and their limit. `None` on `SQLite`.
    pub connections: Option<(u32, u32)>,
    /// Whether the database accepts no writes because it is a standby.
    pub standby: bool,
    /// Whether the role may create tables. Always true on `SQLite`.
    pub may_create: bool,
}

#[derive(sqlx::FromRow)]
struct Applied {
    version: i64,
    checksum: Vec<u8>,
}

impl Store {
    /// Opens a database for reading only. Applies no migrations and creates nothing.
    ///
    /// # Errors
    /// The database does not exist or cannot be opened.
    pub async fn open_read_only(
        url: &str,
        max_connections: u32,
        bounds: DatabaseSettings,
    ) -> Result<Self, StoreError> {
        match Location::parse(url)? {
            Location::File(path) => {
                let opened = Box::pin(open_files(Path::new(path), max_connections, bounds)).await;
                opened.map_err(|error| error.opening(path.to_owned()))
            }
            Location::Server(options) => {
                let address = address(&options);
                let opened = Box::pin(open_server(*options, max_connections, bounds)).await;
                opened.map_err(|error| error.opening(address))
            }
        }
    }

    /// The files of an `SQLite` database with this address: the main file and the file of credits. `None` for a server
    /// or an invalid address.
    #[must_use]
    pub fn files(url: &str) -> Option<[PathBuf; 2]> {
        match Location::parse(url) {
            Ok(Location::File(path)) => Some([PathBuf::from(path), billing_path(Path::new(path))]),
            Ok(Location::Server(_)) | Err(_) => None,
        }
    }

    /// Describes the database. `url` is its address, for the sizes of its files.
    ///
    /// # Errors
    /// The database failed.
    pub async fn inspect(&self, url: &str) -> Result<Inspection, StoreError> {
        const MIGRATED: &str = "select version, checksum from _sqlx_migrations order by version";
        let (version, is_migrated, migrator) = match &self.reads {
            Either::Sqlite(_) => (
                "select sqlite_version()",
                "select count(*) from sqlite_master where name = '_sqlx_migrations'",
                migrations::of_sqlite(),
            ),
            Either::Postgres(_) => (
                "select current_setting('server_version')",
                "select count(*) from pg_class where oid = to_regclass('_sqlx_migrations')",
                migrations::of_postgres(),
            ),
        };
        let version: String = on!(&self.reads, |pool| sqlx::query_scalar(version)
            .fetch_one(pool)
            .await)?;
        let is_migrated: i64 = on!(&self.reads, |pool| sqlx::query_scalar(is_migrated)
            .fetch_one(pool)
            .await)?;
        let applied: Vec<Applied> = match is_migrated {
            0 => Vec::new(),
            _ => on!(&self.reads, |pool| sqlx::query_as(MIGRATED)
                .fetch_all(pool)
                .await)?,
        };
        let mut inspection = Inspection {
            kind: self.kind(),
            version,
            schema: applied.last().map_or(0, |migration| migration.version),
            pending: 0,
            newer: 0,
            changed: Vec::new(),
            bytes: 0,
            wal_bytes: None,
            connections: None,
            standby: false,
            may_create: true,
        };
        inspection.compare(&applied, &migrator);
        match Self::files(url) {
            Some(files) => inspection.measure_files(&files),
            None => self.measure_server(&mut inspection).await?,
        }
        Ok(inspection)
    }

    async fn measure_server(&self, inspection: &mut Inspection) -> Result<(), StoreError> {
        const MEASURE: &str = "select pg_database_size(current_database()), \
            (select count(*) from pg_stat_activity where backend_type = 'client backend'), \
            current_setting('max_connections')::bigint, pg_is_in_recovery(), \
            coalesce(has_schema_privilege(current_schema(), 'create'), false)";
        const WAL: &str = "select sum(size)::bigint from pg_ls_waldir()";
        let Either::Postgres(pool) = &self.reads else {
            return Ok(());
        };
        let (bytes, used, most, standby, may_create): (i64, i64, i64, bool, bool) =
            sqlx::query_as(MEASURE).fetch_one(pool).await?;
        // Only some roles may list the log, so a refusal is no failure.
        let wal: Result<Option<i64>, sqlx::Error> = sqlx::query_scalar(WAL).fetch_one(pool).await;
        let size = |bytes: i64| u64::try_from(bytes).unwrap_or_default();
        let count = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
        inspection.bytes = size(bytes);
        inspection.wal_bytes = wal.ok().flatten().map(size);
        inspection.connections = Some((count(used), count(most)));
        inspection.standby = standby;
        inspection.may_create = may_create;
        Ok(())
    }
}

impl Inspection {
    fn compare(&mut self, applied: &[Applied], migrator: &Migrator) {
        for migration in migrator.iter() {
            let stored = applied
                .iter()
                .find(|applied| applied.version == migration.version);
            match stored {
                None => self.pending += 1,
                Some(stored)
                    if stored.checksum.as_slice() != migration.checksum.as_ref()
                        && migration.version != REPAIRED =>
                {
                    self.changed.push(migration.version);
                }
                Some(_) => {}
            }
        }
        let is_known = |version| {
            migrator
                .iter()
                .any(|migration| migration.version == version)
        };
        let newer = applied.iter().filter(|applied| !is_known(applied.version));
        self.newer = newer.count();
    }

    fn measure_files(&mut self, files: &[PathBuf]) {
        let size = |file: &Path| file.metadata().map_or(0, |metadata| metadata.len());
        let log = |file: &PathBuf| {
            let mut name = file.clone().into_os_string();
            name.push("-wal");
            PathBuf::from(name)
        };
        self.bytes = files.iter().map(|file| size(file)).sum();
        self.wal_bytes = Some(files.iter().map(|file| size(&log(file))).sum());
    }
}

async fn open_files(
    path: &Path,
    max_connections: u32,
    bounds: DatabaseSettings,
) -> Result<Store, StoreError> {
    let open = async |path: &Path| -> Result<SqlitePool, sqlx::Error> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .busy_timeout(millis(bounds.lock_ms))
            .pragma("query_only", "on");
        SqlitePoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(millis(bounds.acquire_ms))
            .connect_with(options)
            .await
    };
    let bounded =
        |pool| Either::Sqlite(Pool::new(pool, Arc::default(), statement_timeouts(bounds)));
    let main = bounded(open(path).await?);
    // Stores of the first versions have no file of credits.
    let of_credits = billing_path(path);
    let billing = if of_credits.exists() {
        bounded(open(&of_credits).await?)
    } else {
        main.clone()
    };
    Ok(Store {
        reads: main.clone(),
        writes: main,
        billing: billing.clone(),
        billing_reads: billing,
        signals: Arc::default(),
    })
}

async fn open_server(
    options: PgConnectOptions,
    max_connections: u32,
    bounds: DatabaseSettings,
) -> Result<Store, StoreError> {
    let options = options.options([("default_transaction_read_only", "on")]);
    // The pool would report a timeout instead of the reason.
    let first = tokio::time::timeout(millis(bounds.acquire_ms), options.connect());
    let first = first.await.map_err(|_elapsed| no_answer())??;
    drop(tokio::time::timeout(millis(bounds.check_ms), first.close()).await);
    let pool = PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(millis(bounds.acquire_ms))
        .after_connect(move |connection, _| Box::pin(bound_session(connection, bounds)))
        .connect_with(options)
        .await?;
    let losses = Arc::new(Losses::default());
    let pool = Either::Postgres(Pool::new(pool, losses, statement_timeouts(bounds)));
    Ok(Store {
        reads: pool.clone(),
        writes: pool.clone(),
        billing: pool.clone(),
        billing_reads: pool,
        signals: Arc::default(),
    })
}
