//! What could not be read for a section, so that absence is not taken for a finding.

use lustra_sdk::unread::Unread;

/// The register's name where it could not be read.
pub const SOURCE: &str = "ruz";

/// All that is missing, as the one entry that a section has for the register. Empty where nothing is.
#[must_use]
pub fn of_register(missing: &[String]) -> Vec<Unread> {
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Unread {
        source: SOURCE.to_owned(),
        since: None,
        why: missing.join("; "),
    }]
}
