//! Timeouts of database access, and connections that are not reused after an interrupted statement.

use std::time::{Duration, Instant};

use futures_util::future::join_all;

use super::*;
use crate::DatabaseSettings;
use crate::db::{Db, Either};
use crate::testing::TestDatabase;
use crate::{Cause, DatabaseKind, StoreError, on};

/// Timeouts short enough for tests.
const SHORT: DatabaseSettings = DatabaseSettings {
    acquire_ms: 1_000,
    statement_ms: 400,
    import_statement_ms: 800,
    lock_ms: 600,
    idle_transaction_ms: 300,
    check_ms: 200,
    silent_host_ms: 1_000,
    lifetime_ms: 600_000,
    idle_ms: 600_000,
    map_mib: 0,
};

async fn postgres(connections: u32) -> Option<(TestDatabase, Store)> {
    let database = TestDatabase::postgres().await?;
    let store = Store::connect_with(database.url(), connections, SHORT).await;
    Some((database, store.unwrap()))
}

async fn raw(store: &Store, sql: &'static str) -> Result<(), StoreError> {
    on!(&store.writes, |pool| sqlx::raw_sql(sql)
        .execute(pool)
        .await
        .map(drop))?;
    Ok(())
}

#[tokio::test]
async fn dropped_begin_leaves_no_open_transaction() {
    for database in TestDatabase::of_each_kind().await {
        let store = Store::connect(database.url(), 1).await.unwrap();
        let other = database.store().await;
        for step in 0..60 {
            let moment = Duration::from_micros(step * 20);
            drop(tokio::time::timeout(moment, store.writes.begin()).await);
            let name = format!("lease {step}");
            let taken = store.leases().acquire(&name, "a", LEASE, START).await;
            assert!(taken.unwrap());
            // Another connection sees the row, so it was not written in a transaction that never commits.
            let holder = other.leases().holder(&name, START).await.unwrap();
            assert_eq!(holder.as_deref(), Some("a"), "step {step}");
        }
        store.close().await;
        other.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn dropped_statement_does_not_affect_the_next() {
    for database in TestDatabase::of_each_kind().await {
        let store = Store::connect(database.url(), 1).await.unwrap();
        for step in 0..60 {
            let moment = Duration::from_micros(step * 20);
            let name = format!("lease {step}");
            let leases = store.leases();
            let taken = leases.acquire(&name, "a", LEASE, START);
            drop(tokio::time::timeout(moment, taken).await);
            let holder = leases.holder(&name, START).await.unwrap();
            assert!(holder.is_none_or(|holder| holder == "a"));
            let identity = store.identity().await.unwrap();
            assert_eq!(identity, store.identity().await.unwrap());
        }
        store.close().await;
        database.remove().await;
    }
}

#[tokio::test]
async fn slow_statement_is_cancelled_by_the_server() {
    let Some((database, store)) = postgres(1).await else {
        return;
    };
    let began = Instant::now();
    let error = raw(&store, "select pg_sleep(60)").await.unwrap_err();
    assert_eq!(error.cause(), Some(Cause::SlowStatement), "{error}");
    assert!(error.is_unavailable());
    assert!(began.elapsed() < Duration::from_secs(5));
    store.ping().await.unwrap();
    store.close().await;
    database.remove().await;
}

#[tokio::test]
async fn unanswered_statement_closes_its_connection() {
    const SLEEPING: &str = "select count(*) from pg_stat_activity where query like '%pg_sleep(61)%' \
        and state = 'active' and pid <> pg_backend_pid()";
    let Some((database, store)) = postgres(1).await else {
        return;
    };
    let began = Instant::now();
    // The server's timeout is off, as if the server did not answer.
    let sleep = "set statement_timeout = 0; select pg_sleep(61)";
    let error = raw(&store, sleep).await.unwrap_err();
    assert_eq!(error.cause(), Some(Cause::NoAnswer), "{error}");
    assert!(began.elapsed() < Duration::from_secs(6));
    let mut pace = tokio::time::interval(Duration::from_millis(50));
    loop {
        pace.tick().await;
        let Either::Postgres(pool) = &store.reads else {
            panic!("it is PostgreSQL")
        };
        let count = sqlx::query_scalar(SLEEPING).fetch_one(pool).await;
        let count: i64 = count.unwrap();
        if count == 0 {
            break;
        }
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "the server goes on"
        );
    }
    store.close().await;
    database.remove().await;
}

#[tokio::test]
async fn lock_of_a_silent_host_is_released_after_timeout() {
    const LOCK: &str = "insert into lease (name, owner, until) values ('x', 'silent', 0)";
    let Some((database, silent)) = postgres(1).await else {
        return;
    };
    let healthy = Store::connect_with(database.url(), 2, SHORT).await.unwrap();
    let mut tx = silent.writes.begin().await.unwrap();
    on!(&mut tx, |tx| sqlx::query(LOCK)
        .execute(&mut **tx)
        .await
        .map(drop))
    .unwrap();
    // Another host waits for the same row; the silent host sends nothing more.
    let taken = healthy.leases().acquire("x", "healthy", LEASE, START).await;
    assert!(taken.unwrap());
    let late = tx.commit().await.unwrap_err();
    assert!(late.is_unavailable(), "{late}");
    silent.ping().await.unwrap();
    let holder = silent.leases().holder("x", START).await.unwrap();
    assert_eq!(holder.as_deref(), Some("healthy"));
    silent.close().await;
    healthy.close().await;
    database.remove().await;
}

#[tokio::test]
async fn lock_timeout_is_an_error() {
    const TAKE: &str = "insert into lease (name, owner, until) values ('x', 'busy', 0) \
        on conflict (name) do update set owner = 'busy'";
    let Some((database, busy)) = postgres(1).await else {
        return;
    };
    let other = Store::connect_with(database.url(), 1, SHORT).await.unwrap();
    let mut tx = busy.writes.begin().await.unwrap();
    let take = async |tx: &mut crate::db::Tx| {
        on!(tx, |tx| sqlx::query(TAKE)
            .execute(&mut **tx)
            .await
            .map(drop))
        .unwrap();
    };
    take(&mut tx).await;
    let leases = other.leases();
    let waiting = leases.acquire("x", "other", LEASE, START);
    tokio::pin!(waiting);
    let mut pace = tokio::time::interval(Duration::from_millis(100));
    let refused = loop {
        tokio::select! {
            refused = &mut waiting => break refused,
            _ = pace.tick() => take(&mut tx).await,
        }
    };
    let cause = refused.unwrap_err().cause();
    // The timeouts for locks and for statements are close together here.
    assert!(
        matches!(cause, Some(Cause::Locked | Cause::SlowStatement)),
        "{cause:?}"
    );
    tx.commit().await.unwrap();
    busy.close().await;
    other.close().await;
    database.remove().await;
}

#[tokio::test]
async fn connection_that_cannot_write_is_replaced() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    assert_eq!(store.kind(), DatabaseKind::Sqlite);
    raw(&store, "pragma query_only = on").await.unwrap();
    let take = || async { store.leases().acquire("x", "a", LEASE, START).await };
    let refused = take().await.unwrap_err();
    assert_eq!(refused.cause(), Some(Cause::ReadOnlyFile), "{refused}");
    assert!(refused.is_unavailable());
    assert!(take().await.unwrap());
    store.close().await;
}

#[tokio::test]
async fn full_file_rejects_writes_until_there_is_room() {
    let database = TestDatabase::sqlite();
    let store = database.store().await;
    // Contents are stored compressed, so a repeated letter would need no room.
    let mut state = 1_u32;
    let content: String = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'0' + u8::try_from(state >> 26).expect("six bits"))
    })
    .take(200_000)
    .collect();
    raw(&store, "pragma max_page_count = 200").await.unwrap();
    let run = claim(&store, DatasetKind::Snapshot, START).await;
    let write = async |key: &str| {
        let records = [Record {
            content: content.clone(),
            ..record(key, "1")
        }];
        let datasets = store.datasets();
        datasets
            .commit_batch(&run, &records, &at("end"), START)
            .await
    };
    let mut refused = None;
    for number in 0..20 {
        if let Err(error) = write(&number.to_string()).await {
            refused = Some(error);
            break;
        }
    }
    let refused = refused.expect("the file was full").to_string();
    assert!(refused.contains("the disk is full"), "{refused}");
    // The connection that hit the limit was closed; the next one has no limit.
    write("last").await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn used_connection_is_ready_for_the_next_statement() {
    for database in TestDatabase::of_each_kind().await {
        let store = database.store().await;
        store.ping().await.unwrap();
        let before = reads_of(&store);
        assert!(before.open > 0);
        assert_eq!(before.idle, before.open);
        for _ in 0..20 {
            store.ping().await.unwrap();
        }
        assert_eq!(reads_of(&store).open, before.open);
        store.close().await;
        database.remove().await;
    }
}

fn reads_of(store: &Store) -> crate::PoolState {
    let pools = store.pools();
    let reads = pools
        .into_iter()
        .find(|pool| ["reads", "all"].contains(&pool.name));
    reads.unwrap()
}

#[tokio::test]
async fn connections_are_replaced_after_another_was_lost() {
    const TERMINATE: &str = "select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity \
        where datname = current_database() and pid <> pg_backend_pid()";
    let Some((database, store)) = postgres(4).await else {
        return;
    };
    let other = Store::connect(database.url(), 1).await.unwrap();
    let Either::Postgres(pool) = &other.reads else {
        panic!("it is PostgreSQL")
    };
    for _ in 0..20 {
        let all = join_all((0..4).map(|_| store.ping())).await;
        assert!(all.iter().all(Result::is_ok), "{all:?}");
        let terminated: i64 = sqlx::query_scalar(TERMINATE).fetch_one(pool).await.unwrap();
        assert!(terminated > 0);
        // One statement may find its connection dead. The others must not.
        let results = [store.ping().await, store.ping().await, store.ping().await];
        let failed = results.iter().filter(|result| result.is_err()).count();
        assert!(failed <= 1, "{results:?}");
        assert!(results[2].is_ok(), "{results:?}");
    }
    store.close().await;
    other.close().await;
    database.remove().await;
}

#[tokio::test]
async fn reading_connections_map_the_set_size() {
    for (map_mib, bytes) in [(0, 0), (3, 3 << 20)] {
        let database = TestDatabase::sqlite();
        let bounds = DatabaseSettings {
            map_mib,
            ..DatabaseSettings::default()
        };
        let store = Store::connect_with(database.url(), 1, bounds)
            .await
            .unwrap();
        let mapped = on!(&store.reads, |pool| sqlx::query_scalar("pragma mmap_size")
            .fetch_one(pool)
            .await);
        let mapped: i64 = mapped.unwrap();
        assert_eq!(mapped, bytes);
        store.close().await;
    }
}

#[tokio::test]
async fn connections_belong_to_the_runtime_of_their_pool() {
    for database in TestDatabase::of_each_kind().await {
        let store = Store::connect(database.url(), CONNECTIONS).await.unwrap();
        let reads = store.reads.clone();
        // Another runtime needs more connections than are open, and ends before they are used again.
        let using = tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .on_thread_start(|| {
                    rustix::process::nice(LOWER).unwrap();
                })
                .build()
                .unwrap();
            runtime.block_on(async { tokio::spawn(use_all(reads)).await.unwrap() });
        });
        using.await.unwrap();
        assert_eq!(reads_of(&store).open, CONNECTIONS);
        assert_eq!(threads_of_sqlite_at(own_nice() + LOWER), 0);
        use_all(store.reads.clone()).await;
        store.close().await;
        database.remove().await;
    }
}

const CONNECTIONS: u32 = 3;
/// Added to the nice value of another runtime's threads.
const LOWER: i32 = 3;

/// Uses all connections at the same time.
async fn use_all(reads: Db) {
    let begun = join_all((0..CONNECTIONS).map(|_| reads.begin_reading())).await;
    for transaction in begun {
        transaction.unwrap().commit().await.unwrap();
    }
}

fn own_nice() -> i32 {
    rustix::process::getpriority_process(None).unwrap()
}

/// The number of this process's threads of `SQLite` connections with a nice value.
fn threads_of_sqlite_at(nice: i32) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let stats =
        tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let found = stats.filter(|stat| {
        let (name, fields) = stat.rsplit_once(')').unwrap();
        // proc_pid_stat(5): the nice value is field 19, and the name is field 2.
        name.contains("sqlx-sqlite") && fields.split_whitespace().nth(16) == Some(&nice.to_string())
    });
    found.count()
}
