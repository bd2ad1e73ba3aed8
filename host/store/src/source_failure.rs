//! Why a source could not be read: a code for programs and a sentence for people.
//!
//! Rows hold both. Every reader maps the code; the sentence is only shown and logged.

use super::db::text_enum;

/// Why a source was not read, or why a call to its connector failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The register was unreachable or failing.
    Unavailable,
    /// The register rate-limits this service.
    Throttled,
    /// The register answered in an unexpected format.
    Malformed,
    /// The operator must correct the configuration.
    Misconfigured,
    /// The host refused a request: a missing grant or a limit of requests.
    Refused,
    /// A limit of the sandbox was exceeded.
    Limit,
    /// The concurrency limit was reached; nothing was asked.
    Busy,
    /// The circuit was open; nothing was asked.
    CircuitOpen,
    /// The operator switched the source off.
    Off,
    /// The list behind the source was never imported.
    NeverImported,
    /// The source has more than the settings allow to read.
    Truncated,
    /// The connector's code trapped.
    Trap,
    /// The connector's answer did not fit its schema.
    Schema,
    /// The connector lacks the ability.
    NotOffered,
    /// Anything else, for example a code of the connector itself.
    Other,
}

text_enum!(FailureKind {
    Unavailable: "unavailable",
    Throttled: "throttled",
    Malformed: "malformed",
    Misconfigured: "misconfigured",
    Refused: "refused",
    Limit: "limit",
    Busy: "busy",
    CircuitOpen: "circuit_open",
    Off: "off",
    NeverImported: "never_imported",
    Truncated: "truncated",
    Trap: "trap",
    Schema: "schema",
    NotOffered: "not_offered",
    Other: "other",
});

/// A failure to read a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFailure {
    pub kind: FailureKind,
    /// One line for the log and for operators.
    pub detail: String,
}

impl SourceFailure {
    #[must_use]
    pub fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            detail: detail.into(),
        }
    }
}

impl std::fmt::Display for SourceFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

/// The columns of an optional [`SourceFailure`].
#[derive(Debug, sqlx::FromRow)]
pub(super) struct FailureColumns {
    pub(super) failure: Option<String>,
    pub(super) failure_kind: Option<String>,
}

impl From<FailureColumns> for Option<SourceFailure> {
    /// A missing or unknown code is `other`: a host of another version may have written the row.
    fn from(columns: FailureColumns) -> Self {
        let kind = columns
            .failure_kind
            .and_then(|word| FailureKind::try_from(word).ok());
        Some(SourceFailure {
            kind: kind.unwrap_or(FailureKind::Other),
            detail: columns.failure?,
        })
    }
}
