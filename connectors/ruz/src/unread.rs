//! What could not be read for a section, so that clients do not take missing data for absence.

use lustra_sdk::unread::Unread;

/// The name in `unread` of the register.
pub const SOURCE: &str = "ruz";

/// All that is missing, as a single entry for the register. Empty if nothing is missing.
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
