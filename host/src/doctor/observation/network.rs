//! Observations of other machines: names, the mail server, registers.

use std::path::PathBuf;
use std::time::Duration;

use super::{Description, fail, ok, shown, warn};
use crate::mail::MailStage;

/// What was observed of another machine, or of a file in its place.
#[derive(Debug, Clone)]
pub enum NetworkObservation {
    NamesResolve {
        names: usize,
    },
    Unresolved(String),
    /// The name leads to an address that connectors must not reach.
    Special {
        address: String,
        range: &'static str,
    },
    NothingResolves {
        names: usize,
    },
    MailAccepted {
        server: String,
        encrypted: bool,
        authenticated: bool,
    },
    MailToFiles(PathBuf),
    MailOff,
    MailFailed {
        stage: MailStage,
        reason: String,
    },
    Answers {
        status: u16,
        took: Duration,
    },
    Fails {
        status: u16,
    },
    Unreachable(String),
    Paused(Duration),
    FileReadable,
    FileUnreadable(String),
    NothingReachable {
        registers: usize,
    },
}

impl NetworkObservation {
    pub(super) fn described(&self) -> Description {
        match self {
            Self::NamesResolve { names } => ok("names_resolve", format!("{names} names resolve")),
            Self::Unresolved(reason) => warn(
                "name_unresolved",
                format!("the name does not resolve: {reason}"),
                "check the name in the grants, and this machine's DNS (/etc/resolv.conf)",
            ),
            Self::Special { address, range } => warn(
                "name_special",
                format!("the name leads to {address} ({range}), which connectors must not reach"),
                "correct this machine's DNS; for a register inside, grant its IP address",
            ),
            Self::NothingResolves { names } => fail(
                "nothing_resolves",
                format!("none of {names} names resolves; the registers were not asked"),
                "check this machine's network and DNS (/etc/resolv.conf)",
            ),
            Self::Answers { status, took } => ok(
                "register_answers",
                format!("it answers {status} in {}", shown(*took)),
            ),
            Self::Fails { status } => warn(
                "register_fails",
                format!("it answers {status}"),
                "the register has a fault; the host retries, and answers from stored data",
            ),
            Self::Unreachable(reason) => warn(
                "register_unreachable",
                reason,
                "check the firewall, and open the address in a browser; answers use stored data meanwhile",
            ),
            Self::Paused(left) => ok(
                "register_paused",
                format!(
                    "it requested a pause of {} s, so it was not asked",
                    left.as_secs()
                ),
            ),
            Self::FileReadable => ok("file_readable", "the file can be read"),
            Self::FileUnreadable(reason) => warn(
                "file_unreadable",
                format!("the file cannot be read: {reason}"),
                "put the file there, readable for the user of the host",
            ),
            Self::NothingReachable { registers } => fail(
                "nothing_reachable",
                format!("none of {registers} registers can be reached"),
                "check this machine's network, firewall and time, which certificates need",
            ),
            Self::MailAccepted { .. }
            | Self::MailToFiles(_)
            | Self::MailOff
            | Self::MailFailed { .. } => self.mail_described(),
        }
    }

    fn mail_described(&self) -> Description {
        match self {
            Self::MailAccepted {
                server,
                encrypted,
                authenticated,
            } => {
                let encrypted = if *encrypted { "with" } else { "without" };
                let password = if *authenticated {
                    "accepts the password"
                } else {
                    "asks for no password"
                };
                let found = format!("{server} answers {encrypted} TLS and {password}");
                ok("mail_accepted", found)
            }
            Self::MailToFiles(folder) => warn(
                "mail_to_files",
                format!(
                    "mail.smtp is not set, so messages are written to {}",
                    folder.display()
                ),
                "set mail.smtp, so that messages are sent",
            ),
            Self::MailFailed { stage, reason } => {
                let stage = match stage {
                    MailStage::Connection => "the connection to the mail server failed",
                    MailStage::Encryption => "encryption with the mail server failed",
                    MailStage::Password => "the mail server refused the password",
                };
                fail(
                    "mail_failed",
                    format!("{stage}: {reason}"),
                    "correct mail.smtp, and check the firewall; messages wait in the database until then",
                )
            }
            Self::MailOff
            | Self::NamesResolve { .. }
            | Self::Unresolved(_)
            | Self::Special { .. }
            | Self::NothingResolves { .. }
            | Self::Answers { .. }
            | Self::Fails { .. }
            | Self::Unreachable(_)
            | Self::Paused(_)
            | Self::FileReadable
            | Self::FileUnreadable(_)
            | Self::NothingReachable { .. } => {
                ok("mail_off", "this host sends no e-mail (mail.on = false)")
            }
        }
    }
}
