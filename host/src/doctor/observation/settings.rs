//! Observations of the settings file, and of what the settings name.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::{Description, fail, ok, warn};
use crate::config::{Mistake, check};
use crate::doctor::Severity;

/// What was observed of the settings.
#[derive(Debug, Clone)]
pub enum SettingsObservation {
    Read {
        file: PathBuf,
        connectors: usize,
    },
    Unreadable {
        file: PathBuf,
        reason: String,
    },
    Mistake(Mistake),
    /// A finding of `config check`.
    Finding(check::Finding),
    GrantsHold {
        connectors: usize,
    },
    ComponentsWhole {
        components: usize,
    },
    SecretsPrivate,
    /// Other users can read a file of the database.
    DataReadable {
        mode: u32,
    },
    AddressesUsable {
        listen: SocketAddr,
    },
    /// The API can be reached from other machines, and no proxy is configured.
    PublicWithoutTls(SocketAddr),
}

impl SettingsObservation {
    pub(super) fn described(&self) -> Description {
        match self {
            Self::Read { file, connectors } => {
                let file = file.display();
                let found = format!("{file} has no mistakes and names {connectors} connectors");
                ok("settings_read", found)
            }
            Self::Unreadable { file, reason } => fail(
                "settings_unreadable",
                format!("{} cannot be read: {reason}", file.display()),
                "name the settings file with --config, and make it readable",
            ),
            Self::Mistake(mistake) => fail(
                mistake.problem.code(),
                at_line(mistake.line, &mistake.problem),
                "correct the setting; `lustra config reference` lists all",
            ),
            Self::Finding(finding) => Description {
                severity: if finding.problem.is_fatal() {
                    Severity::Fail
                } else if finding.problem.is_note() {
                    Severity::Ok
                } else {
                    Severity::Warn
                },
                code: finding.problem.code(),
                found: at_line(finding.line, &finding.problem),
                advice: None,
            },
            Self::GrantsHold { connectors } => ok(
                "grants_hold",
                format!("the grants and settings of {connectors} connectors fit their manifests"),
            ),
            Self::ComponentsWhole { components } => ok(
                "components_whole",
                format!("{components} components can be read, and none is damaged"),
            ),
            Self::SecretsPrivate => ok(
                "secrets_private",
                "no other user can read a file with a secret",
            ),
            Self::DataReadable { mode } => warn(
                "data_readable",
                format!(
                    "other users can read this file, which contains the data of accounts (mode {mode:03o})"
                ),
                "run `chmod 600` on it and on the files beside it, or `chmod 700` on their directory",
            ),
            Self::AddressesUsable { listen } => {
                ok("addresses_usable", format!("a host can listen on {listen}"))
            }
            Self::PublicWithoutTls(address) => warn(
                "public_without_tls",
                format!("other machines reach the API at {address} without TLS"),
                "put a reverse proxy with TLS in front of it, and name the proxy in connections.proxies",
            ),
        }
    }
}

fn at_line(line: Option<usize>, problem: &dyn std::fmt::Display) -> String {
    line.map_or_else(
        || problem.to_string(),
        |line| format!("line {line}: {problem}"),
    )
}
