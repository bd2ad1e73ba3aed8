//! Database connections with a timeout on every wait.
//!
//! All statements of the store go through [`Pool`] and [`Transaction`]. A statement that exceeds its timeout fails, and
//! its connection is closed instead of returned, because the server may still be working on it. `connect` sets shorter
//! timeouts on the server, so usually the server ends the statement and reports the cause.
//! Invariant: a connection in the pool has no open transaction and no running statement.

use std::fmt::{self, Debug, Formatter};
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{TryFutureExt, TryStreamExt};
use sqlx::pool::PoolConnection;
use sqlx::{
    ConnectOptions, Connection, Database, Describe, Error, Execute, Executor, SqlSafeStr, SqlStr,
};
use sqlx_postgres::Postgres;
use sqlx_sqlite::Sqlite;
use tokio::sync::Semaphore;

use super::waits::Waits;
use super::{Cause, PoolState};

/// Differences between the two drivers.
pub(super) trait Driver: Database {
    /// Whether a connection is still usable after a statement's future was dropped. On `PostgreSQL` it is not: a
    /// dropped `begin` leaves a transaction open that the driver does not know about.
    const SURVIVES_CANCELLATION: bool;

    /// Runs one or more statements without parameters.
    fn run(connection: &mut Self::Connection, sql: SqlStr) -> BoxFuture<'_, Result<(), Error>>;
}

/// Client-side timeouts of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// For one ordinary statement.
    pub(super) statement: Duration,
    /// For one statement of a transaction of [`Pool::begin_long`].
    pub(super) long_statement: Duration,
    /// For a round trip that does no work (a liveness check).
    pub(super) check: Duration,
}

/// Time when a connection of a pool was last found dead. Connections that have been idle since before that time may be
/// dead too.
#[derive(Debug, Default)]
pub(super) struct Losses(Mutex<Option<Instant>>);

impl Losses {
    fn add(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn may_be_dead(&self, idle_for: Duration) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < idle_for)
    }

    /// Checks whether an idle connection is alive. A connection that was idle when another one died is discarded
    /// without a check: checking many dead connections would cost one timeout each.
    pub(super) async fn is_usable<C: Connection>(
        &self,
        connection: &mut C,
        idle_for: Duration,
        check: Duration,
    ) -> bool {
        if self.may_be_dead(idle_for) {
            return false;
        }
        let alive = tokio::time::timeout(check, connection.ping()).await;
        let usable = matches!(alive, Ok(Ok(())));
        if !usable {
            self.add();
        }
        usable
    }
}

pub(super) struct Pool<D: Driver> {
    pool: sqlx::Pool<D>,
    losses: Arc<Losses>,
    limits: Limits,
    diagnosis: Arc<Semaphore>,
    waits: Arc<Waits>,
}

impl<D: Driver> Clone for Pool<D> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            losses: Arc::clone(&self.losses),
            limits: self.limits,
            diagnosis: Arc::clone(&self.diagnosis),
            waits: Arc::clone(&self.waits),
        }
    }
}

impl<D: Driver> Debug for Pool<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.pool.fmt(formatter)
    }
}

impl<D: Driver> Pool<D> {
    /// Wraps a pool. The pool's own `acquire_timeout` limits the wait for a connection.
    pub(super) fn new(pool: sqlx::Pool<D>, losses: Arc<Losses>, limits: Limits) -> Self {
        Self {
            pool,
            losses,
            limits,
            diagnosis: Arc::new(Semaphore::new(1)),
            waits: Arc::default(),
        }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Usage counters of the pool at this moment.
    pub(super) fn state(&self, name: &'static str) -> PoolState {
        PoolState {
            name,
            open: self.pool.size(),
            idle: u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX),
            most: self.pool.options().get_max_connections(),
            waits: self.waits.ended(),
            timed_out: self.waits.timed_out(),
            waited: self.waits.total(),
        }
    }

    async fn acquire(&self) -> Result<PooledConnection<D>, Error> {
        let began = Instant::now();
        let acquired = self.pool.acquire().await;
        let timed_out = matches!(acquired, Err(Error::PoolTimedOut));
        self.waits.add(began.elapsed(), timed_out);
        let connection = match acquired {
            Err(Error::PoolTimedOut) => return Err(self.acquire_failure().await),
            acquired => acquired?,
        };
        Ok(PooledConnection {
            connection: Some(connection),
            in_transaction: false,
            timer: StatementTimer {
                state: State::Ready,
                losses: Arc::clone(&self.losses),
                statement: self.limits.statement,
            },
            check: self.limits.check,
        })
    }

    /// Begins a transaction with the given `begin` statement.
    pub(super) async fn begin(&self, statement: impl SqlSafeStr) -> Result<Transaction<D>, Error> {
        Self::begin_on(self.acquire().await?, statement).await
    }

    /// Like [`Self::begin`], with the timeout of long statements.
    pub(super) async fn begin_long(
        &self,
        statement: impl SqlSafeStr,
    ) -> Result<Transaction<D>, Error> {
        let mut pooled = self.acquire().await?;
        pooled.timer.statement = self.limits.long_statement;
        Self::begin_on(pooled, statement).await
    }

    async fn begin_on(
        mut pooled: PooledConnection<D>,
        statement: impl SqlSafeStr,
    ) -> Result<Transaction<D>, Error> {
        // If this future is dropped while `begin` runs, the transaction may be open.
        pooled.in_transaction = true;
        let begun = pooled.run(statement).await;
        pooled.in_transaction = begun.is_ok();
        begun.map(|()| Transaction(pooled))
    }

    /// The cause of a failed acquire. If the pool was not full, it connects once more to learn the error, because the
    /// pool reports only a timeout.
    async fn acquire_failure(&self) -> Error {
        let is_full = self.pool.size() >= self.pool.options().get_max_connections();
        let Ok(_one_at_a_time) = self.diagnosis.try_acquire() else {
            return Error::PoolTimedOut;
        };
        if is_full {
            return Error::PoolTimedOut;
        }
        let options = self.pool.connect_options();
        match tokio::time::timeout(self.limits.check, options.connect()).await {
            Ok(Ok(_connection)) => Error::PoolTimedOut,
            Ok(Err(error)) => error,
            Err(_elapsed) => Error::Io(io::Error::new(
                io::ErrorKind::TimedOut,
                StatementTimedOut(self.limits.check),
            )),
        }
    }

    /// Closes every connection after the running statements end.
    pub(super) async fn close(&self) {
        let longest = self.limits.statement + self.limits.check;
        if tokio::time::timeout(longest, self.pool.close())
            .await
            .is_err()
        {
            tracing::warn!(
                "database connections were not closed in time; they end with the process"
            );
        }
    }
}

/// State of a connection that was taken from the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// No statement is running.
    Ready,
    Busy,
    /// The connection must not be used again.
    Broken,
}

/// Applies the timeout to statements of one connection.
#[derive(Debug)]
struct StatementTimer {
    state: State,
    losses: Arc<Losses>,
    statement: Duration,
}

impl StatementTimer {
    /// Runs a statement with the timeout. If this future is dropped first, the connection stays [`State::Busy`].
    async fn time<T>(
        &mut self,
        statement: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.state = State::Busy;
        let Ok(outcome) = tokio::time::timeout(self.statement, statement).await else {
            self.mark_broken();
            let took = io::Error::new(io::ErrorKind::TimedOut, StatementTimedOut(self.statement));
            return Err(Error::Io(took));
        };
        match &outcome {
            Err(error) if breaks_connection(error) => self.mark_broken(),
            Ok(_) | Err(_) => self.state = State::Ready,
        }
        outcome
    }

    fn mark_broken(&mut self) {
        self.state = State::Broken;
        self.losses.add();
    }
}

/// A statement got no answer within its timeout.
#[derive(Debug, thiserror::Error)]
#[error("the database gave no answer for {} ms", .0.as_millis())]
struct StatementTimedOut(Duration);

/// Whether the error makes the connection unusable.
fn breaks_connection(error: &Error) -> bool {
    match Cause::of(error) {
        Cause::NoAnswer
        | Cause::Lost
        | Cause::Foreign(_)
        | Cause::Unreachable(_)
        | Cause::Restarting(_)
        | Cause::IdleTransaction
        // The address may lead to another server by now.
        | Cause::Standby
        // `SQLite` does not recover a file handle that was opened while the file could not be written.
        | Cause::DiskFull
        | Cause::ReadOnlyFile
        | Cause::DiskFailed
        | Cause::CannotOpen
        | Cause::NotADatabase
        | Cause::Damaged => true,
        Cause::Refused
        | Cause::NoConnection
        | Cause::Closed
        | Cause::Crowded
        | Cause::Unauthenticated(_)
        | Cause::NotPermitted(_)
        | Cause::NoSuchDatabase(_)
        | Cause::SlowStatement
        | Cause::Locked
        | Cause::Deadlock
        | Cause::Exhausted(_)
        | Cause::MigrationChanged(_)
        | Cause::Other(_) => false,
    }
}

/// A connection taken from a pool. Dropping it returns it to the pool, or closes it if it may be unusable.
pub(super) struct PooledConnection<D: Driver> {
    /// `None` only during drop.
    connection: Option<PoolConnection<D>>,
    /// True while a transaction is open or may be open.
    in_transaction: bool,
    timer: StatementTimer,
    check: Duration,
}

impl<D: Driver> Debug for PooledConnection<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("PooledConnection")
            .field(&self.timer)
            .finish()
    }
}

impl<D: Driver> PooledConnection<D> {
    /// The connection and the timer of its statements.
    fn parts(&mut self) -> Result<(&mut D::Connection, &mut StatementTimer), Error> {
        match &mut self.connection {
            Some(connection) if self.timer.state != State::Broken => {
                Ok((&mut **connection, &mut self.timer))
            }
            Some(_) | None => Err(Error::WorkerCrashed),
        }
    }

    async fn run(&mut self, sql: impl SqlSafeStr) -> Result<(), Error> {
        let (connection, timer) = self.parts()?;
        timer.time(D::run(connection, sql.into_sql_str())).await
    }
}

impl<D: Driver> Drop for PooledConnection<D> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        let in_order = match self.timer.state {
            State::Ready => true,
            State::Busy => D::SURVIVES_CANCELLATION,
            State::Broken => false,
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if in_order => {
                runtime.spawn(return_to_pool_or_close(
                    connection,
                    self.in_transaction,
                    self.check,
                ));
            }
            Ok(_) | Err(_) => drop(connection.detach()),
        }
    }
}

/// Returns a connection to its pool, or closes it if that fails or exceeds the timeout.
async fn return_to_pool_or_close<D: Driver>(
    mut connection: PoolConnection<D>,
    in_transaction: bool,
    check: Duration,
) {
    if in_transaction {
        let rollback = D::run(&mut connection, "rollback".into_sql_str());
        let rolled_back = tokio::time::timeout(check, rollback).await;
        if !matches!(rolled_back, Ok(Ok(()))) {
            // `SQLite` rolls back by itself when the disk is full, but the driver still counts the transaction as open.
            drop(connection.detach());
            return;
        }
    }
    let returned = tokio::time::timeout(check, connection.return_to_pool()).await;
    if returned.is_err() {
        tracing::debug!(
            "closing a database connection that did not answer when it was returned to the pool"
        );
    }
}

/// An open transaction. Dropping it rolls back.
#[derive(Debug)]
pub(super) struct Transaction<D: Driver>(PooledConnection<D>);

impl<D: Driver> Transaction<D> {
    /// Commits. After an error the outcome is unknown, and the connection is closed.
    pub(super) async fn commit(mut self) -> Result<(), Error> {
        let committed = self.0.run("commit").await;
        match committed {
            Ok(()) => self.0.in_transaction = false,
            Err(_) => self.0.timer.state = State::Broken,
        }
        committed
    }
}

impl<D: Driver> Deref for Transaction<D> {
    type Target = PooledConnection<D>;

    fn deref(&self) -> &PooledConnection<D> {
        &self.0
    }
}

impl<D: Driver> DerefMut for Transaction<D> {
    fn deref_mut(&mut self) -> &mut PooledConnection<D> {
        &mut self.0
    }
}

/// Implements statement execution for pools and connections of one driver. All rows are fetched before the first is
/// returned, so that the timeout covers the whole result. A generic implementation does not compile: resolving the
/// `Executor` bounds of the connection recurses without end.
macro_rules! execute_bounded {
    ($driver:ty, survives_cancellation: $survives:literal) => {
        impl<'c> Executor<'c> for &'c mut PooledConnection<$driver> {
            type Database = $driver;

            fn fetch_many<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxStream<'e, Result<Step<$driver>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                let steps = async move {
                    let (connection, timer) = self.parts()?;
                    let steps = connection.fetch_many(query).try_collect::<Vec<_>>();
                    Ok(stream::iter(timer.time(steps).await?.into_iter().map(Ok)))
                };
                Box::pin(steps.try_flatten_stream())
            }

            fn fetch_optional<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxFuture<'e, Result<Option<<$driver as Database>::Row>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.fetch_optional(query)).await
                })
            }

            fn prepare_with<'e>(
                self,
                sql: SqlStr,
                parameters: &'e [<$driver as Database>::TypeInfo],
            ) -> BoxFuture<'e, Result<<$driver as Database>::Statement, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.prepare_with(sql, parameters)).await
                })
            }

            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<$driver>, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move {
                    let (connection, timer) = self.parts()?;
                    timer.time(connection.describe(sql)).await
                })
            }
        }

        impl<'c> Executor<'c> for &'c Pool<$driver> {
            type Database = $driver;

            fn fetch_many<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxStream<'e, Result<Step<$driver>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                let steps = async move {
                    let mut pooled = self.acquire().await?;
                    let steps: Vec<_> = pooled.fetch_many(query).try_collect().await?;
                    Ok(stream::iter(steps.into_iter().map(Ok)))
                };
                Box::pin(steps.try_flatten_stream())
            }

            fn fetch_optional<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxFuture<'e, Result<Option<<$driver as Database>::Row>, Error>>
            where
                'c: 'e,
                E: 'q + Execute<'q, $driver>,
            {
                Box::pin(async move { self.acquire().await?.fetch_optional(query).await })
            }

            fn prepare_with<'e>(
                self,
                sql: SqlStr,
                parameters: &'e [<$driver as Database>::TypeInfo],
            ) -> BoxFuture<'e, Result<<$driver as Database>::Statement, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move { self.acquire().await?.prepare_with(sql, parameters).await })
            }

            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<$driver>, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move { self.acquire().await?.describe(sql).await })
            }
        }

        impl Driver for $driver {
            const SURVIVES_CANCELLATION: bool = $survives;

            fn run(
                connection: &mut Self::Connection,
                sql: SqlStr,
            ) -> BoxFuture<'_, Result<(), Error>> {
                Box::pin(async move { sqlx::raw_sql(sql).execute(connection).await.map(drop) })
            }
        }
    };
}

execute_bounded!(Sqlite, survives_cancellation: true);
execute_bounded!(Postgres, survives_cancellation: false);

/// A row of a result, or the end of a statement.
type Step<D> = sqlx::Either<<D as Database>::QueryResult, <D as Database>::Row>;
