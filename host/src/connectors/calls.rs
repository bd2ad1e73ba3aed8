//! Calling a connector: a fresh store and instance for each look-up and enrichment, one for a run of an import.
//!
//! Whatever happens inside, the caller gets an answer or a [`CallFailure`] that names its reason; the store is dropped
//! with the call, so nothing leaks from one company to the next and a trap costs one call.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use time::OffsetDateTime;
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;
use wasmtime::component::ResourceAny;
use wasmtime::{PoolConcurrencyLimitError, Store, Trap};

use super::bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
use super::bindings::enrichment::exports::lustra::connector::enrichment::{Section, Subject};
use super::bindings::importer::WithImporter;
use super::bindings::importer::exports::lustra::connector::importer::Batch;
use super::bindings::types::{Company, Failure};
use super::breaker::Permit;
use super::component::Loaded;
use super::egress::Allowance;
use super::limits::Limits;
use super::manifest;
use super::state::{CallState, Services};

/// What a call used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cost {
    /// HTTP requests made.
    pub requests: u64,
    /// CPU time of guest code, to the tick.
    pub cpu: Duration,
    /// The most memory held, in bytes.
    pub memory_high: u64,
    /// From start to answer.
    pub wall: Duration,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallFailure {
    /// As many calls as allowed are under way; the connector is not at fault.
    #[error("busy")]
    Busy,
    /// The connector failed too often and rests until then.
    #[error("it failed too often and is left alone until {}", crate::clock::rfc3339(*.0))]
    Resting(OffsetDateTime),
    /// The connector's own word.
    #[error("{}", reason(.0))]
    Failed(Failure),
    /// A limit of the host.
    #[error("limit {0}")]
    Limit(String),
    /// The guest's code failed.
    #[error("trap: {0}")]
    Trap(String),
    /// Its answer is not what its schema promises.
    #[error("its answer does not fit its schema at {pointer:?}: {why}")]
    Schema {
        /// JSON pointer into the answer.
        pointer: String,
        /// What the schema wants.
        why: String,
    },
    /// The connector does not have the ability.
    #[error("it does not offer {0}")]
    NotOffered(&'static str),
}

/// The reason of a connector's failure in one line.
#[must_use]
pub fn reason(failure: &Failure) -> String {
    match failure {
        Failure::Unavailable(why) => format!("unavailable: {why}"),
        Failure::Throttled(Some(seconds)) => format!("throttled: wait {seconds} s"),
        Failure::Throttled(None) => "throttled".to_owned(),
        Failure::Malformed(drift) => {
            format!(
                "malformed: {}: expected {}, found {}",
                drift.what, drift.expected, drift.found
            )
        }
        Failure::Misconfigured(why) => format!("misconfigured: {why}"),
        Failure::Refused(why) => format!("refused: {why}"),
        Failure::Other((code, why)) => format!("{code}: {why}"),
    }
}

impl CallFailure {
    /// Whether it counts against the connector: what is out of order or out of bounds does, what is busy,
    /// misconfigured or only odd for one company does not. Without a request nothing of a register's can be out of
    /// order: a list that was never imported is no reason to leave the connector alone.
    #[must_use]
    pub fn counts(&self, requests: u64) -> bool {
        match self {
            Self::Failed(Failure::Unavailable(_) | Failure::Throttled(_)) => requests > 0,
            Self::Failed(failure) => matches!(failure, Failure::Refused(_)),
            Self::Limit(_) | Self::Trap(_) | Self::Schema { .. } => true,
            Self::Busy | Self::Resting(_) | Self::NotOffered(_) => false,
        }
    }
}

/// A call that is under way.
struct Running {
    store: Store<CallState>,
    started: Instant,
    _turn: OwnedSemaphorePermit,
}

impl Loaded {
    fn start(
        self: &Arc<Self>,
        services: &Services,
        limits: &Arc<Limits>,
    ) -> Result<Running, CallFailure> {
        let now = services.clock.now();
        if let Permit::Open(until) = self.breaker.permit(now) {
            return Err(CallFailure::Resting(until));
        }
        let Ok(turn) = Arc::clone(&self.turns).try_acquire_owned() else {
            return Err(CallFailure::Busy);
        };
        Ok(Running {
            store: self.store(services, limits),
            started: Instant::now(),
            _turn: turn,
        })
    }

    fn store(self: &Arc<Self>, services: &Services, limits: &Arc<Limits>) -> Store<CallState> {
        let allowance = Arc::new(Allowance::new(super::egress::Limits {
            requests: limits.requests,
            bytes: limits.bytes,
            body: limits.body,
            piece: limits.piece,
            redirects: limits.redirects,
            archive_ratio: limits.archive_ratio,
            archive_entries: limits.archive_entries,
            spool: services.spool.clone(),
            patience: limits.wall,
        }));
        let state = CallState::new(
            Arc::clone(self),
            services.clone(),
            Arc::clone(limits),
            allowance,
        );
        let mut store = Store::new(self.base.engine(), state);
        store.limiter(|state| &mut state.guard);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut context| Ok(context.data_mut().guard.tick()));
        store.set_hostcall_fuel(usize::try_from(limits.crossing).unwrap_or(usize::MAX));
        store.set_max_component_handles(limits.handles);
        store
    }

    /// Ends a call: reads its cost, judges its result, books it with the breaker.
    fn end<T>(
        &self,
        running: &Running,
        result: Result<wasmtime::Result<Result<T, Failure>>, tokio::time::error::Elapsed>,
    ) -> Result<(T, Cost), CallFailure> {
        let state = running.store.data();
        let cost = Cost {
            requests: state.allowance.requests_made(),
            cpu: state.guard.cpu_used,
            memory_high: state.guard.memory_high,
            wall: running.started.elapsed(),
        };
        let now = state.services.clock.now();
        let judged = judge(state, result);
        self.book(now, judged.as_ref().err(), cost.requests);
        judged.map(|value| (value, cost))
    }

    fn book(&self, now: OffsetDateTime, failure: Option<&CallFailure>, requests: u64) {
        match failure {
            None => self.breaker.succeeded(now),
            Some(failure) if failure.counts(requests) => {
                if self.breaker.failed(now) {
                    tracing::warn!(connector.id = %self.manifest.id, %failure, "the connector failed too often and is left alone for a while");
                }
            }
            // A register that answered oddly for one company did answer.
            Some(CallFailure::Failed(_)) => self.breaker.succeeded(now),
            Some(_) => {}
        }
    }

    /// What the component answers to `describe`.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn describe(self: &Arc<Self>, services: &Services) -> Result<String, CallFailure> {
        let mut running = self.start(services, &self.lookup_limits)?;
        let store = &mut running.store;
        let result = tokio::time::timeout(self.lookup_limits.wall, async {
            let instance = self.base.instantiate_async(&mut *store).await?;
            instance
                .lustra_connector_connector()
                .call_describe(&mut *store)
                .await
                .map(Ok)
        })
        .await;
        self.end(&running, result).map(|(text, _)| text)
    }

    /// One company by a key. `None`: the register knows none such.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn fetch_company(
        self: &Arc<Self>,
        services: &Services,
        key: &CompanyKey,
    ) -> Result<(Option<Company>, Cost), CallFailure> {
        let Some(pre) = &self.company_source else {
            return Err(CallFailure::NotOffered("companies"));
        };
        let span = tracing::info_span!("fetch company", connector.id = %self.manifest.id, connector.version = %self.manifest.version);
        async {
            let mut running = self.start(services, &self.lookup_limits)?;
            let store = &mut running.store;
            let result = tokio::time::timeout(self.lookup_limits.wall, async {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance
                    .lustra_connector_company_source()
                    .call_fetch_company(&mut *store, key)
                    .await
            })
            .await;
            let (company, cost) = self.end(&running, result)?;
            if let Some(company) = &company {
                self.check_company(company)?;
            }
            Ok((company, cost))
        }
        .instrument(span)
        .await
    }

    /// One section of a company, checked against the scope's schema.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn enrich(
        self: &Arc<Self>,
        services: &Services,
        scope: &str,
        subject: &Subject,
    ) -> Result<(Section, Cost), CallFailure> {
        let Some(pre) = &self.enrichment else {
            return Err(CallFailure::NotOffered("sections"));
        };
        let span = tracing::info_span!("enrich", connector.id = %self.manifest.id, connector.version = %self.manifest.version, scope);
        async {
            let mut running = self.start(services, &self.lookup_limits)?;
            let store = &mut running.store;
            let result = tokio::time::timeout(self.lookup_limits.wall, async {
                let instance = pre.instantiate_async(&mut *store).await?;
                instance
                    .lustra_connector_enrichment()
                    .call_enrich(&mut *store, scope, subject)
                    .await
            })
            .await;
            let (section, cost) = self.end(&running, result)?;
            let checked = self.check_section(scope, &section.content);
            if let Err(failure) = &checked {
                self.book(services.clock.now(), Some(failure), cost.requests);
            }
            checked.map(|()| (section, cost))
        }
        .instrument(span)
        .await
    }

    /// Starts an import, or resumes it at a cursor.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn open_import(
        self: &Arc<Self>,
        services: &Services,
        dataset: &str,
        cursor: Option<&str>,
    ) -> Result<OpenImport, CallFailure> {
        let Some(pre) = &self.importer else {
            return Err(CallFailure::NotOffered("datasets"));
        };
        let mut store = self.store(services, &self.import_limits);
        let opened = tokio::time::timeout(self.import_limits.open, async {
            let instance = pre.instantiate_async(&mut store).await?;
            let run = instance
                .lustra_connector_importer()
                .call_open(&mut store, dataset, cursor)
                .await?;
            Ok(run.map(|run| (instance, run)))
        })
        .await;
        if opened.is_err() {
            let seconds = self.import_limits.open.as_secs_f64();
            return Err(CallFailure::Limit(format!("open: {seconds:.1} s used")));
        }
        let (instance, run) = judge(store.data(), opened)?;
        Ok(OpenImport {
            store,
            instance,
            run,
            wall: self.import_limits.wall,
        })
    }

    fn check_section(&self, scope: &str, content: &str) -> Result<(), CallFailure> {
        let value = json(content)?;
        let Some(validator) = self.section_validators.get(scope) else {
            return Err(CallFailure::NotOffered("this scope"));
        };
        fits(validator, &value)
    }

    /// Checks what a company brings beside its typed fields: details of the manifest's form, none of them a base field.
    ///
    /// # Errors
    /// [`CallFailure::Schema`].
    pub fn check_company(&self, company: &Company) -> Result<(), CallFailure> {
        if company.details == "{}" && self.details_validator.is_none() {
            return Ok(());
        }
        let value = json(&company.details)?;
        let Some(details) = value.as_object() else {
            return Err(CallFailure::Schema {
                pointer: String::new(),
                why: "details are no object".to_owned(),
            });
        };
        if let Some(field) = manifest::BASE_FIELDS
            .iter()
            .find(|field| details.contains_key(**field))
        {
            return Err(CallFailure::Schema {
                pointer: format!("/{field}"),
                why: "details may not hold a base field".to_owned(),
            });
        }
        self.details_validator
            .as_ref()
            .map_or(Ok(()), |validator| fits(validator, &value))
    }
}

fn json(text: &str) -> Result<Value, CallFailure> {
    serde_json::from_str(text).map_err(|error| CallFailure::Schema {
        pointer: String::new(),
        why: format!("it is not JSON: {error}"),
    })
}

fn fits(validator: &jsonschema::Validator, value: &Value) -> Result<(), CallFailure> {
    validator
        .validate(value)
        .map_err(|error| CallFailure::Schema {
            pointer: error.instance_path().to_string(),
            // The value may be personal data: the masked message has the keyword only.
            why: error.masked().to_string(),
        })
}

/// A run of an import: one store for the whole of it.
pub struct OpenImport {
    store: Store<CallState>,
    instance: WithImporter,
    run: ResourceAny,
    wall: Duration,
}

impl OpenImport {
    /// The next batch; `None` after the last.
    ///
    /// # Errors
    /// A [`CallFailure`]; the run is of no use afterwards.
    pub async fn next(&mut self) -> Result<Option<Batch>, CallFailure> {
        let store = &mut self.store;
        store.data_mut().restart_wall();
        // Each batch may cross with as much as the first.
        let crossing = store.data().limits().crossing;
        store.set_hostcall_fuel(usize::try_from(crossing).unwrap_or(usize::MAX));
        let (instance, run) = (&self.instance, self.run);
        let result = tokio::time::timeout(
            self.wall,
            instance
                .lustra_connector_importer()
                .import_run()
                .call_next(&mut *store, run),
        )
        .await;
        judge(self.store.data(), result)
    }

    /// What the run used so far.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let state = self.store.data();
        Cost {
            requests: state.allowance.requests_made(),
            cpu: state.guard.cpu_used,
            memory_high: state.guard.memory_high,
            wall: Duration::ZERO,
        }
    }
}

impl fmt::Debug for OpenImport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenImport")
            .field("cost", &self.cost())
            .finish_non_exhaustive()
    }
}

/// What became of a call, with the limit named that it met.
fn judge<T>(
    state: &CallState,
    result: Result<wasmtime::Result<Result<T, Failure>>, tokio::time::error::Elapsed>,
) -> Result<T, CallFailure> {
    let error = match result {
        Err(_elapsed) => {
            let seconds = state.limits().wall.as_secs_f64();
            return Err(CallFailure::Limit(format!("wall: {seconds:.1} s used")));
        }
        Ok(Ok(Ok(value))) => return Ok(value),
        Ok(Ok(Err(failure))) => return Err(CallFailure::Failed(failure)),
        Ok(Err(error)) => error,
    };
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return Err(CallFailure::Busy);
    }
    if let Some(met) = &state.guard.met {
        return Err(CallFailure::Limit(met.clone()));
    }
    let text = format!("{error:#}");
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        let mib = state.limits().crossing >> 20;
        return Err(CallFailure::Limit(format!(
            "result too large: more than {mib} MiB in one crossing"
        )));
    }
    if text.contains("resource table has no free keys") || text.contains("handle table") {
        return Err(CallFailure::Limit(format!(
            "handles: more than {}",
            state.limits().handles
        )));
    }
    if matches!(error.downcast_ref::<Trap>(), Some(Trap::StackOverflow)) {
        return Err(CallFailure::Limit(
            "stack: the guest's calls nest too deeply".to_owned(),
        ));
    }
    // The first lines name the trap and the innermost functions.
    let first: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(6)
        .collect();
    Err(CallFailure::Trap(first.join("; ")))
}

/// A component's answer to `describe` must be its manifest, or listing and grants would speak of another thing.
///
/// # Errors
/// What differs.
pub async fn check_describe(
    loaded: &Arc<Loaded>,
    services: &Services,
    section: &Value,
) -> Result<(), String> {
    let text = loaded
        .describe(services)
        .await
        .map_err(|failure| failure.to_string())?;
    let described: Value =
        serde_json::from_str(&text).map_err(|error| format!("it is not JSON: {error}"))?;
    if described == *section {
        Ok(())
    } else {
        Err(format!(
            "it differs from the custom section {}",
            manifest::SECTION
        ))
    }
}
