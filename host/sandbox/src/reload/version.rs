//! Loading of one version: compile it, let it replay recent calls, then swap it in or refuse it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::StreamExt;
use lustra_store::ConnectorId;

use super::{Change, RefusedVersions, What};
use crate::catalogue::{CatalogueEntry, EntryState, Probation, Rejected};
use crate::component::{Candidate, LoadContext, Loaded};
use crate::engine::Tier;
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

impl Connectors {
    /// Compiles new versions in parallel and swaps them in one by one.
    pub(super) async fn load_all(
        &self,
        planned: Vec<Planned>,
        config: &ConnectorsConfig,
        refused: RefusedVersions,
    ) -> Vec<Change> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let mut made: Vec<_> = futures_util::stream::iter(planned)
            .map(|planned| async move {
                let (digest, bytes) = (
                    planned.candidate.digest.clone(),
                    planned.candidate.bytes.clone(),
                );
                let manifest = Arc::new(planned.candidate.manifest.clone());
                let is_held = self.last_known_good.is_held(&planned.id, &digest);
                let rolled_back = self
                    .last_known_good
                    .why_rolled_back(&planned.id, &digest)
                    .filter(|_| is_held || refused == RefusedVersions::Skip);
                let loaded = match rolled_back {
                    Some(why) => Err(Refusal::RolledBack(why)),
                    None => self.make(planned.candidate, &planned.config).await,
                };
                (
                    planned.id,
                    planned.file,
                    planned.config,
                    digest,
                    manifest,
                    bytes,
                    loaded,
                )
            })
            .buffer_unordered(cores)
            .collect()
            .await;
        // Sort by file, so that the order does not depend on compile times.
        made.sort_by(|a, b| a.1.cmp(&b.1));
        let mut changes = Vec::new();
        for (id, file, own, digest, manifest, bytes, loaded) in made {
            let swapped = match loaded {
                Ok(loaded) => self.swap(&id, &file, loaded, config).await,
                Err(refusal) => Err(refusal),
            };
            let what = match swapped {
                Ok(what) => {
                    let (kept, id, file, digest) = (
                        Arc::clone(&self.last_known_good),
                        id.clone(),
                        file.clone(),
                        digest.clone(),
                    );
                    let written = (id.clone(), digest.clone());
                    let keep = move || kept.put(&id, &file, &digest, &bytes);
                    if let Err(error) = tokio::task::spawn_blocking(keep).await {
                        tracing::warn!(%error, "the last known good components could not be saved");
                    }
                    self.remove_rolled_back(&written.0, &written.1);
                    what
                }
                Err(refusal) => {
                    let rejected = Rejected {
                        digest: Some(digest.clone()),
                        version: Some(manifest.version.clone()),
                        stage: refusal.stage(),
                        reason: refusal.reason(),
                        at: self.services.clock.now(),
                        config: Some(own.clone()),
                        settings: None,
                    };
                    self.reject(
                        id.as_str(),
                        &file,
                        Some(manifest),
                        rejected,
                        Some((&id, &own)),
                        refused,
                    )
                    .await
                }
            };
            changes.push(Change {
                id: id.to_string(),
                file,
                digest: Some(digest),
                what,
            });
        }
        changes
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
    ) -> Result<What, Refusal> {
        if let Some(why) = self.catalogue().clash(&loaded) {
            return Err(Refusal::Clash(why));
        }
        let previous = self.catalogue().serving(id).cloned();
        let mut report = None;
        if previous.is_some() && config.reload.shadow != Shadow::Off {
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
        let until_calls = loaded.stats.see().calls + config.reload.probation_calls;
        let before = previous.as_ref().map(|previous| previous.digest.clone());
        let entry = CatalogueEntry {
            file: file.to_owned(),
            digest: Some(loaded.digest.clone()),
            manifest: Some(Arc::new(loaded.manifest.clone())),
            state: EntryState::Serving(loaded),
            rejected: None,
            shadow: report.clone(),
            probation: previous.map(|previous| Probation {
                previous,
                until,
                until_calls,
            }),
            second_of: None,
        };
        self.change(|entries| {
            entries.insert(id.to_string(), entry);
        });
        self.note_success(id);
        Ok(match before {
            Some(before) => What::Replaced {
                before,
                shadow: report,
            },
            None => What::Loaded,
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
