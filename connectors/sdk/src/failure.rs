//! Short ways to say why a register gave no answer.

use crate::{Drift, Failure};

/// The longest piece of a register's answer that a failure quotes, in characters.
const EVIDENCE_CHARACTERS: usize = 200;

/// The register's form is not the known one: `what` names the place (a column, a label, a JSON pointer), `expected`
/// what should be there, `found` what was; `found` is shortened.
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

/// The failure that an answer with an error status stands for, by the rule all connectors share: 429 is throttled
/// with its `Retry-After`, everything else means that the register is out of order or keeps us out.
#[must_use]
pub fn of_status(upstream: &str, status: u16, retry_after: Option<u32>) -> Failure {
    if status == 429 {
        return Failure::Throttled(retry_after);
    }
    Failure::Unavailable(format!("{upstream} answered with status {status}"))
}

/// The list behind a cursor was replaced by a newer one, so the run must begin anew.
#[must_use]
pub fn list_changed(what: impl Into<String>) -> Failure {
    Failure::Other(("list-changed".to_owned(), what.into()))
}

/// A scope, dataset or key that the manifest does not offer.
#[must_use]
pub fn not_offered(what: &str) -> Failure {
    Failure::Other((
        "not-offered".to_owned(),
        format!("this connector does not offer {what}"),
    ))
}

/// The reason in one line, for a section's `unread` list and for logs.
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
