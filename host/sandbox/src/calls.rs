//! Calls to connectors: a new store and instance for each look-up and enrichment, one for a whole import.
//!
//! The caller always gets a result or a [`CallFailure`] that names the reason. The store is dropped with the call, so
//! nothing leaks from one company to the next and a trap costs one call. A *serving* call asks the circuit breaker,
//! takes a permit, is counted and may be sampled. A *trial* (shadow check, author's kit) does none of these.

mod accept;
mod ahead;
mod check;
mod import;
mod judge;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use time::OffsetDateTime;
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;
use wasmtime::Store;

pub use ahead::ReadAhead;
pub use check::check_describe;
pub use import::OpenImport;

use super::bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
use super::bindings::enrichment::exports::lustra::connector::enrichment::{Section, Subject};
use super::bindings::types::{Company, Failure};
use super::breaker::{Breaker, BreakerState, Permit};
use super::call_failure::{CallFailure, CircuitEffect};
use super::code::Code;
use super::component::Loaded;
use super::cpu::CpuMeter;
use super::egress::Allowance;
use super::limits::Limits;
use super::recording::{RecordedCall, Recorder, RecordingMode, Replayer, forms};
use super::state::{CallState, Services};
use super::stats::{Cost, InFlight};
use judge::judge;
use lustra_store::ScopeName;

/// A finished trial: its result, cost and recording.
pub struct UnmeteredCall<T> {
    /// The result, checked against the manifest's schema.
    pub result: Result<T, CallFailure>,
    pub cost: Cost,
    /// The recording, or what is left of the replayed one.
    pub recording_mode: RecordingMode,
}

impl<T> UnmeteredCall<T> {
    /// Passes an answer that will be refused to the recorder.
    fn keep_refused(&mut self, of: impl FnOnce(&T) -> Option<String>) {
        if let (RecordingMode::Record(recorder), Ok(answer)) =
            (&mut self.recording_mode, &self.result)
        {
            recorder.refused = of(answer);
        }
    }
}

/// A permit for one of the connector's concurrent calls.
struct CallPermit<'a> {
    _permit: OwnedSemaphorePermit,
    _in_flight: InFlight,
    _probe: Option<Probe<'a>>,
}

/// A call that tests whether the connector works again. The next call is the probe if this one is refused, is dropped or
/// says nothing about the connector.
struct Probe<'a> {
    breaker: &'a Breaker,
    since: OffsetDateTime,
}

impl Drop for Probe<'_> {
    fn drop(&mut self) {
        self.breaker.probe_ended_without_outcome(self.since);
    }
}

type Answered<T> = Result<wasmtime::Result<Result<T, Failure>>, tokio::time::error::Elapsed>;

/// Runs a call within its wall-time limit and measures its CPU time.
async fn timed<T>(
    cpu: &CpuMeter,
    wall: Duration,
    limits: &Limits,
    call: impl Future<Output = wasmtime::Result<Result<T, Failure>>>,
) -> Answered<T> {
    // Boxed because callers embed it in other futures.
    let measured = Box::pin(cpu.measure(limits.cpu, call));
    tokio::time::timeout(wall, measured).await
}

fn cost(store: &Store<CallState>, started: Instant) -> Cost {
    let state = store.data();
    Cost {
        requests: state.allowance.requests_made(),
        cpu: state.guard.cpu.used(),
        memory_high: state.guard.memory_high,
        wall: started.elapsed(),
    }
}

impl Loaded {
    /// Takes a permit, if circuit breaker and concurrency limit allow a call now.
    fn acquire_permit(&self, services: &Services) -> Result<CallPermit<'_>, CallFailure> {
        self.try_acquire_permit(services).inspect_err(|failure| {
            self.stats.failed(failure.kind());
        })
    }

    fn try_acquire_permit(&self, services: &Services) -> Result<CallPermit<'_>, CallFailure> {
        let probe = match self.breaker.permit(services.clock.now()) {
            Permit::Open(open) => return Err(CallFailure::CircuitOpen(open)),
            Permit::Closed => None,
            Permit::Probe(since) => Some(Probe {
                breaker: &self.breaker,
                since,
            }),
        };
        let permit = Arc::clone(&self.call_permits)
            .try_acquire_owned()
            .map_err(|_none_left| CallFailure::Busy)?;
        Ok(CallPermit {
            _permit: permit,
            _in_flight: self.stats.start(),
            _probe: probe,
        })
    }

    fn new_store(
        self: &Arc<Self>,
        code: &Code,
        services: &Services,
        limits: &Arc<Limits>,
        recording_mode: RecordingMode,
    ) -> Store<CallState> {
        let allowance = Arc::new(Allowance::new(super::egress::Limits {
            requests: limits.requests,
            bytes: limits.bytes,
            body: limits.body,
            piece: limits.piece,
            redirects: limits.redirects,
            archive_ratio: limits.archive_ratio,
            archive_entries: limits.archive_entries,
            spool: services.spool.clone(),
            max_wait: limits.wall,
        }));
        let state = CallState::new(
            code.engine.clone(),
            Arc::clone(&self.configured),
            services.clone(),
            Arc::clone(limits),
            allowance,
            recording_mode,
        );
        let mut store = Store::new(code.engine.engine(), state);
        store.limiter(|state| &mut state.guard);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut context| Ok(context.data_mut().guard.tick()));
        store.set_hostcall_fuel(usize::try_from(limits.crossing).unwrap_or(usize::MAX));
        store.set_max_component_handles(limits.handles);
        store
    }

    /// Ends a call: reads its cost and converts its result.
    fn ended<T>(
        &self,
        mut store: Store<CallState>,
        started: Instant,
        answered: Answered<T>,
    ) -> UnmeteredCall<T> {
        let cost = cost(&store, started);
        let result = judge(store.data(), answered);
        let recording_mode = store.data_mut().take_recording_mode();
        UnmeteredCall {
            result,
            cost,
            recording_mode,
        }
    }

    /// Records a serving call in the circuit breaker and the counters.
    fn book<T>(&self, now: OffsetDateTime, trial: &UnmeteredCall<T>) {
        let failure = trial.result.as_ref().err();
        self.stats.end(&trial.cost, failure.map(CallFailure::kind));
        self.note_schema(failure);
        match failure {
            None => self.breaker.succeeded(now),
            Some(failure) => match failure.circuit_effect(trial.cost.requests) {
                CircuitEffect::Failure => self.note_failed_call(now, failure),
                CircuitEffect::Success => self.breaker.succeeded(now),
                CircuitEffect::None => {}
            },
        }
    }

    /// Records a failure in the circuit breaker; logs a warning when it opens the circuit.
    fn note_failed_call(&self, now: OffsetDateTime, failure: &CallFailure) {
        if self.breaker.failed(now)
            && let BreakerState::Open(open) = self.breaker.state(now)
        {
            tracing::warn!(connector.id = %self.manifest.id, %failure, "{open}; the last one: {failure}");
        }
    }

    /// Records that this version broke its schema; see [`super::Connectors::note_failure`].
    fn note_schema(&self, failure: Option<&CallFailure>) {
        if matches!(failure, Some(CallFailure::Schema { .. })) {
            self.broke_schema.store(true, Ordering::Relaxed);
        }
    }

    /// The recorder of a serving call for the next version's shadow check, or [`RecordingMode::Off`] when the sampling
    /// rate is exceeded.
    fn sampling(&self, services: &Services) -> RecordingMode {
        match self.sample.wants() {
            Some(bytes) => RecordingMode::Record(Recorder::new(services.clock.now(), bytes)),
            None => RecordingMode::Off,
        }
    }

    /// Calls the component's `describe`. It reaches no network, file or store: it runs before the component is accepted,
    /// and in the author's kit with grants that no operator has reviewed.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn describe(self: &Arc<Self>, services: &Services) -> Result<String, CallFailure> {
        let started = Instant::now();
        let code = self.code();
        let isolated = RecordingMode::Replay(Replayer::empty(services.clock.now()));
        let mut store = self.new_store(&code, services, &self.lookup_limits, isolated);
        store.data_mut().log_lines();
        let (cpu, limits) = (store.data().guard.cpu.clone(), &self.lookup_limits);
        let answered = timed(&cpu, limits.wall, limits, async {
            let instance = code.base.instantiate_async(&mut store).await?;
            let connector = instance.lustra_connector_connector();
            connector.call_describe(&mut store).await.map(Ok)
        })
        .await;
        self.ended(store, started, answered).result
    }

    /// Fetches one company by a key; `None` if the register has no such company.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn fetch_company(
        self: &Arc<Self>,
        services: &Services,
        key: &CompanyKey,
    ) -> Result<(Option<Company>, Cost), CallFailure> {
        let span = tracing::info_span!("fetch company", connector.id = %self.manifest.id, connector.version = %self.manifest.version);
        async {
            let _permit = self.acquire_permit(services)?;
            let recording_mode = self.sampling(services);
            let trial = self.try_fetch_company(services, key, recording_mode).await;
            self.book(services.clock.now(), &trial);
            if let RecordingMode::Record(recorder) = trial.recording_mode {
                let (kind, value) = forms::key_of(key);
                let call = RecordedCall::FetchCompany { key: kind, value };
                let recording = recorder.finish(call, forms::company_outcome(&trial.result));
                recording
                    .into_iter()
                    .for_each(|recording| self.sample.keep(recording));
            }
            trial.result.map(|company| (company, trial.cost))
        }
        .instrument(span)
        .await
    }

    /// Like [`Self::fetch_company`], as a trial.
    pub async fn try_fetch_company(
        self: &Arc<Self>,
        services: &Services,
        key: &CompanyKey,
        recording_mode: RecordingMode,
    ) -> UnmeteredCall<Option<Company>> {
        let code = self.code();
        let Some(pre) = &code.company_source else {
            return not_offered("companies", recording_mode);
        };
        let started = Instant::now();
        let mut store = self.new_store(&code, services, &self.lookup_limits, recording_mode);
        let (cpu, limits) = (store.data().guard.cpu.clone(), &self.lookup_limits);
        let answered = timed(&cpu, limits.wall, limits, async {
            let instance = pre.instantiate_async(&mut store).await?;
            let source = instance.lustra_connector_company_source();
            source.call_fetch_company(&mut store, key).await
        })
        .await;
        let mut trial = self.ended(store, started, answered);
        self.check_found(services, &mut trial).await;
        trial
    }

    /// Fetches one section of a company, checked against the scope's schema.
    ///
    /// # Errors
    /// A [`CallFailure`].
    pub async fn enrich(
        self: &Arc<Self>,
        services: &Services,
        scope: &ScopeName,
        subject: &Subject,
    ) -> Result<(Section, Cost), CallFailure> {
        let span = tracing::info_span!("enrich", connector.id = %self.manifest.id, connector.version = %self.manifest.version, scope = scope.as_str());
        async {
            let _permit = self.acquire_permit(services)?;
            let recording_mode = self.sampling(services);
            let trial = self
                .try_enrich(services, scope, subject, recording_mode)
                .await;
            self.book(services.clock.now(), &trial);
            if let RecordingMode::Record(recorder) = trial.recording_mode {
                let call = RecordedCall::Enrich {
                    scope: scope.clone(),
                    subject: subject.into(),
                };
                let recording = recorder.finish(call, forms::section_outcome(&trial.result));
                recording
                    .into_iter()
                    .for_each(|recording| self.sample.keep(recording));
            }
            trial.result.map(|section| (section, trial.cost))
        }
        .instrument(span)
        .await
    }

    /// Like [`Self::enrich`], as a trial.
    pub async fn try_enrich(
        self: &Arc<Self>,
        services: &Services,
        scope: &ScopeName,
        subject: &Subject,
        recording_mode: RecordingMode,
    ) -> UnmeteredCall<Section> {
        let code = self.code();
        let Some(pre) = &code.enrichment else {
            return not_offered("sections", recording_mode);
        };
        let started = Instant::now();
        let mut store = self.new_store(&code, services, &self.lookup_limits, recording_mode);
        store.data_mut().company = Some(subject.ico.clone());
        let (cpu, limits) = (store.data().guard.cpu.clone(), &self.lookup_limits);
        let answered = timed(&cpu, limits.wall, limits, async {
            let instance = pre.instantiate_async(&mut store).await?;
            let enrichment = instance.lustra_connector_enrichment();
            enrichment
                .call_enrich(&mut store, scope.as_str(), subject)
                .await
        })
        .await;
        let mut trial = self.ended(store, started, answered);
        self.check_section(services, scope, &mut trial).await;
        trial
    }
}

fn not_offered<T>(what: &'static str, recording_mode: RecordingMode) -> UnmeteredCall<T> {
    UnmeteredCall {
        result: Err(CallFailure::NotOffered(what)),
        cost: Cost::default(),
        recording_mode,
    }
}
