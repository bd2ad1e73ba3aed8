//! What the checks observe. Each observation is a value; severity, code and texts of all of them are made here.

mod database;
mod machine;
mod network;
mod settings;
mod sources;

use std::time::Duration;

pub use database::DatabaseObservation;
pub use machine::MachineObservation;
pub use network::NetworkObservation;
pub use settings::SettingsObservation;
pub use sources::SourcesObservation;

use super::Severity;

/// What was observed.
#[derive(Debug, Clone)]
pub enum Observation {
    Settings(SettingsObservation),
    Machine(MachineObservation),
    Database(DatabaseObservation),
    Sources(SourcesObservation),
    Network(NetworkObservation),
}

/// An observation in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    pub severity: Severity,
    /// A stable name for machines.
    pub code: &'static str,
    /// What was found, as one sentence.
    pub found: String,
    /// What the operator can do. `None`: nothing, or `found` says it.
    pub advice: Option<&'static str>,
}

impl Observation {
    #[must_use]
    pub fn described(&self) -> Description {
        match self {
            Self::Settings(observation) => observation.described(),
            Self::Machine(observation) => observation.described(),
            Self::Database(observation) => observation.described(),
            Self::Sources(observation) => observation.described(),
            Self::Network(observation) => observation.described(),
        }
    }
}

macro_rules! of_part {
    ($($variant:ident($part:ty)),+ $(,)?) => {
        $(impl From<$part> for Observation {
            fn from(part: $part) -> Self {
                Self::$variant(part)
            }
        })+
    };
}

of_part!(
    Settings(SettingsObservation),
    Machine(MachineObservation),
    Database(DatabaseObservation),
    Sources(SourcesObservation),
    Network(NetworkObservation),
);

fn ok(code: &'static str, found: impl Into<String>) -> Description {
    Description {
        severity: Severity::Ok,
        code,
        found: found.into(),
        advice: None,
    }
}

fn warn(code: &'static str, found: impl Into<String>, advice: &'static str) -> Description {
    Description {
        severity: Severity::Warn,
        code,
        found: found.into(),
        advice: Some(advice),
    }
}

fn fail(code: &'static str, found: impl Into<String>, advice: &'static str) -> Description {
    Description {
        severity: Severity::Fail,
        ..warn(code, found, advice)
    }
}

/// A duration for people: milliseconds below a second.
fn shown(took: Duration) -> String {
    match took.as_millis() {
        0 => format!("{} µs", took.as_micros()),
        millis @ 1..1_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}
