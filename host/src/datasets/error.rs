//! Why an import run failed or did not start, and whether a failed run can be resumed.

use crate::connectors::CallFailure;
use crate::connectors::bindings::types::Failure;
use crate::store::{ConnectorId, FailureKind, RunError, SourceFailure, StoreError};

/// Why a run failed or did not start.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// No active connector has the dataset.
    #[error("no connector that serves has the dataset {0}")]
    Unknown(String),
    /// The dataset is disabled in the settings.
    #[error(
        "the dataset {connector}/{dataset} is off; switch it on with on = true under [connector.{connector}.datasets.{dataset}]"
    )]
    Off {
        connector: ConnectorId,
        dataset: String,
    },
    /// Another host is running the import.
    #[error("it is being imported already")]
    Busy,
    /// Another host has imported the dataset since it was due.
    #[error("it is not due any more")]
    NotDue,
    /// An operator paused the imports of the dataset.
    #[error(
        "the imports of {name} are paused since {since}; `lustra dataset resume {name}` resumes them"
    )]
    Paused { name: String, since: String },
    #[error("{0}")]
    Call(#[from] CallFailure),
    /// The list failed a plausibility guard.
    #[error("{0}")]
    Guard(String),
    /// The lease was lost, or the store failed.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl ImportError {
    /// Whether the register was unreachable. A network failure affects many datasets at once.
    pub(super) fn is_out_of_reach(&self) -> bool {
        matches!(
            self,
            Self::Call(CallFailure::Failed(Failure::Unavailable(_)) | CallFailure::CircuitOpen(_))
        )
    }

    /// The failure as it is stored.
    pub(super) fn as_source_failure(&self) -> SourceFailure {
        let kind = match self {
            Self::Call(failure) => failure.kind(),
            Self::Off { .. } => FailureKind::Off,
            Self::Unknown(_)
            | Self::Busy
            | Self::NotDue
            | Self::Paused { .. }
            | Self::Guard(_)
            | Self::Run(_) => FailureKind::Other,
        };
        SourceFailure::new(kind, self.to_string())
    }

    /// Whether another host runs or has run the import, or an operator paused it, so that nothing failed.
    pub(super) fn is_of_another_host(&self) -> bool {
        matches!(
            self,
            Self::Busy | Self::NotDue | Self::Paused { .. } | Self::Run(RunError::LeaseLost)
        )
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Run(RunError::Store(error))
    }
}

/// Whether a failed run can be resumed at its cursor.
pub(super) fn is_resumable(error: &ImportError) -> bool {
    match error {
        ImportError::Call(CallFailure::Failed(failure)) => {
            matches!(failure, Failure::Unavailable(_) | Failure::Throttled(_))
        }
        ImportError::Call(CallFailure::Busy | CallFailure::CircuitOpen(_))
        | ImportError::Run(_) => true,
        ImportError::Call(_)
        | ImportError::Guard(_)
        | ImportError::Unknown(_)
        | ImportError::Off { .. }
        | ImportError::Busy
        | ImportError::NotDue
        | ImportError::Paused { .. } => false,
    }
}
