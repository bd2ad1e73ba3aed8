//! The shared state of a host's companies: context, connectors, caches and running fetches.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use time::OffsetDateTime;

use super::cache::ProfileCache;
use super::contradictions::Contradictions;
use crate::config::FreshnessConfig;
use crate::connectors::Connectors;
use crate::context::Context;
use crate::store::Store;

/// How long a bare id stays bound to one company. Limited because the register assigns new ids daily.
const UNAMBIGUOUS_ID_TTL: Duration = Duration::from_secs(86_400);

/// The companies of one host. Clones share all state.
#[derive(Clone)]
pub struct Companies(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) context: Context,
    pub(super) connectors: Arc<Connectors>,
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
    /// Creates the companies over the connectors. `host` names this process in leases.
    #[must_use]
    pub fn new(context: Context, connectors: Arc<Connectors>, host: String) -> Self {
        let freshness = context.config().freshness.clone();
        Self(Arc::new(Inner {
            cache: ProfileCache::new(&freshness),
            unknown: moka::sync::Cache::builder().max_capacity(100_000).build(),
            base_tried: moka::sync::Cache::builder().max_capacity(100_000).build(),
            unambiguous_ids: moka::sync::Cache::builder()
                .max_capacity(100_000)
                .time_to_live(UNAMBIGUOUS_ID_TTL)
                .build(),
            context,
            connectors,
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

    pub(super) fn context(&self) -> &Context {
        &self.0.context
    }

    pub(super) fn store(&self) -> &Store {
        &self.0.context.store
    }

    pub(super) fn now(&self) -> OffsetDateTime {
        self.0.context.now()
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
