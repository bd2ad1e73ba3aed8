//! Loading of one version: compile it, let it replay recent calls, then swap it in or refuse it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt;
use lustra_store::ConnectorId;

use super::{ChangeKind, ConnectorChange, RefusedVersions};
use crate::catalogue::{CatalogueEntry, EntryState, Probation, Rejected};
use crate::component::{Candidate, LoadContext, Loaded};
use crate::engine::Tier;
use crate::manifest::Manifest;
use crate::refusal::{Refusal, Stage};
use crate::running::Connectors;
use crate::settings::{ConnectorConfig, ConnectorsConfig, Shadow};
use crate::{calls, fixtures, shadow};

/// A version to load.
pub(super) struct Planned {
    pub(super) id: ConnectorId,
    pub(super) file: PathBuf,
    pub(super) candidate: Candidate,
    pub(super) config: ConnectorConfig,
}

/// A planned version that was loaded or refused. It does not serve yet.
struct Prepared {
    id: ConnectorId,
    file: PathBuf,
    config: ConnectorConfig,
    digest: String,
    manifest: Arc<Manifest>,
    bytes: Arc<Vec<u8>>,
    loaded: Result<Arc<Loaded>, Refusal>,
}

impl Connectors {
    /// Compiles new versions in parallel and swaps them in one by one.
    pub(super) async fn load_all(
        &self,
        planned: Vec<Planned>,
        config: &ConnectorsConfig,
        refused: RefusedVersions,
    ) -> Vec<ConnectorChange> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let mut prepared: Vec<Prepared> = futures_util::stream::iter(planned)
            .map(|planned| self.prepare(planned, refused))
            .buffer_unordered(cores)
            .collect()
            .await;
        // Sort by file, so that the order does not depend on compile times.
        prepared.sort_by(|a, b| a.file.cmp(&b.file));
        let mut changes = Vec::new();
        for prepared in prepared {
            changes.push(self.serve_or_reject(prepared, config, refused).await);
        }
        changes
    }

    /// Loads a planned version, unless it was rolled back.
    async fn prepare(&self, planned: Planned, refused: RefusedVersions) -> Prepared {
        let Planned {
            id,
            file,
            candidate,
            config,
        } = planned;
        let digest = candidate.digest.clone();
        let manifest = Arc::new(candidate.manifest.clone());
        let bytes = Arc::clone(&candidate.bytes);
        let is_held = self.last_known_good.is_held(&id, &digest);
        let rolled_back = self
            .last_known_good
            .why_rolled_back(&id, &digest)
            .filter(|_| is_held || refused == RefusedVersions::Skip);
        let loaded = match rolled_back {
            Some(why) => Err(Refusal::RolledBack(why)),
            None => self.make(candidate, &config).await,
        };
        Prepared {
            id,
            file,
            config,
            digest,
            manifest,
            bytes,
            loaded,
        }
    }

    /// Swaps a version in and saves it, or records why it is refused.
    async fn serve_or_reject(
        &self,
        prepared: Prepared,
        config: &ConnectorsConfig,
        refused: RefusedVersions,
    ) -> ConnectorChange {
        let Prepared {
            id, file, digest, ..
        } = prepared;
        let swapped = match prepared.loaded {
            Ok(loaded) => self.swap(&id, &file, loaded, config).await,
            Err(refusal) => Err(refusal),
        };
        let kind = match swapped {
            Ok(kind) => {
                self.save(&id, &file, &digest, prepared.bytes).await;
                kind
            }
            Err(refusal) => {
                let rejected = Rejected {
                    digest: Some(digest.clone()),
                    version: Some(prepared.manifest.version.clone()),
                    stage: refusal.stage(),
                    reason: refusal.reason(),
                    at: self.services.clock.now(),
                    config: Some(prepared.config.clone()),
                    settings: None,
                };
                let manifest = Some(prepared.manifest);
                let enabled = Some((&id, &prepared.config));
                self.reject(id.as_str(), &file, manifest, rejected, enabled, refused)
                    .await
            }
        };
        ConnectorChange {
            id: id.to_string(),
            file,
            digest: Some(digest),
            kind,
        }
    }

    /// Saves a version that serves as a good one.
    async fn save(&self, id: &ConnectorId, file: &Path, digest: &str, bytes: Arc<Vec<u8>>) {
        let kept = Arc::clone(&self.last_known_good);
        let (of, from, sha256) = (id.clone(), file.to_owned(), digest.to_owned());
        let saving = tokio::task::spawn_blocking(move || kept.put(&of, &from, &sha256, &bytes));
        if let Err(error) = saving.await {
            tracing::warn!(%error, "the last known good components could not be saved");
        }
        self.remove_rolled_back(id, digest);
    }

    /// Compiles and links a component and calls its `describe`, without serving it yet.
    pub(super) async fn make(
        &self,
        candidate: Candidate,
        config: &ConnectorConfig,
    ) -> Result<Arc<Loaded>, Refusal> {
        let section = candidate.manifest_value().clone();
        let bytes = Arc::clone(&candidate.bytes);
        let shared_stats = self.shared_stats(&candidate.manifest.id);
        let (linker, cache) = (self.linker.clone(), Arc::clone(&self.cache));
        let (compiler, config) = (Arc::clone(&self.compiler), config.clone());
        let compiles_twice = self.config().reload.single_pass && Tier::SinglePass.is_supported();
        let single_pass = compiles_twice.then(|| Arc::clone(&self.single_pass));
        let now = self.services.clock.now();
        let loading = tokio::task::spawn_blocking(move || {
            let context = LoadContext {
                linker: &linker,
                single_pass: single_pass.as_deref(),
                cache: &cache,
                compiler: &compiler,
            };
            candidate.load(&context, &config, shared_stats, now)
        });
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
        let good = self.last_known_good.record(&loaded.manifest.id);
        if good.is_some_and(|kept| kept.good.contains(&loaded.digest)) {
            // This version served before, so it already passed the shadow check.
            return Ok(loaded);
        }
        fixtures::check(&loaded, &self.services, &bytes)
            .await
            .map_err(Refusal::Fixtures)?;
        Ok(loaded)
    }

    /// Replays recent calls with a version and lets it serve.
    async fn swap(
        &self,
        id: &ConnectorId,
        file: &Path,
        loaded: Arc<Loaded>,
        config: &ConnectorsConfig,
    ) -> Result<ChangeKind, Refusal> {
        if let Some(why) = self.catalogue().clash(&loaded) {
            return Err(Refusal::Clash(why));
        }
        let is_replacement = self.catalogue().serving(id).is_some();
        let mut report = None;
        if is_replacement && config.reload.shadow != Shadow::Off {
            let recordings = loaded.sample.recordings();
            let shown = shadow::check(&loaded, &self.services, &recordings).await;
            if config.reload.shadow == Shadow::Block
                && let Some(refusal) = shown.refusal()
            {
                return Err(refusal);
            }
            report = Some(shown);
        }
        let minutes = i64::try_from(config.reload.probation_minutes).unwrap_or(i64::MAX / 60);
        let until = self.services.clock.now() + time::Duration::minutes(minutes.min(527_040));
        let until_calls = loaded.stats.snapshot().calls + config.reload.probation_calls;
        let mut before = None;
        self.change(|entries| {
            // It may be another version than before the check, if that one was rolled back meanwhile.
            let serving = entries.get(id.as_str()).and_then(CatalogueEntry::serving);
            before = serving.map(|serving| serving.digest.clone());
            let probation = serving.cloned().map(|previous| Probation {
                previous,
                until,
                until_calls,
            });
            let entry = CatalogueEntry {
                digest: Some(loaded.digest.clone()),
                manifest: Some(Arc::new(loaded.manifest.clone())),
                shadow: report.clone(),
                probation,
                ..CatalogueEntry::new(file, EntryState::Serving(loaded))
            };
            entries.insert(id.to_string(), entry);
        });
        self.note_success(id);
        Ok(match before {
            Some(before) => ChangeKind::Replaced {
                before,
                shadow: report,
            },
            None => ChangeKind::Loaded,
        })
    }

    /// Removes a version that was rolled back while it was being saved as good.
    fn remove_rolled_back(&self, id: &ConnectorId, digest: &str) {
        let catalogue = self.catalogue();
        let entry = catalogue.entries.get(id.as_str());
        // If it serves, only its settings were rolled back.
        let entry = entry.filter(|entry| {
            let serving = entry.serving();
            serving.is_none_or(|serving| serving.digest != digest)
        });
        if let Some(rejected) = entry.and_then(|entry| entry.rejected.as_ref())
            && rejected.stage == Stage::Probation
            && rejected.digest.as_deref() == Some(digest)
        {
            self.last_known_good.roll_back(id, digest, &rejected.reason);
        }
    }
}
