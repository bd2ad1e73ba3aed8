//! The shared state of a host's companies: store, connectors, settings, caches and running fetches.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use time::OffsetDateTime;

use super::cache::ProfileCache;
use super::contradictions::Contradictions;
use crate::config::{Config, FreshnessConfig};
use crate::connectors::Connectors;
use crate::store::Store;

/// How long a bare id stays bound to one company. Limited because the register assigns new ids daily.
const UNAMBIGUOUS_ID_TTL: Duration = Duration::from_secs(86_400);

/// The companies of one host. Clones share all state.
#[derive(Clone)]
pub struct Companies(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) store: Store,
    pub(super) connectors: Arc<Connectors>,
    config: ArcSwap<Config>,
    pub(super) freshness: FreshnessConfig,
    pub(super) cache: ProfileCache,
    pub(super) unknown: moka::sync::Cache<String, OffsetDateTime>,
    /// When the source register was last asked to confirm a base record.
    pub(super) base_tried: moka::sync::Cache<String, OffsetDateTime>,
    /// Bare commercial-register ids that matched a single company.
    pub(super) unambiguous_ids: moka::sync::Cache<String, String>,
    /// Names of the parts that this host is fetching. Deduplicates concurrent fetches.
    pub(super) under_way: Mutex<BTreeSet<String>>,
    pub(super) arrived: tokio::sync::watch::Sender<u64>,
    pub(super) host: String,
    pub(super) contradictions: Contradictions,
}

impl Companies {
    /// Creates the companies over a store and connectors. `host` names this process in leases.
    #[must_use]
    pub fn new(store: Store, connectors: Arc<Connectors>, config: &Config, host: String) -> Self {
        let freshness = config.freshness.clone();
        Self(Arc::new(Inner {
            cache: ProfileCache::new(&freshness),
            unknown: moka::sync::Cache::builder().max_capacity(100_000).build(),
            base_tried: moka::sync::Cache::builder().max_capacity(100_000).build(),
            unambiguous_ids: moka::sync::Cache::builder()
                .max_capacity(100_000)
                .time_to_live(UNAMBIGUOUS_ID_TTL)
                .build(),
            store,
            connectors,
            config: ArcSwap::from_pointee(config.clone()),
            freshness,
            under_way: Mutex::default(),
            arrived: tokio::sync::watch::Sender::new(0),
            host,
            contradictions: Contradictions::default(),
        }))
    }

    /// Facts that registers state differently.
    #[must_use]
    pub fn contradictions(&self) -> &Contradictions {
        &self.0.contradictions
    }

    #[must_use]
    pub fn connectors(&self) -> &Arc<Connectors> {
        &self.0.connectors
    }

    /// The settings in force: those at the start, with the changes reloaded since.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        self.0.config.load_full()
    }

    /// Replaces the settings in force by reloaded ones.
    pub fn set_config(&self, config: Config) {
        self.0.config.store(Arc::new(config));
    }

    #[must_use]
    pub fn store(&self) -> &Store {
        &self.0.store
    }

    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.0.connectors.services.clock.now()
    }

    /// Converts a time to the clock of clients and receivers.
    pub(crate) fn elsewhere(&self, at: OffsetDateTime) -> OffsetDateTime {
        self.0.connectors.services.clock.elsewhere(at)
    }

    /// Clears the cache, after an import.
    pub fn forget_all(&self) {
        self.0.cache.forget_all();
        self.0.unknown.invalidate_all();
    }

    pub(super) fn base_tried_at(&self, ico: &str) -> Option<OffsetDateTime> {
        self.0.base_tried.get(ico)
    }
}
