//! Deletes old rows that no feature deletes itself, and measures the sizes of tables.
//!
//! One of the hosts on a database does this at a time, under a lease. Events, runs, batches and sessions are deleted by
//! the workers of their features; `lustra_store::TABLES` has the decision about each table.

use std::time::Duration;

use time::OffsetDateTime;

use crate::context::Context;
use crate::store::{OldRows, StoreError, TABLES};

/// Interval of the rounds.
const INTERVAL: Duration = Duration::from_secs(600);

/// Interval at which the sizes are measured.
const MEASURED_EVERY: time::Duration = time::Duration::hours(1);

/// Rows that one statement deletes.
const SLICE: u32 = 500;

/// Slices of one kind in one round. More old rows wait for the next round, so that a round ends within its lease.
const SLICES_OF_A_ROUND: u32 = 200;

/// Longer than a round takes. The lease is extended between kinds of rows.
const LEASE: Duration = Duration::from_secs(900);

const LEASE_NAME: &str = "retention";

/// Leases of dead hosts are kept this long, so that a host whose clock is behind never finds its own one deleted.
const ENDED_LEASES: time::Duration = time::Duration::days(1);

/// Deletes old rows and measures sizes.
#[derive(Clone)]
pub struct Retention {
    context: Context,
    host: String,
}

/// What one round did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Round {
    /// Deleted rows.
    pub deleted: u64,
    /// Whether the sizes were measured.
    pub measured: bool,
}

/// The kinds of rows that this worker deletes.
#[derive(Debug, Clone, Copy)]
enum Rows {
    Leases,
    Endpoints,
    Keys,
    Subscriptions,
    Mail,
}

const ALL: [Rows; 5] = [
    Rows::Leases,
    Rows::Endpoints,
    Rows::Keys,
    Rows::Subscriptions,
    Rows::Mail,
];

impl Retention {
    /// Creates the worker of a host. `host` names this process in leases.
    #[must_use]
    pub fn new(context: Context, host: String) -> Self {
        Self { context, host }
    }

    /// Deletes old rows in slices, and measures the sizes if the last measurement is an hour old. `None`: another host
    /// does this.
    ///
    /// # Errors
    /// The store failed.
    pub async fn step(&self) -> Result<Option<Round>, StoreError> {
        let mut round = Round::default();
        for kind in ALL {
            if !self.has_lease().await? {
                return Ok(None);
            }
            for _ in 0..SLICES_OF_A_ROUND {
                let deleted = self.slice_of(kind).await?;
                round.deleted += deleted;
                if deleted < u64::from(SLICE) {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        if !self.has_lease().await? {
            return Ok(None);
        }
        round.deleted += self.sweep_usage().await?;
        round.measured = self.measure().await?;
        Ok(Some(round))
    }

    async fn has_lease(&self) -> Result<bool, StoreError> {
        let leases = self.context.store.leases();
        let now = self.context.now();
        leases.acquire(LEASE_NAME, &self.host, LEASE, now).await
    }

    fn rows(&self) -> OldRows<'_> {
        self.context.store.old_rows()
    }

    async fn slice_of(&self, kind: Rows) -> Result<u64, StoreError> {
        let (rows, now, config) = (self.rows(), self.context.now(), self.context.config());
        let before = |days: u32| now - time::Duration::days(days.into());
        match kind {
            Rows::Leases => rows.sweep_leases(now - ENDED_LEASES, SLICE).await,
            Rows::Endpoints => rows.sweep_endpoints(now, SLICE).await,
            Rows::Keys => {
                let days = config.retention.ended_keys_days;
                rows.sweep_keys(before(days), SLICE).await
            }
            Rows::Subscriptions => {
                let days = config.notifications.keep_days;
                rows.sweep_subscriptions(before(days), SLICE).await
            }
            Rows::Mail => {
                let days = config.retention.mail_days;
                rows.sweep_mail(before(days), SLICE).await
            }
        }
    }

    /// Deletes old usage, account by account.
    async fn sweep_usage(&self) -> Result<u64, StoreError> {
        let days = self.context.config().retention.usage_days;
        let before = (self.context.now() - time::Duration::days(days.into())).date();
        let (mut account, mut deleted) = (0, 0);
        while let Some((of, rows)) = self.rows().sweep_usage(account, before, SLICE).await? {
            deleted += rows;
            if rows == 0 {
                account = of;
            }
            tokio::task::yield_now().await;
        }
        Ok(deleted)
    }

    /// Measures the sizes, unless they were measured within the hour.
    async fn measure(&self) -> Result<bool, StoreError> {
        let now = self.context.now();
        let known = self.rows().sizes().await?;
        let last: Option<OffsetDateTime> = known.iter().map(|size| size.measured_at).max();
        if last.is_some_and(|last| last <= now && now - last < MEASURED_EVERY) {
            return Ok(false);
        }
        for rule in TABLES {
            if let Err(error) = self.rows().measure(rule, now).await {
                // A count that takes too long must not stop the others; the last size stays.
                tracing::debug!(%error, table = rule.table, "the rows of a table could not be counted");
            }
        }
        self.rows().measure_bytes(now).await?;
        Ok(true)
    }

    /// Worker loop.
    pub async fn run(self) {
        loop {
            match self.step().await {
                Ok(Some(Round { deleted, .. })) if deleted > 0 => {
                    tracing::info!(deleted, "retention: deleted {deleted} old rows");
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%error, "old rows could not be deleted; retrying in {} s", INTERVAL.as_secs());
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }
}
