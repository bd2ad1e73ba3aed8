//! Observations of lists and connectors.

use time::OffsetDateTime;

use super::{Description, ok, warn};
use crate::clock::rfc3339;

/// What was observed of a list or a connector.
#[derive(Debug, Clone)]
pub enum SourcesObservation {
    ListsInTime {
        on: usize,
        off: usize,
    },
    NeverImported,
    Late {
        due: OffsetDateTime,
    },
    Failed {
        at: OffsetDateTime,
        reason: String,
    },
    /// The newest import failed because the register's answer has an unknown form.
    Drifted {
        at: OffsetDateTime,
        reason: String,
    },
    /// The newest import failed because the operator's own file has another form than the settings say.
    FileUnfit {
        at: OffsetDateTime,
        reason: String,
    },
    Paused {
        since: OffsetDateTime,
    },
    Serving {
        serving: usize,
    },
    /// No host runs that knows its calls.
    Unknown,
    Refused(String),
    Rejected {
        stage: String,
        reason: String,
    },
    /// The component serves with its former settings.
    SettingsRejected {
        reason: String,
    },
    CircuitOpen {
        until: String,
    },
    Malformed {
        malformed: u64,
        calls: u64,
    },
    SentinelProblem {
        problem: String,
        ico: String,
    },
    SentinelWell {
        readings: usize,
    },
    SentinelOff,
}

impl SourcesObservation {
    pub(super) fn described(&self) -> Description {
        match self {
            Self::ListsInTime { on, off } => ok(
                "lists_in_time",
                format!("{on} lists are imported in time; {off} are off"),
            ),
            Self::NeverImported => warn(
                "list_never_imported",
                "it was never imported",
                "a running host imports it; `lustra dataset import` does it now",
            ),
            Self::Late { due } => warn(
                "list_late",
                format!("its import is due since {}", rfc3339(*due)),
                "start a host with imports.scheduled = true, or run `lustra dataset import --due`",
            ),
            Self::Failed { at, reason } => warn(
                "list_failed",
                format!("its import failed at {}: {reason}", rfc3339(*at)),
                "it is retried; `lustra dataset history` shows its runs",
            ),
            Self::Drifted { at, reason } => warn(
                "list_drifted",
                format!(
                    "its import failed at {}, because the register answered in an unknown form: {reason}",
                    rfc3339(*at)
                ),
                "the register has changed: upgrade the connector; the old list is used until then",
            ),
            Self::FileUnfit { at, reason } => warn(
                "list_file_unfit",
                format!("its import failed at {}: {reason}", rfc3339(*at)),
                "correct the columns of your file, or the settings that name them; the old list is used until then",
            ),
            Self::Paused { since } => warn(
                "list_paused",
                format!("its imports are paused since {}", rfc3339(*since)),
                "`lustra dataset resume` resumes its imports",
            ),
            Self::Serving { serving } => ok(
                "connectors_serve",
                format!("{serving} connectors serve, and their registers answer in known forms"),
            ),
            Self::Unknown => ok(
                "connectors_unknown",
                "calls and failures are known only while a host runs",
            ),
            Self::Refused(reason) => warn(
                "connector_refused",
                format!("it is not loaded: {reason}"),
                "correct what the reason names; `lustra connector list` shows the line to add",
            ),
            Self::Rejected { stage, reason } => warn(
                "version_rejected",
                format!(
                    "the component in the directory was rejected at {stage}, and an earlier version serves: {reason}"
                ),
                "replace the component with a version that works",
            ),
            Self::SettingsRejected { reason } => warn(
                "settings_rejected",
                format!("its changed settings do not apply: {reason}"),
                "correct its settings; the former ones apply until then",
            ),
            Self::CircuitOpen { until } => warn(
                "circuit_open",
                format!("it failed repeatedly, so it is not asked until {until}"),
                "check whether the register works; the host tries it again by itself",
            ),
            Self::Malformed { malformed, calls } => warn(
                "answers_malformed",
                format!(
                    "{malformed} of {calls} calls since the start of the host got an answer in an unknown form"
                ),
                "the register may have changed: `lustra connector inspect` shows the newest failure",
            ),
            Self::SentinelProblem { problem, ico } => warn(
                "sentinel_problem",
                format!("the check of the known company {ico}: {problem}"),
                "compare with the register's page; if it has changed, upgrade the connector",
            ),
            Self::SentinelWell { readings } => ok(
                "sentinel_well",
                format!("{readings} readings of known companies have no problem"),
            ),
            Self::SentinelOff => warn(
                "sentinel_off",
                "no known companies are checked",
                "name companies that every register knows in sentinel.companies",
            ),
        }
    }
}
