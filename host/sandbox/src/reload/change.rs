//! What a reload did, as operators are told.

use std::path::PathBuf;

use serde::Serialize;

use crate::component::Stage;
use crate::shadow::ShadowReport;

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

impl Change {
    /// Tells it in the log, once.
    pub(super) fn log(&self) {
        let (id, digest) = (&self.id, self.digest.as_deref().unwrap_or("-"));
        let short = digest.get(..12).unwrap_or(digest);
        match &self.what {
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
            What::Retired => {
                tracing::info!(connector.id = %id, "{id} is gone: its file was deleted");
            }
            What::Disabled => {
                tracing::info!(connector.id = %id, "{id} is not enabled any more");
            }
        }
    }
}
