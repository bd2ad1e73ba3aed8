//! A connection taken from the pool, and a transaction on it: statements with a timeout, and the return to the pool.

use std::fmt::{self, Debug, Formatter};
use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use sqlx::{Error, SqlSafeStr};
use tokio::sync::OwnedSemaphorePermit;

use super::reuse::{Reusable, Taken, return_to_pool_or_close};
use super::{Driver, Losses};
use crate::Cause;

/// State of a connection that was taken from the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// No statement is running.
    Ready,
    Busy,
    /// The connection must not be used again.
    Broken,
}

/// Applies the timeout to statements of one connection.
#[derive(Debug)]
pub(super) struct StatementTimer {
    pub(super) state: ConnectionState,
    pub(super) losses: Arc<Losses>,
    pub(super) statement: Duration,
    /// Statements that were run, for traces.
    pub(super) statements: u64,
}

impl StatementTimer {
    /// Runs a statement with the timeout. If this future is dropped first, the connection stays
    /// [`ConnectionState::Busy`].
    pub(super) async fn time<T>(
        &mut self,
        statement: impl Future<Output = Result<T, Error>> + Send,
    ) -> Result<T, Error> {
        self.state = ConnectionState::Busy;
        self.statements += 1;
        let Ok(outcome) = tokio::time::timeout(self.statement, statement).await else {
            self.mark_broken();
            let took = io::Error::new(io::ErrorKind::TimedOut, StatementTimedOut(self.statement));
            return Err(Error::Io(took));
        };
        match &outcome {
            Err(error) if breaks_connection(error) => self.mark_broken(),
            Ok(_) | Err(_) => self.state = ConnectionState::Ready,
        }
        outcome
    }

    fn mark_broken(&mut self) {
        self.state = ConnectionState::Broken;
        self.losses.add();
    }
}

/// A statement got no answer within its timeout.
#[derive(Debug, thiserror::Error)]
#[error("the database gave no answer for {} ms", .0.as_millis())]
pub(super) struct StatementTimedOut(pub(super) Duration);

/// Whether the error makes the connection unusable.
fn breaks_connection(error: &Error) -> bool {
    match Cause::of(error) {
        Cause::NoAnswer
        | Cause::Lost
        | Cause::Foreign(_)
        | Cause::NoTls
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
pub(crate) struct PooledConnection<D: Driver> {
    /// `None` only during drop.
    pub(super) taken: Option<Taken<D>>,
    pub(super) reusable: Arc<Reusable<D>>,
    /// Dropped after the connection was put back.
    pub(super) _permit: OwnedSemaphorePermit,
    /// True while a transaction is open or may be open.
    pub(super) in_transaction: bool,
    pub(super) timer: StatementTimer,
    /// From the wait for the connection to its return.
    pub(super) span: tracing::Span,
    pub(super) check: Duration,
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
    pub(super) fn parts(&mut self) -> Result<(&mut D::Connection, &mut StatementTimer), Error> {
        match &mut self.taken {
            Some(taken) if self.timer.state != ConnectionState::Broken => {
                Ok((&mut *taken.connection, &mut self.timer))
            }
            Some(_) | None => Err(Error::WorkerCrashed),
        }
    }

    pub(super) async fn run(&mut self, sql: impl SqlSafeStr) -> Result<(), Error> {
        let (connection, timer) = self.parts()?;
        timer.time(D::run(connection, sql.into_sql_str())).await
    }
}

impl<D: Driver> Drop for PooledConnection<D> {
    fn drop(&mut self) {
        let Some(taken) = self.taken.take() else {
            return;
        };
        self.span.record("statements", self.timer.statements);
        let (is_ready, in_order) = match self.timer.state {
            ConnectionState::Ready => (!self.in_transaction, true),
            ConnectionState::Busy => (false, D::SURVIVES_CANCELLATION),
            ConnectionState::Broken => (false, false),
        };
        match tokio::runtime::Handle::try_current() {
            Ok(_) if is_ready => self.reusable.put(taken),
            Ok(_) if in_order => {
                self.reusable.runtime().spawn(return_to_pool_or_close(
                    taken.connection,
                    self.in_transaction,
                    self.check,
                ));
            }
            Ok(_) | Err(_) => drop(taken.connection.detach()),
        }
    }
}

/// An open transaction. Dropping it rolls back.
#[derive(Debug)]
pub(crate) struct Transaction<D: Driver>(pub(super) PooledConnection<D>);

impl<D: Driver> Transaction<D> {
    /// Commits. After an error the outcome is unknown, and the connection is closed.
    pub(crate) async fn commit(mut self) -> Result<(), Error> {
        let committed = self.0.run("commit").await;
        match committed {
            Ok(()) => self.0.in_transaction = false,
            Err(_) => self.0.timer.state = ConnectionState::Broken,
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
