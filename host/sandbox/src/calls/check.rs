//! Checks connectors' answers against the schemas of their manifests.
//!
//! Every JSON text is parsed once, checked, and replaced by the parsed value: see [`strict_json`]. Large answers are
//! checked on another thread. The call is charged for all of it. A check cannot be interrupted, so an answer that is too
//! large for its schema is refused before.

mod items;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{UnmeteredCall, accept};
use crate::bindings::enrichment::exports::lustra::connector::enrichment::Section;
use crate::bindings::importer::exports::lustra::connector::importer::Batch;
use crate::bindings::types::Company;
use crate::call_failure::CallFailure;
use crate::component::Loaded;
use crate::cpu::{self, OffloadError};
use crate::limits::{Limits, cpu_limit_met, wall_limit_met};
use crate::manifest;
use crate::state::Services;
use crate::strict_json::{self, NotAccepted};
use lustra_store::ScopeName;

/// Bytes times schema parts that are checked in about a millisecond, even if each part applies to each value. More is
/// checked on another thread, and more than the call's whole CPU limit covers is refused.
const WORK_PER_MS: usize = 16 << 20;

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
        let limits = &self.import_limits;
        let left = Left {
            cpu: budget,
            wall: limits.wall,
        };
        let checking = Box::pin(self.check(services, limits, left, size, batch, check));
        let (checked, took) = checking.await;
        let batch = match checked {
            Ok((batch, Ok(()))) => Ok(batch),
            Ok((_, Err(failure))) => Err(failure),
            Err(failure) => Err(failure),
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
                return Err(CallFailure::schema("", "the details are not an object"));
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
        let limits = &self.lookup_limits;
        let left = Left {
            cpu: limits.cpu.saturating_sub(trial.cost.cpu),
            wall: limits.wall.saturating_sub(trial.cost.wall),
        };
        let answer = match std::mem::replace(&mut trial.result, Err(CallFailure::Busy)) {
            Ok(answer) => answer,
            failed @ Err(_) => {
                trial.result = failed;
                return;
            }
        };
        let size = size(&answer);
        let began = Instant::now();
        let checking = Box::pin(self.check(services, limits, left, size, answer, check));
        let (checked, took) = checking.await;
        trial.cost.cpu += took;
        trial.cost.wall += began.elapsed();
        match checked {
            Ok((answer, result)) => {
                trial.result = Ok(answer);
                if let Err(failure) = result {
                    trial.keep_refused(refused);
                    trial.result = Err(failure);
                }
            }
            Err(failure) => trial.result = Err(failure),
        }
    }

    /// Runs a check within the limits of its call. The time is the CPU time that it took.
    async fn check<T: Send + 'static>(
        self: &Arc<Self>,
        services: &Services,
        limits: &Limits,
        left: Left,
        size: usize,
        mut answer: T,
        check: impl FnOnce(&Self, &mut T) -> Result<(), CallFailure> + Send + 'static,
    ) -> (Result<(T, Result<(), CallFailure>), CallFailure>, Duration) {
        match CheckThread::of(size, self.manifest.schemas.largest, limits.cpu) {
            CheckThread::Inline => {
                let (result, took) = cpu::measured(|| check(self, &mut answer));
                (Ok((answer, result)), took)
            }
            CheckThread::Offload => {
                let loaded = Arc::clone(self);
                let work = move |progress: &cpu::Progress| {
                    progress.check()?;
                    let result = check(&loaded, &mut answer);
                    progress.check()?;
                    Ok((answer, result))
                };
                let checking = services.offload.run(left.cpu, work);
                match tokio::time::timeout(left.wall, checking).await {
                    Ok((checked, took)) => {
                        (checked.map_err(|error| of_offload(error, limits)), took)
                    }
                    Err(_elapsed) => (
                        Err(CallFailure::Limit(wall_limit_met(limits.wall))),
                        Duration::ZERO,
                    ),
                }
            }
            CheckThread::Nowhere { most } => {
                let why = format!(
                    "result too large: {size} bytes; its schema allows at most {most} to be checked within the CPU limit"
                );
                (Err(CallFailure::Limit(why)), Duration::ZERO)
            }
        }
    }
}

/// What is left to a call.
struct Left {
    cpu: Duration,
    wall: Duration,
}

/// Where an answer is checked.
#[derive(Debug, PartialEq, Eq)]
enum CheckThread {
    /// On the async thread.
    Inline,
    /// On a blocking thread.
    Offload,
    /// The check could take longer than the call's CPU limit.
    Nowhere {
        /// Most bytes of an answer that is checked.
        most: usize,
    },
}

impl CheckThread {
    /// The place for an answer of this many bytes and a schema of this many parts.
    fn of(size: usize, parts: usize, cpu: Duration) -> Self {
        let work = size.saturating_mul(parts);
        if work <= WORK_PER_MS {
            return Self::Inline;
        }
        let ms = usize::try_from(cpu.as_millis()).unwrap_or(usize::MAX);
        let covered = ms.saturating_mul(WORK_PER_MS);
        if work <= covered {
            Self::Offload
        } else {
            Self::Nowhere {
                most: covered / parts.max(1),
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_a_check_decides_where_it_runs() {
        let cpu = Duration::from_secs(2);
        assert_eq!(CheckThread::of(10_000, 1_500, cpu), CheckThread::Inline);
        assert_eq!(CheckThread::of(8 << 20, 1_500, cpu), CheckThread::Offload);
        let most = 2_000 * WORK_PER_MS / 20_000;
        assert_eq!(CheckThread::of(most, 20_000, cpu), CheckThread::Offload);
        assert_eq!(
            CheckThread::of(most + 1, 20_000, cpu),
            CheckThread::Nowhere { most }
        );
        assert_eq!(
            CheckThread::of(usize::MAX, 2, cpu),
            CheckThread::Nowhere {
                most: 1_000 * WORK_PER_MS
            }
        );
    }
}
