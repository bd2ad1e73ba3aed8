//! The public state of the service and its sources, for `/v1/status` and the status page.

mod incidents;
mod reason;
mod recorder;
mod states;

use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use utoipa::ToSchema;

use crate::clock::rfc3339;
use crate::companies::Companies;
use crate::connectors::breaker::BreakerState;
use crate::connectors::catalogue::{CatalogueEntry, EntryState};
use crate::connectors::manifest::DatasetManifest;
use crate::connectors::{Connectors, Loaded};
use crate::context::Context;
use crate::store::{DatasetState, FailureKind, SentinelReading, StoreError};
pub use incidents::{Incident, Incidents};
pub use reason::Cause;
use reason::public_reason;
pub use recorder::Recorder;
pub use states::{IncidentState, ListState, ServiceState, SourceState};

/// How long an import may be due before it is late. Imports wait for each other.
const LATE: time::Duration = time::Duration::hours(1);

/// State of the service.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// `operational`, or `degraded` if a source is not operational.
    #[schema(value_type = String)]
    pub status: ServiceState,
    /// Version of the host.
    pub version: &'static str,
    /// When this host started, RFC 3339.
    pub started_at: String,
    /// One entry per enabled source.
    pub sources: Vec<SourceStatus>,
}

/// State of one source.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceStatus {
    /// Id of the connector that reads the source.
    pub id: String,
    /// Name of the source for people.
    pub title: String,
    /// Version in use; null if none is.
    pub version: Option<String>,
    /// `operational`, `unknown` (it was not asked since this host started, and no list of it was imported),
    /// `never_imported` (it answers from lists, and none was imported so far), `degraded` (something of it could not be
    /// read), `circuit_open` (it failed too often and is not asked for a while) or `refused` (it was not loaded).
    #[schema(value_type = String)]
    pub state: SourceState,
    /// When a dataset was last imported, RFC 3339; null for a source without datasets.
    pub last_success_at: Option<String>,
    /// When the next import is due, RFC 3339.
    pub next_run_at: Option<String>,
    /// Why the source is not operational.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the operator must supply before every scope and dataset is available.
    pub needs: Vec<Need>,
    /// Scopes of the source.
    pub scopes: Vec<String>,
    /// Datasets of the source.
    pub datasets: Vec<DatasetStatus>,
    /// The reason as a value.
    #[serde(skip)]
    pub cause: Option<Cause>,
    /// The scope or dataset that the reason is about.
    #[serde(skip)]
    pub part: Option<String>,
}

/// Something that the operator must supply.
#[derive(Debug, Serialize, ToSchema)]
pub struct Need {
    /// The scope or dataset that is unavailable until then.
    pub of: String,
    /// What the operator must supply.
    pub what: String,
}

/// State of one dataset.
#[derive(Debug, Serialize, ToSchema)]
pub struct DatasetStatus {
    /// Dataset id within the source.
    pub id: String,
    /// Name of the dataset for people.
    pub title: String,
    /// `imported`, `never_imported`, `failed` (the newest import failed; an older list may serve) or `off`.
    #[schema(value_type = String)]
    pub state: ListState,
    /// When the dataset in use was imported, RFC 3339.
    pub last_success_at: Option<String>,
    /// When the next import is due, RFC 3339.
    pub next_run_at: Option<String>,
    /// Since when the operator has paused the imports, RFC 3339. Missing: they are not paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<String>,
    /// Date stated by the dataset itself.
    pub list_date: Option<String>,
    /// Number of records of the dataset in use.
    pub records: i64,
    /// Why the latest import failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the operator must supply before a dataset that is off can be switched on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// When an import last began or was resumed.
    #[serde(skip)]
    pub attempted_at: Option<OffsetDateTime>,
}

impl DatasetStatus {
    /// Since when the next import is late, RFC 3339. `None`: it is not. A paused import is not late.
    #[must_use]
    pub fn late_since(&self, now: OffsetDateTime) -> Option<&str> {
        if self.paused_at.is_some() {
            return None;
        }
        let due = self.next_run_at.as_deref()?;
        let at = OffsetDateTime::parse(due, &Rfc3339).ok()?;
        is_late(at, self.attempted_at, now).then_some(due)
    }
}

/// Whether an import that is due at `due` is late. One that began within the last hour is in progress or has failed just
/// now.
#[must_use]
pub fn is_late(
    due: OffsetDateTime,
    attempted_at: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> bool {
    let last = attempted_at.map_or(due, |attempted_at| attempted_at.max(due));
    now - last > LATE
}

impl Status {
    /// Reads the state of every enabled source. `started_at` is the start of this host.
    ///
    /// # Errors
    /// The store failed.
    pub async fn read(
        context: &Context,
        companies: &Companies,
        started_at: OffsetDateTime,
    ) -> Result<Self, StoreError> {
        let states = context.store.datasets().states().await?;
        let readings = context.store.sentinels().all().await?;
        let connectors = companies.connectors();
        let catalogue = connectors.catalogue();
        let sources: Vec<SourceStatus> = catalogue
            .entries
            .iter()
            .filter_map(|(name, entry)| source(connectors, name, entry, &states))
            .map(|source| with_problems(source, &readings))
            .collect();
        let degraded = sources.iter().any(|source| !source.state.is_well());
        Ok(Self {
            status: if degraded {
                ServiceState::Degraded
            } else {
                ServiceState::Operational
            },
            version: env!("CARGO_PKG_VERSION"),
            started_at: rfc3339(started_at),
            sources,
        })
    }
}

fn source(
    connectors: &Connectors,
    name: &str,
    entry: &CatalogueEntry,
    states: &[DatasetState],
) -> Option<SourceStatus> {
    let title = entry
        .manifest
        .as_ref()
        .map_or_else(|| name.to_owned(), |manifest| manifest.title.clone());
    match &entry.state {
        EntryState::NotEnabled => None,
        EntryState::Refused(_) => Some(refused(name, title)),
        EntryState::Serving(loaded) => Some(serving(connectors, name, title, loaded, states)),
    }
}

fn refused(name: &str, title: String) -> SourceStatus {
    SourceStatus {
        id: name.to_owned(),
        title,
        version: None,
        state: SourceState::Refused,
        last_success_at: None,
        next_run_at: None,
        // The reason names the operator's files and grants, so it is shown only by `lustra connector list`.
        reason: Some("the connector was not loaded".to_owned()),
        needs: Vec::new(),
        scopes: Vec::new(),
        datasets: Vec::new(),
        cause: Some(Cause::NotLoaded),
        part: None,
    }
}

fn serving(
    connectors: &Connectors,
    name: &str,
    title: String,
    loaded: &Loaded,
    states: &[DatasetState],
) -> SourceStatus {
    let manifest = &loaded.manifest;
    let mut own = states.iter().filter(|state| state.connector == manifest.id);
    let mut datasets = Vec::new();
    for dataset_manifest in &manifest.datasets {
        let state = own
            .clone()
            .find(|state| state.dataset == dataset_manifest.id);
        datasets.push(dataset(loaded, dataset_manifest, state));
    }
    let failed_list = datasets
        .iter()
        .find(|dataset| dataset.state == ListState::Failed);
    let failed_call = connectors
        .last_failure(&manifest.id)
        .map(|(_, failure)| failure);
    let is_circuit_open = matches!(
        loaded.breaker.state(connectors.services.clock.now()),
        BreakerState::Open(_)
    );
    let state = match (
        is_circuit_open,
        failed_list.is_some() || failed_call.is_some(),
    ) {
        (true, _) => SourceState::CircuitOpen,
        (false, true) => SourceState::Degraded,
        (false, false) => state_without_failure(loaded, &datasets),
    };
    let of_call = failed_call.as_ref().map(public_reason);
    let of_list =
        || failed_list.and_then(|list| Some(format!("{}: {}", list.id, list.reason.as_ref()?)));
    let kind_of_list = || {
        let failed = failed_list?;
        let state = own.find(|state| state.dataset == failed.id)?;
        Some(state.failure.as_ref()?.kind)
    };
    let kind = failed_call.as_ref().map(|failure| failure.kind);
    let kind = kind
        .or_else(kind_of_list)
        .or(is_circuit_open.then_some(FailureKind::CircuitOpen));
    let times = |time: fn(&DatasetStatus) -> Option<String>| datasets.iter().filter_map(time);
    SourceStatus {
        id: name.to_owned(),
        title,
        version: Some(manifest.version.clone()),
        state,
        last_success_at: times(|dataset| dataset.last_success_at.clone()).max(),
        next_run_at: times(|dataset| dataset.next_run_at.clone()).min(),
        reason: of_call.or_else(of_list),
        cause: kind.map(Cause::Failure),
        part: failed_list
            .filter(|_| failed_call.is_none())
            .map(|list| list.id.clone()),
        needs: needs(loaded, &datasets),
        scopes: manifest
            .scopes
            .iter()
            .map(|scope| scope.scope.to_string())
            .collect(),
        datasets,
    }
}

/// Marks a source as degraded if the check of known companies found missing members.
fn with_problems(mut source: SourceStatus, readings: &[SentinelReading]) -> SourceStatus {
    let mut of_source = readings
        .iter()
        .filter(|reading| reading.connector == *source.id);
    let problem = of_source.find_map(|reading| {
        let problem = reading.problem.as_ref()?;
        let part = match reading.scope.as_str() {
            "" => "company",
            scope => scope,
        };
        let problem = format!("check of a known company: {part}: {problem}");
        Some((part.to_owned(), problem))
    });
    if let Some((part, problem)) = problem {
        if matches!(
            source.state,
            SourceState::Operational | SourceState::Unknown
        ) {
            source.state = SourceState::Degraded;
        }
        source.reason.get_or_insert(problem);
        if source.cause.is_none() {
            source.cause = Some(Cause::KnownCompany);
            source.part = Some(part);
        }
    }
    source
}

/// Whether a finished call or an imported list shows that the source can be read.
fn state_without_failure(loaded: &Loaded, datasets: &[DatasetStatus]) -> SourceState {
    let was_imported = datasets
        .iter()
        .any(|dataset| dataset.state == ListState::Imported);
    let is_awaited = datasets
        .iter()
        .any(|dataset| dataset.state == ListState::NeverImported);
    let was_asked = loaded.stats.snapshot().calls > 0;
    let scopes = &loaded.manifest.scopes;
    let from_lists_alone = !scopes.is_empty()
        && loaded.manifest.company_source.is_none()
        && scopes.iter().all(|scope| !scope.live);
    match (was_imported, was_asked) {
        (true, _) => SourceState::Operational,
        // Its calls read lists that are not imported.
        (false, true) if !from_lists_alone => SourceState::Operational,
        (false, _) if is_awaited => SourceState::NeverImported,
        (false, _) => SourceState::Unknown,
    }
}

fn needs(loaded: &Loaded, datasets: &[DatasetStatus]) -> Vec<Need> {
    let of_scopes = loaded.manifest.scopes.iter().filter_map(|scope| {
        let needs = scope.needs.as_ref()?;
        (!loaded.settings.is_given(&needs.setting)).then(|| Need {
            of: scope.scope.to_string(),
            what: needs.what.clone(),
        })
    });
    let of_lists = datasets.iter().filter_map(|dataset| {
        Some(Need {
            of: dataset.id.clone(),
            what: dataset.needs.clone()?,
        })
    });
    of_scopes.chain(of_lists).collect()
}

fn dataset(
    loaded: &Loaded,
    manifest: &DatasetManifest,
    stored: Option<&DatasetState>,
) -> DatasetStatus {
    let on = loaded.datasets_on.contains(&manifest.id);
    let failure = stored.and_then(|stored| stored.failure.as_ref());
    let imported_at = stored.and_then(|stored| stored.imported_at);
    let state = match (on, failure.is_some(), imported_at.is_some()) {
        (false, _, _) => ListState::Off,
        (true, true, _) => ListState::Failed,
        (true, false, true) => ListState::Imported,
        (true, false, false) => ListState::NeverImported,
    };
    DatasetStatus {
        id: manifest.id.clone(),
        title: manifest.title.clone(),
        state,
        last_success_at: imported_at.map(rfc3339),
        next_run_at: stored
            .filter(|_| on)
            .and_then(|stored| stored.next_run_at)
            .map(rfc3339),
        paused_at: stored.and_then(|stored| stored.paused_at).map(rfc3339),
        list_date: stored.and_then(|stored| stored.list_date.clone()),
        records: stored.map_or(0, |stored| stored.records),
        reason: failure.filter(|_| on).map(public_reason),
        needs: manifest.needs.clone().filter(|_| !on),
        attempted_at: stored.and_then(|stored| stored.attempted_at),
    }
}

#[cfg(test)]
mod tests;
