//! What could not be read for a section, so that absence is not taken for a finding.

use lustra_sdk::serde_json::to_string;
use lustra_sdk::{Evidence, Failure, Field, Section, failure, malformed};
use serde::Serialize;

/// The register's name where it could not be read.
pub const SOURCE: &str = "ruz";

/// A source that could not be read, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// Always [`SOURCE`].
    pub source: &'static str,
    /// When it was last read; never known here.
    pub since: Option<String>,
    /// What is missing and why, in a few words.
    pub why: String,
}

/// All that is missing, as the one entry that a section has for the register. Empty where nothing is.
#[must_use]
pub fn of(missing: &[String]) -> Vec<Unread> {
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Unread {
        source: SOURCE,
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
        unread: unread
            .iter()
            .map(|unread| Field {
                name: unread.source.to_owned(),
                value: unread.why.clone(),
            })
            .collect(),
        evidence,
        details: Vec::new(),
    })
}

/// A failure in one line for a section and the log. What was found instead of the known form is left out: it may be
/// anything.
#[must_use]
pub fn why(reason: &Failure) -> String {
    match reason {
        Failure::Malformed(drift) => {
            format!("malformed: {}: expected {}", drift.what, drift.expected)
        }
        Failure::Unavailable(_)
        | Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => failure::reason(reason),
    }
}
