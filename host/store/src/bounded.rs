//! Connections whose every wait is bounded.
//!
//! All statements of the store go through [`Pool`] and [`Transaction`]. A statement that takes too long gives an error,
//! and its connection is closed instead of returned: what the server still does with it is not known. The server's own
//! bounds are set in `connect`; they are shorter, so that usually the server ends the statement and says why.
//! Invariant: a connection in the pool has no open transaction and no statement under way.

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

/// What the two drivers do differently.
pub(super) trait Driver: Database {
    /// Whether a connection is in order after the future of a statement was dropped. That of `PostgreSQL` is not: a
    /// dropped `begin` leaves a transaction open that the driver does not know of.
    const SURVIVES_CANCELLATION: bool;

    /// Runs a statement without parameters, or several.
    fn run(connection: &mut Self::Connection, sql: SqlStr) -> BoxFuture<'_, Result<(), Error>>;
}

/// How long statements of a pool may take, on this side of the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// A statement.
    pub(super) statement: Duration,
    /// A statement of a transaction of [`Pool::begin_long`].
    pub(super) long_statement: Duration,
    /// A round trip that does nothing.
    pub(super) check: Duration,
}

/// When a connection of a pool was last found dead. Connections that have been idle since before that time may have
/// been lost with it.
#[derive(Debug, Default)]
pub(super) struct Losses(Mutex<Option<Instant>>);

impl Losses {
    fn add(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn followed(&self, idle_for: Duration) -> bool {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.is_some_and(|last| last.elapsed() < idle_for)
    }

    /// Whether a connection that was idle for a time can be used. One that was idle when another was lost is not asked:
    /// many dead connections would cost a wait each.
    pub(super) async fn is_usable<C: Connection>(
        &self,
        connection: &mut C,
        idle_for: Duration,
        check: Duration,
    ) -> bool {
        if self.followed(idle_for) {
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

/// A pool of connections.
pub(super) struct Pool<D: Driver> {
    pool: sqlx::Pool<D>,
    losses: Arc<Losses>,
    limits: Limits,
    asking: Arc<Semaphore>,
    waits: Arc<Waits>,
}

impl<D: Driver> Clone for Pool<D> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            losses: Arc::clone(&self.losses),
            limits: self.limits,
            asking: Arc::clone(&self.asking),
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
    /// Bounds the waits of a pool, whose `acquire_timeout` bounds the wait for a connection.
    pub(super) fn new(pool: sqlx::Pool<D>, losses: Arc<Losses>, limits: Limits) -> Self {
        Self {
            pool,
            losses,
            limits,
            asking: Arc::new(Semaphore::new(1)),
            waits: Arc::default(),
        }
    }

    /// How long its statements may take.
    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// The pool at this moment.
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

    async fn acquire(&self) -> Result<Lent<D>, Error> {
        let began = Instant::now();
        let acquired = self.pool.acquire().await;
        let timed_out = matches!(acquired, Err(Error::PoolTimedOut));
        self.waits.add(began.elapsed(), timed_out);
        let connection = match acquired {
            Err(Error::PoolTimedOut) => return Err(self.why_none().await),
            acquired => acquired?,
        };
        Ok(Lent {
            connection: Some(connection),
            in_transaction: false,
            watch: Watch {
                state: State::Ready,
                losses: Arc::clone(&self.losses),
                statement: self.limits.statement,
            },
            check: self.limits.check,
        })
    }

    /// Begins a transaction with a statement that does so.
    pub(super) async fn begin(&self, statement: impl SqlSafeStr) -> Result<Transaction<D>, Error> {
        Self::begin_on(self.acquire().await?, statement).await
    }

    /// As [`Self::begin`], for statements that take longer than others.
    pub(super) async fn begin_long(
        &self,
        statement: impl SqlSafeStr,
    ) -> Result<Transaction<D>, Error> {
        let mut lent = self.acquire().await?;
        lent.watch.statement = self.limits.long_statement;
        Self::begin_on(lent, statement).await
    }

    async fn begin_on(
        mut lent: Lent<D>,
        statement: impl SqlSafeStr,
    ) -> Result<Transaction<D>, Error> {
        // Dropped while it begins, it may have begun.
        lent.in_transaction = true;
        let begun = lent.run(statement).await;
        lent.in_transaction = begun.is_ok();
        begun.map(|()| Transaction(lent))
    }

    /// Why no connection was to be had in time. Where the pool could have made one, it is tried once more: the pool does
    /// not tell what it met.
    async fn why_none(&self) -> Error {
        let is_full = self.pool.size() >= self.pool.options().get_max_connections();
        let Ok(_one_at_a_time) = self.asking.try_acquire() else {
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
                TookTooLong(self.limits.check),
            )),
        }
    }

    /// Closes every connection, after the statements under way.
    pub(super) async fn close(&self) {
        let longest = self.limits.statement + self.limits.check;
        if tokio::time::timeout(longest, self.pool.close())
            .await
            .is_err()
        {
            tracing::warn!(
                "connections to the database were not closed in time; they end with the process"
            );
        }
    }
}

/// What is known of a lent connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It waits for a statement.
    Ready,
    /// A statement is under way.
    Busy,
    /// It must not be used again.
    Broken,
}

/// Times the statements of a lent connection.
#[derive(Debug)]
struct Watch {
    state: State,
    losses: Arc<Losses>,
    statement: Duration,
}

impl Watch {
    /// Waits for a statement, not too long. Dropped before that, the connection stays [`State::Busy`].
    async fn time<T>(
        &mut self,
        statement: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.state = State::Busy;
        let Ok(outcome) = tokio::time::timeout(self.statement, statement).await else {
            self.break_off();
            let took = io::Error::new(io::ErrorKind::TimedOut, TookTooLong(self.statement));
            return Err(Error::Io(took));
        };
        match &outcome {
            Err(error) if is_loss(error) => self.break_off(),
            Ok(_) | Err(_) => self.state = State::Ready,
        }
        outcome
    }

    fn break_off(&mut self) {
        self.state = State::Broken;
        self.losses.add();
    }
}

/// A statement that got no answer in time.
#[derive(Debug, thiserror::Error)]
#[error("the database gave no answer for {} ms", .0.as_millis())]
struct TookTooLong(Duration);

/// Whether a connection cannot be used after an error.
fn is_loss(error: &Error) -> bool {
    match Cause::of(error) {
        Cause::NoAnswer
        | Cause::Lost
        | Cause::Foreign(_)
        | Cause::Unreachable(_)
        | Cause::Restarting(_)
        | Cause::IdleTransaction
        // The address may lead to another server by now.
        | Cause::Standby
        // A file that was opened while it could not be written stays so.
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

/// A connection of a pool, to which it returns when this is dropped. One that is not in order is closed instead.
pub(super) struct Lent<D: Driver> {
    /// Taken when this is dropped.
    connection: Option<PoolConnection<D>>,
    /// Whether a transaction is or may be open.
    in_transaction: bool,
    watch: Watch,
    check: Duration,
}

impl<D: Driver> Debug for Lent<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Lent").field(&self.watch).finish()
    }
}

impl<D: Driver> Lent<D> {
    /// Its connection and what times it.
    fn parts(&mut self) -> Result<(&mut D::Connection, &mut Watch), Error> {
        match &mut self.connection {
            Some(connection) if self.watch.state != State::Broken => {
                Ok((&mut **connection, &mut self.watch))
            }
            Some(_) | None => Err(Error::WorkerCrashed),
        }
    }

    async fn run(&mut self, sql: impl SqlSafeStr) -> Result<(), Error> {
        let (connection, watch) = self.parts()?;
        watch.time(D::run(connection, sql.into_sql_str())).await
    }
}

impl<D: Driver> Drop for Lent<D> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        let in_order = match self.watch.state {
            State::Ready => true,
            State::Busy => D::SURVIVES_CANCELLATION,
            State::Broken => false,
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if in_order => {
                runtime.spawn(give_back(connection, self.in_transaction, self.check));
            }
            Ok(_) | Err(_) => drop(connection.detach()),
        }
    }
}

/// Returns a connection to its pool, or closes it where that does not succeed in time.
async fn give_back<D: Driver>(
    mut connection: PoolConnection<D>,
    in_transaction: bool,
    check: Duration,
) {
    if in_transaction {
        let rollback = D::run(&mut connection, "rollback".into_sql_str());
        let rolled_back = tokio::time::timeout(check, rollback).await;
        if !matches!(rolled_back, Ok(Ok(()))) {
            // `SQLite` ends a transaction by itself when the disk is full; the driver would believe that it is open.
            drop(connection.detach());
            return;
        }
    }
    let returned = tokio::time::timeout(check, connection.return_to_pool()).await;
    if returned.is_err() {
        tracing::debug!(
            "a connection to the database did not answer when it was returned; it is closed"
        );
    }
}

/// An open transaction; dropping it takes everything back.
#[derive(Debug)]
pub(super) struct Transaction<D: Driver>(Lent<D>);

impl<D: Driver> Transaction<D> {
    /// Commits. After an error it is not known whether it was committed, and the connection is closed.
    pub(super) async fn commit(mut self) -> Result<(), Error> {
        let committed = self.0.run("commit").await;
        match committed {
            Ok(()) => self.0.in_transaction = false,
            Err(_) => self.0.watch.state = State::Broken,
        }
        committed
    }
}

impl<D: Driver> Deref for Transaction<D> {
    type Target = Lent<D>;

    fn deref(&self) -> &Lent<D> {
        &self.0
    }
}

impl<D: Driver> DerefMut for Transaction<D> {
    fn deref_mut(&mut self) -> &mut Lent<D> {
        &mut self.0
    }
}

/// Runs statements on pools and lent connections of one driver. All rows of an answer are read before the first is
/// given, so that the bound holds for all of it. Generic over the drivers this would not compile: whether a connection
/// executes statements is asked without an end.
macro_rules! execute_bounded {
    ($driver:ty, survives_cancellation: $survives:literal) => {
        impl<'c> Executor<'c> for &'c mut Lent<$driver> {
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
                    let (connection, watch) = self.parts()?;
                    let steps = connection.fetch_many(query).try_collect::<Vec<_>>();
                    Ok(stream::iter(watch.time(steps).await?.into_iter().map(Ok)))
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
                    let (connection, watch) = self.parts()?;
                    watch.time(connection.fetch_optional(query)).await
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
                    let (connection, watch) = self.parts()?;
                    watch.time(connection.prepare_with(sql, parameters)).await
                })
            }

            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<$driver>, Error>>
            where
                'c: 'e,
            {
                Box::pin(async move {
                    let (connection, watch) = self.parts()?;
                    watch.time(connection.describe(sql)).await
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
                    let mut lent = self.acquire().await?;
                    let steps: Vec<_> = lent.fetch_many(query).try_collect().await?;
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

/// A row of an answer, or the end of a statement.
type Step<D> = sqlx::Either<<D as Database>::QueryResult, <D as Database>::Row>;
