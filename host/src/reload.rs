//! Watches the components directory and the settings file while the host runs.
//!
//! A step is idempotent: it reads the settings, lets the connectors load what changed, and drops cached
//! profiles of earlier versions. The loop around it debounces file events. A settings file with a mistake
//! changes nothing and is reported with its place. The same applies to a file that leaves out every serving
//! connector, such as an emptied one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecursiveMode, Watcher};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::companies::Companies;
use crate::config::Config;
use crate::connectors::reload::{ConnectorChange, RefusedVersions, TakeBackError, TakenBack};
use crate::context::Context;
use crate::store::ConnectorId;

/// Poll interval for file systems without events, such as network shares.
const POLL: Duration = Duration::from_secs(10);

/// Maximum debounce time for a directory with constant events.
const MAX_SETTLE: Duration = Duration::from_secs(5);

/// Applies changed components and settings.
#[derive(Clone)]
pub struct Reloader(Arc<Inner>);

struct Inner {
    context: Context,
    companies: Companies,
    /// The settings at the start of this host.
    started: Config,
    settings: Option<PathBuf>,
    mistake: Mutex<Option<String>>,
    /// The settings of the file at the last step, also those that take effect only at the next start.
    in_file: Mutex<Option<Config>>,
}

/// What a step applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReloadMode {
    /// Changed components and settings only.
    Changed,
    /// Also unchanged components that were refused before.
    RetryRefused,
    /// Also settings that leave out every serving connector.
    Force,
}

/// Result of a step.
#[derive(Debug, Clone, Serialize)]
pub struct Reloaded {
    /// Why the settings file was rejected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_mistake: Option<String>,
    /// Changed settings that take effect only at the next start.
    pub at_next_start: Vec<&'static str>,
    /// Connectors that changed, with the result for each.
    pub changes: Vec<ConnectorChange>,
}

impl Reloader {
    /// Creates the reloader of a host that starts with the context's settings, from this file.
    #[must_use]
    pub fn new(context: Context, companies: Companies, settings: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner {
            started: context.config().as_ref().clone(),
            // Not those of the context: the start adapts some to the machine.
            in_file: Mutex::new(
                settings
                    .as_deref()
                    .and_then(|file| Config::read_file(file).ok()),
            ),
            context,
            companies,
            settings,
            mistake: Mutex::default(),
        }))
    }

    /// The settings in force: those at the start, with the changes applied since.
    #[must_use]
    pub fn config(&self) -> Config {
        self.0.context.config().as_ref().clone()
    }

    /// Why the current settings file was rejected.
    #[must_use]
    pub fn settings_mistake(&self) -> Option<String> {
        let mistake = self.0.mistake.lock();
        mistake.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Applies changed components and settings.
    pub async fn step(&self, mode: ReloadMode) -> Reloaded {
        let connectors = self.0.companies.connectors();
        let (config, at_next_start, settings_mistake) = match self.read() {
            Some(Ok(file)) => {
                let differing = self.0.started.fixed_differences(&file);
                let config = self.0.started.with_changes_of(file.clone());
                match connectors.left_out_by(&config.connectors()) {
                    Some(mistake) if mode != ReloadMode::Force => {
                        (self.config(), Vec::new(), Some(mistake))
                    }
                    Some(_) | None => {
                        self.announce(file, &differing);
                        (config, differing, None)
                    }
                }
            }
            Some(Err(mistake)) => (self.config(), Vec::new(), Some(mistake)),
            None => (self.config(), Vec::new(), None),
        };
        let known = self.settings_mistake();
        if let Some(mistake) = settings_mistake
            .as_ref()
            .filter(|mistake| known.as_ref() != Some(mistake))
        {
            tracing::error!("changed settings rejected: {mistake}");
        }
        settings_mistake.clone_into(
            &mut self
                .0
                .mistake
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let for_connectors = config.connectors();
        self.0.context.set_config(config);
        let refused = match mode {
            ReloadMode::Changed => RefusedVersions::Skip,
            ReloadMode::RetryRefused | ReloadMode::Force => RefusedVersions::Retry,
        };
        let changes = connectors.reload(&for_connectors, refused).await;
        if !changes.is_empty() {
            self.0.companies.forget_all();
        }
        Reloaded {
            settings_mistake,
            at_next_start,
            changes,
        }
    }

    /// Lets the version of a connector before serve again, until the present one is released.
    ///
    /// # Errors
    /// A [`TakeBackError`].
    pub async fn take_back(&self, id: &str) -> Result<TakenBack, TakeBackError> {
        let id = ConnectorId::parse(id).map_err(|_invalid| TakeBackError::NotServing)?;
        let taken = self.0.companies.connectors().take_back(&id).await?;
        self.0.companies.forget_all();
        Ok(taken)
    }

    /// Releases the version that was taken back, and loads it.
    ///
    /// # Errors
    /// [`TakeBackError::NotHeld`].
    pub async fn release(&self, id: &str) -> Result<Reloaded, TakeBackError> {
        let id = ConnectorId::parse(id).map_err(|_invalid| TakeBackError::NotHeld)?;
        self.0.companies.connectors().release(&id).await?;
        Ok(self.step(ReloadMode::Changed).await)
    }

    /// Logs the settings that wait for the next start, once for each change of the file.
    fn announce(&self, file: Config, at_next_start: &[&str]) {
        let in_file = self.0.in_file.lock();
        let mut in_file = in_file.unwrap_or_else(PoisonError::into_inner);
        let is_changed = in_file.as_ref() != Some(&file);
        *in_file = Some(file);
        if is_changed && !at_next_start.is_empty() {
            tracing::warn!(
                "changed settings take effect at the next start: {}",
                at_next_start.join(", ")
            );
        }
    }

    fn read(&self) -> Option<Result<Config, String>> {
        let file = self.0.settings.as_ref()?;
        Some(Config::read_file(file).map_err(|error| error.to_string()))
    }

    /// Worker loop that follows the file system.
    pub async fn follow(self) {
        let (wake, mut wakes) = mpsc::channel(1);
        // Keeps the channel open if there is no watcher.
        let _open = wake.clone();
        // Dropping the watcher would stop the events.
        let _watcher = self.watch(wake);
        let settle = Duration::from_millis(self.0.started.reload.settle_ms);
        loop {
            if tokio::time::timeout(POLL, wakes.recv()).await.is_ok() {
                let quiet =
                    async { while tokio::time::timeout(settle, wakes.recv()).await.is_ok() {} };
                // At the debounce limit, read the files as they are. An incomplete file is refused and read
                // again later.
                drop(tokio::time::timeout(MAX_SETTLE, quiet).await);
            }
            self.step(ReloadMode::Changed).await;
        }
    }

    fn watch(&self, wake: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
        let components = self.0.started.components.clone();
        let settings = self.0.settings.clone();
        let settings_name = settings
            .as_ref()
            .and_then(|file| Some(file.file_name()?.to_owned()));
        let concerns = move |path: &Path| {
            path.extension()
                .is_some_and(|extension| extension == "wasm")
                || path.file_name() == settings_name.as_deref()
        };
        let on_event = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            // Reads raise events too, including this process's own.
            let read_only = matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
            if !read_only && event.paths.iter().any(|path| concerns(path)) {
                match wake.try_send(()) {
                    // A full channel already wakes the loop; a closed one means that the loop has ended.
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Closed(())) => {}
                }
            }
        };
        let mut watcher = match notify::recommended_watcher(on_event) {
            Ok(watcher) => watcher,
            Err(error) => {
                tracing::warn!(%error, "file watching is unavailable; polling every {} s", POLL.as_secs());
                return None;
            }
        };
        let directory_of = |file: PathBuf| match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        for directory in [Some(components), settings.map(directory_of)]
            .into_iter()
            .flatten()
        {
            if let Err(error) = watcher.watch(&directory, RecursiveMode::NonRecursive) {
                tracing::warn!(%error, "{} cannot be watched; polling every {} s", directory.display(), POLL.as_secs());
            }
        }
        Some(watcher)
    }
}
