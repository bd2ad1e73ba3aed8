//! What serves while the version in the directory is refused: the one before, or a saved one.
//!
//! Changed settings apply to it too, because a revoked grant must not depend on the file in the directory. Settings
//! that it does not accept, and settings that were rolled back, leave it as it is.

use std::path::Path;
use std::sync::Arc;

use lustra_store::ConnectorId;

use super::{ChangeKind, RefusedVersions};
use crate::catalogue::{CatalogueEntry, EntryState, RefusedSettings, Rejected};
use crate::component::{Candidate, Loaded};
use crate::manifest::Manifest;
use crate::refusal::{Refusal, Stage};
use crate::running::Connectors;
use crate::settings::ConnectorConfig;

impl Connectors {
    /// Records a refused version of the entry with this name. Applies changed settings to the version that serves; if
    /// none serves, falls back to the newest last known good one. `enabled` is the connector's id with its settings, if
    /// it is known and enabled.
    pub(super) async fn reject(
        &self,
        name: &str,
        file: &Path,
        manifest: Option<Arc<Manifest>>,
        mut rejected: Rejected,
        enabled: Option<(&ConnectorId, &ConnectorConfig)>,
        refused: RefusedVersions,
    ) -> ChangeKind {
        let catalogue = self.catalogue();
        let entry = catalogue.entries.get(name);
        let before = entry.and_then(CatalogueEntry::serving);
        let mut replacement = None;
        if let Some((id, own)) = enabled {
            match (entry, before) {
                (Some(entry), Some(serving)) if is_outdated(serving, &rejected, own) => {
                    let known = settings_refused_before(entry, serving, own);
                    match known.filter(|_| refused == RefusedVersions::Skip) {
                        Some(known) => rejected.settings = Some(known),
                        None => match self.reconfigure(serving, own).await {
                            Ok(loaded) => replacement = Some(loaded),
                            Err(refused) => rejected.settings = Some(refused),
                        },
                    }
                }
                (_, Some(_)) => {}
                (_, None) if rejected.stage == Stage::Swap => {}
                (_, None) => replacement = self.fall_back(id, &rejected, own).await,
            }
        }
        let serving = replacement.as_ref().or(before);
        let kind = ChangeKind::Refused {
            stage: rejected.stage,
            reason: rejected.reason.clone(),
            serving: serving.map(|loaded| loaded.digest.clone()),
        };
        self.change(|entries| {
            let entry = entries
                .entry(name.to_owned())
                .or_insert_with(|| not_loaded(file));
            // A rollback may have changed the serving version meanwhile.
            let is_same = entry.serving().map(Arc::as_ptr) == before.map(Arc::as_ptr);
            if let Some(loaded) = replacement.filter(|_| is_same) {
                entry.digest = Some(loaded.digest.clone());
                entry.manifest = Some(Arc::new(loaded.manifest.clone()));
                entry.state = EntryState::Serving(loaded);
            } else if entry.serving().is_none() {
                *entry = CatalogueEntry {
                    digest: rejected.digest.clone(),
                    manifest,
                    state: EntryState::Refused(rejected.reason.clone()),
                    ..not_loaded(file)
                };
            }
            file.clone_into(&mut entry.file);
            entry.rejected = Some(rejected);
        });
        kind
    }

    /// Loads the serving version with changed settings, from its saved copy.
    async fn reconfigure(
        &self,
        serving: &Loaded,
        config: &ConnectorConfig,
    ) -> Result<Arc<Loaded>, RefusedSettings> {
        let (id, digest) = (&serving.manifest.id, &serving.digest);
        let made = match self.last_known_good.read(id, digest) {
            Some(bytes) => self.make_saved(bytes, config).await,
            None => Err(Refusal::File("no copy of it is saved".to_owned())),
        };
        match made {
            Ok(loaded) => {
                tracing::info!(connector.id = id.as_str(), %digest, "the changed settings of {id} apply to the version that serves, because the one in the directory was refused");
                Ok(loaded)
            }
            Err(refusal) => {
                let reason = refusal.reason();
                tracing::error!(connector.id = id.as_str(), %digest, reason, "the version of {id} that serves keeps its settings, because it does not accept the changed ones: {reason}");
                Err(RefusedSettings {
                    stage: refusal.stage(),
                    reason,
                })
            }
        }
    }

    /// Loads a saved version instead of a rejected one.
    async fn fall_back(
        &self,
        id: &ConnectorId,
        rejected: &Rejected,
        config: &ConnectorConfig,
    ) -> Option<Arc<Loaded>> {
        let bad = rejected.digest.as_deref();
        let kept = self.load_kept(id, bad, config).await?;
        tracing::warn!(
            connector.id = id.as_str(),
            digest = kept.digest,
            "{id} runs its last known good version, because the one in the directory was refused"
        );
        Some(kept)
    }

    /// Loads the newest saved version other than `bad`.
    pub(super) async fn load_kept(
        &self,
        id: &ConnectorId,
        bad: Option<&str>,
        config: &ConnectorConfig,
    ) -> Option<Arc<Loaded>> {
        for digest in self.last_known_good.record(id)?.good {
            if bad == Some(digest.as_str()) {
                continue;
            }
            let Some(bytes) = self.last_known_good.read(id, &digest) else {
                continue;
            };
            match self.make_saved(bytes, config).await {
                Ok(loaded) if self.catalogue().clash(&loaded).is_none() => {
                    return Some(loaded);
                }
                Ok(_) => {}
                Err(refusal) => {
                    let refusal = refusal.reason();
                    tracing::warn!(
                        connector.id = id.as_str(),
                        digest,
                        refusal,
                        "a saved version of {id} no longer loads: {refusal}"
                    );
                }
            }
        }
        None
    }

    async fn make_saved(
        &self,
        bytes: Vec<u8>,
        config: &ConnectorConfig,
    ) -> Result<Arc<Loaded>, Refusal> {
        self.make(Candidate::read(bytes)?, config).await
    }
}

/// Whether a version serves with earlier settings only because another version was rejected.
fn is_outdated(serving: &Loaded, rejected: &Rejected, config: &ConnectorConfig) -> bool {
    serving.config != *config && rejected.digest.as_ref() != Some(&serving.digest)
}

/// Why the serving version does not use these settings, if they were tried with it.
fn settings_refused_before(
    entry: &CatalogueEntry,
    serving: &Loaded,
    config: &ConnectorConfig,
) -> Option<RefusedSettings> {
    let rejected = entry.rejected.as_ref()?;
    if rejected.config.as_ref() != Some(config) {
        return None;
    }
    if rejected.digest.as_ref() == Some(&serving.digest) {
        return Some(RefusedSettings {
            stage: rejected.stage,
            reason: rejected.reason.clone(),
        });
    }
    rejected.settings.clone()
}

/// An entry without a component.
fn not_loaded(file: &Path) -> CatalogueEntry {
    CatalogueEntry::new(file, EntryState::NotEnabled)
}
