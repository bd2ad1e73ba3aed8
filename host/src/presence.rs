//! Hosts on one store keep the registers' pace together.
//!
//! Each says every few seconds that it is there; then each takes its share of every upstream's pace, and what asked one
//! of them to stay away is left alone by all. A host that died is forgotten after half a minute.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::connectors::egress::Egress;
use crate::store::{Store, StoreError};

/// How often a host says that it is there. A hold reaches the other hosts within this time.
const BEAT: Duration = Duration::from_secs(5);

/// For how long it is believed.
const ALIVE: Duration = Duration::from_secs(30);

/// One host among those on its store.
#[derive(Clone)]
pub struct Presence {
    host: String,
    store: Store,
    egress: Arc<Egress>,
    clock: Clock,
}

impl Presence {
    /// The presence of a host of this name.
    #[must_use]
    pub fn new(host: String, store: Store, egress: Arc<Egress>, clock: Clock) -> Self {
        Self {
            host,
            store,
            egress,
            clock,
        }
    }

    /// Says that the host is there and takes its share; how many hosts there are.
    ///
    /// # Errors
    /// The store failed; the share stays as it was.
    pub async fn step(&self) -> Result<u32, StoreError> {
        let hosts = self.store.hosts();
        let now = self.clock.now();
        let count = hosts.beat(&self.host, ALIVE, now).await?;
        self.egress.share_with(count);
        for (address, left) in self.egress.holds() {
            hosts.hold(&address, now + left).await?;
        }
        for (address, until) in hosts.holds(now).await? {
            if let Ok(left) = Duration::try_from(until - now) {
                self.egress.hold(&address, left);
            }
        }
        Ok(count)
    }

    /// Goes on for ever.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "the other hosts could not be asked; the share of the registers' pace stays as it was");
            }
            tokio::time::sleep(BEAT).await;
        }
    }

    /// Says that the host is gone, so that the others need not wait to take its share.
    pub async fn leave(&self) {
        if let Err(error) = self.store.hosts().leave(&self.host).await {
            tracing::debug!(%error, "the other hosts notice by themselves that this one is gone");
        }
    }
}
