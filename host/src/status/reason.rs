//! Why a source is not operational, as the public may read it.

use crate::store::{FailureKind, SourceFailure};

/// Why a source is not operational, as a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// A call or an import failed.
    Failure(FailureKind),
    /// The check of a known company found something missing.
    KnownCompany,
    /// The connector was not loaded.
    NotLoaded,
    /// An import did not begin in time.
    ImportLate,
}

impl Cause {
    /// The code that is stored and sent.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Failure(kind) => kind.word(),
            Self::KnownCompany => "known_company",
            Self::NotLoaded => "not_loaded",
            Self::ImportLate => "import_late",
        }
    }
}

/// Most characters of a reason that is shown to the public.
const MAX_REASON_CHARS: usize = 300;

/// The kind of a failure, without quoted details: a register's row may be personal data, a path belongs to the
/// operator, and function names belong to the connector.
pub(super) fn public_reason(failure: &SourceFailure) -> String {
    match failure.kind {
        FailureKind::Malformed | FailureKind::Misconfigured | FailureKind::Trap => {
            format!("{}: the log says more", failure.kind.word())
        }
        FailureKind::Unavailable
        | FailureKind::Throttled
        | FailureKind::Refused
        | FailureKind::Limit
        | FailureKind::Busy
        | FailureKind::CircuitOpen
        | FailureKind::Off
        | FailureKind::NeverImported
        | FailureKind::Truncated
        | FailureKind::Schema
        | FailureKind::NotOffered
        | FailureKind::Other => {
            let line = failure.detail.lines().next().unwrap_or_default();
            line.chars().take(MAX_REASON_CHARS).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_reason_quotes_no_register_or_operator() {
        let secret = "row 3: Jozef Vymyslený";
        for kind in FailureKind::ALL {
            let failure = SourceFailure::new(*kind, format!("{}: {secret}", kind.word()));
            let shown = public_reason(&failure);
            let quotes = [
                FailureKind::Malformed,
                FailureKind::Misconfigured,
                FailureKind::Trap,
            ];
            if quotes.contains(kind) {
                assert_eq!(shown, format!("{}: the log says more", kind.word()));
            } else {
                assert_eq!(shown, failure.detail);
            }
        }
        let long = SourceFailure::new(FailureKind::Other, "x".repeat(1_000));
        assert_eq!(public_reason(&long).len(), MAX_REASON_CHARS);
    }
}
