//! The outcome of a reload, for operators.

use std::path::PathBuf;

use serde::Serialize;

use crate::refusal::Stage;
use crate::shadow::ShadowReport;

/// The outcome of a reload for one connector.
#[derive(Debug, Clone, Serialize)]
pub struct ConnectorChange {
    /// Id of the connector, or the name of a file without a readable manifest.
    pub id: String,
    /// Path of the component.
    pub file: PathBuf,
    /// SHA-256 of the component, if it could be read.
    pub digest: Option<String>,
    #[serde(flatten)]
    pub kind: ChangeKind,
}

/// The kind of the outcome.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum ChangeKind {
    /// It serves; there was no version before.
    Loaded,
    /// It replaces another version or other settings.
    Replaced {
        /// Digest of the previous version.
        before: String,
        /// Result of the shadow check, if there was one.
        shadow: Option<ShadowReport>,
    },
    /// The new version was refused.
    Refused {
        /// The stage that refused it.
        stage: Stage,
        /// The reason of the refusal.
        reason: String,
        /// Digest of the version that keeps serving, if any.
        serving: Option<String>,
    },
    /// Its file was deleted, so the connector was removed.
    Retired,
    /// The settings no longer enable it.
    Disabled,
}

impl ConnectorChange {
    /// Logs the outcome of the start of a host. Its summary counts the connectors that were loaded.
    pub(super) fn log_at_start(&self) {
        if matches!(self.kind, ChangeKind::Loaded) {
            let id = &self.id;
            tracing::debug!(connector.id = %id, digest = self.digest, "connector {id} loaded");
        } else {
            self.log();
        }
    }

    /// Logs the outcome once.
    pub(super) fn log(&self) {
        let (id, digest) = (&self.id, self.digest.as_deref().unwrap_or("-"));
        let short = digest.get(..12).unwrap_or(digest);
        match &self.kind {
            ChangeKind::Loaded => {
                // A target of its own, because the demo loads many connectors one after the other.
                tracing::info!(target: "lustra_sandbox::loaded", { connector.id = %id, digest }, "connector {id} loaded: version {short} serves now");
            }
            ChangeKind::Replaced { .. } => {
                tracing::info!(connector.id = %id, digest, "connector {id} replaced: version {short} serves now");
            }
            ChangeKind::Refused {
                stage,
                reason,
                serving: Some(_),
            } => {
                tracing::error!(connector.id = %id, digest, %stage, "the new version of {id} was refused ({stage}); the old version keeps serving: {reason}");
            }
            ChangeKind::Refused {
                stage,
                reason,
                serving: None,
            } => {
                tracing::error!(connector.id = %id, digest, %stage, "connector {id} not loaded: {reason}");
            }
            ChangeKind::Retired => {
                tracing::info!(connector.id = %id, "connector {id} removed: its file was deleted");
            }
            ChangeKind::Disabled => {
                tracing::info!(connector.id = %id, "connector {id} disabled: the settings no longer enable it");
            }
        }
    }
}
