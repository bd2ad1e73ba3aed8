//! Everything that an operator may want to know of a connector, in one form for HTTP and the command line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::clock::rfc3339;
use crate::companies::Companies;
use crate::connectors::breaker::BreakerState;
use crate::connectors::cache::Origin;
use crate::connectors::catalogue::{Entry, EntryState};
use crate::connectors::egress::Address;
use crate::connectors::{Connectors, Loaded};
use crate::store::{DatasetState, StoreError};

/// One connector, or a component that never became one.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ConnectorState {
    /// The manifest's id, or the file's name.
    pub id: String,
    /// `serving`, `not enabled` or `refused`.
    pub state: String,
    /// Why it does not serve.
    pub reason: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its name for people.
    pub title: Option<String>,
    /// SHA-256 of what serves, else of the component in the file.
    pub digest: Option<String>,
    /// The file.
    pub file: PathBuf,
    /// Its scopes.
    pub scopes: Vec<String>,
    /// Its datasets.
    pub datasets: Vec<String>,
    /// Since when this version serves, RFC 3339.
    pub loaded_at: Option<String>,
    /// Whether its machine code was `cached` or `compiled` when it was loaded.
    pub code: Option<String>,
    /// The component in the file, where another serves in its place.
    pub rejected: Option<RejectedState>,
    /// What the repetition of recent calls showed when it was taken up.
    pub shadow: Option<serde_json::Value>,
    /// The digest of the version before, and until when it may come back.
    pub probation: Option<ProbationState>,
    /// Digests of replaced versions that have calls under way.
    pub draining: Vec<String>,
    /// `closed`, `half-open`, or `open` with the end of the rest.
    pub breaker: Option<String>,
    /// When the rest ends, RFC 3339.
    pub resting_until: Option<String>,
    /// The newest failure, if no call has worked since.
    pub last_failure: Option<FailureState>,
    /// Calls since the start.
    pub calls: CallsState,
    /// Its lists.
    pub lists: Vec<ListState>,
    /// Its upstreams.
    pub upstreams: Vec<UpstreamOfConnector>,
    /// Why the settings file, as it is now, was not taken up; the same for every connector.
    #[serde(default)]
    pub settings_mistake: Option<String>,
}

/// A component that was not let in.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RejectedState {
    /// Its SHA-256, where it could be read.
    pub digest: Option<String>,
    /// Its version, where it could be read.
    pub version: Option<String>,
    /// How far it came.
    pub stage: String,
    /// Why no farther.
    pub reason: String,
    /// When, RFC 3339.
    pub at: String,
}

/// A version that may still be taken back.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProbationState {
    /// The digest that would come back.
    pub previous: String,
    /// When it ends, RFC 3339.
    pub until: String,
    /// After how many more calls it ends.
    pub calls_left: u64,
}

/// A failure.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FailureState {
    /// When, RFC 3339.
    pub at: String,
    /// Why.
    pub reason: String,
}

/// Calls since the start.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct CallsState {
    /// Calls that ended.
    pub ended: u64,
    /// Calls under way, each with an instance of its own.
    pub in_flight: u64,
    /// Failures by kind.
    pub failures: BTreeMap<String, u64>,
    /// Calls by upper bound of their time in seconds, not added up; the last has none.
    pub latency: Vec<u64>,
    /// Seconds of all calls together.
    pub latency_seconds: f64,
    /// Half of the calls took at most so many seconds (the bound of their bucket).
    pub p50_seconds: Option<f64>,
    /// Of a hundred calls 99 did.
    pub p99_seconds: Option<f64>,
    /// The most memory that an instance held, in bytes.
    pub memory_high: u64,
    /// Seconds of guest code.
    pub cpu_seconds: f64,
    /// HTTP requests.
    pub requests: u64,
}

/// A list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListState {
    /// Its name within the connector.
    pub id: String,
    /// Whether it is imported.
    pub on: bool,
    /// When it was imported last, RFC 3339.
    pub imported_at: Option<String>,
    /// When it is due next, RFC 3339.
    pub next_run_at: Option<String>,
    /// Its records.
    pub records: i64,
    /// Why the newest import failed.
    pub failure: Option<String>,
}

/// An upstream as the connector uses it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UpstreamOfConnector {
    /// Its name.
    pub name: String,
    /// Where it is; a file without its folder.
    pub address: Option<String>,
    /// Seconds for which it asked to be left alone.
    pub held_seconds: Option<u64>,
    /// Requests under way.
    pub under_way: usize,
    /// Requests that wait for a turn.
    pub waiting: usize,
}

/// All connectors of a host, by id.
///
/// # Errors
/// The store failed.
pub async fn all(companies: &Companies) -> Result<Vec<ConnectorState>, StoreError> {
    let stored = companies.store().datasets().states().await?;
    Ok(all_with(companies, &stored))
}

/// All connectors of a host, by id, with what is stored of their lists.
pub(super) fn all_with(companies: &Companies, stored: &[DatasetState]) -> Vec<ConnectorState> {
    let connectors = companies.connectors();
    let draining = connectors.draining();
    let catalogue = connectors.catalogue();
    let entries = catalogue.entries.iter();
    entries
        .map(|(id, entry)| one(connectors, id, entry, stored, &draining))
        .collect()
}

fn one(
    connectors: &Connectors,
    id: &str,
    entry: &Entry,
    stored: &[DatasetState],
    draining: &[(String, String)],
) -> ConnectorState {
    let (state, reason) = match &entry.state {
        EntryState::Serving(_) => ("serving", None),
        EntryState::NotEnabled => ("not enabled", None),
        EntryState::Refused(why) => ("refused", Some(why.clone())),
    };
    let manifest = entry.manifest.as_ref();
    let mut shown = ConnectorState {
        id: id.to_owned(),
        state: state.to_owned(),
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
                stage: rejected.stage.to_string(),
                reason: rejected.reason.clone(),
                at: rfc3339(rejected.at),
            }),
        shadow: entry
            .shadow
            .as_ref()
            .and_then(|report| serde_json::to_value(report).ok()),
        draining: draining
            .iter()
            .filter(|(of, _)| of == id)
            .map(|(_, digest)| digest.clone())
            .collect(),
        ..ConnectorState::default()
    };
    if let Some(manifest) = manifest {
        shown.scopes = manifest
            .scopes
            .iter()
            .map(|scope| scope.scope.clone())
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
    entry: &Entry,
    stored: &[DatasetState],
    shown: &mut ConnectorState,
) {
    let now = connectors.services.clock.now();
    let id = &loaded.manifest.id;
    shown.loaded_at = Some(rfc3339(loaded.loaded_at));
    let code = match loaded.origin {
        Origin::Cached => "cached",
        Origin::Compiled => "compiled",
    };
    shown.code = Some(code.to_owned());
    let (breaker, until) = match loaded.breaker.state(now) {
        BreakerState::Closed => ("closed", None),
        BreakerState::HalfOpen => ("half-open", None),
        BreakerState::Open(until) => ("open", Some(rfc3339(until))),
    };
    shown.breaker = Some(breaker.to_owned());
    shown.resting_until = until;
    shown.last_failure = connectors
        .last_failure(id)
        .map(|(at, reason)| FailureState {
            at: rfc3339(at),
            reason,
        });
    let seen = loaded.stats.see();
    shown.probation = entry
        .probation
        .as_ref()
        .filter(|_| entry.on_probation(now).is_some())
        .map(|probation| ProbationState {
            previous: probation.previous.digest.clone(),
            until: rfc3339(probation.until),
            calls_left: probation.until_calls.saturating_sub(seen.calls),
        });
    shown.calls = CallsState {
        ended: seen.calls,
        in_flight: seen.in_flight,
        p50_seconds: seen.quantile(0.5),
        p99_seconds: seen.quantile(0.99),
        failures: seen
            .failures
            .iter()
            .map(|(kind, count)| (kind.name().to_owned(), *count))
            .collect(),
        latency: seen.latency,
        latency_seconds: seen.latency_seconds,
        memory_high: seen.memory_high,
        cpu_seconds: seen.cpu_seconds,
        requests: seen.requests,
    };
    shown.lists = loaded
        .manifest
        .datasets
        .iter()
        .map(|dataset| {
            let mut stored = stored.iter();
            let state = stored.find(|state| state.connector == *id && state.dataset == dataset.id);
            let on = loaded.datasets_on.contains(&dataset.id);
            ListState {
                id: dataset.id.clone(),
                on,
                imported_at: state.and_then(|state| state.imported_at).map(rfc3339),
                next_run_at: state
                    .filter(|_| on)
                    .and_then(|state| state.next_run_at)
                    .map(rfc3339),
                records: state.map_or(0, |state| state.records),
                failure: state.and_then(|state| state.failure.clone()),
            }
        })
        .collect();
    shown.upstreams = loaded
        .upstreams
        .values()
        .map(|upstream| {
            let state = connectors.services.egress.upstream_state(&upstream.address);
            UpstreamOfConnector {
                name: upstream.name.clone(),
                address: match &upstream.address {
                    Address::Http(url) => Some(url.as_str().trim_end_matches('/').to_owned()),
                    Address::File(file) => file
                        .file_name()
                        .map(|name| format!("file {}", name.to_string_lossy())),
                    Address::Unset => None,
                },
                held_seconds: state.held_for.map(|held| held.as_secs()),
                under_way: state.under_way,
                waiting: state.waiting,
            }
        })
        .collect();
}
