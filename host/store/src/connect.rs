//! Opens a database and applies the migrations of this version.
//!
//! Migrations newer than this version are ignored if they declare that this version may go on: old and new hosts run
//! side by side during an upgrade. Every connection has the timeouts of the settings; on `PostgreSQL` both the client
//! and the server enforce them.

mod private;
mod server_address;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::{ConnectOptions, Connection};
use sqlx_postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx_sqlite::SqlitePool;
use sqlx_sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use super::bounded::{Losses, Pool, StatementTimeouts};
use super::db::{Db, Either};
use super::schema::{self, Declared, Program};
use super::{Cause, DatabaseKind, Store, StoreError, migrations, wal_checkpoint, write_back};
use crate::settings::DatabaseSettings;

/// Reading connections of the `SQLite` file of credits.
const BILLING_READERS: u32 = 4;
/// Added to the client-side statement timeout, so that the server's own timeout fires first and reports its cause.
const SERVER_HEAD_START: Duration = Duration::from_secs(2);
/// Timeout for all migrations together. Hosts that start at the same time wait for the first of them.
const MIGRATION_TIMEOUT: Duration = Duration::from_secs(1_800);
/// Pause between connection attempts to a server that may be starting.
const CONNECT_PAUSE: Duration = Duration::from_millis(200);
/// Attempts to open a file that another process is creating.
const OPEN_ATTEMPTS: u32 = 20;
const OPEN_PAUSE: Duration = Duration::from_millis(25);

impl Store {
    /// Opens the database at `sqlite:<path>` or `postgres://…` and applies migrations. Creates a missing file and its
    /// folder, readable for this user only. `max_connections` limits the connections of this host, on `SQLite` only the
    /// reading ones. Timeouts have their defaults.
    pub async fn connect(url: &str, max_connections: u32) -> Result<Self, StoreError> {
        Self::connect_with(url, max_connections, DatabaseSettings::default()).await
    }

    /// Like [`Self::connect`], with timeouts from the settings.
    pub async fn connect_with(
        url: &str,
        max_connections: u32,
        bounds: DatabaseSettings,
    ) -> Result<Self, StoreError> {
        let max_connections = max_connections.max(1);
        match Location::parse(url)? {
            Location::File(path) => {
                let opened = Box::pin(connect_sqlite(path, max_connections, bounds)).await;
                opened.map_err(|error| error.opening(path.to_owned()))
            }
            Location::Server(options) => {
                let address = address(&options);
                let opened = Box::pin(connect_postgres(*options, max_connections, bounds)).await;
                opened.map_err(|error| error.opening(address))
            }
        }
    }

    /// Checks the form of a database address. Opens nothing.
    ///
    /// # Errors
    /// [`StoreError::InvalidUrl`], whose text does not repeat the address.
    pub fn check_url(url: &str) -> Result<(), StoreError> {
        Location::parse(url).map(drop)
    }
}

/// A database address.
pub(super) enum Location<'u> {
    /// The path of an `SQLite` file.
    File(&'u str),
    Server(Box<PgConnectOptions>),
}

impl<'u> Location<'u> {
    pub(super) fn parse(url: &'u str) -> Result<Self, StoreError> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            if path.is_empty() || path.contains('?') || path.starts_with(":memory:") {
                return Err(StoreError::InvalidUrl(
                    "after `sqlite:` only the path of a file is allowed".to_owned(),
                ));
            }
            return Ok(Self::File(path));
        }
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return Ok(Self::Server(Box::new(server_address::parse(url)?)));
        }
        Err(StoreError::InvalidUrl(
            "it begins with neither `sqlite:` nor `postgres://`".to_owned(),
        ))
    }
}

async fn connect_sqlite(
    path: &str,
    max_connections: u32,
    bounds: DatabaseSettings,
) -> Result<Store, StoreError> {
    write_back::start_early();
    if let Some(folder) = Path::new(path).parent() {
        private::create_folder(folder).map_err(sqlx::Error::Io)?;
    }
    private::create_file(Path::new(path));
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(millis(bounds.lock_ms))
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        // A negative value means KiB. The default of 2 MB is too small: an import touches far more pages.
        .pragma("cache_size", "-32768");
    let mapped = (u64::from(bounds.map_mib) << 20).to_string();
    let pool = || {
        // A connection is a thread and an open file. It needs neither a maximum age nor a liveness test.
        SqlitePoolOptions::new()
            .acquire_timeout(millis(bounds.acquire_ms))
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let writing = wal_checkpoint::of_writer(options.clone());
    let writes = open_to_write(&pool().max_connections(1), &writing).await?;
    // `SQLite` has no migration lock. The write lock serialises hosts that start at the same time; the later ones find
    // the migrations applied.
    let program = Program::this(DatabaseKind::Sqlite);
    let mut tx = writes.begin_with("begin immediate").await?;
    let (applied, declared) = schema::read_sqlite(&mut tx).await?;
    program.judge(&applied, &declared)?;
    migrations::repair_sqlite(&mut tx).await?;
    migrations::of_sqlite().run(&mut *tx).await?;
    schema::note_sqlite(&mut tx, &program).await?;
    let (_, declared) = schema::read_sqlite(&mut tx).await?;
    tx.commit().await?;
    // Each reading connection has its own page cache, so the caches are small. Other pages come from the cache of the
    // operating system.
    let reading = options
        .clone()
        .pragma("query_only", "on")
        .pragma("mmap_size", mapped)
        .pragma("cache_size", "-8192");
    let reads = pool()
        .max_connections(max_connections)
        .connect_with(reading)
        .await?;
    let timeouts = statement_timeouts(bounds);
    let schemas = (&program, declared.as_slice());
    let (billing, billing_reads) = connect_billing(&options, path, schemas, pool, timeouts).await?;
    let reads = Pool::new(reads, Arc::default(), timeouts);
    reads.spawn(|closed| wal_checkpoint::checkpoint_until_closed(options, closed));
    let writes = Pool::new(writes, Arc::default(), timeouts);
    Ok(Store {
        reads: Either::Sqlite(reads),
        writes: Either::Sqlite(writes),
        billing,
        billing_reads,
        signals: Arc::default(),
    })
}

/// Opens the file of credits. Commits are synchronous: a charge is on disk before the client gets its answer.
async fn connect_billing(
    options: &SqliteConnectOptions,
    path: &str,
    (program, declared): (&Program, &[Declared]),
    pool: impl Fn() -> SqlitePoolOptions,
    timeouts: StatementTimeouts,
) -> Result<(Db, Db), StoreError> {
    let path = billing_path(Path::new(path));
    private::create_file(&path);
    let options = options.clone().filename(path).pragma("cache_size", "-8192");
    let writing = wal_checkpoint::of_writer(options.clone()).synchronous(SqliteSynchronous::Full);
    let writes = open_to_write(&pool().max_connections(1), &writing).await?;
    let mut tx = writes.begin_with("begin immediate").await?;
    schema::check_billing(&mut tx, program, declared).await?;
    migrations::of_sqlite_billing().run(&mut *tx).await?;
    tx.commit().await?;
    let reading = options.clone().pragma("query_only", "on");
    let reads = pool()
        .max_connections(BILLING_READERS)
        .connect_with(reading)
        .await?;
    let reads = Pool::new(reads, Arc::default(), timeouts);
    reads.spawn(|closed| wal_checkpoint::checkpoint_until_closed(options, closed));
    let writes = Pool::new(writes, Arc::default(), timeouts);
    Ok((Either::Sqlite(writes), Either::Sqlite(reads)))
}

/// Path of the file of credits, next to the main file: `lustra-billing.db` for `lustra.db`.
pub(super) fn billing_path(path: &Path) -> PathBuf {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push("-billing");
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Opens the file and switches it to WAL mode the first time. If two processes switch at once, `SQLite` refuses one of
/// them without waiting; its next attempt finds WAL mode on.
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

async fn connect_postgres(
    options: PgConnectOptions,
    max_connections: u32,
    bounds: DatabaseSettings,
) -> Result<Store, StoreError> {
    migrate_postgres(&options, bounds).await?;
    let losses = Arc::new(Losses::default());
    let timeouts = statement_timeouts(bounds);
    let (seen, check) = (Arc::clone(&losses), timeouts.check);
    let pool = PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(millis(bounds.acquire_ms))
        .max_lifetime(millis(bounds.lifetime_ms))
        .idle_timeout(millis(bounds.idle_ms))
        // The test of `sqlx` has no timeout; `before_acquire` has one.
        .test_before_acquire(false)
        .before_acquire(move |connection, meta| {
            let seen = Arc::clone(&seen);
            Box::pin(async move { Ok(seen.is_usable(connection, meta.idle_for, check).await) })
        })
        .after_connect(move |connection, _| Box::pin(bound_session(connection, bounds)))
        .connect_with(options)
        .await?;
    let pool = Either::Postgres(Pool::new(pool, losses, timeouts));
    Ok(Store {
        reads: pool.clone(),
        writes: pool.clone(),
        billing: pool.clone(),
        billing_reads: pool,
        signals: Arc::default(),
    })
}

/// The database address without its password.
pub(super) fn address(options: &PgConnectOptions) -> String {
    let place = match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let role = options.get_username();
    let database = options.get_database().unwrap_or(role);
    format!("postgres://{role}@{place}/{database}")
}

/// Applies migrations on a separate connection with a longer statement timeout.
async fn migrate_postgres(
    options: &PgConnectOptions,
    bounds: DatabaseSettings,
) -> Result<(), StoreError> {
    let mut connection = connect_once(options, millis(bounds.acquire_ms)).await?;
    let longest = u32::try_from(MIGRATION_TIMEOUT.as_millis()).unwrap_or(u32::MAX);
    let slow = DatabaseSettings {
        statement_ms: longest,
        lock_ms: longest,
        ..bounds
    };
    let migrating = async {
        bound_session(&mut connection, slow).await?;
        let program = Program::this(DatabaseKind::Postgres);
        let (applied, declared) = schema::read_postgres(&mut connection).await?;
        program.judge(&applied, &declared)?;
        migrations::repair_postgres(&mut connection).await?;
        migrations::of_postgres().run(&mut connection).await?;
        schema::note_postgres(&mut connection, &program).await?;
        // A newer host may have migrated between the check and the lock of the migrations.
        let (applied, declared) = schema::read_postgres(&mut connection).await?;
        program.judge(&applied, &declared)?;
        Ok::<(), StoreError>(())
    };
    tokio::time::timeout(MIGRATION_TIMEOUT, migrating)
        .await
        .map_err(|_elapsed| no_answer())??;
    drop(tokio::time::timeout(millis(bounds.check_ms), connection.close()).await);
    Ok(())
}

/// Connects to a server that may be starting: retries until the timeout and returns the last error.
async fn connect_once(
    options: &PgConnectOptions,
    within: Duration,
) -> Result<PgConnection, sqlx::Error> {
    let deadline = tokio::time::Instant::now() + within;
    loop {
        let error = match tokio::time::timeout_at(deadline, options.connect()).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => error,
            Err(_elapsed) => return Err(no_answer()),
        };
        if !may_be_starting(&error) || tokio::time::Instant::now() + CONNECT_PAUSE >= deadline {
            return Err(error);
        }
        tokio::time::sleep(CONNECT_PAUSE).await;
    }
}

fn may_be_starting(error: &sqlx::Error) -> bool {
    matches!(Cause::of(error), Cause::Refused | Cause::Restarting(_))
}

pub(super) fn no_answer() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::new(
        std::io::ErrorKind::TimedOut,
        "no answer in time",
    ))
}

/// Sets the timeouts on the server side of the connection. Settings that the server version does not know are skipped.
pub(super) async fn bound_session(
    connection: &mut PgConnection,
    bounds: DatabaseSettings,
) -> Result<(), sqlx::Error> {
    const SET: &str = "select set_config(wanted.key, wanted.value, false) \
        from json_each_text($1::json) wanted join pg_settings on pg_settings.name = wanted.key";
    // In seconds, rounded up. The idle time and three probes add up to the timeout.
    let probe = bounds.silent_host_ms.div_ceil(4_000);
    let wanted = serde_json::json!({
        "statement_timeout": bounds.statement_ms.to_string(),
        "lock_timeout": bounds.lock_ms.to_string(),
        "idle_in_transaction_session_timeout": bounds.idle_transaction_ms.to_string(),
        "client_connection_check_interval": bounds.check_ms.to_string(),
        "tcp_user_timeout": bounds.silent_host_ms.to_string(),
        "tcp_keepalives_idle": probe.to_string(),
        "tcp_keepalives_interval": probe.to_string(),
        "tcp_keepalives_count": "3",
    });
    sqlx::query(SET)
        .bind(wanted.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

/// Client-side timeouts of statements.
pub(super) fn statement_timeouts(bounds: DatabaseSettings) -> StatementTimeouts {
    StatementTimeouts {
        statement: millis(bounds.statement_ms) + SERVER_HEAD_START,
        long_statement: millis(bounds.import_statement_ms) + SERVER_HEAD_START,
        check: millis(bounds.check_ms),
    }
}

pub(super) fn millis(millis: u32) -> Duration {
    Duration::from_millis(millis.into())
}
