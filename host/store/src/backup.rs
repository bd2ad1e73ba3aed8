//! Copies of the two `SQLite` files at one moment, and checks of copies.
//!
//! Hosts write to both files, each in its own transactions. Copies of different moments would contradict each other: a
//! charge without its account, or an event whose e-mail is unknown. So both snapshots begin while this process holds
//! the write locks of both files, which takes milliseconds; the copying itself blocks no host. All functions block the
//! thread. They change nothing in the files.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::connect::billing_path;

/// Longest wait for the write locks. Imports release theirs after each slice.
const LOCKS_WITHIN: Duration = Duration::from_secs(120);

/// Wait for the main file's lock in one attempt.
const MAIN_LOCK: Duration = Duration::from_secs(5);

/// Wait for the lock of the credits while the main file is locked. Short, because hosts wait meanwhile, and because a
/// host that waits for the main file may hold this one.
const BILLING_LOCK: Duration = Duration::from_millis(100);

/// Pause between attempts to lock both files.
const PAUSE: Duration = Duration::from_millis(50);

/// Pages of one copying step, 4 MiB.
const PAGES_OF_A_STEP: i32 = 1_024;

/// Mistakes that an integrity check lists.
const MAX_MISTAKES: u32 = 10;

/// Errors of copying and checking.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{path}: {error}")]
    Sqlite {
        path: PathBuf,
        #[source]
        error: rusqlite::Error,
    },
    /// Other processes held the write locks the whole time.
    #[error("the files were written to without a pause for {} s; try again later", LOCKS_WITHIN.as_secs())]
    Busy,
    /// The file has no migrations.
    #[error("{0} is not a database of Lustra")]
    Foreign(PathBuf),
}

/// The files of a store on `SQLite`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteFiles {
    pub main: PathBuf,
    /// The file of credits.
    pub billing: PathBuf,
}

/// What a file says about its schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSchema {
    /// Applied migrations, ascending.
    pub migrations: Vec<i64>,
    /// The identity of the store. `None` for the file of credits, and for stores from before it was recorded.
    pub store_id: Option<String>,
}

impl FileSchema {
    /// The newest migration.
    #[must_use]
    pub fn newest(&self) -> i64 {
        self.migrations.last().copied().unwrap_or_default()
    }
}

impl SqliteFiles {
    /// The files of the store at a database address. `None`: it is on `PostgreSQL`, or the address is invalid.
    #[must_use]
    pub fn of(url: &str) -> Option<Self> {
        let path = url.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        (!path.is_empty()).then(|| Self::at(Path::new(path)))
    }

    /// The files of a store whose main file has this path.
    #[must_use]
    pub fn at(main: &Path) -> Self {
        Self {
            main: main.to_owned(),
            billing: billing_path(main),
        }
    }

    /// The address of a store in these files.
    #[must_use]
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.main.display())
    }

    /// Copies both files as they are at one moment. `progress` receives the pages copied and to be copied of both
    /// files.
    ///
    /// # Errors
    /// A file cannot be read or written, or the write locks were not free in time.
    pub fn copy(&self, to: &Self, mut progress: impl FnMut(u64, u64)) -> Result<(), BackupError> {
        let pages = [
            (Snapshot::of(&self.main)?, &to.main),
            (Snapshot::of(&self.billing)?, &to.billing),
        ];
        self.begin_together(&pages[0].0, &pages[1].0)?;
        let mut total = 0;
        for (snapshot, _) in &pages {
            total += snapshot.pages()?;
        }
        let mut copied = 0;
        for (snapshot, to) in &pages {
            snapshot.copy(to, |pages| progress(copied + pages, total))?;
            copied += snapshot.pages()?;
        }
        Ok(())
    }

    /// Begins both snapshots while both files are locked for writing.
    fn begin_together(&self, main: &Snapshot, billing: &Snapshot) -> Result<(), BackupError> {
        let (main_lock, billing_lock) = (
            Snapshot::of(&self.main)?.with_wait(MAIN_LOCK)?,
            Snapshot::of(&self.billing)?.with_wait(BILLING_LOCK)?,
        );
        let deadline = Instant::now() + LOCKS_WITHIN;
        loop {
            if main_lock.lock()? {
                if billing_lock.lock()? {
                    break;
                }
                main_lock.run("rollback")?;
            }
            if Instant::now() >= deadline {
                return Err(BackupError::Busy);
            }
            std::thread::sleep(PAUSE);
        }
        for snapshot in [main, billing] {
            // A transaction begins to read with its first statement.
            snapshot.run("begin; select count(*) from sqlite_master")?;
        }
        for lock in [billing_lock, main_lock] {
            lock.run("rollback")?;
        }
        Ok(())
    }
}

/// A connection to one of the files.
struct Snapshot {
    path: PathBuf,
    connection: Connection,
}

impl Snapshot {
    fn of(path: &Path) -> Result<Self, BackupError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection =
            Connection::open_with_flags(path, flags).map_err(|error| failed(path, error))?;
        Ok(Self {
            path: path.to_owned(),
            connection,
        })
    }

    fn with_wait(self, wait: Duration) -> Result<Self, BackupError> {
        let waiting = self.connection.busy_timeout(wait);
        waiting.map_err(|error| failed(&self.path, error))?;
        Ok(self)
    }

    fn run(&self, sql: &str) -> Result<(), BackupError> {
        let ran = self.connection.execute_batch(sql);
        ran.map_err(|error| failed(&self.path, error))
    }

    /// Takes the file's write lock. `false`: another process holds it.
    fn lock(&self) -> Result<bool, BackupError> {
        match self.connection.execute_batch("begin immediate") {
            Ok(()) => Ok(true),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
            Err(error) => Err(failed(&self.path, error)),
        }
    }

    fn pages(&self) -> Result<u64, BackupError> {
        let pages: i64 = self
            .connection
            .query_row("pragma page_count", [], |row| row.get(0))
            .map_err(|error| failed(&self.path, error))?;
        Ok(u64::try_from(pages).unwrap_or_default())
    }

    /// Copies the pages that the transaction of this connection sees.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other cases are treated alike"
    )]
    fn copy(&self, to: &Path, mut progress: impl FnMut(u64)) -> Result<(), BackupError> {
        let failed_to = |error| failed(to, error);
        let mut copy = Connection::open(to).map_err(failed_to)?;
        // The copy is verified before it counts, so a crash meanwhile does no harm.
        copy.execute_batch("pragma synchronous = off")
            .map_err(failed_to)?;
        let backup = Backup::new(&self.connection, &mut copy).map_err(failed_to)?;
        loop {
            let step = backup.step(PAGES_OF_A_STEP).map_err(failed_to)?;
            let state = backup.progress();
            let done = state.pagecount.saturating_sub(state.remaining);
            progress(u64::try_from(done).unwrap_or_default());
            match step {
                StepResult::Done => return Ok(()),
                // The snapshot is not affected by writers; only another process that opened the copy could be busy.
                StepResult::Busy | StepResult::Locked => std::thread::sleep(PAUSE),
                _more => {}
            }
        }
    }
}

fn failed(path: &Path, error: rusqlite::Error) -> BackupError {
    BackupError::Sqlite {
        path: path.to_owned(),
        error,
    }
}

/// The schema of a file.
///
/// # Errors
/// The file cannot be read, or is not a database of Lustra.
pub fn schema_of(path: &Path) -> Result<FileSchema, BackupError> {
    const APPLIED: &str = "select version from _sqlx_migrations order by version";
    let snapshot = Snapshot::of(path)?;
    let of = |error| failed(path, error);
    let has_table = |name: &str| -> Result<bool, BackupError> {
        let count: i64 = snapshot
            .connection
            .query_row(
                "select count(*) from sqlite_master where name = ?1",
                [name],
                |row| row.get(0),
            )
            .map_err(of)?;
        Ok(count > 0)
    };
    if !has_table("_sqlx_migrations")? {
        return Err(BackupError::Foreign(path.to_owned()));
    }
    let mut statement = snapshot.connection.prepare(APPLIED).map_err(of)?;
    let migrations = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(of)?;
    let store_id = if has_table("store_identity")? {
        let id = snapshot
            .connection
            .query_row("select id from store_identity", [], |row| row.get(0));
        Some(id.map_err(of)?)
    } else {
        None
    };
    Ok(FileSchema {
        migrations,
        store_id,
    })
}

/// Reads every page of a file. Returns the mistakes, at most ten; none if the file is sound.
///
/// # Errors
/// The file cannot be read at all.
pub fn check_integrity(path: &Path) -> Result<Vec<String>, BackupError> {
    let snapshot = Snapshot::of(path)?;
    let of = |error| failed(path, error);
    let sql = format!("pragma integrity_check({MAX_MISTAKES})");
    let mut statement = snapshot.connection.prepare(&sql).map_err(of)?;
    let lines: Vec<String> = statement
        .query_map([], |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(of)?;
    Ok(lines.into_iter().filter(|line| line != "ok").collect())
}

/// Moves what is in the write-ahead log into the file, so that the file alone is the database. No other process may
/// have it open.
///
/// # Errors
/// The file cannot be written, or is in use.
pub fn move_wal(path: &Path) -> Result<(), BackupError> {
    let snapshot = Snapshot::of(path)?.with_wait(MAIN_LOCK)?;
    let busy: i64 = snapshot
        .connection
        .query_row("pragma wal_checkpoint(truncate)", [], |row| row.get(0))
        .map_err(|error| failed(path, error))?;
    if busy == 0 {
        return Ok(());
    }
    Err(BackupError::Busy)
}
