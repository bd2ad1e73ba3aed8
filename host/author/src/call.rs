//! The call that an author requests, and its execution with a complete recording.

use serde_json::Value;

use super::bench::{Bench, OnBench};
use super::cassette::Cassette;
use lustra_sandbox::bindings::enrichment::exports::lustra::connector::enrichment::Subject;
use lustra_sandbox::clock::Clock;
use lustra_sandbox::manifest::Manifest;
use lustra_sandbox::recording::{
    CallOutcome, Exchange, Mask, RecordedCall, RecordedSubject, Recorder, RecordingMode, forms,
};
use lustra_sandbox::state::Services;
use lustra_sandbox::subject::{base_fields, facts};
use lustra_sandbox::{CallFailure, Cost};
use lustra_store::{Ico, InvalidIco, StoreError};

/// Largest recording of one call in bytes.
const MAX_RECORDING: usize = 256 << 20;

/// A requested call. Of the company only the IČO is required; the store supplies the rest if it knows the company.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// Registration number of the company.
    pub ico: Option<String>,
    /// The register's own id, instead of the registration number.
    pub register_id: Option<String>,
    /// Name of the scope. `None` requests the company itself, or the only scope.
    pub scope: Option<String>,
    /// Name of the dataset for an import run instead.
    pub dataset: Option<String>,
    /// Cursor where the import run begins.
    pub cursor: Option<String>,
    pub name: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// NACE code of its main activity.
    pub nace_code: Option<String>,
    /// Facts of its base record, as names and values.
    pub facts: Vec<(String, String)>,
    /// The stored section as JSON text.
    pub previous: Option<String>,
}

/// Why a call cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WantedError {
    /// The request is ambiguous.
    #[error("{0}")]
    Unclear(String),
    /// The registration number is invalid.
    #[error("--ico: {0}")]
    Ico(#[from] InvalidIco),
    #[error("the store: {0}")]
    Store(#[from] StoreError),
}

pub struct Called {
    /// The complete recording, or `None` if it was too large.
    pub cassette: Option<Cassette>,
    pub outcome: CallOutcome,
    /// The failure, if the call failed.
    pub failure: Option<CallFailure>,
    pub cost: Cost,
    /// HTTP requests with their responses.
    pub exchanges: Vec<Exchange>,
    /// Log lines of the guest, as level and text.
    pub log: Vec<(&'static str, String)>,
    /// Each violation of the manifest's schema in the answer.
    pub misfits: Vec<Misfit>,
}

/// A violation of the schema in an answer.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Misfit {
    /// JSON pointer into the answer.
    pub pointer: String,
    /// The violated constraint, as the schema states it.
    pub expected: String,
    /// The actual value, shortened.
    pub found: String,
    /// The violation in one sentence.
    pub why: String,
}

impl CallRequest {
    /// Resolves the request to a call of a connector with this manifest.
    ///
    /// # Errors
    /// A [`WantedError`], which lists the possible values.
    pub async fn call(
        &self,
        bench: &Bench,
        manifest: &Manifest,
    ) -> Result<RecordedCall, WantedError> {
        let unclear = |why: String| Err(WantedError::Unclear(why));
        if let Some(dataset) = &self.dataset {
            if manifest.dataset(dataset).is_none() {
                let known = list(manifest.datasets.iter().map(|dataset| dataset.id.as_str()));
                return unclear(format!("there is no dataset {dataset}; there are {known}"));
            }
            return Ok(RecordedCall::Import {
                dataset: dataset.clone(),
                cursor: self.cursor.clone(),
            });
        }
        if let Some(id) = &self.register_id {
            return Ok(RecordedCall::FetchCompany {
                key: "register-id".to_owned(),
                value: id.clone(),
            });
        }
        let scopes = list(manifest.scopes.iter().map(|scope| scope.scope.as_str()));
        let Some(ico) = &self.ico else {
            return unclear(format!(
                "--ico NUMBER is required{}",
                if manifest.datasets.is_empty() {
                    ""
                } else {
                    ", or --dataset DATASET for an import"
                }
            ));
        };
        let ico = Ico::parse(ico)?;
        let only = match manifest.scopes.as_slice() {
            [scope] if manifest.company_source.is_none() => Some(scope.scope.as_str()),
            _ => None,
        };
        match self.scope.as_deref().or(only) {
            Some(name) => match manifest.scope(name) {
                Some(known) => Ok(RecordedCall::Enrich {
                    scope: known.scope.clone(),
                    subject: self.subject(bench, &ico).await?,
                }),
                None => unclear(format!("there is no scope {name}; there are {scopes}")),
            },
            None if manifest.company_source.is_some() => Ok(RecordedCall::FetchCompany {
                key: "ico".to_owned(),
                value: ico.as_str().to_owned(),
            }),
            None => unclear(format!("--scope is required; one of {scopes}")),
        }
    }

    /// The company as a host would pass it to the connector.
    async fn subject(&self, bench: &Bench, ico: &Ico) -> Result<RecordedSubject, StoreError> {
        let companies = bench.services.store.companies();
        let known = companies.find_by_ico(ico.as_str()).await?;
        let base = known.as_ref().map(|known| &known.base);
        let name = self
            .name
            .clone()
            .or_else(|| base.map(|base| base.name.clone()))
            .unwrap_or_default();
        let mut all_facts = known.as_ref().map(facts).unwrap_or_default();
        all_facts.extend(self.facts.iter().cloned());
        let company = match &known {
            Some(known) => base_fields(known, known.base.source_register.as_str()),
            None => serde_json::json!({ "ico": ico.as_str(), "name": name }).to_string(),
        };
        Ok(RecordedSubject {
            ico: ico.as_str().to_owned(),
            name,
            city: self
                .city
                .clone()
                .or_else(|| base.and_then(|base| base.city.clone())),
            postal_code: self
                .postal_code
                .clone()
                .or_else(|| base.and_then(|base| base.postal_code.clone())),
            nace_code: self
                .nace_code
                .clone()
                .or_else(|| base.and_then(|base| base.nace_code.clone())),
            facts: all_facts.into_iter().collect(),
            company,
            previous: self.previous.clone(),
        })
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// Makes a call through the real egress and records it.
pub async fn make(bench: &Bench, on_bench: &OnBench, call: RecordedCall) -> Called {
    let loaded = &on_bench.loaded;
    // The clock is fixed, so that a replay can give the same times.
    let now = bench.services.clock.now();
    let services = &Services {
        clock: Clock::from_fn(move || now),
        ..bench.services.clone()
    };
    let schema = loaded.manifest.settings.as_ref();
    let (mask, ..) = Mask::of_settings(schema, loaded.config.settings.reveal());
    let mut recorder = Recorder::new(now, MAX_RECORDING);
    recorder.mask = mask.clone();
    let recording_mode = RecordingMode::Record(recorder);
    let (outcome, failure, cost, recording_mode) = match &call {
        RecordedCall::Enrich { scope, subject } => {
            let subject = Subject::from(subject);
            let trial = loaded
                .try_enrich(services, scope, &subject, recording_mode)
                .await;
            let outcome = forms::section_outcome(&trial.result);
            (
                outcome,
                trial.result.err(),
                trial.cost,
                trial.recording_mode,
            )
        }
        RecordedCall::FetchCompany { key, value } => {
            let key = forms::key_from(key, value);
            let trial = loaded
                .try_fetch_company(services, &key, recording_mode)
                .await;
            let outcome = forms::company_outcome(&trial.result);
            (
                outcome,
                trial.result.err(),
                trial.cost,
                trial.recording_mode,
            )
        }
        RecordedCall::Import { dataset, cursor } => {
            let cursor = cursor.as_deref();
            loaded
                .run_import(services, dataset, cursor, recording_mode)
                .await
        }
    };
    let mut called = Called {
        cassette: None,
        outcome: outcome.clone(),
        failure,
        cost,
        exchanges: Vec::new(),
        log: Vec::new(),
        misfits: Vec::new(),
    };
    if let RecordingMode::Record(mut recorder) = recording_mode {
        if let Some(refused) = recorder.refused.take() {
            called.misfits = misfits(&loaded.manifest, &call, &refused);
        }
        called.log = std::mem::take(&mut recorder.log);
        called.exchanges = recorder.exchanges();
        let recording = recorder.finish(call, outcome);
        called.cassette = recording.map(|recording| Cassette::new(loaded, &mask, recording));
    }
    called
}

/// Finds the schema violations in a refused answer.
fn misfits(manifest: &Manifest, call: &RecordedCall, refused: &str) -> Vec<Misfit> {
    let schemas = &manifest.schemas;
    let (schema, validator) = match call {
        RecordedCall::Enrich { scope, .. } => (
            manifest.scope(scope.as_str()).map(|scope| &scope.schema),
            schemas.sections.get(scope),
        ),
        RecordedCall::FetchCompany { .. } => {
            let source = manifest.company_source.as_ref();
            (
                source.and_then(|source| source.schema.as_ref()),
                schemas.details.as_ref(),
            )
        }
        RecordedCall::Import { .. } => (None, None),
    };
    let Ok(value) = serde_json::from_str::<Value>(refused) else {
        return Vec::new();
    };
    let (Some(schema), Some(validator)) = (schema, validator) else {
        return Vec::new();
    };
    let short = |value: &Value| -> String {
        let text = value.to_string();
        let short: String = text.chars().take(120).collect();
        if short.len() < text.len() {
            format!("{short}…")
        } else {
            short
        }
    };
    validator
        .iter_errors(&value)
        .map(|error| {
            let keyword = error.schema_path().to_string();
            let wanted = schema.pointer(&keyword).map(short).unwrap_or_default();
            let name = keyword.rsplit('/').next().unwrap_or_default();
            Misfit {
                pointer: error.instance_path().to_string(),
                expected: format!("{name} {wanted}"),
                found: short(error.instance()),
                why: error.to_string(),
            }
        })
        .collect()
}

/// The outcome of a call for people: the section itself, with its unread sources.
#[must_use]
pub fn shown(outcome: &CallOutcome) -> String {
    let value = match outcome {
        CallOutcome::Failed(why) => return why.clone(),
        CallOutcome::Gave(value) => value,
    };
    let no_unread = value
        .get("unread")
        .and_then(Value::as_object)
        .is_some_and(serde_json::Map::is_empty);
    let value = match value.get("section") {
        Some(section) if no_unread => section,
        _ => value,
    };
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}
