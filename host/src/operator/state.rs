//! The state of a connector as operators see it, in one form for HTTP and the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::clock::rfc3339;
use crate::companies::Companies;
use crate::connectors::breaker::BreakerState;
use crate::connectors::cache::Origin;
use crate::connectors::catalogue::{CatalogueEntry, EntryState};
use crate::connectors::egress::{Address, Upstream, UpstreamState};
use crate::connectors::stats::Seen;
use crate::connectors::{Connectors, Loaded, ShadowReport, Stage};
use crate::store::{ConnectorId, DatasetState, Store, StoreError, text_enum};

/// Whether a connector serves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ServingState {
    Serving,
    /// The settings do not enable it.
    #[default]
    NotEnabled,
    /// It could not be loaded.
    Refused,
}

text_enum!(ServingState {
    Serving: "serving",
    NotEnabled: "not enabled",
    Refused: "refused",
});

/// State of a circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitState {
    Closed,
    HalfOpen,
    Open,
}

text_enum!(CircuitState {
    Closed: "closed",
    HalfOpen: "half-open",
    Open: "open",
});

/// One connector, or a component that could not become one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ConnectorState {
    /// The manifest's id, or the file name.
    pub id: String,
    pub state: ServingState,
    /// Reason if the connector does not serve.
    pub reason: Option<String>,
    pub version: Option<String>,
    /// Title of the connector for people.
    pub title: Option<String>,
    /// SHA-256 of the serving component, otherwise of the file's component.
    pub digest: Option<String>,
    pub file: PathBuf,
    pub scopes: Vec<String>,
    pub datasets: Vec<String>,
    /// When this version began to serve, RFC 3339.
    pub loaded_at: Option<String>,
    /// Where its machine code comes from.
    pub code: Option<Origin>,
    /// The file's component, if another one serves instead.
    pub rejected: Option<RejectedState>,
    /// Result of replaying recent calls when the component was loaded.
    pub shadow: Option<ShadowReport>,
    /// The previous version, and until when it may be restored.
    pub probation: Option<ProbationState>,
    /// Digests of replaced versions that still have running calls.
    pub draining: Vec<String>,
    pub breaker: Option<CircuitState>,
    /// When the open circuit may be tried again, RFC 3339.
    pub circuit_open_until: Option<String>,
    /// The newest failure, if no call has succeeded since.
    pub last_failure: Option<FailureState>,
    /// Call statistics since the host's start.
    pub calls: CallsState,
    pub lists: Vec<ListState>,
    pub upstreams: Vec<UpstreamOfConnector>,
    /// Why the current settings file was rejected. Equal for all connectors.
    #[serde(default)]
    pub settings_mistake: Option<String>,
}

impl ConnectorState {
    /// The file's component, if it was rejected and another one serves.
    #[must_use]
    pub fn rejected_component(&self) -> Option<&RejectedState> {
        let rejected = self.rejected.as_ref();
        rejected.filter(|rejected| !self.is_serving(rejected))
    }

    /// Why changed settings do not apply to the component that serves. It uses the former ones.
    #[must_use]
    pub fn rejected_settings(&self) -> Option<&str> {
        let rejected = self.rejected.as_ref()?;
        if self.is_serving(rejected) {
            return Some(&rejected.reason);
        }
        rejected.settings_reason.as_deref()
    }

    /// Whether the rejected component serves: it was rejected with changed settings alone.
    fn is_serving(&self, rejected: &RejectedState) -> bool {
        rejected.digest.is_some() && rejected.digest == self.digest
    }
}

/// A component that was rejected.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RejectedState {
    /// Its SHA-256, if the file could be read.
    pub digest: Option<String>,
    /// Its version, if it could be read.
    pub version: Option<String>,
    /// The loading stage that failed.
    pub stage: Stage,
    /// Why that stage failed.
    pub reason: String,
    /// Why changed settings do not apply to the component that serves instead.
    #[serde(default)]
    pub settings_reason: Option<String>,
    /// Time of the rejection, RFC 3339.
    pub at: String,
}

/// A version that may still be rolled back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbationState {
    /// Digest of the version that a rollback restores.
    pub previous: String,
    /// When the probation ends, RFC 3339.
    pub until: String,
    /// Number of further calls after which it ends.
    pub calls_left: u64,
}

/// The newest failed call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FailureState {
    /// When the call failed, RFC 3339.
    pub at: String,
    pub reason: String,
}

/// Call statistics since the host's start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CallsState {
    pub ended: u64,
    /// Running calls; each has its own instance.
    pub in_flight: u64,
    /// Failed calls by kind of failure.
    pub failures: BTreeMap<String, u64>,
    /// Calls per latency bucket, by upper bound in seconds, not cumulative. The last bucket is unbounded.
    pub latency: Vec<u64>,
    /// Total time of all calls, in seconds.
    pub latency_seconds: f64,
    /// Median latency in seconds, as the upper bound of its bucket.
    pub p50_seconds: Option<f64>,
    /// 99th percentile of the latency in seconds, as the upper bound of its bucket.
    pub p99_seconds: Option<f64>,
    /// Peak memory of an instance, in bytes.
    pub memory_high: u64,
    /// CPU seconds of guest code.
    pub cpu_seconds: f64,
    pub requests: u64,
}

/// One dataset of a connector.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListState {
    /// Its id within the connector.
    pub id: String,
    /// Whether imports are switched on.
    pub on: bool,
    /// Time of the last import, RFC 3339.
    pub imported_at: Option<String>,
    /// Time of the next import, RFC 3339.
    pub next_run_at: Option<String>,
    /// Since when an operator has paused the imports, RFC 3339.
    #[serde(default)]
    pub paused_at: Option<String>,
    /// Records of the published list.
    pub records: i64,
    /// Why the newest import failed.
    pub failure: Option<String>,
}

/// An upstream as one connector uses it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpstreamOfConnector {
    pub name: String,
    /// Its address; for a file, the name without the directory.
    pub address: Option<String>,
    /// Remaining seconds of a pause that the upstream requested.
    pub held_seconds: Option<u64>,
    /// Number of requests in flight.
    pub under_way: usize,
    /// Number of requests in the queue.
    pub waiting: usize,
}

/// All connectors of a host, by id.
///
/// # Errors
/// The store failed.
pub async fn all(store: &Store, companies: &Companies) -> Result<Vec<ConnectorState>, StoreError> {
    let stored = store.datasets().states().await?;
    Ok(all_with(companies, &stored))
}

/// All connectors of a host, by id, with the stored state of their datasets.
pub(super) fn all_with(companies: &Companies, stored: &[DatasetState]) -> Vec<ConnectorState> {
    let connectors = companies.connectors();
    let draining = connectors.draining();
    let catalogue = connectors.catalogue();
    let entries = catalogue.entries.iter();
    entries
        .map(|(name, entry)| one(connectors, name, entry, stored, &draining))
        .collect()
}

fn one(
    connectors: &Connectors,
    name: &str,
    entry: &CatalogueEntry,
    stored: &[DatasetState],
    draining: &[(ConnectorId, String)],
) -> ConnectorState {
    let (state, reason) = match &entry.state {
        EntryState::Serving(_) => (ServingState::Serving, None),
        EntryState::NotEnabled => (ServingState::NotEnabled, None),
        EntryState::Refused(why) => (ServingState::Refused, Some(why.clone())),
    };
    let manifest = entry.manifest.as_ref();
    let mut shown = ConnectorState {
        id: name.to_owned(),
        state,
        reason,
        version: manifest.map(|manifest| manifest.version.clone()),
        title: manifest.map(|manifest| manifest.title.clone()),
        digest: entry.digest.clone(),
        file: entry.file.clone(),
        rejected: entry
            .rejected
            .as_ref()
            .filter(|_| entry.serving().is_some())
            .map(|rejected| RejectedState {
                digest: rejected.digest.clone(),
                version: rejected.version.clone(),
                stage: rejected.stage,
                reason: rejected.reason.clone(),
                settings_reason: rejected
                    .settings
                    .as_ref()
                    .map(|settings| settings.reason.clone()),
                at: rfc3339(rejected.at),
            }),
        shadow: entry.shadow.clone(),
        draining: draining
            .iter()
            .filter(|(of, _)| *of == *name)
            .map(|(_, digest)| digest.clone())
            .collect(),
        ..ConnectorState::default()
    };
    if let Some(manifest) = manifest {
        shown.scopes = manifest
            .scopes
            .iter()
            .map(|scope| scope.scope.to_string())
            .collect();
        shown.datasets = manifest
            .datasets
            .iter()
            .map(|dataset| dataset.id.clone())
            .collect();
    }
    if let Some(loaded) = entry.serving() {
        serving(connectors, loaded, entry, stored, &mut shown);
    }
    shown
}

fn serving(
    connectors: &Connectors,
    loaded: &Loaded,
    entry: &CatalogueEntry,
    stored: &[DatasetState],
    shown: &mut ConnectorState,
) {
    let now = connectors.services.clock.now();
    let id = &loaded.manifest.id;
    shown.loaded_at = Some(rfc3339(loaded.loaded_at));
    shown.code = Some(loaded.origin());
    let (breaker, until) = match loaded.breaker.state(now) {
        BreakerState::Closed => (CircuitState::Closed, None),
        BreakerState::HalfOpen => (CircuitState::HalfOpen, None),
        BreakerState::Open(open) => (CircuitState::Open, Some(rfc3339(open.until))),
    };
    shown.breaker = Some(breaker);
    shown.circuit_open_until = until;
    shown.last_failure = connectors
        .last_failure(id)
        .map(|(at, failure)| FailureState {
            at: rfc3339(at),
            reason: failure.detail,
        });
    let seen = loaded.stats.snapshot();
    shown.probation = entry
        .probation
        .as_ref()
        .filter(|_| entry.on_probation(now).is_some())
        .map(|probation| ProbationState {
            previous: probation.previous.digest.clone(),
            until: rfc3339(probation.until),
            calls_left: probation.until_calls.saturating_sub(seen.calls),
        });
    shown.calls = CallsState::of(seen);
    let datasets = loaded.manifest.datasets.iter();
    shown.lists = datasets
        .map(|dataset| {
            let mut stored = stored.iter();
            let state = stored.find(|state| state.connector == *id && state.dataset == dataset.id);
            ListState::of(&dataset.id, loaded.datasets_on.contains(&dataset.id), state)
        })
        .collect();
    let egress = &connectors.services.egress;
    let upstreams = loaded.upstreams.values();
    shown.upstreams = upstreams
        .map(|upstream| UpstreamOfConnector::of(upstream, egress.upstream_state(&upstream.address)))
        .collect();
}

impl CallsState {
    fn of(seen: Seen) -> Self {
        Self {
            ended: seen.calls,
            in_flight: seen.in_flight,
            p50_seconds: seen.quantile(0.5),
            p99_seconds: seen.quantile(0.99),
            failures: seen
                .failures
                .iter()
                .map(|(kind, count)| (kind.word().to_owned(), *count))
                .collect(),
            latency: seen.latency,
            latency_seconds: seen.latency_seconds,
            memory_high: seen.memory_high,
            cpu_seconds: seen.cpu_seconds,
            requests: seen.requests,
        }
    }
}

impl ListState {
    fn of(id: &str, on: bool, state: Option<&DatasetState>) -> Self {
        let next_run_at = state.and_then(|state| state.next_run_at);
        Self {
            id: id.to_owned(),
            on,
            imported_at: state.and_then(|state| state.imported_at).map(rfc3339),
            next_run_at: next_run_at.filter(|_| on).map(rfc3339),
            paused_at: state.and_then(|state| state.paused_at).map(rfc3339),
            records: state.map_or(0, |state| state.records),
            failure: state.and_then(|state| Some(state.failure.as_ref()?.detail.clone())),
        }
    }
}

impl UpstreamOfConnector {
    fn of(upstream: &Upstream, state: UpstreamState) -> Self {
        let file_name = |file: &Path| {
            let name = file.file_name()?.to_string_lossy();
            Some(format!("file {name}"))
        };
        Self {
            name: upstream.name.clone(),
            address: match &upstream.address {
                Address::Http(url) => Some(url.as_str().trim_end_matches('/').to_owned()),
                Address::File(file) => file_name(file),
                Address::Unset => None,
            },
            held_seconds: state.cooldown.map(|left| left.as_secs()),
            under_way: state.under_way,
            waiting: state.waiting,
        }
    }
}
