//! Reload: loads changed components and settings while calls continue.
//!
//! A new version is admitted, compiled, linked, asked for its manifest, and replays recent calls as a shadow check.
//! Then the catalogue's pointer is swapped. Calls in flight finish on the version that they began with. If a new
//! version is refused, the old one keeps serving and the refusal is listed with digest, stage and reason. Equal bytes
//! under equal settings are no change, whatever happened to the file.

mod change;
mod rejection;
mod scan;
mod take_back;
mod version;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use lustra_store::ConnectorId;

pub use change::{ChangeKind, ConnectorChange};
use scan::FoundFile;
pub use scan::components;
pub use scan::read;
pub use take_back::{TakeBackError, TakenBack};
use version::Planned;

use super::catalogue::{CatalogueEntry, EntryState, Rejected};
use super::component::Candidate;
use super::refusal::Stage;
use super::running::Connectors;
use crate::settings::{ConnectorConfig, ConnectorsConfig};

/// What a reload does with components and settings that were refused before and have not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedVersions {
    /// They stay refused.
    Skip,
    /// They are tried again, except versions that an operator rolled back.
    Retry,
}

impl Connectors {
    /// Scans the directory and loads what changed; idempotent.
    pub async fn reload(
        &self,
        config: &ConnectorsConfig,
        refused: RefusedVersions,
    ) -> Vec<ConnectorChange> {
        let changes = self.apply(config, refused).await;
        changes.iter().for_each(ConnectorChange::log);
        changes
    }

    /// Loads everything at the start of a host.
    pub(crate) async fn load_first(&self, config: &ConnectorsConfig) {
        let changes = self.apply(config, RefusedVersions::Skip).await;
        changes.iter().for_each(ConnectorChange::log_at_start);
    }

    async fn apply(
        &self,
        config: &ConnectorsConfig,
        refused: RefusedVersions,
    ) -> Vec<ConnectorChange> {
        let _one_at_a_time = self.reloading.lock().await;
        self.set_config(config);
        self.end_probations();
        let found = match self.scan(&config.components).await {
            Ok(found) => found,
            // A directory that is temporarily unreadable does not mean that its components were deleted.
            Err(error) => {
                tracing::error!(%error, "the components directory {} cannot be read; the connectors stay unchanged", config.components.display());
                return Vec::new();
            }
        };
        let mut changes = self.remove_missing(&found);
        let mut planned = Vec::new();
        let mut ids = BTreeSet::new();
        for found in found {
            let (id, digest) = match found.content {
                Ok(content) => content,
                Err((stage, reason)) => {
                    let change = self.unreadable(&found.file, stage, reason, refused).await;
                    changes.extend(change);
                    continue;
                }
            };
            if !ids.insert(id.clone()) {
                changes.extend(self.list_duplicate(&found.file, &id));
                continue;
            }
            let own = config.connector.get(&id);
            let Some(own) = own.filter(|own| own.is_enabled()) else {
                changes.extend(self.not_enabled(&id, &found.file, &digest, found.candidate));
                continue;
            };
            if self.is_up_to_date(&id, &found.file, &digest, own, refused) {
                continue;
            }
            match found.candidate.map_or_else(|| read(&found.file), Ok) {
                Ok(candidate) => planned.push(Planned {
                    id,
                    file: found.file,
                    candidate,
                    config: own.clone(),
                }),
                Err(refusal) => {
                    let (stage, reason) = (refusal.stage(), refusal.reason());
                    let change = self.unreadable(&found.file, stage, reason, refused).await;
                    changes.extend(change);
                }
            }
        }
        changes.extend(self.load_all(planned, config, refused).await);
        changes
    }

    /// Whether nothing is to be done about a component: it already serves, or the same component was already refused.
    fn is_up_to_date(
        &self,
        id: &ConnectorId,
        file: &Path,
        digest: &str,
        own: &ConnectorConfig,
        refused: RefusedVersions,
    ) -> bool {
        let catalogue = self.catalogue();
        let Some(entry) = catalogue.entries.get(id.as_str()) else {
            return false;
        };
        let serves = entry
            .serving()
            .is_some_and(|loaded| loaded.digest == digest && loaded.config == *own);
        if serves {
            if entry.file != file || entry.rejected.is_some() {
                self.change(|entries| {
                    if let Some(entry) = entries.get_mut(id.as_str()) {
                        file.clone_into(&mut entry.file);
                        entry.rejected = None;
                    }
                });
            }
            return true;
        }
        // A refusal at the swap is retried, because the conflicting connector may be gone.
        (refused == RefusedVersions::Skip || self.last_known_good.is_held(id, digest))
            && entry.rejected.as_ref().is_some_and(|rejected| {
                rejected.digest.as_deref() == Some(digest)
                    && rejected.config.as_ref() == Some(own)
                    && rejected.stage != Stage::Swap
            })
    }

    fn not_enabled(
        &self,
        id: &ConnectorId,
        file: &Path,
        digest: &str,
        candidate: Option<Candidate>,
    ) -> Option<ConnectorChange> {
        let catalogue = self.catalogue();
        let before = catalogue.entries.get(id.as_str());
        let same = before.is_some_and(|entry| {
            matches!(entry.state, EntryState::NotEnabled)
                && entry.digest.as_deref() == Some(digest)
                && entry.file == file
        });
        if same {
            return None;
        }
        let served = before.is_some_and(|entry| entry.serving().is_some());
        let candidate = candidate.map_or_else(|| read(file), Ok).ok()?;
        let entry = CatalogueEntry {
            digest: Some(candidate.digest),
            manifest: Some(Arc::new(candidate.manifest)),
            ..CatalogueEntry::new(file, EntryState::NotEnabled)
        };
        self.change(|entries| {
            entries.insert(id.to_string(), entry);
        });
        served.then(|| ConnectorChange {
            id: id.to_string(),
            file: file.to_owned(),
            digest: Some(digest.to_owned()),
            kind: ChangeKind::Disabled,
        })
    }

    /// Handles a file that is not a component, or not yet. The connector loaded from it keeps serving, with its present
    /// settings, unless they disable it.
    async fn unreadable(
        &self,
        file: &Path,
        stage: Stage,
        reason: String,
        refused: RefusedVersions,
    ) -> Option<ConnectorChange> {
        let catalogue = self.catalogue();
        let owner = catalogue
            .entries
            .iter()
            .find(|(_, entry)| entry.file == file)
            .map(|(id, _)| id.clone());
        let of_file = || self.last_known_good.id_of_file(file);
        let name = owner
            .or_else(|| of_file().map(|id| id.to_string()))
            .unwrap_or_else(|| stem(file));
        let config = self.config();
        let own = config
            .connector
            .get_key_value(name.as_str())
            .filter(|(_, own)| own.is_enabled());
        let own_config = own.map(|(_, own)| own);
        let is_same = |rejected: &Rejected| {
            rejected.digest.is_none()
                && rejected.reason == reason
                && rejected.config.as_ref() == own_config
        };
        let known = catalogue.entries.get(&name);
        if known.is_some_and(|entry| {
            let is_known = entry.rejected.as_ref().is_some_and(is_same);
            entry.file != file || (is_known && refused == RefusedVersions::Skip)
        }) {
            return None;
        }
        let rejected = Rejected {
            digest: None,
            version: None,
            stage,
            reason,
            at: self.services.clock.now(),
            config: own_config.cloned(),
            settings: None,
        };
        let served = known.is_some_and(|entry| entry.serving().is_some());
        let kind = if served && own.is_none() {
            self.disable(&name, rejected)
        } else {
            self.reject(&name, file, None, rejected, own, refused).await
        };
        Some(ConnectorChange {
            id: name,
            file: file.to_owned(),
            digest: None,
            kind,
        })
    }

    /// Stops a connector that the settings no longer enable and whose file is unreadable.
    fn disable(&self, name: &str, rejected: Rejected) -> ChangeKind {
        self.change(|entries| {
            if let Some(entry) = entries.get_mut(name) {
                *entry = CatalogueEntry {
                    rejected: Some(rejected),
                    ..CatalogueEntry::new(&entry.file, EntryState::NotEnabled)
                };
            }
        });
        ChangeKind::Disabled
    }

    /// Lists a second component with the same id under its file name, so that operators notice it.
    fn list_duplicate(&self, file: &Path, id: &ConnectorId) -> Option<ConnectorChange> {
        let catalogue = self.catalogue();
        let name = stem(file);
        if catalogue.entries.contains_key(&name) || *id == *name {
            return None;
        }
        let reason = format!("another component in the directory says it is {id} too, and serves");
        let entry = CatalogueEntry {
            second_of: Some(id.clone()),
            ..CatalogueEntry::new(file, EntryState::Refused(reason.clone()))
        };
        self.change(|entries| {
            entries.insert(name.clone(), entry);
        });
        Some(ConnectorChange {
            id: name,
            file: file.to_owned(),
            digest: None,
            kind: ChangeKind::Refused {
                stage: Stage::Admit,
                reason,
                serving: None,
            },
        })
    }

    /// Removes connectors whose file is gone, unless the same component exists under another name.
    fn remove_missing(&self, found: &[FoundFile]) -> Vec<ConnectorChange> {
        let catalogue = self.catalogue();
        let gone: Vec<(String, CatalogueEntry)> = catalogue
            .entries
            .iter()
            .filter(|(name, entry)| is_gone(name, entry, found))
            .map(|(name, entry)| (name.clone(), entry.clone()))
            .collect();
        if gone.is_empty() {
            return Vec::new();
        }
        self.change(|entries| {
            for (name, _) in &gone {
                entries.remove(name);
            }
        });
        gone.into_iter()
            .filter_map(|(name, entry)| {
                self.last_known_good.forget(&entry.serving()?.manifest.id);
                Some(ConnectorChange {
                    id: name,
                    file: entry.file,
                    digest: entry.digest,
                    kind: ChangeKind::Retired,
                })
            })
            .collect()
    }
}

/// Whether neither the entry's file nor its component is in the directory.
fn is_gone(name: &str, entry: &CatalogueEntry, found: &[FoundFile]) -> bool {
    let has_id = |found: &&FoundFile, wanted: &str| {
        let content = found.content.as_ref();
        content.is_ok_and(|(id, _)| *id == *wanted)
    };
    if let Some(of) = &entry.second_of {
        // A duplicate stays listed while its file contains the id and another file with the id comes first.
        let mut alike = found.iter().filter(|found| has_id(found, of.as_str()));
        let first = alike.next();
        return first.is_none_or(|first| first.file == entry.file)
            || !alike.any(|found| found.file == entry.file);
    }
    if found.iter().any(|found| has_id(&found, name)) {
        return false;
    }
    let there = found.iter().find(|found| found.file == entry.file);
    there.is_none_or(|found| found.content.is_ok())
}

fn stem(file: &Path) -> String {
    file.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}
