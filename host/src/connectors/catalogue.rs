//! Which connectors there are: what was found in the directory, what became of it, and which scope is whose.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;
use time::OffsetDateTime;

use super::cache::Cache;
use super::calls::{self, CallFailure};
use super::component::{Candidate, LARGEST_COMPONENT, Loaded, Refusal};
use super::engine::ConnectorEngine;
use super::manifest::{Manifest, Provides, ScopeManifest};
use super::state::Services;
use crate::config::{Config, ConnectorConfig};

/// All connectors of a host.
pub struct Connectors {
    /// What calls are carried out with.
    pub services: Services,
    engine: ConnectorEngine,
    cache: Arc<Cache>,
    current: ArcSwap<Catalogue>,
    last_failures: std::sync::Mutex<BTreeMap<String, (OffsetDateTime, String)>>,
}

/// The connectors at one moment.
#[derive(Default)]
pub struct Catalogue {
    /// By the manifest's id; a file without a readable manifest stands under its name.
    pub entries: BTreeMap<String, Entry>,
    scopes: BTreeMap<String, String>,
    base: Vec<String>,
    details: Vec<String>,
}

/// One component in the directory.
pub struct Entry {
    /// The file.
    pub file: PathBuf,
    /// SHA-256 of the component, where it could be read.
    pub digest: Option<String>,
    /// Its manifest, where it could be read.
    pub manifest: Option<Manifest>,
    /// What became of it.
    pub state: EntryState,
}

/// What became of a component.
pub enum EntryState {
    /// It is called.
    Serving(Arc<Loaded>),
    /// The configuration does not name it or switches it off.
    NotEnabled,
    /// It was not let in, and why.
    Refused(String),
}

impl Catalogue {
    /// A connector that serves.
    #[must_use]
    pub fn serving(&self, id: &str) -> Option<&Arc<Loaded>> {
        match &self.entries.get(id)?.state {
            EntryState::Serving(loaded) => Some(loaded),
            EntryState::NotEnabled | EntryState::Refused(_) => None,
        }
    }

    /// All connectors that serve, by id.
    pub fn all_serving(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.entries
            .values()
            .filter_map(|entry| match &entry.state {
                EntryState::Serving(loaded) => Some(loaded),
                EntryState::NotEnabled | EntryState::Refused(_) => None,
            })
    }

    /// The connector of a scope, with what it says of the scope.
    #[must_use]
    pub fn scope(&self, scope: &str) -> Option<(&Arc<Loaded>, &ScopeManifest)> {
        let loaded = self.serving(self.scopes.get(scope)?)?;
        Some((loaded, loaded.manifest.scope(scope)?))
    }

    /// The names of all scopes that are served, sorted.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scopes.keys().map(String::as_str)
    }

    /// The base registers in the order in which they are asked.
    pub fn base_registers(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.base.iter().filter_map(|id| self.serving(id))
    }

    /// The registers of details.
    pub fn details_registers(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.details.iter().filter_map(|id| self.serving(id))
    }

    /// Why a connector cannot serve beside those that do: a scope or a place in the answer is taken.
    fn clash(&self, loaded: &Loaded) -> Option<String> {
        for scope in &loaded.manifest.scopes {
            if let Some(owner) = self.scopes.get(&scope.scope) {
                return Some(format!(
                    "the scope {} is already given by {owner}",
                    scope.scope
                ));
            }
            for other in self.all_serving() {
                let section = other
                    .manifest
                    .scopes
                    .iter()
                    .any(|known| known.key == scope.key);
                if section
                    || other
                        .manifest
                        .details_fields()
                        .any(|field| *field == scope.key)
                {
                    let owner = &other.manifest.id;
                    return Some(format!("the key {} is already used by {owner}", scope.key));
                }
            }
        }
        None
    }

    fn insert(&mut self, id: String, mut entry: Entry, config: &Config) {
        if let EntryState::Serving(loaded) = &entry.state {
            if let Some(why) = self.clash(loaded) {
                entry.state = EntryState::Refused(why);
            } else {
                for scope in &loaded.manifest.scopes {
                    self.scopes.insert(scope.scope.clone(), id.clone());
                }
                if let Some(source) = &loaded.manifest.company_source {
                    match source.provides {
                        Provides::Base => self.base.push(id.clone()),
                        Provides::Details => self.details.push(id.clone()),
                    }
                }
            }
        }
        self.entries.insert(id, entry);
        let place = |id: &String| {
            config
                .base_registers
                .iter()
                .position(|named| named == id)
                .unwrap_or(usize::MAX)
        };
        self.base
            .sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
    }
}

impl Connectors {
    /// Reads the directory and loads every enabled component. A component that cannot be loaded is listed with its
    /// reason and keeps nothing else from loading.
    pub async fn load(
        config: &Config,
        engine: ConnectorEngine,
        cache: Arc<Cache>,
        services: Services,
    ) -> Self {
        let connectors = Self {
            services,
            engine,
            cache,
            current: ArcSwap::default(),
            last_failures: std::sync::Mutex::default(),
        };
        let mut catalogue = Catalogue::default();
        for file in components(&config.components) {
            let (id, entry) = connectors.entry(&file, config).await;
            if let EntryState::Refused(why) = &entry.state {
                tracing::error!(connector.id = %id, "the connector {id} is not loaded: {why}");
            }
            if catalogue.entries.contains_key(&id) {
                tracing::error!(connector.id = %id, "a second component says it is {id}; the first by file name serves");
                continue;
            }
            catalogue.insert(id, entry, config);
        }
        connectors.current.store(Arc::new(catalogue));
        connectors
    }

    /// The connectors now.
    #[must_use]
    pub fn catalogue(&self) -> Arc<Catalogue> {
        self.current.load_full()
    }

    /// Notes why a call failed, for the list and the status; in the log it stands once too.
    pub fn note_failure(&self, connector: &str, failure: &CallFailure) {
        match failure {
            CallFailure::Busy | CallFailure::Resting(_) => return,
            CallFailure::Failed(_) | CallFailure::Limit(_) => {
                tracing::warn!(connector.id = connector, %failure, "the connector {connector} gave nothing");
            }
            CallFailure::Trap(_) | CallFailure::Schema { .. } | CallFailure::NotOffered(_) => {
                tracing::error!(connector.id = connector, %failure, "the connector {connector} failed");
            }
        }
        let now = self.services.clock.now();
        let mut failures = self
            .last_failures
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failures.insert(connector.to_owned(), (now, failure.to_string()));
    }

    /// The newest failure of a connector, if the last call of its kind failed.
    #[must_use]
    pub fn last_failure(&self, connector: &str) -> Option<(OffsetDateTime, String)> {
        let failures = self
            .last_failures
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failures.get(connector).cloned()
    }

    /// Forgets a connector's failure after a call that worked.
    pub fn note_success(&self, connector: &str) {
        let mut failures = self
            .last_failures
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        failures.remove(connector);
    }

    async fn entry(&self, file: &Path, config: &Config) -> (String, Entry) {
        let by_name = file
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let candidate = match read(file) {
            Ok(candidate) => candidate,
            Err(refusal) => {
                let state = EntryState::Refused(refusal.to_string());
                return (
                    by_name,
                    Entry {
                        file: file.to_owned(),
                        digest: None,
                        manifest: None,
                        state,
                    },
                );
            }
        };
        let id = candidate.manifest.id.clone();
        let (digest, manifest) = (candidate.digest.clone(), candidate.manifest.clone());
        let state = match config.connector.get(&id) {
            Some(own) if own.enabled.unwrap_or(true) => match self.serve(candidate, own).await {
                Ok(loaded) => EntryState::Serving(loaded),
                Err(refusal) => EntryState::Refused(refusal.to_string()),
            },
            Some(_) | None => EntryState::NotEnabled,
        };
        (
            id,
            Entry {
                file: file.to_owned(),
                digest: Some(digest),
                manifest: Some(manifest),
                state,
            },
        )
    }

    async fn serve(
        &self,
        candidate: Candidate,
        config: &ConnectorConfig,
    ) -> Result<Arc<Loaded>, Refusal> {
        let section = candidate.manifest_value().clone();
        let (engine, cache, config) =
            (self.engine.clone(), Arc::clone(&self.cache), config.clone());
        let loading = tokio::task::spawn_blocking(move || candidate.load(&engine, &cache, &config));
        let loaded = match loading.await {
            Ok(loaded) => Arc::new(loaded?),
            Err(error) => {
                return Err(Refusal::Describe(format!(
                    "loading it ended early: {error}"
                )));
            }
        };
        calls::check_describe(&loaded, &self.services, &section)
            .await
            .map_err(Refusal::Describe)?;
        Ok(loaded)
    }
}

/// The components of a directory, by name. An unreadable directory is an empty one, with a line in the log.
fn components(directory: &Path) -> Vec<PathBuf> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => {
            tracing::error!(%error, "the directory of components {} cannot be read", directory.display());
            return Vec::new();
        }
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
        })
        .collect();
    files.sort();
    files
}

fn read(file: &Path) -> Result<Candidate, Refusal> {
    let of_file = |error: std::io::Error| Refusal::File(error.to_string());
    let length = std::fs::metadata(file).map_err(of_file)?.len();
    if length > LARGEST_COMPONENT {
        return Err(Refusal::File(format!(
            "it has {length} bytes; {LARGEST_COMPONENT} is the most"
        )));
    }
    Candidate::read(std::fs::read(file).map_err(of_file)?)
}
