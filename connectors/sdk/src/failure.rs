//! Constructors for the common kinds of [`Failure`].

use crate::{Drift, Failure};

/// Maximum length of a quoted piece of a register's answer, in characters.
const EVIDENCE_CHARACTERS: usize = 200;

/// A [`Failure::Malformed`]: the register's format differs from the expected one. `what` names
/// the place (a column, a label, a JSON pointer), `expected` what should be there, `found` what
/// is there. `found` is shortened.
#[must_use]
pub fn malformed(
    what: impl Into<String>,
    expected: impl Into<String>,
    found: impl AsRef<str>,
) -> Failure {
    Failure::Malformed(Drift {
        what: what.into(),
        expected: expected.into(),
        found: found.as_ref().chars().take(EVIDENCE_CHARACTERS).collect(),
        evidence: None,
    })
}

/// Maps an HTTP error status to a failure. 429 is throttled, with its `Retry-After`; every other
/// status means that the register is out of order or blocks us.
#[must_use]
pub fn of_status(upstream: &str, status: u16, retry_after: Option<u32>) -> Failure {
    if status == 429 {
        return Failure::Throttled(retry_after);
    }
    Failure::Unavailable(format!("{upstream} answered with status {status}"))
}

/// The list behind a cursor was replaced by a newer one, so the run must start over.
#[must_use]
pub fn list_changed(what: impl Into<String>) -> Failure {
    Failure::Other(("list-changed".to_owned(), what.into()))
}

/// The manifest does not declare this scope, dataset or key.
#[must_use]
pub fn not_offered(what: &str) -> Failure {
    Failure::Other((
        "not-offered".to_owned(),
        format!("this connector does not offer {what}"),
    ))
}

/// The reason on one line, for logs and for the `unread` list of a section.
#[must_use]
pub fn reason(failure: &Failure) -> String {
    match failure {
        Failure::Unavailable(why) => format!("unavailable: {why}"),
        Failure::Throttled(Some(seconds)) => format!("throttled: wait {seconds} s"),
        Failure::Throttled(None) => "throttled".to_owned(),
        Failure::Malformed(drift) => {
            format!(
                "malformed: {}: expected {}, found {}",
                drift.what, drift.expected, drift.found
            )
        }
        Failure::Misconfigured(why) => format!("misconfigured: {why}"),
        Failure::Refused(why) => format!("refused: {why}"),
        Failure::Other((code, why)) => format!("{code}: {why}"),
    }
}
