//! Database connections with a timeout on every wait.
//!
//! All statements of the store go through [`Pool`] and [`Transaction`]. A statement that exceeds its timeout fails, and
//! its connection is closed instead of returned, because the server may still be working on it. `connect` sets shorter
//! timeouts on the server, so usually the server ends the statement and reports the cause.
//! Invariant: a connection in the pool has no open transaction and no running statement.

mod connection;
mod execute;
mod reuse;

use std::fmt::{self, Debug, Formatter};
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use sqlx::pool::{CloseEvent, PoolConnection};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, Database, Error, FromRow, SqlSafeStr, SqlStr,
};
use sqlx_sqlite::{Sqlite, SqliteRow};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

pub(super) use self::connection::Transaction;
use self::connection::{ConnectionState, PooledConnection, StatementTimedOut, StatementTimer};
use self::reuse::{Reusable, Taken};
use super::pool_metrics::{PoolState, Waits};

/// Differences between the two drivers.
pub(super) trait Driver: Database {
    /// Whether a connection is still usable after a statement's future was dropped. On `PostgreSQL` it is not: a
    /// dropped `begin` leaves a transaction open that the driver does not know about.
    const SURVIVES_CANCELLATION: bool;

    /// How long a connection is used again and again without a check whether it is alive. `None`: always.
    const REUSED_FOR: Option<Duration>;

    /// The database in traces, as the semantic conventions of OpenTelemetry name it.
    const SYSTEM: &'static str;

    /// Runs one or more statements without parameters.
    fn run(connection: &mut Self::Connection, sql: SqlStr) -> BoxFuture<'_, Result<(), Error>>;
}

/// Client-side timeouts of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatementTimeouts {
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

/// A pool. Clones share it.
pub(super) struct Pool<D: Driver>(Arc<Shared<D>>);

/// What the clones of a pool share.
pub(super) struct Shared<D: Driver> {
    pool: sqlx::Pool<D>,
    /// As many as the pool has connections at most.
    permits: Arc<Semaphore>,
    reusable: Arc<Reusable<D>>,
    losses: Arc<Losses>,
    timeouts: StatementTimeouts,
    diagnosis: Semaphore,
    waits: Waits,
    /// Tasks that end when the pool is closed.
    tasks: Mutex<JoinSet<()>>,
}

impl<D: Driver> Deref for Pool<D> {
    type Target = Shared<D>;

    fn deref(&self) -> &Shared<D> {
        &self.0
    }
}

impl<D: Driver> Clone for Pool<D> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<D: Driver> Debug for Pool<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.pool.fmt(formatter)
    }
}

impl<D: Driver> Pool<D> {
    /// Wraps a pool, whose connections belong to the current runtime. The pool's own `acquire_timeout` limits the wait
    /// for a connection.
    pub(super) fn new(
        pool: sqlx::Pool<D>,
        losses: Arc<Losses>,
        timeouts: StatementTimeouts,
    ) -> Self {
        let most = pool.options().get_max_connections() as usize;
        Self(Arc::new(Shared {
            pool,
            permits: Arc::new(Semaphore::new(most)),
            reusable: Reusable::new(Arc::clone(&losses), timeouts.check),
            losses,
            timeouts,
            diagnosis: Semaphore::new(1),
            waits: Waits::default(),
            tasks: Mutex::default(),
        }))
    }

    /// Starts a task that [`Self::close`] waits for. It gets the event of the closing, at which it must end. It is
    /// aborted when the last clone of the pool is dropped.
    pub(super) fn spawn<F>(&self, task: impl FnOnce(CloseEvent) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = task(self.pool.close_event());
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.spawn(task);
    }

    pub(super) fn timeouts(&self) -> StatementTimeouts {
        self.timeouts
    }

    /// Usage counters of the pool at this moment.
    pub(super) fn state(&self, name: &'static str) -> PoolState {
        PoolState {
            name,
            open: self.pool.size(),
            idle: u32::try_from(self.pool.num_idle() + self.reusable.count()).unwrap_or(u32::MAX),
            most: self.pool.options().get_max_connections(),
            waits: self.waits.ended(),
            timed_out: self.waits.timed_out(),
            waited: self.waits.total(),
        }
    }

    async fn acquire(&self) -> Result<PooledConnection<D>, Error> {
        let span = tracing::debug_span!(
            target: "traces",
            "database",
            otel.kind = "client",
            db.system.name = D::SYSTEM,
            statements = tracing::field::Empty,
        );
        let began = Instant::now();
        let longest = self.pool.options().get_acquire_timeout();
        let acquired = tokio::time::timeout(longest, self.take()).await;
        let acquired = acquired.unwrap_or(Err(Error::PoolTimedOut));
        let timed_out = matches!(acquired, Err(Error::PoolTimedOut));
        self.waits.add(began.elapsed(), timed_out);
        let (taken, permit) = match acquired {
            Err(Error::PoolTimedOut) => return Err(self.acquire_failure().await),
            acquired => acquired?,
        };
        Ok(PooledConnection {
            taken: Some(taken),
            reusable: Arc::clone(&self.reusable),
            _permit: permit,
            in_transaction: false,
            timer: StatementTimer {
                state: ConnectionState::Ready,
                losses: Arc::clone(&self.losses),
                statement: self.timeouts.statement,
                statements: 0,
            },
            span,
            check: self.timeouts.check,
        })
    }

    /// A connection that is ready for reuse, or one of the pool.
    async fn take(&self) -> Result<(Taken<D>, OwnedSemaphorePermit), Error> {
        let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await else {
            return Err(Error::PoolClosed);
        };
        let taken = match self.reusable.take() {
            Some(taken) => taken,
            None => Taken::new(self.take_from_pool().await?),
        };
        Ok((taken, permit))
    }

    /// Takes a connection on the runtime that created this pool. A connection that is opened belongs to the runtime
    /// that opens it: its thread has the priority of that runtime's threads, or its socket ends with that runtime.
    async fn take_from_pool(&self) -> Result<PoolConnection<D>, Error> {
        let pool = self.pool.clone();
        let mut taking = JoinSet::new();
        taking.spawn_on(async move { pool.acquire().await }, self.reusable.runtime());
        match taking.join_next().await {
            Some(Ok(taken)) => taken,
            Some(Err(_)) | None => Err(Error::PoolClosed),
        }
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
        pooled.timer.statement = self.timeouts.long_statement;
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
        match tokio::time::timeout(self.timeouts.check, options.connect()).await {
            Ok(Ok(_connection)) => Error::PoolTimedOut,
            Ok(Err(error)) => error,
            Err(_elapsed) => Error::Io(io::Error::new(
                io::ErrorKind::TimedOut,
                StatementTimedOut(self.timeouts.check),
            )),
        }
    }

    /// Closes every connection after the running statements end, and waits for the tasks.
    pub(super) async fn close(&self) {
        self.reusable.close();
        let mut tasks = {
            let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        let closed = async {
            self.pool.close().await;
            while tasks.join_next().await.is_some() {}
        };
        let longest = self.timeouts.statement + self.timeouts.check;
        if tokio::time::timeout(longest, closed).await.is_err() {
            tracing::warn!(
                "database connections were not closed in time; they end with the process"
            );
        }
    }
}

impl Pool<Sqlite> {
    /// Begins a transaction and reads rows in it, as one message. The first statement begins the transaction; the
    /// others have one parameter, `$1`.
    pub(super) async fn begin_and_read<T>(
        &self,
        sql: String,
        parameter: &str,
    ) -> Result<(Transaction<Sqlite>, Vec<T>), Error>
    where
        T: for<'r> FromRow<'r, SqliteRow> + Send + Unpin,
    {
        let mut pooled = self.acquire().await?;
        // After an error the transaction may be open.
        pooled.in_transaction = true;
        let query = sqlx::query_as(AssertSqlSafe(sql)).bind(parameter);
        let rows = query.fetch_all(&mut pooled).await?;
        Ok((Transaction(pooled), rows))
    }
}
