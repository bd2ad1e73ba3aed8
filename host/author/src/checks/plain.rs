//! Requirements that need no call: admission, settings, coverage and budgets.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::{Found, Mistake, Suite};
use lustra_sandbox::compile::Compiler;
use lustra_sandbox::manifest::{KeyKind, Manifest};
use lustra_sandbox::package;
use lustra_sandbox::recording::RecordedCall;
use lustra_sandbox::{Refusal, Stage};

/// Largest component in bytes; a JavaScript engine fits.
const MAX_COMPONENT_BYTES: usize = 16 << 20;

/// Longest compilation on the author's machine.
const MAX_COMPILE_TIME: Duration = Duration::from_secs(20);

/// Results of the first two requirements for a refused component.
pub(super) fn refused(file: &Path, refusal: &Refusal) -> [Found; 2] {
    let mistake = Found::Failed {
        mistakes: vec![Mistake::new(
            file.display().to_string(),
            refusal.to_string(),
        )],
    };
    let is_of_manifest = matches!(refusal, Refusal::Manifest(_) | Refusal::Configuration(_))
        || refusal.stage() == Stage::Check;
    if is_of_manifest {
        [Found::skipped("its manifest is wrong"), mistake]
    } else {
        [mistake, Found::skipped("the component does not load")]
    }
}

impl Suite<'_> {
    /// The manifest was admitted and equals `describe`; here it must also offer every exported interface.
    pub(super) fn manifest(&self) -> Found {
        let manifest = self.on_bench.manifest();
        let file = self.on_bench.file.display().to_string();
        match package::check_offered(&file, &self.on_bench.bytes, manifest) {
            Ok(()) => Found::passed(format!("{} {}", manifest.id, manifest.version)),
            Err(error) => Found::Failed {
                mistakes: vec![Mistake::new("/", error.to_string())],
            },
        }
    }

    pub(super) fn settings(&self) -> Found {
        let manifest = self.on_bench.manifest();
        let (Some(schema), Some(validator)) = (&manifest.settings, &manifest.schemas.settings)
        else {
            return Found::skipped("it has no settings");
        };
        let mut mistakes = Vec::new();
        let mut defaults = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            match property.get("default") {
                Some(default) => {
                    defaults.insert(name.clone(), default.clone());
                }
                None => mistakes.push(Mistake::new(
                    format!("/settings/properties/{name}"),
                    "it has no default, so the connector does not work without configuration",
                )),
            }
        }
        let count = defaults.len();
        for error in validator.iter_errors(&Value::Object(defaults)) {
            mistakes.push(Mistake::new(
                format!("/settings/properties{}/default", error.instance_path()),
                format!("the default does not fit its own schema: {error}"),
            ));
        }
        if validator.is_valid(&json!({ "no-such-setting-of-lustra": true })) {
            mistakes.push(Mistake::new(
                "/settings",
                "it accepts an unknown setting, so a mistyped one goes unnoticed; add additionalProperties: false",
            ));
        }
        Found::of(mistakes, count, "settings", "it has no settings")
    }

    pub(super) fn coverage(&self) -> Found {
        let manifest = self.on_bench.manifest();
        let has = |is: &dyn Fn(&RecordedCall) -> bool| {
            let mut cassettes = self.cassettes.iter();
            cassettes.any(|(_, cassette)| is(&cassette.recording.call))
        };
        let wanted = wanted(manifest);
        let missing: Vec<&str> = wanted
            .iter()
            .filter(|(_, is)| !has(is.as_ref()))
            .map(|(name, _)| name.as_str())
            .collect();
        if missing.is_empty() {
            Found::passed(format!("{} cassettes", self.cassettes.len()))
        } else {
            Found::skipped(format!(
                "there is none for {}; they were not checked",
                missing.join(", ")
            ))
        }
    }

    pub(super) fn budget(&self) -> Found {
        let bytes = &self.on_bench.bytes;
        let (compiled, took) = if self.on_bench.was_compiled() {
            (Ok(()), self.on_bench.took)
        } else {
            let started = Instant::now();
            let compiled = tokio::task::block_in_place(|| {
                Compiler::InProcess.compile(self.bench.linker.engine(), bytes)
            });
            (compiled.map(drop), started.elapsed())
        };
        let file = self.on_bench.file.display().to_string();
        let mut mistakes = Vec::new();
        if bytes.len() > MAX_COMPONENT_BYTES {
            mistakes.push(Mistake::new(
                &file,
                format!(
                    "it has {} bytes; {MAX_COMPONENT_BYTES} is the most",
                    bytes.len()
                ),
            ));
        }
        if let Err(error) = compiled {
            mistakes.push(Mistake::new(&file, error.to_string()));
        }
        if took > MAX_COMPILE_TIME {
            mistakes.push(Mistake::new(
                &file,
                format!(
                    "compiling it takes {:.1} s; {} is the most",
                    took.as_secs_f64(),
                    MAX_COMPILE_TIME.as_secs()
                ),
            ));
        }
        if mistakes.is_empty() {
            Found::passed(format!(
                "{} kB, compiled in {:.1} s",
                bytes.len() / 1024,
                took.as_secs_f64()
            ))
        } else {
            Found::Failed { mistakes }
        }
    }
}

/// A predicate on calls.
type CallPredicate = Box<dyn Fn(&RecordedCall) -> bool>;

/// The kinds of calls that a manifest offers, with display names.
fn wanted(manifest: &Manifest) -> Vec<(String, CallPredicate)> {
    let mut wanted: Vec<(String, CallPredicate)> = Vec::new();
    for scope in &manifest.scopes {
        let name = scope.scope.clone();
        wanted.push((
            format!("the scope {name}"),
            Box::new(
                move |call| matches!(call, RecordedCall::Enrich { scope, .. } if *scope == name),
            ),
        ));
    }
    for dataset in &manifest.datasets {
        let name = dataset.id.clone();
        wanted.push((
            format!("the dataset {name}"),
            Box::new(move |call| matches!(call, RecordedCall::Import { dataset, .. } if *dataset == name)),
        ));
    }
    for kind in manifest
        .company_source
        .iter()
        .flat_map(|source| &source.keys)
    {
        let name = match kind {
            KeyKind::Ico => "ico",
            KeyKind::RegisterId => "register-id",
        };
        wanted.push((
            format!("companies by {name}"),
            Box::new(
                move |call| matches!(call, RecordedCall::FetchCompany { key, .. } if key == name),
            ),
        ));
    }
    wanted
}
