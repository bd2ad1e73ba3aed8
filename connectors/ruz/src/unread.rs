//! What could not be read for a section, so that clients do not take missing data for absence.

use std::collections::BTreeSet;

use lustra_sdk::unread::{Gap, Unread};

use crate::statement::Statement;

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

/// The forms of statements whose lines are not known, as one reason. `None` if there are none.
#[must_use]
pub fn of_forms<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Option<String> {
    let unmapped = statements
        .into_iter()
        .filter(|statement| statement.is_unmapped());
    let names: BTreeSet<&str> = unmapped
        .map(|statement| statement.template_type.as_deref().unwrap_or("unnamed"))
        .collect();
    if names.is_empty() {
        return None;
    }
    let names: Vec<&str> = names.into_iter().collect();
    let what = format!("figures of forms with unknown lines: {}", names.join(", "));
    Some(Gap::Truncated(what).why())
}
