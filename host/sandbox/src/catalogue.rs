//! The connectors at one moment: the state of each component and the connector of each scope.
//!
//! A catalogue is immutable. A reload builds a new one and swaps the pointer, so that each request sees one consistent
//! state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use lustra_store::{ConnectorId, ScopeName};
use time::OffsetDateTime;

use super::component::Loaded;
use super::manifest::{CollectionManifest, Manifest, Provides, ScopeManifest};
use super::refusal::{Refusal, Stage};
use super::shadow::ShadowReport;
use crate::settings::{ConnectorConfig, ConnectorsConfig};

/// The connectors at one moment.
#[derive(Default)]
pub struct Catalogue {
    /// Keyed by the manifest's id; a file without a readable manifest is keyed by its file name.
    pub entries: BTreeMap<String, CatalogueEntry>,
    /// The connector of each scope, and the place of the scope in its manifest.
    scopes: BTreeMap<ScopeName, (Arc<Loaded>, usize)>,
    scope_names: Arc<BTreeSet<ScopeName>>,
    base: Vec<ConnectorId>,
    details: Vec<ConnectorId>,
}

/// One connector, or a component that was not loaded.
#[derive(Clone)]
pub struct CatalogueEntry {
    /// Path of the component's file.
    pub file: PathBuf,
    /// SHA-256 of the serving component, or of the one in the file if none serves and it was readable.
    pub digest: Option<String>,
    /// Manifest of the serving component, or of the one in the file if none serves and it was readable.
    pub manifest: Option<Arc<Manifest>>,
    pub state: EntryState,
    /// The refused component in the file, if another version serves in its place.
    pub rejected: Option<Rejected>,
    /// Result of the shadow check of the serving version.
    pub shadow: Option<ShadowReport>,
    /// The previous version, while a rollback is possible.
    pub probation: Option<Probation>,
    /// The id that another component already has, if this entry stands for a duplicate.
    pub second_of: Option<ConnectorId>,
}

/// The state of a component.
#[derive(Clone)]
pub enum EntryState {
    /// It is loaded and called.
    Serving(Arc<Loaded>),
    /// The settings do not name it or disable it.
    NotEnabled,
    /// It was refused for this reason.
    Refused(String),
}

/// A component that was refused.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// SHA-256 of the component, if it was readable.
    pub digest: Option<String>,
    /// Version in the manifest, if it was readable.
    pub version: Option<String>,
    /// The stage that refused it.
    pub stage: Stage,
    /// The reason of the refusal.
    pub reason: String,
    /// Time of the refusal.
    pub at: OffsetDateTime,
    /// The connector's settings at that time.
    pub(super) config: Option<ConnectorConfig>,
    /// Why the version that serves does not use these settings, if it was tried with them.
    pub settings: Option<RefusedSettings>,
}

/// Changed settings that the serving version does not use.
#[derive(Clone, Debug)]
pub struct RefusedSettings {
    /// The stage that refused the version with them.
    pub stage: Stage,
    /// The reason of the refusal.
    pub reason: String,
}

/// The probation of a version, during which the previous one may be restored.
#[derive(Clone)]
pub struct Probation {
    pub previous: Arc<Loaded>,
    /// Time when the probation ends.
    pub until: OffsetDateTime,
    /// Number of the connector's calls after which the probation ends.
    pub until_calls: u64,
}

impl CatalogueEntry {
    /// The entry of a file in this state, with nothing else known.
    pub(super) fn new(file: impl Into<PathBuf>, state: EntryState) -> Self {
        Self {
            file: file.into(),
            digest: None,
            manifest: None,
            state,
            rejected: None,
            shadow: None,
            probation: None,
            second_of: None,
        }
    }

    /// This entry after a rollback from `loaded` to `previous` at `now`.
    pub(super) fn rolled_back(
        &self,
        loaded: &Loaded,
        previous: Arc<Loaded>,
        reason: &Refusal,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            digest: Some(previous.digest.clone()),
            manifest: Some(Arc::new(previous.manifest.clone())),
            rejected: Some(Rejected {
                digest: Some(loaded.digest.clone()),
                version: Some(loaded.manifest.version.clone()),
                stage: reason.stage(),
                reason: reason.reason(),
                at: now,
                config: Some(loaded.config.clone()),
                settings: None,
            }),
            ..Self::new(&self.file, EntryState::Serving(previous))
        }
    }

    /// The serving version, if there is one.
    #[must_use]
    pub fn serving(&self) -> Option<&Arc<Loaded>> {
        match &self.state {
            EntryState::Serving(loaded) => Some(loaded),
            EntryState::NotEnabled | EntryState::Refused(_) => None,
        }
    }

    /// The previous version, if a rollback is still possible.
    #[must_use]
    pub fn on_probation(&self, now: OffsetDateTime) -> Option<&Arc<Loaded>> {
        let (probation, loaded) = (self.probation.as_ref()?, self.serving()?);
        let calls = loaded.stats.snapshot().calls;
        (now < probation.until && calls < probation.until_calls).then_some(&probation.previous)
    }
}

impl Catalogue {
    /// Builds a catalogue of entries that are already checked for clashes.
    pub(super) fn new(
        entries: BTreeMap<String, CatalogueEntry>,
        config: &ConnectorsConfig,
    ) -> Self {
        let mut catalogue = Self::default();
        for loaded in entries.values().filter_map(CatalogueEntry::serving) {
            let id = &loaded.manifest.id;
            for (place, scope) in loaded.manifest.scopes.iter().enumerate() {
                let of_scope = (Arc::clone(loaded), place);
                catalogue.scopes.insert(scope.scope.clone(), of_scope);
            }
            if let Some(source) = &loaded.manifest.company_source {
                match source.provides {
                    Provides::Base => catalogue.base.push(id.clone()),
                    Provides::Details => catalogue.details.push(id.clone()),
                }
            }
        }
        catalogue.scope_names = Arc::new(catalogue.scopes.keys().cloned().collect());
        catalogue.entries = entries;
        let place = |id: &ConnectorId| {
            let place = config.base_registers.iter().position(|named| named == id);
            place.unwrap_or(usize::MAX)
        };
        catalogue
            .base
            .sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.cmp(b)));
        catalogue
    }

    /// The serving connector with this id.
    #[must_use]
    pub fn serving(&self, id: &ConnectorId) -> Option<&Arc<Loaded>> {
        self.entries.get(id.as_str())?.serving()
    }

    /// All serving connectors, sorted by id.
    pub fn all_serving(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.entries.values().filter_map(CatalogueEntry::serving)
    }

    /// The connector of a scope, with the scope's manifest.
    #[must_use]
    pub fn scope(&self, scope: &str) -> Option<(&Arc<Loaded>, &ScopeManifest)> {
        let (loaded, place) = self.scopes.get(scope)?;
        Some((loaded, loaded.manifest.scopes.get(*place)?))
    }

    /// Whether a scope is served and its section extends the details.
    #[must_use]
    pub fn extends_details(&self, scope: &str) -> bool {
        self.scope(scope)
            .is_some_and(|(_, manifest)| manifest.extends_details)
    }

    /// Names of all served scopes, sorted.
    pub fn scopes(&self) -> impl Iterator<Item = &ScopeName> {
        self.scope_names.iter()
    }

    /// Names of all served scopes, as a set that can be shared.
    #[must_use]
    pub fn scope_names(&self) -> &Arc<BTreeSet<ScopeName>> {
        &self.scope_names
    }

    /// The base registers in the order in which the host tries them.
    pub fn base_registers(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.base.iter().filter_map(|id| self.serving(id))
    }

    /// The connectors that add details.
    pub fn details_registers(&self) -> impl Iterator<Item = &Arc<Loaded>> {
        self.details.iter().filter_map(|id| self.serving(id))
    }

    /// The collection of a serving connector.
    #[must_use]
    pub fn collection(
        &self,
        connector: &ConnectorId,
        collection: &str,
    ) -> Option<(&Arc<Loaded>, &CollectionManifest)> {
        let loaded = self.serving(connector)?;
        Some((loaded, loaded.manifest.collection(collection)?))
    }

    /// The collections of the serving connectors, sorted by connector.
    pub fn collections(&self) -> impl Iterator<Item = (&Arc<Loaded>, &CollectionManifest)> {
        self.all_serving().flat_map(|loaded| {
            let collections = loaded.manifest.collections.iter();
            collections.map(move |collection| (loaded, collection))
        })
    }

    /// Why a connector clashes with the serving ones: a scope, a key in the answer or an address is taken.
    pub(super) fn clash(&self, loaded: &Loaded) -> Option<String> {
        let others = || {
            self.all_serving()
                .filter(|other| other.manifest.id != loaded.manifest.id)
        };
        for scope in &loaded.manifest.scopes {
            for other in others() {
                let owner = &other.manifest.id;
                if other.manifest.scope(scope.scope.as_str()).is_some() {
                    return Some(format!(
                        "the scope {} is already given by {owner}",
                        scope.scope
                    ));
                }
                let fields = other.manifest.details_fields();
                let of_details = fields.filter(|_| !scope.extends_details);
                let of_scopes = other.manifest.scopes.iter().flat_map(ScopeManifest::keys);
                let taken: BTreeSet<&String> = of_scopes.chain(of_details).collect();
                if let Some(key) = scope.keys().into_iter().find(|key| taken.contains(key)) {
                    return Some(format!("the key {key} is already used by {owner}"));
                }
            }
        }
        let paths = |manifest: &Manifest| -> Vec<String> {
            let listings = manifest.collections.iter().flat_map(|one| &one.of_company);
            listings.map(|listing| listing.path.clone()).collect()
        };
        for path in paths(&loaded.manifest) {
            if let Some(other) = others().find(|other| paths(&other.manifest).contains(&path)) {
                let owner = &other.manifest.id;
                return Some(format!(
                    "the path /v1/company/ico/{{ico}}/{path} is already used by {owner}"
                ));
            }
        }
        for field in loaded.manifest.details_fields() {
            for other in others() {
                if other
                    .manifest
                    .scopes
                    .iter()
                    .any(|known| !known.extends_details && known.key == *field)
                {
                    let owner = &other.manifest.id;
                    return Some(format!("the key {field} is already used by {owner}"));
                }
            }
        }
        None
    }
}
