//! What all parts of a host share: its store, its clock and the settings in force.

use std::sync::Arc;

use arc_swap::ArcSwap;
use time::OffsetDateTime;

use crate::clock::Clock;
use crate::config::Config;
use crate::store::Store;

/// The context of one host. Clones share the store and the settings.
#[derive(Clone)]
pub struct Context {
    pub store: Store,
    pub clock: Clock,
    config: Arc<ArcSwap<Config>>,
}

impl Context {
    /// A context whose settings in force are, for now, those of the start.
    #[must_use]
    pub fn new(store: Store, clock: Clock, config: &Config) -> Self {
        Self {
            store,
            clock,
            config: Arc::new(ArcSwap::from_pointee(config.clone())),
        }
    }

    /// The settings in force: those at the start, with the changes reloaded since.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.config.load_full()
    }

    /// Replaces the settings in force by reloaded ones.
    pub fn set_config(&self, config: Config) {
        self.config.store(Arc::new(config));
    }

    /// The host's current time.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }
}
