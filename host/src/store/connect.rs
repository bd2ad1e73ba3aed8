//! Opening a database and bringing it to this version's tables.
//!
//! Newer migrations than this version knows are left alone: old and new hosts run side by side during an update.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx_postgres::{PgConnectOptions, PgPoolOptions};
use sqlx_sqlite::SqlitePool;
use sqlx_sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::db::Either;
use super::{Store, StoreError, log};

/// How long a statement waits for a connection (on `SQLite`: for its turn to write).
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(3);
/// Connections that read the credits of a file.
const BILLING_READERS: u32 = 4;
/// How long `SQLite` waits for another process that writes.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How often and at what intervals a file is opened while another process is making it.
const OPEN_ATTEMPTS: u32 = 20;
const OPEN_PAUSE: Duration = Duration::from_millis(25);

impl Store {
    /// Opens the database at `sqlite:<path>` (created with its folder if need be) or `postgres://…` and brings it up
    /// to date. `max_connections` bounds the connections of this host, on `SQLite` those that read.
    pub async fn connect(url: &str, max_connections: u32) -> Result<Self, StoreError> {
        if let Some(rest) = url.strip_prefix("sqlite:") {
            return connect_sqlite(rest.strip_prefix("//").unwrap_or(rest), max_connections).await;
        }
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return connect_postgres(url, max_connections).await;
        }
        Err(StoreError::InvalidUrl(
            "it begins with neither `sqlite:` nor `postgres://`".to_owned(),
        ))
    }
}

async fn connect_sqlite(path: &str, max_connections: u32) -> Result<Store, StoreError> {
    if path.is_empty() || path.contains('?') || path.starts_with(":memory:") {
        return Err(StoreError::InvalidUrl(
            "after `sqlite:` comes the path of a file and nothing else".to_owned(),
        ));
    }
    if let Some(folder) = Path::new(path).parent() {
        tokio::fs::create_dir_all(folder)
            .await
            .map_err(sqlx::Error::Io)?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        // Kibibytes where negative: an import touches far more pages than the 2 MB that are usual.
        .pragma("cache_size", "-32768");
    let pool = || {
        // A connection is a thread and an open file: it neither ages nor breaks.
        SqlitePoolOptions::new()
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    // The writer does not move its log into the file: at millions of rows that takes seconds, in which nobody writes.
    let writing = options.clone().pragma("wal_autocheckpoint", "0");
    let writes = open_to_write(&pool().max_connections(1), &writing).await?;
    // `SQLite` has no lock for migrations but its own: whoever starts at the same time waits here, then finds it done.
    let mut tx = writes.begin_with("begin immediate").await?;
    sqlx::migrate!("../migrations/sqlite")
        .set_ignore_missing(true)
        .run(&mut *tx)
        .await?;
    tx.commit().await?;
    tokio::spawn(log::empty_until(options.clone(), writes.close_event()));
    // Each of them has a cache of its own, and there are many; what is not in it is in the system's.
    let reading = options
        .clone()
        .pragma("query_only", "on")
        .pragma("cache_size", "-8192");
    let reads = pool()
        .max_connections(max_connections.max(1))
        .connect_with(reading)
        .await?;
    let (billing, billing_reads) = connect_billing(&options, path, pool).await?;
    Ok(Store {
        reads: Either::Sqlite(reads),
        writes: Either::Sqlite(writes),
        billing: Either::Sqlite(billing),
        billing_reads: Either::Sqlite(billing_reads),
        signals: std::sync::Arc::default(),
    })
}

/// Opens the file of the credits. What is charged is on the disk before it is answered: a commit waits for that.
async fn connect_billing(
    options: &SqliteConnectOptions,
    path: &str,
    pool: impl Fn() -> SqlitePoolOptions,
) -> Result<(SqlitePool, SqlitePool), StoreError> {
    let options = options
        .clone()
        .filename(billing_path(Path::new(path)))
        .pragma("cache_size", "-8192");
    let writing = options
        .clone()
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", "0");
    let writes = open_to_write(&pool().max_connections(1), &writing).await?;
    let mut tx = writes.begin_with("begin immediate").await?;
    sqlx::migrate!("../migrations/sqlite-billing")
        .set_ignore_missing(true)
        .run(&mut *tx)
        .await?;
    tx.commit().await?;
    tokio::spawn(log::empty_until(options.clone(), writes.close_event()));
    let reads = pool()
        .max_connections(BILLING_READERS)
        .connect_with(options.pragma("query_only", "on"))
        .await?;
    Ok((writes, reads))
}

/// The file of the credits, beside that of the store: `lustra-billing.db` for `lustra.db`.
fn billing_path(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-billing");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Opens the file, which makes it a write-ahead-logged one the first time. `SQLite` does not wait where two do that at
/// once, it refuses one of them; the next attempt finds it done.
async fn open_to_write(
    pool: &SqlitePoolOptions,
    options: &SqliteConnectOptions,
) -> Result<SqlitePool, StoreError> {
    let mut attempts = 1;
    loop {
        match pool
            .clone()
            .connect_with(options.clone())
            .await
            .map_err(StoreError::from)
        {
            Err(StoreError::Unavailable(sqlx::Error::Database(_))) if attempts < OPEN_ATTEMPTS => {
                attempts += 1;
            }
            outcome => return outcome,
        }
        tokio::time::sleep(OPEN_PAUSE).await;
    }
}

async fn connect_postgres(url: &str, max_connections: u32) -> Result<Store, StoreError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| StoreError::InvalidUrl(error.to_string()))?;
    let pool = PgPoolOptions::new()
        .max_connections(max_connections.max(1))
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_with(options)
        .await?;
    sqlx::migrate!("../migrations/postgres")
        .set_ignore_missing(true)
        .run(&pool)
        .await?;
    Ok(Store {
        reads: Either::Postgres(pool.clone()),
        writes: Either::Postgres(pool.clone()),
        billing: Either::Postgres(pool.clone()),
        billing_reads: Either::Postgres(pool),
        signals: std::sync::Arc::default(),
    })
}
