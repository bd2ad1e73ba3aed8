//! The states of the service, its sources and their datasets.

use crate::store::text_enum;

/// State of the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceState {
    Operational,
    /// A source is not operational.
    Degraded,
}

text_enum!(ServiceState {
    Operational: "operational",
    Degraded: "degraded",
});

/// State of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceState {
    Operational,
    /// It was not asked since this host started, and no list of it was imported.
    Unknown,
    /// It answers from lists, and none was imported so far.
    NeverImported,
    /// Something of it could not be read.
    Degraded,
    /// It failed too often and is not asked for a while.
    CircuitOpen,
    /// Its connector was not loaded.
    Refused,
}

text_enum!(SourceState {
    Operational: "operational",
    Unknown: "unknown",
    NeverImported: "never_imported",
    Degraded: "degraded",
    CircuitOpen: "circuit_open",
    Refused: "refused",
});

impl SourceState {
    /// Whether the source does not degrade the service. A source that was not asked yet has not failed.
    #[must_use]
    pub fn is_well(self) -> bool {
        match self {
            Self::Operational | Self::Unknown | Self::NeverImported => true,
            Self::Degraded | Self::CircuitOpen | Self::Refused => false,
        }
    }
}

/// State of a source that is an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncidentState {
    /// The source answers, and an import of it is late.
    Late,
    Degraded,
    CircuitOpen,
    Refused,
}

text_enum!(IncidentState {
    Late: "late",
    Degraded: "degraded",
    CircuitOpen: "circuit_open",
    Refused: "refused",
});

/// State of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListState {
    Imported,
    NeverImported,
    /// The newest import failed; an older list may serve.
    Failed,
    /// The operator switched its imports off.
    Off,
}

text_enum!(ListState {
    Imported: "imported",
    NeverImported: "never_imported",
    Failed: "failed",
    Off: "off",
});
