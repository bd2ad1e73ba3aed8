//! Following the directory of components and the settings file while the host runs.
//!
//! A step does what is due and can be repeated without harm: it reads the settings, lets the connectors take up what
//! changed and drops answers that earlier versions gave. The loop around it waits for the file system to be quiet. A
//! settings file with a mistake changes nothing and is told with its place; so does one that leaves out every connector
//! that serves, as an emptied file does.

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
use crate::connectors::reload::Change;

/// File systems that tell nothing (network shares) are looked at this often.
const POLL: Duration = Duration::from_secs(10);

/// A directory that is never quiet is looked at all the same.
const LONGEST_SETTLE: Duration = Duration::from_secs(5);

/// Takes up what changed.
#[derive(Clone)]
pub struct Reloader(Arc<Inner>);

struct Inner {
    companies: Companies,
    /// The settings that this host started with.
    started: Config,
    settings: Option<PathBuf>,
    mistake: Mutex<Option<String>>,
}

/// What a step is to take up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What changed.
    Changed,
    /// And what was refused, though nothing about it changed.
    Again,
    /// And settings that leave out every connector that serves.
    Force,
}

/// What a step did.
#[derive(Debug, Clone, Serialize)]
pub struct Reloaded {
    /// Why the settings file was not taken up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings_mistake: Option<String>,
    /// Settings that differ from those that the host started with and take effect at its next start.
    pub at_next_start: Vec<&'static str>,
    /// What became of connectors that changed.
    pub changes: Vec<Change>,
}

impl Reloader {
    /// A reloader of a host that was started with these settings, from this file.
    #[must_use]
    pub fn new(companies: Companies, started: Config, settings: Option<PathBuf>) -> Self {
        Self(Arc::new(Inner {
            companies,
            started,
            settings,
            mistake: Mutex::default(),
        }))
    }

    /// The settings in force: those that the host started with, and what was taken up since.
    #[must_use]
    pub fn config(&self) -> Config {
        self.0.companies.config().as_ref().clone()
    }

    /// Why the settings file, as it is now, was not taken up.
    #[must_use]
    pub fn settings_mistake(&self) -> Option<String> {
        let mistake = self.0.mistake.lock();
        mistake.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes up what changed.
    pub async fn step(&self, order: Order) -> Reloaded {
        let connectors = self.0.companies.connectors();
        let (config, at_next_start, settings_mistake) = match self.read() {
            Some(Ok(file)) => {
                let differing = self.0.started.fixed_differences(&file);
                let config = self.0.started.with_changes_of(file);
                match connectors.left_out_by(&config.connectors()) {
                    Some(mistake) if order != Order::Force => {
                        (self.config(), Vec::new(), Some(mistake))
                    }
                    Some(_) | None => (config, differing, None),
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
            tracing::error!("the changed settings are not taken up: {mistake}");
        }
        settings_mistake.clone_into(
            &mut self
                .0
                .mistake
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let settings_changed = self.config() != config;
        if settings_changed && !at_next_start.is_empty() {
            tracing::warn!(
                "these settings take effect at the next start: {}",
                at_next_start.join(", ")
            );
        }
        let for_connectors = config.connectors();
        self.0.companies.set_config(config);
        let changes = connectors
            .reload(&for_connectors, order != Order::Changed)
            .await;
        if !changes.is_empty() {
            self.0.companies.forget_all();
        }
        Reloaded {
            settings_mistake,
            at_next_start,
            changes,
        }
    }

    fn read(&self) -> Option<Result<Config, String>> {
        let file = self.0.settings.as_ref()?;
        Some(Config::read_file(file).map_err(|error| error.to_string()))
    }

    /// Follows the file system for ever.
    pub async fn follow(self) {
        let (told, mut tells) = mpsc::channel(1);
        // Without a watcher nobody tells, which is not the same as the end.
        let _open = told.clone();
        // Kept until the end: dropped, it watches no more.
        let _watcher = self.watch(told);
        let settle = Duration::from_millis(self.0.started.reload.settle_ms);
        loop {
            if tokio::time::timeout(POLL, tells.recv()).await.is_ok() {
                let quiet =
                    async { while tokio::time::timeout(settle, tells.recv()).await.is_ok() {} };
                // Past the longest wait it is looked at as it is; half a file is refused and looked at again.
                drop(tokio::time::timeout(LONGEST_SETTLE, quiet).await);
            }
            self.step(Order::Changed).await;
        }
    }

    fn watch(&self, told: mpsc::Sender<()>) -> Option<notify::RecommendedWatcher> {
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
        let tell = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            // Reading a file is an event too, our own reading among them.
            let read_only = matches!(event.kind, EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write));
            if !read_only && event.paths.iter().any(|path| concerns(path)) {
                match told.try_send(()) {
                    // Where one waits already, that one will do; after the end nobody needs it.
                    Ok(()) | Err(TrySendError::Full(()) | TrySendError::Closed(())) => {}
                }
            }
        };
        let mut watcher = match notify::recommended_watcher(tell) {
            Ok(watcher) => watcher,
            Err(error) => {
                tracing::warn!(%error, "the file system tells nothing; it is looked at every {} s", POLL.as_secs());
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
                tracing::warn!(%error, "{} cannot be watched; it is looked at every {} s", directory.display(), POLL.as_secs());
            }
        }
        Some(watcher)
    }
}
