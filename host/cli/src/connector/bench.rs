//! Common arguments of the author's kit: the component and how to run it.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::super::{CliError, say};
use lustra::config::{Config, DatasetConfig, Secret};
use lustra::datasets::{Imported, Progress};
use lustra::server::Host;
use lustra_author::bench::{Bench, OnBench, Setup};
use lustra_author::call::CallRequest;
use lustra_demo as demo;
use lustra_sandbox::build::{self, Build, Profile};
use lustra_sandbox::clock::Clock;

/// Connections to the store for an import, the only work of this host.
const STORE_CONNECTIONS: u32 = 2;

/// The component, and the settings that it is tried with.
#[derive(Debug, clap::Args)]
pub(super) struct BenchArgs {
    /// Directory of a connector's crate, which is built first, or a component file.
    #[arg(value_name = "DIR|FILE")]
    pub(super) component: PathBuf,
    /// A host's settings. Grants and settings of the connector come from `[connector.<id>]`, lists and companies from
    /// the host's store. Without them the connector may reach the public addresses of its manifest.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another address for an upstream; the connector may reach it.
    #[arg(long, value_name = "NAME=URL")]
    upstream: Vec<String>,
    /// A setting of the connector, as JSON or plain text.
    #[arg(long, value_name = "NAME=VALUE")]
    setting: Vec<String>,
    /// Cache directory for compiled components. Default: in the build directory of the connectors, if there is one.
    #[arg(long, value_name = "DIR")]
    compiled: Option<PathBuf>,
}

/// The call to make.
#[derive(Debug, clap::Args)]
pub(super) struct CallArgs {
    /// IČO of the company to look up.
    #[arg(long, value_name = "NUMBER")]
    ico: Option<String>,
    /// Scope to request. Default: the company itself, or the connector's only scope.
    #[arg(long)]
    scope: Option<String>,
    /// The register's own id of the company, instead of its IČO.
    #[arg(long, value_name = "ID")]
    register_id: Option<String>,
    /// Dataset to import, instead of a look-up.
    #[arg(long)]
    dataset: Option<String>,
    /// Cursor at which the import starts.
    #[arg(long, requires = "dataset")]
    cursor: Option<String>,
    /// Name of the company, if the store does not have it.
    #[arg(long)]
    name: Option<String>,
    /// The city of the company.
    #[arg(long)]
    city: Option<String>,
    /// The postal code of the company.
    #[arg(long)]
    postal_code: Option<String>,
    /// The company's main activity, as a NACE code.
    #[arg(long, value_name = "CODE")]
    nace: Option<String>,
    /// A fact of the company's base record.
    #[arg(long, value_name = "NAME=VALUE")]
    fact: Vec<String>,
    /// JSON file with the stored section.
    #[arg(long, value_name = "FILE")]
    previous: Option<PathBuf>,
    /// Dataset of the connector to import first.
    #[arg(long, value_name = "DATASET")]
    import: Vec<String>,
    /// Time of the connector's clock, such as 2026-01-15T08:00:00Z. Default: the machine's clock.
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

fn pair(text: &str, option: &str) -> Result<(String, String), CliError> {
    let pair = text
        .split_once('=')
        .map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
    pair.filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| CliError(format!("--{option} {text}: expected NAME=VALUE")))
}

fn pairs(texts: &[String], option: &str) -> Result<Vec<(String, String)>, CliError> {
    texts.iter().map(|text| pair(text, option)).collect()
}

impl BenchArgs {
    pub(super) async fn bench(&self, clock: Clock) -> Result<Bench, CliError> {
        let config = self.config.as_deref().map(Config::read_file).transpose()?;
        let settings = pairs(&self.setting, "setting")?.into_iter();
        let settings = settings.map(|(name, value)| {
            let json = serde_json::from_str(&value);
            (name, json.unwrap_or(Value::String(value)))
        });
        let of_config = config.as_ref().and_then(|config| config.compiled.clone());
        let of_sources = || {
            demo::sdk()
                .is_dir()
                .then(|| demo::connectors_target().join("compiled"))
        };
        if config.is_none() && self.upstream.is_empty() {
            say(
                "· on this machine the connector may reach the public addresses of its manifest, and no others",
            );
        }
        let setup = Setup {
            compiled: self.compiled.clone().or(of_config).or_else(of_sources),
            store: config.as_ref().map(Config::store_url),
            pool: config
                .as_ref()
                .map(|config| config.pool.clone())
                .unwrap_or_default(),
            connectors: config.map(|config| config.connector),
            upstreams: pairs(&self.upstream, "upstream")?,
            settings: settings.collect(),
            all_memory: false,
        };
        Ok(Bench::open(setup, clock).await?)
    }

    /// Like [`Self::bench`], with the machine's clock and without a host's settings; for replays.
    pub(super) async fn quiet_bench(compiled: Option<&PathBuf>) -> Result<Bench, CliError> {
        Self::bare_bench(compiled, false).await
    }

    /// Like [`Self::quiet_bench`], with the most memory that an operator can allow.
    pub(super) async fn roomy_bench(compiled: Option<&PathBuf>) -> Result<Bench, CliError> {
        Self::bare_bench(compiled, true).await
    }

    async fn bare_bench(compiled: Option<&PathBuf>, all_memory: bool) -> Result<Bench, CliError> {
        let of_sources = || {
            demo::sdk()
                .is_dir()
                .then(|| demo::connectors_target().join("compiled"))
        };
        let setup = Setup {
            compiled: compiled.cloned().or_else(of_sources),
            all_memory,
            ..Setup::default()
        };
        Ok(Bench::open(setup, Clock::system()).await?)
    }

    /// The component's file; a crate is built first.
    pub(super) async fn file(&self, profile: Profile) -> Result<PathBuf, CliError> {
        component(&self.component, profile).await
    }
}

/// Prints which addresses of the manifest a live call does not use.
pub(super) fn say_withheld(on_bench: &OnBench) {
    for name in &on_bench.withheld {
        say(&format!(
            "· the address of the upstream {name} is a file or in a local network, so it is not used; to use it, add --upstream {name}=ADDRESS"
        ));
    }
}

/// Builds the component of a crate, or returns the file itself.
pub(super) async fn component(path: &Path, profile: Profile) -> Result<PathBuf, CliError> {
    if !path.is_dir() {
        if path.is_file() {
            return Ok(path.to_owned());
        }
        return Err(CliError(format!(
            "{}: there is no such file",
            path.display()
        )));
    }
    if !build::is_connector(path) {
        return Err(CliError(format!(
            "{} is not a connector: a crate has a Cargo.toml with a manifest.json beside it",
            path.display()
        )));
    }
    let directory = std::fs::canonicalize(path)?;
    let target = if demo::sdk().is_dir() {
        demo::connectors_target()
    } else {
        directory.join("target/connectors")
    };
    let output = target.join(profile.components());
    let building = tokio::task::spawn_blocking(move || {
        let build = Build {
            profile,
            features: &[],
            target: &target,
            output: &output,
        };
        build.run(&[directory], &mut |line| say(&format!("· {line}")))
    });
    let built = building.await??;
    let component = built.into_iter().next();
    component
        .map(|component| component.file)
        .ok_or_else(|| CliError("nothing was built".to_owned()))
}

/// Directory of the crate's cassettes, unless another one is given.
pub(super) fn cassettes(component: &Path, named: Option<&PathBuf>) -> Result<PathBuf, CliError> {
    match named {
        Some(directory) => Ok(directory.clone()),
        None if component.is_dir() => Ok(component.join("cassettes")),
        None => Err(CliError(
            "--cassettes names the directory: a component has none of its own".to_owned(),
        )),
    }
}

impl CallArgs {
    pub(super) fn clock(&self) -> Result<Clock, CliError> {
        let Some(text) = &self.now else {
            return Ok(Clock::system());
        };
        let now = OffsetDateTime::parse(text, &Rfc3339).map_err(|error| {
            CliError::caused(format!("--now {text}: no time of RFC 3339"), &error)
        })?;
        Ok(Clock::from_fn(move || now))
    }

    /// Checks what can be checked before the component is built.
    pub(super) fn check(&self) -> Result<(), CliError> {
        if self.ico.is_none() && self.register_id.is_none() && self.dataset.is_none() {
            return Err(CliError(
                "name what is asked: --ico NUMBER, --register-id ID or --dataset DATASET"
                    .to_owned(),
            ));
        }
        self.call_request().map(drop)
    }

    pub(super) fn call_request(&self) -> Result<CallRequest, CliError> {
        let previous = self.previous.as_ref().map(std::fs::read_to_string);
        Ok(CallRequest {
            ico: self.ico.clone(),
            register_id: self.register_id.clone(),
            scope: self.scope.clone(),
            dataset: self.dataset.clone(),
            cursor: self.cursor.clone(),
            name: self.name.clone(),
            city: self.city.clone(),
            postal_code: self.postal_code.clone(),
            nace_code: self.nace.clone(),
            facts: pairs(&self.fact, "fact")?,
            previous: previous.transpose()?,
        })
    }

    /// Imports the requested datasets first.
    pub(super) async fn import(&self, bench: &Bench, on_bench: &OnBench) -> Result<(), CliError> {
        for dataset in &self.import {
            let last = Mutex::new(Instant::now());
            let report = |progress: Progress| {
                let mut last = last
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                if last.elapsed() > Duration::from_secs(2) {
                    *last = Instant::now();
                    say(&format!("· {dataset}: {} records", progress.records));
                }
            };
            let importing = import(bench, on_bench, dataset, &report);
            let imported = Box::pin(importing).await?;
            say(&format!(
                "· {dataset}: {} records imported",
                imported.records
            ));
        }
        Ok(())
    }
}

/// Imports a dataset of a component into the bench's store, with the host's own importer and its checks.
async fn import(
    bench: &Bench,
    on_bench: &OnBench,
    dataset: &str,
    progress: &(dyn Fn(Progress) + Send + Sync),
) -> Result<Imported, CliError> {
    let id = on_bench.loaded.manifest.id.clone();
    let components = bench.folder().join("components");
    std::fs::create_dir_all(&components)?;
    std::fs::write(components.join("one.wasm"), on_bench.bytes.as_slice())?;
    let mut of_connector = on_bench.loaded.config.clone();
    let on = DatasetConfig {
        on: Some(true),
        ..DatasetConfig::default()
    };
    of_connector.datasets.insert(dataset.to_owned(), on);
    let mut config = Config {
        store: Some(Secret::new(bench.store_url())),
        store_connections: STORE_CONNECTIONS,
        data: bench.folder().join("data"),
        components,
        compiled: bench.compiled().map(Path::to_owned),
        connector: [(id.clone(), of_connector)].into(),
        ..Config::default()
    };
    config.imports.scheduled = false;
    config.reload.watch = false;
    config.operator.on = false;
    let host = Host::prepare(config, bench.services.clock.clone()).await?;
    Ok(host.importer.run(&id, dataset, progress).await?)
}
