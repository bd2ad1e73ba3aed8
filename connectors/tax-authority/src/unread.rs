//! What could not be read for a section, so that absence is not taken for a finding.

use lustra_sdk::serde_json::to_string;
use lustra_sdk::{Evidence, Failure, Field, Section, failure, records};
use serde::Serialize;

use crate::lists::Dataset;

/// One source that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// A dataset of this connector, or `vies`.
    pub source: String,
    /// When it was last read, where it ever was and that is known.
    pub since: Option<String>,
    /// Why, in a few words.
    pub why: String,
}

/// What a section was made from.
#[derive(Debug, Default)]
pub struct Sources {
    /// Sources that could not be read.
    pub unread: Vec<Unread>,
    /// Answers that were read while the section was made.
    pub evidence: Vec<Evidence>,
}

impl Sources {
    /// Whether records of the dataset say something; where not, the dataset is named as unread.
    ///
    /// # Errors
    /// What the host refused.
    pub fn has(&mut self, dataset: Dataset) -> Result<bool, Failure> {
        match missing(dataset)? {
            None => Ok(true),
            Some(unread) => {
                self.unread.push(unread);
                Ok(false)
            }
        }
    }

    /// The section with this content, which must contain [`Sources::unread`] wherever it is an object.
    #[must_use]
    pub fn section(self, content: &impl Serialize) -> Section {
        Section {
            content: to_string(content).expect("texts, numbers and lists are always JSON"),
            unread: self
                .unread
                .into_iter()
                .map(|unread| Field {
                    name: unread.source,
                    value: unread.why,
                })
                .collect(),
            evidence: self.evidence,
            details: Vec::new(),
        }
    }
}

/// Why nothing can be said from a dataset; `None` where something can.
///
/// # Errors
/// What the host refused.
pub fn missing(dataset: Dataset) -> Result<Option<Unread>, Failure> {
    let state = records::state(dataset.id())?;
    let why = match (&state.imported_at, state.off) {
        (_, true) => "off: switched off by the operator".to_owned(),
        (Some(_), false) => return Ok(None),
        (None, false) => match state.failure {
            Some(failure) => format!("never imported: {failure}"),
            None => "never imported".to_owned(),
        },
    };
    Ok(Some(Unread {
        source: dataset.id().to_owned(),
        since: state.imported_at,
        why,
    }))
}

/// A failure in one line for a section and the log. What was found instead of the known form is left out: it may be
/// a person's name.
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
