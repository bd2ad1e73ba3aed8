//! What could not be read for a section, so that absence is not taken for a finding.

use lustra_sdk::serde_json::to_string;
pub use lustra_sdk::unread::{Unread, why};
use lustra_sdk::{Evidence, Failure, Section, malformed};
use serde::Serialize;

/// The register's name where it could not be read.
pub const SOURCE: &str = "ruz";

/// All that is missing, as the one entry that a section has for the register. Empty where nothing is.
#[must_use]
pub fn of(missing: &[String]) -> Vec<Unread> {
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Unread {
        source: SOURCE.to_owned(),
        since: None,
        why: missing.join("; "),
    }]
}

/// A section with this content, which must contain the same unread sources.
///
/// # Errors
/// Never for texts, numbers and lists, of which every content consists.
pub fn section(
    content: &impl Serialize,
    unread: &[Unread],
    evidence: Vec<Evidence>,
) -> Result<Section, Failure> {
    let content = to_string(content)
        .map_err(|error| malformed("the section", "texts and numbers", error.to_string()))?;
    Ok(Section {
        content,
        unread: unread.iter().map(Unread::field).collect(),
        evidence,
        details: Vec::new(),
    })
}
