//! Checks connectors' answers against the schemas of their manifests.
//!
//! Every JSON text is parsed once, checked, and replaced by the parsed value: see [`strict_json`]. Large answers are
//! checked on another thread. The call is charged for all of it.

mod items;

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::{UnmeteredCall, accept};
use crate::bindings::enrichment::exports::lustra::connector::enrichment::Section;
use crate::bindings::importer::exports::lustra::connector::importer::Batch;
use crate::bindings::types::Company;
use crate::call_failure::CallFailure;
use crate::component::Loaded;
use crate::cpu::{self, OffloadError};
use crate::limits::{Limits, cpu_limit_met};
use crate::manifest;
use crate::state::Services;
use crate::stats::Cost;
use crate::strict_json::{self, NotAccepted};
use lustra_store::ScopeName;

/// Bytes times schema parts that are checked in about a millisecond, even if each part applies to each value.
const MAX_INLINE_CHECK: usize = 16 << 20;

impl Loaded {
    /// Checks the section that a call returned, and replaces it by the checked one.
    pub(super) async fn check_section(
        self: &Arc<Self>,
        services: &Services,
        scope: &ScopeName,
        trial: &mut UnmeteredCall<Section>,
    ) {
        let size = |section: &Section| section.content.len();
        let scope = scope.clone();
        let check = move |loaded: &Self, section: &mut Section| {
            accept::section(section)?;
            let Some(schema) = loaded.manifest.schemas.sections.get(&scope) else {
                return Err(CallFailure::NotOffered("this scope"));
            };
            section.content = checked(&section.content, |value| fits(schema, value))?;
            Ok(())
        };
        let refused = |section: &Section| Some(section.content.clone());
        Box::pin(self.check_trial(services, trial, size, check, refused)).await;
    }

    /// Checks the company that a call returned, and replaces it by the checked one.
    pub(super) async fn check_found(
        self: &Arc<Self>,
        services: &Services,
        trial: &mut UnmeteredCall<Option<Company>>,
    ) {
        let size =
            |company: &Option<Company>| company.as_ref().map_or(0, |found| found.details.len());
        let check = |loaded: &Self, company: &mut Option<Company>| {
            company
                .as_mut()
                .map_or(Ok(()), |company| loaded.check_company(company))
        };
        let refused = |company: &Option<Company>| Some(company.as_ref()?.details.clone());
        Box::pin(self.check_trial(services, trial, size, check, refused)).await;
    }

    /// Checks a batch of an import of a dataset, and replaces it by the checked one.
    ///
    /// # Errors
    /// [`CallFailure::Schema`] with the location, or a limit.
    pub(super) async fn check_batch(
        self: &Arc<Self>,
        services: &Services,
        budget: Duration,
        dataset: &str,
        batch: Batch,
    ) -> (Result<Batch, CallFailure>, Duration) {
        let items = batch.items.iter().map(|item| item.content.len());
        let companies = batch.companies.iter().map(|company| company.details.len());
        let size = items.chain(companies).sum();
        let dataset = dataset.to_owned();
        let check = move |loaded: &Self, batch: &mut Batch| {
            accept::batch(batch)?;
            for item in &mut batch.items {
                accept::item(item)?;
                loaded.check_content(&dataset, item)?;
            }
            batch
                .companies
                .iter_mut()
                .try_for_each(|company| loaded.check_company(company))
        };
        let checking = Box::pin(self.check(services, budget, size, batch, check));
        let (checked, took) = checking.await;
        let batch = match checked {
            Ok((batch, Ok(()))) => Ok(batch),
            Ok((_, Err(failure))) => Err(failure),
            Err(stopped) => Err(of_offload(stopped, &self.import_limits)),
        };
        (batch, took)
    }

    /// Checks a company's details: they fit the manifest's schema and contain no base field.
    ///
    /// # Errors
    /// [`CallFailure::Schema`].
    fn check_company(&self, company: &mut Company) -> Result<(), CallFailure> {
        accept::company(company)?;
        let schema = self.manifest.schemas.details.as_ref();
        if company.details == "{}" && schema.is_none() {
            return Ok(());
        }
        company.details = checked(&company.details, |value| {
            let Some(details) = value.as_object() else {
                return Err(CallFailure::schema("", "details are no object"));
            };
            let mut base_fields = manifest::BASE_FIELDS.iter();
            if let Some(field) = base_fields.find(|field| details.contains_key(**field)) {
                let why = "details may not hold a base field";
                return Err(CallFailure::schema(&format!("/{field}"), why));
            }
            schema.map_or(Ok(()), |schema| fits(schema, value))
        })?;
        Ok(())
    }

    /// Checks a call's result. A refused answer is kept for the connector's author.
    async fn check_trial<T: Send + 'static>(
        self: &Arc<Self>,
        services: &Services,
        trial: &mut UnmeteredCall<T>,
        size: fn(&T) -> usize,
        check: impl FnOnce(&Self, &mut T) -> Result<(), CallFailure> + Send + 'static,
        refused: impl FnOnce(&T) -> Option<String>,
    ) {
        let budget = cpu_left(&self.lookup_limits, &trial.cost);
        let answer = match std::mem::replace(&mut trial.result, Err(CallFailure::Busy)) {
            Ok(answer) => answer,
            failed @ Err(_) => {
                trial.result = failed;
                return;
            }
        };
        let size = size(&answer);
        let checking = Box::pin(self.check(services, budget, size, answer, check));
        let (checked, took) = checking.await;
        trial.cost.cpu += took;
        trial.cost.wall += took;
        match checked {
            Ok((answer, result)) => {
                trial.result = Ok(answer);
                if let Err(failure) = result {
                    trial.keep_refused(refused);
                    trial.result = Err(failure);
                }
            }
            Err(stopped) => trial.result = Err(of_offload(stopped, &self.lookup_limits)),
        }
    }

    async fn check<T: Send + 'static>(
        self: &Arc<Self>,
        services: &Services,
        budget: Duration,
        size: usize,
        mut answer: T,
        check: impl FnOnce(&Self, &mut T) -> Result<(), CallFailure> + Send + 'static,
    ) -> (Result<(T, Result<(), CallFailure>), OffloadError>, Duration) {
        if size.saturating_mul(self.manifest.schemas.largest) <= MAX_INLINE_CHECK {
            let (result, took) = cpu::measured(|| check(self, &mut answer));
            return (Ok((answer, result)), took);
        }
        let loaded = Arc::clone(self);
        let work = move |progress: &cpu::Progress| {
            progress.check()?;
            let result = check(&loaded, &mut answer);
            Ok((answer, result))
        };
        services.offload.run(budget, work).await
    }
}

fn cpu_left(limits: &Limits, cost: &Cost) -> Duration {
    limits.cpu.saturating_sub(cost.cpu)
}

/// Parses a text, checks the value and serialises it again.
fn checked(
    text: &str,
    check: impl FnOnce(&Value) -> Result<(), CallFailure>,
) -> Result<String, CallFailure> {
    let value = strict_json::parse(text).map_err(|error| not_accepted(&error))?;
    check(&value)?;
    Ok(value.to_string())
}

fn fits(validator: &jsonschema::Validator, value: &Value) -> Result<(), CallFailure> {
    validator.validate(value).map_err(|error| {
        // The value may be personal data; the masked message contains the keyword only.
        let why = error.masked().to_string();
        CallFailure::schema(&error.instance_path().to_string(), &why)
    })
}

fn not_accepted(error: &NotAccepted) -> CallFailure {
    CallFailure::schema(&error.pointer, &error.why)
}

fn of_offload(error: OffloadError, limits: &Limits) -> CallFailure {
    match error {
        OffloadError::Stopped => CallFailure::Limit(cpu_limit_met(limits.cpu)),
        OffloadError::Panicked => CallFailure::Trap(error.to_string()),
    }
}

/// Checks that the component's `describe` returns its manifest; otherwise listings and grants would describe something
/// else.
///
/// # Errors
/// The difference.
pub async fn check_describe(
    loaded: &Arc<Loaded>,
    services: &Services,
    section: &Value,
) -> Result<(), String> {
    let text = loaded
        .describe(services)
        .await
        .map_err(|failure| failure.to_string())?;
    let described = strict_json::parse(&text).map_err(|error| error.to_string())?;
    if described == *section {
        Ok(())
    } else {
        Err(format!(
            "it differs from the custom section {}",
            manifest::SECTION
        ))
    }
}
