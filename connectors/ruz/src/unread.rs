//! What could not be read for a section, so that clients do not take missing data for absence.

use std::collections::BTreeSet;

use lustra_sdk::unread::{Gap, Unread};

use crate::statement::Statement;

/// The name in `unread` of the register.
pub const SOURCE: &str = "ruz";

/// All that is missing, as a single entry for the register. Empty if nothing is missing. A reason that does not pass
/// by itself, as [`of_forms`], comes last, so that the others are retried soon.
#[must_use]
pub fn of_register(missing: &[String], lasting: Option<Gap>) -> Vec<Unread> {
    let passing = (!missing.is_empty()).then(|| Gap::partly(missing.join("; ")));
    let gaps: Vec<Gap> = passing.into_iter().chain(lasting).collect();
    if gaps.is_empty() {
        return Vec::new();
    }
    vec![Gap::Several(gaps).unread(SOURCE, None)]
}

/// The forms of statements whose lines are not known, as one reason. `None` if there are none.
#[must_use]
pub fn of_forms<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> Option<Gap> {
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
    Some(Gap::Truncated(what))
}
