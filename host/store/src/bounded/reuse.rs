//! Connections that are used again without the checks of the pool.
//!
//! `sqlx` asks the database whether a connection is alive when it is returned, and on `PostgreSQL` this crate asks when
//! one is taken. With both checks, most statements need three round trips instead of one.

use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use sqlx::SqlSafeStr;
use sqlx::pool::PoolConnection;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::{Driver, Losses};

/// A connection that the pool handed out.
pub(super) struct Taken<D: Driver> {
    pub(super) connection: PoolConnection<D>,
    /// When the pool handed it out.
    since: Instant,
}

impl<D: Driver> Taken<D> {
    pub(super) fn new(connection: PoolConnection<D>) -> Self {
        Self {
            connection,
            since: Instant::now(),
        }
    }

    /// Whether the pool must check it and its age.
    fn is_due(&self) -> bool {
        D::REUSED_FOR.is_some_and(|longest| self.since.elapsed() >= longest)
    }
}

/// Connections that the pool counts as in use, but that run no statement.
pub(super) struct Reusable<D: Driver> {
    connections: Mutex<Connections<D>>,
    losses: Arc<Losses>,
    /// Time to return a connection to the pool.
    check: Duration,
    added: Arc<Notify>,
    /// The runtime that connections belong to.
    runtime: Handle,
}

struct Connections<D: Driver> {
    /// The last one was used last.
    ready: Vec<Taken<D>>,
    is_closed: bool,
}

impl<D: Driver> Reusable<D> {
    pub(super) fn new(losses: Arc<Losses>, check: Duration) -> Arc<Self> {
        let added = Arc::new(Notify::new());
        let reusable = Arc::new(Self {
            connections: Mutex::new(Connections {
                ready: Vec::new(),
                is_closed: false,
            }),
            losses,
            check,
            added: Arc::clone(&added),
            runtime: Handle::current(),
        });
        if let Some(longest) = D::REUSED_FOR {
            tokio::spawn(return_unused(Arc::downgrade(&reusable), added, longest));
        }
        reusable
    }

    /// The connection that was used last, if one is ready.
    pub(super) fn take(&self) -> Option<Taken<D>> {
        loop {
            let taken = self.lock().ready.pop()?;
            if D::REUSED_FOR.is_some() && self.losses.may_be_dead(taken.since.elapsed()) {
                drop(taken.connection.detach());
            } else if taken.is_due() {
                self.return_to_pool(taken);
            } else {
                return Some(taken);
            }
        }
    }

    /// Keeps a connection without a running statement and without a transaction for the next statement, or returns it
    /// to the pool.
    pub(super) fn put(&self, taken: Taken<D>) {
        let mut connections = self.lock();
        if connections.is_closed || taken.is_due() {
            drop(connections);
            self.return_to_pool(taken);
            return;
        }
        connections.ready.push(taken);
        drop(connections);
        if D::REUSED_FOR.is_some() {
            self.added.notify_one();
        }
    }

    fn return_to_pool(&self, taken: Taken<D>) {
        let returned = return_to_pool_or_close(taken.connection, false, self.check);
        self.runtime.spawn(returned);
    }

    /// The runtime that connections belong to.
    pub(super) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Number of connections that are ready.
    pub(super) fn count(&self) -> usize {
        self.lock().ready.len()
    }

    /// Returns all connections to the pool, and from now on each that is put.
    pub(super) fn close(&self) {
        let mut connections = self.lock();
        connections.is_closed = true;
        let ready = std::mem::take(&mut connections.ready);
        drop(connections);
        for taken in ready {
            self.return_to_pool(taken);
        }
    }

    /// Returns the connections that are due to the pool. True if others are left.
    fn return_due(&self) -> bool {
        let mut connections = self.lock();
        let due: Vec<_> = connections
            .ready
            .extract_if(.., |taken| taken.is_due())
            .collect();
        let has_others = !connections.ready.is_empty();
        drop(connections);
        for taken in due {
            self.return_to_pool(taken);
        }
        has_others
    }

    fn lock(&self) -> MutexGuard<'_, Connections<D>> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Driver> Drop for Reusable<D> {
    fn drop(&mut self) {
        let connections = self.connections.get_mut();
        let connections = connections.unwrap_or_else(PoisonError::into_inner);
        // To return them would need a runtime, which may have ended.
        for taken in connections.ready.drain(..) {
            drop(taken.connection.detach());
        }
        self.added.notify_one();
    }
}

impl<D: Driver> Debug for Reusable<D> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Reusable")
            .field(&self.count())
            .finish()
    }
}

/// Returns connections that nothing uses any more, until `reusable` is dropped.
async fn return_unused<D: Driver>(
    reusable: Weak<Reusable<D>>,
    added: Arc<Notify>,
    longest: Duration,
) {
    loop {
        added.notified().await;
        loop {
            tokio::time::sleep(longest).await;
            let Some(reusable) = reusable.upgrade() else {
                return;
            };
            if !reusable.return_due() {
                break;
            }
        }
    }
}

/// Returns a connection to its pool, or closes it if that fails or exceeds the timeout.
pub(super) async fn return_to_pool_or_close<D: Driver>(
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
