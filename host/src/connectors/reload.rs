//! Taking up what changed in the directory of components or in the settings, while calls go on.
//!
//! A new version is admitted, compiled, linked, asked for its manifest and made to repeat recent calls beside the one
//! that serves; then one pointer is swapped. Calls under way end on the version that they began with. Whatever is wrong
//! with a new version keeps the old one serving and stands beside it with digest, stage and reason. Nothing is taken
//! up twice: equal bytes under equal settings are no change, whatever happened to the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::StreamExt;
use serde::Serialize;

use super::calls;
use super::catalogue::{Entry, EntryState, Probation, Rejected};
use super::component::{Candidate, LARGEST_COMPONENT, Loaded, Refusal, Stage, Workshop};
use super::fixtures;
use super::manifest::Manifest;
use super::running::{Connectors, lock};
use super::shadow::{self, ShadowReport};
use crate::config::{Config, ConnectorConfig, Shadow};

/// How a file looked when it was read, and what was in it.
#[derive(Debug, Clone)]
pub(super) struct Stamp {
    look: Look,
    /// Id and digest, or why it is no component.
    held: Result<(String, String), (Stage, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Look {
    length: u64,
    modified: Option<SystemTime>,
    file: u64,
}

/// What a reload did with one connector.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    /// The connector.
    pub id: String,
    /// The file.
    pub file: PathBuf,
    /// SHA-256 of the component, where it could be read.
    pub digest: Option<String>,
    /// What was done.
    #[serde(flatten)]
    pub what: What,
}

/// What was done.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum What {
    /// It serves, where nothing did.
    Loaded,
    /// It serves in place of another version or other settings.
    Replaced {
        /// The digest that served before.
        before: String,
        /// What the repetition of recent calls showed.
        shadow: Option<ShadowReport>,
    },
    /// It does not serve.
    Refused {
        /// How far it came.
        stage: Stage,
        /// Why no farther.
        reason: String,
        /// The digest that serves instead.
        serving: Option<String>,
    },
    /// The file is gone, and the connector with it.
    Retired,
    /// The settings do not enable it any more.
    Disabled,
}

/// One file of the directory.
struct Found {
    file: PathBuf,
    held: Result<(String, String), (Stage, String)>,
    /// Where it was read just now.
    candidate: Option<Candidate>,
}

/// A version that is to be tried.
struct Planned {
    id: String,
    file: PathBuf,
    candidate: Candidate,
    config: ConnectorConfig,
}

impl Connectors {
    /// Looks at the directory and takes up what changed; a step that can be repeated without harm. `again`: what was
    /// refused is tried once more though nothing about it changed.
    pub async fn reload(&self, config: &Config, again: bool) -> Vec<Change> {
        let _one_at_a_time = self.reloading.lock().await;
        self.set_config(config);
        let found = self.scan(&config.components).await;
        let mut changes = self.retire(&found);
        let mut planned = Vec::new();
        let mut ids = BTreeSet::new();
        for found in found {
            let (id, digest) = match found.held {
                Ok(held) => held,
                Err((stage, reason)) => {
                    let refused = self.unreadable(&found.file, stage, reason).await;
                    changes.extend(refused);
                    continue;
                }
            };
            if !ids.insert(id.clone()) {
                changes.extend(self.second(&found.file, &id));
                continue;
            }
            let own = config.connector.get(&id);
            let Some(own) = own.filter(|own| own.enabled.unwrap_or(true)) else {
                changes.extend(self.not_enabled(&id, &found.file, &digest, found.candidate));
                continue;
            };
            if self.is_settled(&id, &found.file, &digest, own, again) {
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
                    let refused =
                        self.unreadable(&found.file, refusal.stage(), refusal.to_string());
                    changes.extend(refused.await);
                }
            }
        }
        changes.extend(self.take_up(planned, config, again).await);
        for change in &changes {
            log(change);
        }
        changes
    }

    /// Tries new versions side by side, and swaps one after the other.
    async fn take_up(&self, planned: Vec<Planned>, config: &Config, again: bool) -> Vec<Change> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let mut made: Vec<_> = futures_util::stream::iter(planned)
            .map(|planned| async move {
                let (digest, bytes) = (
                    planned.candidate.digest.clone(),
                    planned.candidate.bytes.clone(),
                );
                let manifest = Arc::new(planned.candidate.manifest.clone());
                let taken_back = self.taken_back(&planned.id, &digest).filter(|_| !again);
                let loaded = match taken_back {
                    Some(why) => Err(Refusal::TakenBack(why)),
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
        // By file, so that who comes first does not depend on who compiles faster.
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
                        Arc::clone(&self.kept),
                        id.clone(),
                        file.clone(),
                        digest.clone(),
                    );
                    let keep = move || kept.put(&id, &file, &digest, &bytes);
                    if let Err(error) = tokio::task::spawn_blocking(keep).await {
                        tracing::warn!(%error, "the good components could not be kept");
                    }
                    what
                }
                Err(refusal) => {
                    let rejected = Rejected {
                        digest: Some(digest.clone()),
                        version: Some(manifest.version.clone()),
                        stage: refusal.stage(),
                        reason: refusal.to_string(),
                        at: self.services.clock.now(),
                        config: Some(own.clone()),
                    };
                    self.reject(&id, &file, Some(manifest), rejected, Some(&own))
                        .await
                }
            };
            changes.push(Change {
                id,
                file,
                digest: Some(digest),
                what,
            });
        }
        changes
    }

    /// Compiles, links and asks a component; nobody is served by it yet.
    async fn make(
        &self,
        candidate: Candidate,
        config: &ConnectorConfig,
    ) -> Result<Arc<Loaded>, Refusal> {
        let section = candidate.manifest_value().clone();
        let bytes = Arc::clone(&candidate.bytes);
        let lasting = self.lasting(&candidate.manifest.id);
        let (engine, cache) = (self.engine.clone(), Arc::clone(&self.cache));
        let (compiler, config) = (Arc::clone(&self.compiler), config.clone());
        let now = self.services.clock.now();
        let loading = tokio::task::spawn_blocking(move || {
            let workshop = Workshop {
                engine: &engine,
                cache: &cache,
                compiler: &compiler,
            };
            candidate.load(&workshop, &config, lasting, now)
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
        let good = self.kept.record(&loaded.manifest.id);
        if good.is_some_and(|kept| kept.good.contains(&loaded.digest)) {
            // It served before, so it has repeated them before.
            return Ok(loaded);
        }
        fixtures::check(&loaded, &self.services, &bytes)
            .await
            .map_err(Refusal::Fixtures)?;
        Ok(loaded)
    }

    /// Repeats recent calls with a version and lets it serve.
    async fn swap(
        &self,
        id: &str,
        file: &Path,
        loaded: Arc<Loaded>,
        config: &Config,
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
        let entry = Entry {
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
        };
        self.change(|entries| {
            entries.insert(id.to_owned(), entry);
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

    /// Notes a version that does not serve. Where nothing serves, the newest good one that is kept does.
    async fn reject(
        &self,
        id: &str,
        file: &Path,
        manifest: Option<Arc<Manifest>>,
        rejected: Rejected,
        config: Option<&ConnectorConfig>,
    ) -> What {
        let what = |serving| What::Refused {
            stage: rejected.stage,
            reason: rejected.reason.clone(),
            serving,
        };
        let mut serving = self.catalogue().serving(id).cloned();
        if serving.is_none()
            && rejected.stage != Stage::Swap
            && let Some(config) = config
        {
            serving = self.from_kept(id, rejected.digest.as_deref(), config).await;
        }
        let digest = serving.as_ref().map(|loaded| loaded.digest.clone());
        let answer = what(digest.clone());
        self.change(|entries| match serving {
            Some(loaded) => {
                let entry = entries.entry(id.to_owned()).or_insert_with(|| Entry {
                    file: file.to_owned(),
                    digest: digest.clone(),
                    manifest: None,
                    state: EntryState::NotEnabled,
                    rejected: None,
                    shadow: None,
                    probation: None,
                });
                if entry.serving().is_none() {
                    entry.digest = digest;
                    entry.manifest = Some(Arc::new(loaded.manifest.clone()));
                    entry.state = EntryState::Serving(loaded);
                }
                file.clone_into(&mut entry.file);
                entry.rejected = Some(rejected);
            }
            None => {
                let entry = Entry {
                    file: file.to_owned(),
                    digest: rejected.digest.clone(),
                    manifest,
                    state: EntryState::Refused(rejected.reason.clone()),
                    rejected: Some(rejected),
                    shadow: None,
                    probation: None,
                };
                entries.insert(id.to_owned(), entry);
            }
        });
        answer
    }

    async fn from_kept(
        &self,
        id: &str,
        bad: Option<&str>,
        config: &ConnectorConfig,
    ) -> Option<Arc<Loaded>> {
        for digest in self.kept.record(id)?.good {
            if bad == Some(digest.as_str()) {
                continue;
            }
            let Some(bytes) = self.kept.read(id, &digest) else {
                continue;
            };
            let made = match Candidate::read(bytes) {
                Ok(candidate) => self.make(candidate, config).await,
                Err(refusal) => Err(refusal),
            };
            match made {
                Ok(loaded) if self.catalogue().clash(&loaded).is_none() => {
                    tracing::warn!(
                        connector.id = id,
                        digest,
                        "the last good version of {id} serves in place of the one in the directory"
                    );
                    return Some(loaded);
                }
                Ok(_) => {}
                Err(refusal) => {
                    tracing::warn!(connector.id = id, digest, %refusal, "a kept version of {id} does not load any more");
                }
            }
        }
        None
    }

    fn taken_back(&self, id: &str, digest: &str) -> Option<String> {
        let (bad, why) = self.kept.record(id)?.taken_back?;
        let why = why.strip_prefix("taken back: ").unwrap_or(&why).to_owned();
        (bad == digest).then_some(why)
    }

    /// Whether nothing is to be done about a component: it serves as it is, or it was refused as it is.
    fn is_settled(
        &self,
        id: &str,
        file: &Path,
        digest: &str,
        own: &ConnectorConfig,
        again: bool,
    ) -> bool {
        let catalogue = self.catalogue();
        let Some(entry) = catalogue.entries.get(id) else {
            return false;
        };
        let serves = entry
            .serving()
            .is_some_and(|loaded| loaded.digest == digest && loaded.config == *own);
        if serves {
            if entry.file != file || entry.rejected.is_some() {
                self.change(|entries| {
                    if let Some(entry) = entries.get_mut(id) {
                        file.clone_into(&mut entry.file);
                        entry.rejected = None;
                    }
                });
            }
            return true;
        }
        // Who stood in the way of a clash may be gone.
        !again
            && entry.rejected.as_ref().is_some_and(|rejected| {
                rejected.digest.as_deref() == Some(digest)
                    && rejected.config.as_ref() == Some(own)
                    && rejected.stage != Stage::Swap
            })
    }

    fn not_enabled(
        &self,
        id: &str,
        file: &Path,
        digest: &str,
        candidate: Option<Candidate>,
    ) -> Option<Change> {
        let catalogue = self.catalogue();
        let before = catalogue.entries.get(id);
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
        let entry = Entry {
            file: file.to_owned(),
            digest: Some(candidate.digest),
            manifest: Some(Arc::new(candidate.manifest)),
            state: EntryState::NotEnabled,
            rejected: None,
            shadow: None,
            probation: None,
        };
        self.change(|entries| {
            entries.insert(id.to_owned(), entry);
        });
        served.then(|| Change {
            id: id.to_owned(),
            file: file.to_owned(),
            digest: Some(digest.to_owned()),
            what: What::Disabled,
        })
    }

    /// A file that is no component, or not yet: whoever came from it goes on.
    async fn unreadable(&self, file: &Path, stage: Stage, reason: String) -> Option<Change> {
        let catalogue = self.catalogue();
        let owner = catalogue
            .entries
            .iter()
            .find(|(_, entry)| entry.file == file)
            .map(|(id, _)| id.clone());
        let id = owner
            .or_else(|| self.kept.id_of_file(file))
            .unwrap_or_else(|| stem(file));
        let known = catalogue.entries.get(&id);
        if known.is_some_and(|entry| {
            entry.file != file
                || entry
                    .rejected
                    .as_ref()
                    .is_some_and(|rejected| rejected.digest.is_none() && rejected.reason == reason)
        }) {
            return None;
        }
        let rejected = Rejected {
            digest: None,
            version: None,
            stage,
            reason,
            at: self.services.clock.now(),
            config: None,
        };
        let config = self.config();
        let own = config
            .connector
            .get(&id)
            .filter(|own| own.enabled.unwrap_or(true));
        let what = self.reject(&id, file, None, rejected, own).await;
        Some(Change {
            id,
            file: file.to_owned(),
            digest: None,
            what,
        })
    }

    /// A second component of an id stands in the list under its file's name, so that it is not overlooked.
    fn second(&self, file: &Path, id: &str) -> Option<Change> {
        let catalogue = self.catalogue();
        let name = stem(file);
        if catalogue.entries.contains_key(&name) || name == id {
            return None;
        }
        let reason = format!("another component in the directory says it is {id} too, and serves");
        let entry = Entry {
            file: file.to_owned(),
            digest: None,
            manifest: None,
            state: EntryState::Refused(reason.clone()),
            rejected: None,
            shadow: None,
            probation: None,
        };
        self.change(|entries| {
            entries.insert(name.clone(), entry);
        });
        Some(Change {
            id: name,
            file: file.to_owned(),
            digest: None,
            what: What::Refused {
                stage: Stage::Admit,
                reason,
                serving: None,
            },
        })
    }

    /// Lets go of connectors whose file is gone, unless the same component is there under another name.
    fn retire(&self, found: &[Found]) -> Vec<Change> {
        let catalogue = self.catalogue();
        let gone: Vec<(String, Entry)> = catalogue
            .entries
            .iter()
            .filter(|(id, entry)| {
                let same_file = found.iter().any(|found| found.file == entry.file);
                let renamed = found
                    .iter()
                    .any(|found| found.held.as_ref().is_ok_and(|(held, _)| held == *id));
                let stands_for_another = entry.manifest.is_none() && entry.serving().is_none();
                !(renamed && !stands_for_another) && !same_file
                    || (same_file && !renamed && self.now_holds_another(found, id, entry))
            })
            .map(|(id, entry)| (id.clone(), entry.clone()))
            .collect();
        if gone.is_empty() {
            return Vec::new();
        }
        self.change(|entries| {
            for (id, _) in &gone {
                entries.remove(id);
            }
        });
        let served = gone
            .into_iter()
            .filter(|(_, entry)| entry.serving().is_some());
        served
            .map(|(id, entry)| {
                self.kept.forget(&id);
                Change {
                    id,
                    file: entry.file,
                    digest: entry.digest,
                    what: What::Retired,
                }
            })
            .collect()
    }

    /// Whether the file of an entry is by now the component of another connector.
    fn now_holds_another(&self, found: &[Found], id: &str, entry: &Entry) -> bool {
        found.iter().any(|found| {
            found.file == entry.file && found.held.as_ref().is_ok_and(|(held, _)| held != id)
        })
    }

    /// The components of the directory; what looks as it did when it was last read is not read again. Files that serve
    /// come first: a second component of the same id does not push them aside.
    async fn scan(&self, directory: &Path) -> Vec<Found> {
        let stamps = lock(&self.stamps).clone();
        let directory = directory.to_owned();
        let scanned = tokio::task::spawn_blocking(move || {
            let files = components(&directory);
            files
                .into_iter()
                .map(|file| {
                    let look = look(&file);
                    let known = stamps
                        .get(&file)
                        .filter(|known| Some(&known.look) == look.as_ref());
                    let (held, candidate) = match (known, &look) {
                        (Some(known), _) => (known.held.clone(), None),
                        (None, _) => match read(&file) {
                            Ok(candidate) => {
                                let held =
                                    (candidate.manifest.id.clone(), candidate.digest.clone());
                                (Ok(held), Some(candidate))
                            }
                            Err(refusal) => (Err((refusal.stage(), refusal.to_string())), None),
                        },
                    };
                    (
                        look,
                        Found {
                            file,
                            held,
                            candidate,
                        },
                    )
                })
                .collect::<Vec<_>>()
        });
        let scanned = scanned.await.unwrap_or_else(|error| {
            tracing::error!(%error, "the directory of components could not be looked at");
            Vec::new()
        });
        let mut stamps = BTreeMap::new();
        let mut found = Vec::new();
        for (look, file) in scanned {
            if let Some(look) = look {
                let held = file.held.clone();
                stamps.insert(file.file.clone(), Stamp { look, held });
            }
            found.push(file);
        }
        *lock(&self.stamps) = stamps;
        let catalogue = self.catalogue();
        let serves = |file: &Path| {
            let mut entries = catalogue.entries.values();
            entries.any(|entry| entry.file == file && entry.serving().is_some())
        };
        found.sort_by_key(|found| !serves(&found.file));
        found
    }
}

fn stem(file: &Path) -> String {
    file.file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn look(file: &Path) -> Option<Look> {
    let metadata = std::fs::metadata(file).ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some(Look {
        length: metadata.len(),
        modified: metadata.modified().ok(),
        file: number,
    })
}

fn log(change: &Change) {
    let (id, digest) = (&change.id, change.digest.as_deref().unwrap_or("-"));
    let short = digest.get(..12).unwrap_or(digest);
    match &change.what {
        What::Loaded => tracing::debug!(connector.id = %id, digest, "{id} is loaded"),
        What::Replaced { .. } => {
            tracing::info!(connector.id = %id, digest, "{id} serves as {short} now");
        }
        What::Refused {
            stage,
            reason,
            serving: Some(_),
        } => {
            tracing::error!(connector.id = %id, digest, %stage, "the new {id} was refused ({stage}) and the old one serves on: {reason}");
        }
        What::Refused {
            stage,
            reason,
            serving: None,
        } => {
            tracing::error!(connector.id = %id, digest, %stage, "the connector {id} is not loaded: {reason}");
        }
        What::Retired => tracing::info!(connector.id = %id, "{id} is gone: its file was deleted"),
        What::Disabled => tracing::info!(connector.id = %id, "{id} is not enabled any more"),
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

/// Reads a component's manifest; executes nothing.
///
/// # Errors
/// The file cannot be read, is too large or is no connector's component.
pub fn read(file: &Path) -> Result<Candidate, Refusal> {
    let of_file = |error: std::io::Error| Refusal::File(error.to_string());
    let length = std::fs::metadata(file).map_err(of_file)?.len();
    if length > LARGEST_COMPONENT {
        return Err(Refusal::File(format!(
            "it has {length} bytes; {LARGEST_COMPONENT} is the most"
        )));
    }
    Candidate::read(std::fs::read(file).map_err(of_file)?)
}
