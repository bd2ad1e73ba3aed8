//! Examines a host and its surroundings for operators: settings, files, database, network, registers, lists.
//!
//! Works beside a running host and without one, and changes nothing. Every result is a [`Finding`] with an
//! [`Observation`] as its value; [`observation`] makes all sentences. Everything that waits for another machine is
//! bounded.

mod connectors;
mod database;
mod local;
mod network;
mod observation;

use std::path::Path;

use self::observation::SettingsObservation;
pub use self::observation::{Description, Observation};
use crate::clock::Clock;
use crate::config::{Config, Mistake};
use crate::operator::state::ConnectorState;
use crate::store::text_enum;

/// What is examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Check {
    Settings,
    Grants,
    Components,
    Secrets,
    Addresses,
    Host,
    Clock,
    Disk,
    Descriptors,
    Database,
    Lists,
    Connectors,
    Dns,
    Mail,
    Registers,
}

text_enum!(Check {
    Settings: "settings",
    Grants: "grants",
    Components: "components",
    Secrets: "secrets",
    Addresses: "addresses",
    Host: "host",
    Clock: "clock",
    Disk: "disk",
    Descriptors: "descriptors",
    Database: "database",
    Lists: "lists",
    Connectors: "connectors",
    Dns: "dns",
    Mail: "mail",
    Registers: "registers",
});

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Everything is in order.
    Ok,
    /// The service runs, and the operator should act.
    Warn,
    /// The service does not start, or cannot do its work.
    Fail,
}

text_enum!(Severity {
    Ok: "ok",
    Warn: "warn",
    Fail: "fail",
});

/// One result.
#[derive(Debug, Clone)]
pub struct Finding {
    pub check: Check,
    /// What it is about, such as a connector, a host name or a directory; empty if the check has one subject.
    pub subject: String,
    pub observation: Observation,
}

impl Finding {
    fn new(check: Check, subject: impl Into<String>, observation: impl Into<Observation>) -> Self {
        Self {
            check,
            subject: subject.into(),
            observation: observation.into(),
        }
    }

    /// The finding as an object for machines.
    #[must_use]
    pub fn as_json(&self) -> serde_json::Value {
        let described = self.observation.described();
        serde_json::json!({
            "check": self.check.word(), "severity": described.severity.word(), "code": described.code,
            "subject": (!self.subject.is_empty()).then_some(self.subject.as_str()),
            "found": described.found, "advice": described.advice,
        })
    }
}

/// What a running host says about itself.
#[derive(Debug, Default)]
pub struct Running {
    pub connectors: Vec<ConnectorState>,
    pub is_clock_trusted: bool,
}

/// Whether a host runs with the settings.
#[derive(Debug)]
pub enum HostState {
    Stopped,
    Running(Running),
    /// A host holds the address, and its operator address is off or does not answer. Holds the reason.
    Silent(String),
}

/// What to examine.
pub struct Subject<'a> {
    pub config: &'a Config,
    pub file: &'a Path,
    /// Text of the settings file.
    pub text: &'a str,
    pub clock: Clock,
    pub host: HostState,
    /// Whether other machines are left out: names, mail server and registers.
    pub offline: bool,
}

/// Receives findings and the progress of long checks.
pub trait Observer {
    fn found(&mut self, finding: Finding);
    /// `done` of `total` steps of a check have ended.
    fn progress(&mut self, check: Check, done: usize, total: usize);
}

/// Findings of a settings file with mistakes, with which nothing else can be examined.
#[must_use]
pub fn of_mistakes(mistakes: &[Mistake]) -> Vec<Finding> {
    let mistakes = mistakes.iter().cloned();
    mistakes
        .map(|mistake| {
            let setting = mistake.setting.clone();
            Finding::new(
                Check::Settings,
                setting,
                SettingsObservation::Mistake(mistake),
            )
        })
        .collect()
}

/// The finding of a settings file that cannot be read.
#[must_use]
pub fn of_unreadable_file(file: &Path, reason: String) -> Finding {
    let file = file.to_owned();
    let observation = SettingsObservation::Unreadable { file, reason };
    Finding::new(Check::Settings, "", observation)
}

/// Runs all checks.
pub async fn examine(subject: &Subject<'_>, observer: &mut (dyn Observer + Send)) {
    local::examine(subject, observer);
    let pauses = database::examine(subject, observer).await;
    connectors::examine(subject, observer);
    if !subject.offline {
        network::examine(subject, &pauses, observer).await;
    }
}
