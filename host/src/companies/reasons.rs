//! What a failure to read a source means: its public code, and whether a retry may help.

use crate::store::FailureKind;

/// The `reason` of an unread part in answers. `None` as a failure: it was not read within the request's time.
#[must_use]
pub(super) fn reason_code(failure: Option<FailureKind>) -> &'static str {
    match failure {
        None => "not_in_time",
        Some(kind) => failure_code(kind),
    }
}

/// A failure as a code for clients, without details of the connector.
#[must_use]
pub(super) fn failure_code(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unavailable => "unavailable",
        FailureKind::Throttled => "throttled",
        FailureKind::Malformed => "malformed",
        FailureKind::Misconfigured => "misconfigured",
        FailureKind::Refused | FailureKind::Limit => "limit",
        FailureKind::Busy => "busy",
        FailureKind::CircuitOpen => "circuit_open",
        FailureKind::Off
        | FailureKind::NeverImported
        | FailureKind::Truncated
        | FailureKind::Trap
        | FailureKind::Schema
        | FailureKind::NotOffered
        | FailureKind::Other => "failed",
    }
}

/// Whether a failure is the connector's own. A changed page may be its cause.
#[must_use]
pub(super) fn is_of_connector(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Malformed
        | FailureKind::Trap
        | FailureKind::Schema
        | FailureKind::NotOffered
        | FailureKind::Other => true,
        FailureKind::Unavailable
        | FailureKind::Throttled
        | FailureKind::Misconfigured
        | FailureKind::Refused
        | FailureKind::Limit
        | FailureKind::Busy
        | FailureKind::CircuitOpen
        | FailureKind::Off
        | FailureKind::NeverImported
        | FailureKind::Truncated => false,
    }
}

/// Whether reading a section again may find a source that it lacks. A source that is switched off, misconfigured or
/// read up to a setting's limit stays as it is, and importing a missing list marks the section as dirty.
#[must_use]
pub(super) fn may_recover(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Off
        | FailureKind::NeverImported
        | FailureKind::Misconfigured
        | FailureKind::Truncated => false,
        FailureKind::Unavailable
        | FailureKind::Throttled
        | FailureKind::Malformed
        | FailureKind::Refused
        | FailureKind::Limit
        | FailureKind::Busy
        | FailureKind::CircuitOpen
        | FailureKind::Trap
        | FailureKind::Schema
        | FailureKind::NotOffered
        | FailureKind::Other => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_a_public_code() {
        let codes: Vec<_> = FailureKind::ALL
            .iter()
            .map(|kind| (kind.word(), failure_code(*kind)))
            .collect();
        let expected = [
            ("unavailable", "unavailable"),
            ("throttled", "throttled"),
            ("malformed", "malformed"),
            ("misconfigured", "misconfigured"),
            ("refused", "limit"),
            ("limit", "limit"),
            ("busy", "busy"),
            ("circuit_open", "circuit_open"),
            ("off", "failed"),
            ("never_imported", "failed"),
            ("truncated", "failed"),
            ("trap", "failed"),
            ("schema", "failed"),
            ("not_offered", "failed"),
            ("other", "failed"),
        ];
        assert_eq!(codes, expected);
        assert_eq!(reason_code(None), "not_in_time");
        assert_eq!(reason_code(Some(FailureKind::Busy)), "busy");
    }

    #[test]
    fn permanent_gaps_are_not_retried() {
        let permanent: Vec<_> = FailureKind::ALL
            .iter()
            .filter(|kind| !may_recover(**kind))
            .map(|kind| kind.word())
            .collect();
        let expected = ["misconfigured", "off", "never_imported", "truncated"];
        assert_eq!(permanent, expected);
    }
}
