//! The connectors of a running host: the serving catalogue, and the state that is shared by all generations of a
//! connector.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use arc_swap::ArcSwap;
use lustra_store::{ConnectorId, SourceFailure};
use time::OffsetDateTime;
use tokio::sync::watch;

use super::breaker::BreakerState;
use super::cache::Cache;
use super::call_failure::CallFailure;
use super::catalogue::{Catalogue, CatalogueEntry};
use super::compile::Compiler;
use super::component::{Loaded, SharedStats};
use super::fingerprint::FileFingerprint;
use super::last_known_good::LastKnownGood;
use super::linker::ConnectorLinker;
use super::recording::sample::Sample;
use super::refusal::Refusal;
use super::single_pass::SinglePass;
use super::state::Services;
use super::stats::Stats;
use crate::settings::{ConnectorConfig, ConnectorsConfig};

/// All connectors of a host.
pub struct Connectors {
    /// Services that calls use.
    pub services: Services,
    pub(super) linker: ConnectorLinker,
    pub(super) cache: Arc<Cache>,
    pub(super) compiler: Arc<Compiler>,
    pub(super) single_pass: Arc<SinglePass>,
    pub(super) last_known_good: Arc<LastKnownGood>,
    /// Fingerprints of the files when they were last read.
    pub(super) fingerprints: Mutex<BTreeMap<PathBuf, FileFingerprint>>,
    /// Allows one reload at a time.
    pub(super) reloading: tokio::sync::Mutex<()>,
    current: ArcSwap<Catalogue>,
    /// Serialises changes of the catalogue.
    changing: Mutex<()>,
    config: ArcSwap<ConnectorsConfig>,
    shared_stats: Mutex<BTreeMap<ConnectorId, SharedStats>>,
    last_failures: Mutex<BTreeMap<ConnectorId, (OffsetDateTime, SourceFailure)>>,
    draining: Mutex<Vec<Weak<Loaded>>>,
    changes: watch::Sender<u64>,
}

impl Connectors {
    /// Reads the directory and loads every enabled component. A component that cannot be loaded is listed with its
    /// reason; the others still load.
    pub async fn load(
        config: &ConnectorsConfig,
        linker: ConnectorLinker,
        cache: Arc<Cache>,
        services: Services,
    ) -> Self {
        let mut connectors = Self {
            services,
            single_pass: Arc::new(SinglePass::new(linker.engine().pool())),
            linker,
            cache,
            compiler: Arc::new(Compiler::InProcess),
            last_known_good: Arc::new(LastKnownGood::open(config.last_known_good.clone())),
            fingerprints: Mutex::default(),
            reloading: tokio::sync::Mutex::default(),
            current: ArcSwap::default(),
            changing: Mutex::default(),
            config: ArcSwap::from_pointee(config.clone()),
            shared_stats: Mutex::default(),
            last_failures: Mutex::default(),
            draining: Mutex::default(),
            changes: watch::Sender::new(0),
        };
        connectors.load_first(config).await;
        connectors.compiler = Arc::new(Compiler::child_process(config.reload.compiler.as_deref()));
        connectors
    }

    /// The catalogue that serves now.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.current.load_full()
    }

    /// The settings of the newest reload.
    #[must_use]
    pub fn config(&self) -> Arc<ConnectorsConfig> {
        self.config.load_full()
    }

    pub(super) fn set_config(&self, config: &ConnectorsConfig) {
        self.config.store(Arc::new(config.clone()));
    }

    /// Changes the entries and publishes the new catalogue.
    pub(super) fn change(&self, change: impl FnOnce(&mut BTreeMap<String, CatalogueEntry>)) {
        let _one_after_the_other = lock(&self.changing);
        let before = self.catalogue();
        let mut entries = before.entries.clone();
        change(&mut entries);
        let catalogue = Catalogue::new(entries, &self.config());
        let gone = before
            .all_serving()
            .filter(|loaded| {
                let now = catalogue.serving(&loaded.manifest.id);
                now.is_none_or(|now| !Arc::ptr_eq(now, loaded))
            })
            .map(Arc::downgrade);
        lock(&self.draining).extend(gone);
        self.current.store(Arc::new(catalogue));
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Why new settings are rejected: they would stop every serving connector, and at least one of them only because
    /// its section is missing. Connectors that are all disabled by name are accepted as the operator's decision.
    #[must_use]
    pub fn left_out_by(&self, config: &ConnectorsConfig) -> Option<String> {
        let catalogue = self.catalogue();
        let serving: Vec<&ConnectorId> = catalogue
            .all_serving()
            .map(|loaded| &loaded.manifest.id)
            .collect();
        let own = |id: &&ConnectorId| config.connector.get(*id);
        let serves_on = |id: &&ConnectorId| own(id).is_some_and(ConnectorConfig::is_enabled);
        if serving.iter().any(serves_on) || serving.iter().all(|id| own(id).is_some()) {
            return None;
        }
        let names: Vec<&str> = serving.iter().map(|id| id.as_str()).collect();
        Some(format!(
            "they enable none of the {} connectors that serve ({}); to stop them all, set `enabled = false` for each, or \
             run `lustra connector reload --force`",
            serving.len(),
            names.join(", ")
        ))
    }

    /// Notifies on each change of the catalogue.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Replaced generations that still have calls in flight, as id and digest.
    #[must_use]
    pub fn draining(&self) -> Vec<(ConnectorId, String)> {
        let kept_back: Vec<Arc<Loaded>> = self
            .catalogue()
            .entries
            .values()
            .filter_map(|entry| Some(Arc::clone(&entry.probation.as_ref()?.previous)))
            .collect();
        let mut draining = lock(&self.draining);
        draining.retain(|generation| generation.strong_count() > 0);
        draining
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|loaded| !kept_back.iter().any(|kept| Arc::ptr_eq(kept, loaded)))
            .map(|loaded| (loaded.manifest.id.clone(), loaded.digest.clone()))
            .collect()
    }

    /// Number of cache entries whose hash verification failed since the start.
    #[must_use]
    pub fn cache_rejected(&self) -> u64 {
        self.cache.rejected()
    }

    /// The state that all generations of a connector share.
    pub(super) fn shared_stats(&self, id: &ConnectorId) -> SharedStats {
        let config = self.config();
        let fresh = || SharedStats {
            stats: Arc::new(Stats::default()),
            sample: Arc::new(Sample::new(
                config.reload.sample_calls,
                usize::try_from(config.reload.sample_kib << 10).unwrap_or(usize::MAX),
            )),
        };
        let mut shared_stats = lock(&self.shared_stats);
        shared_stats.entry(id.clone()).or_insert_with(fresh).clone()
    }

    /// Records and logs why a call failed, for the list and the status. Rolls back a version on probation if its
    /// circuit is open, or if it broke its schema and the previous version never did.
    pub fn note_failure(&self, connector: &ConnectorId, failure: &CallFailure) {
        self.roll_back_if_failed(connector);
        match failure {
            CallFailure::Busy | CallFailure::CircuitOpen(_) => return,
            CallFailure::Failed(_) | CallFailure::Limit(_) => {
                tracing::warn!(connector.id = connector.as_str(), %failure, "the connector {connector} failed: {failure}");
            }
            CallFailure::Trap(_) | CallFailure::Schema { .. } | CallFailure::NotOffered(_) => {
                tracing::error!(connector.id = connector.as_str(), %failure, "the connector {connector} failed: {failure}");
            }
        }
        self.remember_failure(connector, failure);
    }

    /// Stores a failure as the connector's newest without logging it.
    fn remember_failure(&self, connector: &ConnectorId, failure: &CallFailure) {
        let now = self.services.clock.now();
        lock(&self.last_failures).insert(connector.clone(), (now, failure.into()));
    }

    /// Like [`Self::note_failure`], for an import, whose caller logs the failure.
    pub fn note_failed_import(&self, connector: &ConnectorId, failure: &CallFailure) {
        self.roll_back_if_failed(connector);
        match failure {
            CallFailure::Busy | CallFailure::CircuitOpen(_) => {}
            CallFailure::Failed(_)
            | CallFailure::Limit(_)
            | CallFailure::Trap(_)
            | CallFailure::Schema { .. }
            | CallFailure::NotOffered(_) => self.remember_failure(connector, failure),
        }
    }

    /// The newest failure of a connector, if the last call of its kind failed.
    #[must_use]
    pub fn last_failure(&self, connector: &ConnectorId) -> Option<(OffsetDateTime, SourceFailure)> {
        lock(&self.last_failures).get(connector).cloned()
    }

    /// Clears a connector's failure after a successful call.
    pub fn note_success(&self, connector: &ConnectorId) {
        lock(&self.last_failures).remove(connector);
    }

    /// Drops the previous versions whose probation has ended.
    pub(super) fn end_probations(&self) {
        let now = self.services.clock.now();
        let over =
            |entry: &CatalogueEntry| entry.probation.is_some() && entry.on_probation(now).is_none();
        if self.catalogue().entries.values().any(over) {
            self.change(|entries| {
                for entry in entries.values_mut().filter(|entry| over(entry)) {
                    entry.probation = None;
                }
            });
        }
    }

    /// Restores the version or the settings before, if the present ones failed during their probation.
    fn roll_back_if_failed(&self, id: &ConnectorId) {
        let now = self.services.clock.now();
        let failed = |entry: &CatalogueEntry| {
            let previous = entry.on_probation(now)?;
            let loaded = entry.serving()?;
            let broke = |loaded: &Loaded| loaded.broke_schema.load(Ordering::Relaxed);
            let why = if matches!(loaded.breaker.state(now), BreakerState::Open(_)) {
                "it failed too often in its first calls"
            } else if broke(loaded) && !broke(previous) {
                "an answer did not fit its schema, as none of the version before did"
            } else {
                return None;
            };
            Some((Arc::clone(loaded), Arc::clone(previous), why))
        };
        if self
            .catalogue()
            .entries
            .get(id.as_str())
            .and_then(failed)
            .is_none()
        {
            return;
        }
        self.change(|entries| {
            let Some(entry) = entries.get_mut(id.as_str()) else {
                return;
            };
            // Another call may have rolled back first.
            let Some((loaded, previous, why)) = failed(entry) else {
                return;
            };
            let reason = self.note_rollback(&loaded, &previous, why);
            *entry = entry.rolled_back(&loaded, previous, &reason, now);
        });
    }

    /// Logs a rollback from `loaded` to `previous` and gives its reason. A component that both have in common stays a
    /// good one: only its settings changed, and a start needs its saved copy.
    fn note_rollback(&self, loaded: &Loaded, previous: &Loaded, why: &str) -> Refusal {
        let (id, digest) = (&loaded.manifest.id, &loaded.digest);
        if *digest == previous.digest {
            tracing::error!(connector.id = id.as_str(), %digest, "the changed settings of {id} were rolled back: {why}");
            return Refusal::RolledBack(format!(
                "the changed settings were rolled back: {why}; the settings before apply again"
            ));
        }
        tracing::error!(connector.id = id.as_str(), %digest, "version {} of {id} was rolled back: {why}", loaded.manifest.version);
        let reason = Refusal::RolledBack(format!(
            "rolled back: {why}; the version before serves again"
        ));
        self.last_known_good.roll_back(id, digest, &reason.reason());
        reason
    }
}

/// Ignores poisoning: each statement leaves the guarded data consistent.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
