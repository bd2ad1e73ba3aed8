//! `SQLite`'s write-ahead log, moved into the file beside the writer.
//!
//! Whoever writes would do that by itself every thousand pages, and at the size of the real register the file's pages lie
//! so far apart that it takes seconds, in which every other writer waits. A connection of its own does it without
//! stopping anybody. Only where the log has grown large meanwhile, since it can begin anew only when all of it was moved,
//! the writer waits for the little that is left.

use std::time::Duration;

use sqlx::pool::CloseEvent;
use sqlx::{ConnectOptions, Connection};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

/// How often the log is looked at. Whoever commits synchronously meanwhile waits for the same disk; at a fifth of this
/// such waits became longer, not shorter.
const PAUSE: Duration = Duration::from_millis(500);

/// Pages in the log, of 4 KiB, from which on the writer is stopped for the last of them: 256 MiB.
const LARGE: i64 = 65_536;

/// How long a reader is waited for before the log begins anew. Nobody writes meanwhile, so it is tried again instead.
const PATIENCE: Duration = Duration::from_millis(100);

/// What became of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub(super) struct Emptied {
    /// 1 where somebody was in the way.
    busy: i64,
    /// Pages in the log.
    #[sqlx(rename = "log")]
    pub(super) pages: i64,
    /// Those of them that are in the file now.
    #[sqlx(rename = "checkpointed")]
    pub(super) moved: i64,
}

/// Moves the log of a database into its file until the store is closed.
pub(super) async fn empty_until(options: SqliteConnectOptions, mut closed: CloseEvent) {
    let options = options.busy_timeout(PATIENCE);
    let emptying = async {
        let mut connection: Option<SqliteConnection> = None;
        loop {
            tokio::time::sleep(PAUSE).await;
            let outcome = match &mut connection {
                Some(connection) => empty(connection, LARGE).await,
                None => match options.connect().await {
                    Ok(opened) => empty(connection.insert(opened), LARGE).await,
                    Err(error) => Err(error),
                },
            };
            if let Err(error) = outcome {
                // The log grows meanwhile, and nothing else happens.
                tracing::debug!(%error, "the database's log could not be moved into its file");
                if let Some(connection) = connection.take() {
                    drop(connection.close().await);
                }
            }
        }
    };
    let _closed: Result<std::convert::Infallible, sqlx::Error> = closed.do_until(emptying).await;
}

/// Moves what nobody needs in the log any more; where there is more than `large`, all of it.
pub(super) async fn empty(
    connection: &mut SqliteConnection,
    large: i64,
) -> Result<Emptied, sqlx::Error> {
    let passive: Emptied = sqlx::query_as("pragma wal_checkpoint(passive)")
        .fetch_one(&mut *connection)
        .await?;
    if passive.pages <= large {
        return Ok(passive);
    }
    // A second time for what was written during the first, so that little is left for which the writer waits.
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
    async fn the_log_is_moved_while_somebody_writes_and_begins_anew_when_it_is_large() {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new()
            .filename(folder.path().join("x.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .busy_timeout(Duration::from_millis(50));
        let writing = options.clone().pragma("wal_autocheckpoint", "0");
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
        let moved = empty(&mut mover, LARGE).await.unwrap();
        assert!(moved.pages > 100 && moved.moved == moved.pages, "{moved:?}");
        write(&mut writer, "commit").await;
        let large = empty(&mut mover, 10).await.unwrap();
        assert_eq!(large.busy, 0);
        write(&mut writer, "insert into t values (2)").await;
        let anew = empty(&mut mover, LARGE).await.unwrap();
        assert!(anew.pages < 10, "{anew:?}");
    }
}
