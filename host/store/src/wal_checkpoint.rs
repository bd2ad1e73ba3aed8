//! Checkpoints the write-ahead log (WAL) of `SQLite` on a separate connection.
//!
//! By default the writer checkpoints every thousand pages. At the size of the real register the pages of the file lie
//! so far apart that this takes seconds and blocks all writes. A separate connection checkpoints without blocking. The
//! WAL can restart only after a complete checkpoint; only if it has grown large is the writer blocked while the last
//! pages are moved.

use std::time::Duration;

use sqlx::pool::CloseEvent;
use sqlx::{ConnectOptions, Connection};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

/// Pause between checkpoints. Synchronous commits wait for the same disk; a pause of 100 ms made these waits longer,
/// not shorter.
const CHECKPOINT_PAUSE: Duration = Duration::from_millis(500);

/// WAL size in 4 KiB pages from which the writer is blocked for a complete checkpoint: 256 MiB.
const LARGE_WAL_PAGES: i64 = 65_536;

/// Size in bytes to which the file of the WAL shrinks when it restarts. Otherwise it keeps the size that the largest
/// import gave it.
const KEPT_WAL: &str = "67108864";

/// Busy timeout for a WAL restart. Writers are blocked meanwhile, so a failed attempt is retried later.
const RESTART_BUSY_TIMEOUT: Duration = Duration::from_millis(100);

/// Result of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct WalCheckpoint {
    /// 1 if another connection prevented completion.
    busy: i64,
    /// Pages in the WAL.
    #[sqlx(rename = "log")]
    pub(super) pages: i64,
    /// Pages of the WAL that are already in the file.
    #[sqlx(rename = "checkpointed")]
    pub(super) moved: i64,
}

/// Options of a connection that writes. It never checkpoints its WAL: with millions of rows a checkpoint takes seconds
/// and blocks all writes.
pub(super) fn of_writer(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .pragma("wal_autocheckpoint", "0")
        .pragma("journal_size_limit", KEPT_WAL)
}

/// Checkpoints a database periodically until the store is closed, and then closes its connection.
///
/// Not a supervised worker: commands open a store without a host, and the loop ends with the pool. Should it fail, the
/// WAL grows until the next start.
pub(super) async fn checkpoint_until_closed(options: SqliteConnectOptions, mut closed: CloseEvent) {
    let options = options.busy_timeout(RESTART_BUSY_TIMEOUT);
    let mut connection: Option<SqliteConnection> = None;
    let checkpoints = async {
        loop {
            tokio::time::sleep(CHECKPOINT_PAUSE).await;
            let outcome = match &mut connection {
                Some(connection) => checkpoint(connection, LARGE_WAL_PAGES).await,
                None => match options.connect().await {
                    Ok(opened) => checkpoint(connection.insert(opened), LARGE_WAL_PAGES).await,
                    Err(error) => Err(error),
                },
            };
            if let Err(error) = outcome {
                // The only consequence is a growing WAL; the next round retries.
                tracing::debug!(%error, "WAL checkpoint failed; retrying");
                if let Some(connection) = connection.take() {
                    drop(connection.close().await);
                }
            }
        }
    };
    let _closed: Result<std::convert::Infallible, sqlx::Error> = closed.do_until(checkpoints).await;
    if let Some(connection) = connection {
        drop(connection.close().await);
    }
}

/// Runs a passive checkpoint. If the WAL has more than `large` pages, also runs a complete one that restarts it.
pub(super) async fn checkpoint(
    connection: &mut SqliteConnection,
    large: i64,
) -> Result<WalCheckpoint, sqlx::Error> {
    let passive: WalCheckpoint = sqlx::query_as("pragma wal_checkpoint(passive)")
        .fetch_one(&mut *connection)
        .await?;
    if passive.pages <= large {
        return Ok(passive);
    }
    // A second passive pass moves what was written during the first, so that the blocking pass is short.
    sqlx::query("pragma wal_checkpoint(passive)")
        .execute(&mut *connection)
        .await?;
    sqlx::query_as("pragma wal_checkpoint(restart)")
        .fetch_one(&mut *connection)
        .await
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use sqlx_sqlite::SqliteJournalMode;

    use super::*;

    #[tokio::test]
    async fn large_wal_is_checkpointed_and_shrinks() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("x.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(Duration::from_millis(50));
        let writing = of_writer(options.clone()).pragma("journal_size_limit", "50000");
        let mut writer = writing.connect().await.unwrap();
        let mut mover = options.connect().await.unwrap();
        let write = async |writer: &mut SqliteConnection, sql: &'static str| {
            sqlx::query(sql).execute(writer).await.unwrap();
        };
        write(&mut writer, "create table t (x blob)").await;
        for _ in 0..50 {
            write(&mut writer, "insert into t values (zeroblob(8000))").await;
        }
        write(&mut writer, "begin immediate").await;
        write(&mut writer, "insert into t values (1)").await;
        let moved = checkpoint(&mut mover, LARGE_WAL_PAGES).await.unwrap();
        assert!(moved.pages > 100 && moved.moved == moved.pages, "{moved:?}");
        let size = || std::fs::metadata(folder.path().join("x.db-wal")).unwrap();
        assert!(size().len() > 400_000);
        write(&mut writer, "commit").await;
        let large = checkpoint(&mut mover, 10).await.unwrap();
        assert_eq!(large.busy, 0);
        write(&mut writer, "insert into t values (2)").await;
        let restarted = checkpoint(&mut mover, LARGE_WAL_PAGES).await.unwrap();
        assert!(restarted.pages < 10, "{restarted:?}");
        assert!(size().len() <= 50_000);
    }
}
