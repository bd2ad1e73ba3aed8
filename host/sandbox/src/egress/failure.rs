//! Failures of egress: the typed cause, and the failure that the contract reports to a connector.
//!
//! `Refusal` is the typed cause, decided here. `EgressFailure` has the cases of the WIT's `failure` and converts one to
//! one. Texts name the upstream and the path without its query, because queries carry keys.

use crate::plain_text;

/// A failure as the contract defines it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressFailure {
    /// The upstream is unreachable or failing.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// Rate limited; holds the seconds to wait, if known.
    #[error("throttled, seconds to wait: {0:?}")]
    Throttled(Option<u32>),
    /// A limit or a missing grant of the host.
    #[error("refused: {0}")]
    Refused(String),
    /// Bytes that are not in the expected format.
    #[error("malformed: {what}: expected {expected}, found {found}")]
    Malformed {
        /// Upstream, path and archive entry.
        what: String,
        expected: String,
        /// At most 200 characters of the actual content.
        found: String,
    },
    /// The operator must correct the configuration.
    #[error("misconfigured: {0}")]
    Misconfigured(String),
}

/// Why the host refuses a connector's request. Each text tells the operator what to change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// `what` is the grant to add, verbatim.
    #[error("{what} is not granted")]
    NotGranted { what: String },
    #[error("redirect to {to} not granted")]
    Redirect { to: String },
    #[error("{host} is at {address} ({range}); only the explicit grant {grant} allows that")]
    BlockedAddress {
        host: String,
        address: String,
        range: &'static str,
        grant: String,
    },
    #[error("{name}: limit {limit}")]
    Limit { name: &'static str, limit: u64 },
    #[error("archive_ratio: unpacked to more than {ratio} times its size")]
    Ratio { ratio: u64 },
    #[error("archive_entries: limit {limit}")]
    Entries { limit: usize },
    #[error("archive: no archive was opened, call unzip first")]
    NoArchive,
    #[error("connectors may not send the header {name}")]
    Header { name: String },
    #[error("the method {method} is not in the contract")]
    Method { method: String },
    #[error("the path {path} does not lie below the address of the upstream {upstream}")]
    Path { upstream: String, path: String },
    #[error("the upstream {upstream} is a file; request it with GET and an empty path")]
    FileRequest { upstream: String },
    #[error("the charset {label} is unknown")]
    Charset { label: String },
    #[error("the upstream {upstream} has no address")]
    Unset { upstream: String },
    #[error("the file {file} of the upstream {upstream} {trouble}")]
    File {
        upstream: String,
        file: String,
        trouble: String,
    },
}

impl From<Refusal> for EgressFailure {
    fn from(refusal: Refusal) -> Self {
        let text = refusal.to_string();
        match refusal {
            Refusal::Unset { .. } | Refusal::File { .. } => Self::Misconfigured(text),
            Refusal::NotGranted { .. }
            | Refusal::Redirect { .. }
            | Refusal::BlockedAddress { .. }
            | Refusal::Limit { .. }
            | Refusal::Ratio { .. }
            | Refusal::Entries { .. }
            | Refusal::NoArchive
            | Refusal::Header { .. }
            | Refusal::Method { .. }
            | Refusal::Path { .. }
            | Refusal::FileRequest { .. }
            | Refusal::Charset { .. } => Self::Refused(text),
        }
    }
}

/// A path for logs and failures: one short line without the query.
pub(super) fn without_query(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    plain_text::one_line(path, 200)
}

/// The first bytes of a body as text, at most 200 characters.
pub(super) fn glimpse(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let head = bytes.get(..800).unwrap_or(bytes);
    String::from_utf8_lossy(head)
        .chars()
        .take(200)
        .map(|character| {
            if character.is_control() && !character.is_whitespace() {
                '.'
            } else {
                character
            }
        })
        .collect()
}
