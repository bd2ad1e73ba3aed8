//! Failures of calls, and the limits that they exceeded.

use lustra_store::{FailureKind, SourceFailure};

use crate::bindings::types::Failure;
use crate::breaker::OpenCircuit;
use crate::plain_text;

/// Why a call returned no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallFailure {
    /// The concurrency limit is reached; the connector is not at fault.
    #[error("busy")]
    Busy,
    /// The connector failed too often.
    #[error("{0}")]
    CircuitOpen(OpenCircuit),
    /// The connector returned this failure.
    #[error("{}", reason(.0))]
    Failed(Failure),
    /// A limit of the host was exceeded.
    #[error("limit {0}")]
    Limit(String),
    /// The guest's code trapped.
    #[error("trap: {0}")]
    Trap(String),
    /// The answer does not fit its schema.
    #[error("its answer does not fit its schema at {pointer:?}: {why}")]
    Schema { pointer: String, why: String },
    /// The connector lacks this ability.
    #[error("it does not offer {0}")]
    NotOffered(&'static str),
}

/// A connector's failure as one line.
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

/// What a failed call means for the connector's circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CircuitEffect {
    /// It counts as a failure.
    Failure,
    /// It counts as a success: the register responded, even if its answer for this company is unusable.
    Success,
    /// It says nothing about the register.
    None,
}

impl CallFailure {
    /// Without a request a register cannot have failed: a list that was never imported does not open the circuit.
    /// A rate limit does not open it either, because egress already waits until the register takes requests again.
    #[must_use]
    pub fn circuit_effect(&self, requests: u64) -> CircuitEffect {
        match self {
            Self::Failed(Failure::Unavailable(_)) if requests > 0 => CircuitEffect::Failure,
            Self::Failed(Failure::Refused(_))
            | Self::Limit(_)
            | Self::Trap(_)
            | Self::Schema { .. } => CircuitEffect::Failure,
            Self::Failed(
                Failure::Unavailable(_)
                | Failure::Malformed(_)
                | Failure::Misconfigured(_)
                | Failure::Other(_),
            ) => CircuitEffect::Success,
            Self::Failed(Failure::Throttled(_))
            | Self::Busy
            | Self::CircuitOpen(_)
            | Self::NotOffered(_) => CircuitEffect::None,
        }
    }
}

impl CallFailure {
    /// What programs compare; [`std::fmt::Display`] is for people.
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Busy => FailureKind::Busy,
            Self::CircuitOpen(_) => FailureKind::CircuitOpen,
            Self::Failed(Failure::Unavailable(_)) => FailureKind::Unavailable,
            Self::Failed(Failure::Throttled(_)) => FailureKind::Throttled,
            Self::Failed(Failure::Malformed(_)) => FailureKind::Malformed,
            Self::Failed(Failure::Misconfigured(_)) => FailureKind::Misconfigured,
            Self::Failed(Failure::Refused(_)) => FailureKind::Refused,
            Self::Failed(Failure::Other(_)) => FailureKind::Other,
            Self::Limit(_) => FailureKind::Limit,
            Self::Trap(_) => FailureKind::Trap,
            Self::Schema { .. } => FailureKind::Schema,
            Self::NotOffered(_) => FailureKind::NotOffered,
        }
    }
}

impl From<&CallFailure> for SourceFailure {
    fn from(failure: &CallFailure) -> Self {
        Self::new(failure.kind(), failure.to_string())
    }
}

/// Codes that the value of a section's `unread` can begin with.
const UNREAD_CODES: [(&str, FailureKind); 10] = [
    ("off", FailureKind::Off),
    ("never imported", FailureKind::NeverImported),
    ("misconfigured", FailureKind::Misconfigured),
    ("truncated", FailureKind::Truncated),
    ("unavailable", FailureKind::Unavailable),
    ("throttled", FailureKind::Throttled),
    ("malformed", FailureKind::Malformed),
    ("refused", FailureKind::Refused),
    ("limit", FailureKind::Limit),
    ("busy", FailureKind::Busy),
];

/// Why a source of a section was not read. In the contract the value begins with the code, usually followed by a
/// colon and details. Free text is [`FailureKind::Other`].
#[must_use]
pub fn unread_kind(value: &str) -> FailureKind {
    let code = UNREAD_CODES.iter().find(|(code, _)| {
        let details = value.strip_prefix(code);
        details.is_some_and(|details| !details.starts_with(|next: char| next.is_alphanumeric()))
    });
    code.map_or(FailureKind::Other, |(_, kind)| *kind)
}

/// A guest's failure with texts that are safe to log, store and show.
pub(crate) fn cleaned(mut failure: Failure) -> Failure {
    let clean = |text: &mut String| plain_text::clean(text, plain_text::REASON);
    match &mut failure {
        Failure::Unavailable(why) | Failure::Misconfigured(why) | Failure::Refused(why) => {
            clean(why);
        }
        Failure::Throttled(_) => {}
        Failure::Malformed(drift) => {
            clean(&mut drift.what);
            clean(&mut drift.expected);
            clean(&mut drift.found);
            drift.evidence.iter_mut().for_each(clean);
        }
        Failure::Other((code, why)) => {
            plain_text::clean(code, plain_text::NAME);
            clean(why);
        }
    }
    failure
}

impl CallFailure {
    /// A schema failure. Pointer and reason may contain names that the guest chose.
    pub(crate) fn schema(pointer: &str, why: &str) -> Self {
        Self::Schema {
            pointer: plain_text::one_line(pointer, plain_text::REASON),
            why: plain_text::one_line(why, plain_text::REASON),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_value_is_read_by_its_code() {
        for (value, kind) in [
            ("off", FailureKind::Off),
            ("off: switched off by the operator", FailureKind::Off),
            ("off by the settings", FailureKind::Off),
            ("never imported", FailureKind::NeverImported),
            (
                "never imported: the newest attempt failed",
                FailureKind::NeverImported,
            ),
            ("misconfigured: no key", FailureKind::Misconfigured),
            ("truncated: 40 of 50 were read", FailureKind::Truncated),
            ("unavailable: timeout", FailureKind::Unavailable),
            ("throttled", FailureKind::Throttled),
            ("offline since Monday", FailureKind::Other),
            ("limited to the newest", FailureKind::Other),
            ("behind: read until Monday only", FailureKind::Other),
            ("", FailureKind::Other),
        ] {
            assert_eq!(unread_kind(value), kind, "{value}");
        }
    }

    #[test]
    fn throttled_register_does_not_open_the_circuit() {
        let down = CallFailure::Failed(Failure::Unavailable("down".to_owned()));
        let throttled = CallFailure::Failed(Failure::Throttled(Some(60)));
        let trap = CallFailure::Trap("unreachable".to_owned());
        for (failure, requests, effect) in [
            (&down, 1, CircuitEffect::Failure),
            (&down, 0, CircuitEffect::Success),
            (&throttled, 1, CircuitEffect::None),
            (&throttled, 0, CircuitEffect::None),
            (&trap, 0, CircuitEffect::Failure),
        ] {
            assert_eq!(failure.circuit_effect(requests), effect, "{failure}");
        }
    }
}
