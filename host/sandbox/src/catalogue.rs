//! Which connectors there are at one moment, what became of each component, and which scope is whose.
//!
//! A catalogue never changes: a reload makes the next one and swaps the pointer, so that a request sees one state from
//! its beginning to its end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use time::OffsetDateTime;

use super::component::{Loaded, Stage};
use super::manifest::{Manifest, Provides, ScopeManifest};
use super::shadow::ShadowReport;
use crate::settings::{ConnectorConfig, ConnectorsConfig};

/// The connectors at one moment.
#[derive(Default)]
pub struct Catalogue {
    /// By the manifest's id; a file without a readable manifest stands under its name.
    pub entries: BTreeMap<String, Entry>,
    scopes: BTreeMap<String, String>,
    base: Vec<String>,
    details: Vec<String>,
}

/// One connector, or a component that never became one.
#[derive(Clone)]
pub struct Entry {
    /// The file that it is loaded from.
    pub file: PathBuf,
    /// SHA-256 of what serves, else of the component in the file, where it could be read.
    pub digest: Option<String>,
    /// The manifest of what serves, else of the component in the file, where it could be read.
    pub manifest: Option<Arc<Manifest>>,
    /// What became of it.
    pub state: EntryState,
    /// The component in the file, where another serves in its place.
    pub rejected: Option<Rejected>,
    /// What the repetition of recent calls showed when what serves was taken up.
    pub shadow: Option<ShadowReport>,
    /// The version before, while it may still come back.
    pub probation: Option<Probation>,
    /// The id that another component has too, where this entry stands for a second file that says so.
    pub second_of: Option<String>,
}

/// What became of a component.
#[derive(Clone)]
pub enum EntryState {
    /// It is called.
    Serving(Arc<Loaded>),
    /// The configuration does not name it or switches it off.
    NotEnabled,
    /// It was not let in, and why.
    Refused(String),
}

/// A component that was not let in.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// Its SHA-256, where it could be read.
    pub digest: Option<String>,
    /// Its version, where its manifest could be read.
    pub version: Option<String>,
    /// How far it came.
    pub stage: Stage,
    /// Why no farther.
    pub reason: String,
    /// When.
    pub at: OffsetDateTime,
    /// What was configured then.
    pub(super) config: Option<ConnectorConfig>,
}

/// The first calls of a version, during which the one before may come back.
#[derive(Clone)]
pub struct Probation {
    /// The version before.
    pub previous: Arc<Loaded>,
    /// When it ends.
    pub until: OffsetDateTime,
    /// At how many calls of the connector it ends.
    pub until_calls: u64,
}

impl Entry {
    /// What serves.
    #[must_use]
    pub fn serving(&self) -> Option<&Arc<Loaded>> {
        match &self.state {
            EntryState::Serving(loaded) => Some(loaded),
            EntryState::NotEnabled | EntryState::Refused(_) => None,
        }
    }

    /// The version before, if it may still come back.
    #[must_use]
    pub fn on_probation(&self, now: OffsetDateTime) -> Option<&Arc<Loaded>> {
        let (probation, loaded) = (self.probation.as_ref()?, self.serving()?);
        let calls = loaded.stats.see().calls;
        (now < probation.until && calls < probation.until_calls).then_some(&probation.previous)
    }
}

impl Catalogue {
    /// A catalogue of these entries. Clashes were ruled out before.
    pub(super) fn new(entries: BTreeMap<String, Entry>, config: &ConnectorsConfig) -> Self {
        let mut catalogue = Self::default();
        for (id, entry) in &entries {
            let Some(loaded) = entry.serving() else {
                continue;
            };
            for scope in &loaded.manifest.scopes {
                catalogue.scopes.insert(scope.scope.clone(), id.clone());
            }
            if let Some(source) = &loaded.manifest.company_source {
                match source.provides {
                    Provides::Base => catalogue.base.push(id.clone()),
                    Provides::Details => catalogue.details.push(id.clone()),
                }
            }
        }
        catalogue.entries = entries;
        let place = |id: &String| {
            let place = config.base_registers.iter().position(|named| named == id);
            place.unwrap_or(usize::MAX)
        };
        catalogue
            .base
            .sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
        catalogue
    }

    /// A connector that serves.
    #[must_use]
    pub fn serving(&self, id: &str) -> Option<&Arc<Loaded>> {
        self.entries.get(id)?.serving()
    }

    /// All connectors that serve, by id.
    pub fn all_serving(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.entries.values().filter_map(Entry::serving)
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

    /// Why a connector cannot serve beside the others that do: a scope or a place in the answer is taken.
    pub(super) fn clash(&self, loaded: &Loaded) -> Option<String> {
        let others = || {
            self.all_serving()
                .filter(|other| other.manifest.id != loaded.manifest.id)
        };
        for scope in &loaded.manifest.scopes {
            for other in others() {
                let owner = &other.manifest.id;
                if other.manifest.scope(&scope.scope).is_some() {
                    return Some(format!(
                        "the scope {} is already given by {owner}",
                        scope.scope
                    ));
                }
                let mut keys = other.manifest.scopes.iter().map(|known| &known.key);
                if keys.any(|key| *key == scope.key)
                    || other
                        .manifest
                        .details_fields()
                        .any(|field| *field == scope.key)
                {
                    return Some(format!("the key {} is already used by {owner}", scope.key));
                }
            }
        }
        for field in loaded.manifest.details_fields() {
            for other in others() {
                if other
                    .manifest
                    .scopes
                    .iter()
                    .any(|known| known.key == *field)
                {
                    let owner = &other.manifest.id;
                    return Some(format!("the key {field} is already used by {owner}"));
                }
            }
        }
        None
    }
}
