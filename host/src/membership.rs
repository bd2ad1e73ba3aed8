//! Heartbeats: hosts on one store share the rate limits of upstreams.
//!
//! Each host sends a heartbeat every few seconds and takes an equal share of every upstream's rate. A pause
//! that an upstream demands from one host applies to all hosts. A host without heartbeats is dropped after 30
//! s. With each heartbeat the host checks that no newer program has migrated the store so that it must stop.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::connectors::egress::Egress;
use crate::store::{SchemaRefusal, Store, StoreError};

/// Heartbeat interval. A pause of an upstream reaches the other hosts within this time.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// How long a heartbeat is valid.
const HEARTBEAT_VALIDITY: Duration = Duration::from_secs(30);

/// One host's membership among the hosts on its store.
#[derive(Clone)]
pub struct Membership {
    host: String,
    store: Store,
    egress: Arc<Egress>,
    clock: Clock,
    refusal: Arc<watch::Sender<Option<SchemaRefusal>>>,
}

impl Membership {
    /// Creates the membership of a host with this name.
    #[must_use]
    pub fn new(host: String, store: Store, egress: Arc<Egress>, clock: Clock) -> Self {
        Self {
            host,
            store,
            egress,
            clock,
            refusal: Arc::new(watch::Sender::new(None)),
        }
    }

    /// Sends a heartbeat, updates the host's share and exchanges pauses of upstreams. Returns the number of
    /// hosts.
    ///
    /// # Errors
    /// The store failed. The host keeps its share.
    pub async fn step(&self) -> Result<u32, StoreError> {
        let hosts = self.store.hosts();
        let now = self.clock.now();
        let count = hosts.beat(&self.host, HEARTBEAT_VALIDITY, now).await?;
        self.egress.share_with(count);
        for (address, left) in self.egress.cooldowns() {
            hosts.start_cooldown(&address, now + left).await?;
        }
        for (address, until) in hosts.cooldowns(now).await? {
            if let Ok(left) = Duration::try_from(until - now) {
                self.egress.start_cooldown(&address, left);
            }
        }
        Ok(count)
    }

    /// Checks whether this program may still use the store.
    ///
    /// # Errors
    /// The store failed.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        if let Some(refusal) = self.store.schema_refusal().await? {
            tracing::error!("this host stops serving: the store was migrated, and {refusal}");
            self.refusal.send_replace(Some(refusal));
        }
        Ok(())
    }

    /// Waits until the store refuses this program.
    pub async fn schema_refused(&self) {
        let mut refusal = self.refusal.subscribe();
        if refusal.wait_for(Option::is_some).await.is_err() {
            // The sender is in `self`, so this cannot happen.
            std::future::pending::<()>().await;
        }
    }

    /// Why the store refuses this program, if it does.
    #[must_use]
    pub fn refusal(&self) -> Option<SchemaRefusal> {
        self.refusal.borrow().clone()
    }

    /// Worker loop of the heartbeats.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "heartbeat failed; the share of upstream rate limits stays unchanged");
            }
            if let Err(error) = self.check_schema().await {
                tracing::debug!(%error, "the schema of the store could not be checked; retrying");
            }
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    /// Removes the host from the store, so that the others take its share immediately.
    pub async fn leave(&self) {
        if let Err(error) = self.store.hosts().leave(&self.host).await {
            tracing::debug!(%error, "leaving failed; the heartbeat of this host expires by itself");
        }
    }
}
