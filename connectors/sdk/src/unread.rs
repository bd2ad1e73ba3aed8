//! What could not be read for a section, so that absence is not taken for a finding.

use serde::Serialize;

use crate::failure;
use crate::records::DatasetState;
use crate::{Evidence, Failure, Field, Section, records, runtime, to_json};

/// Why a source says nothing about a company. The texts are for people and follow the code word in [`Gap::why`].
#[derive(Debug, Clone)]
pub enum Gap {
    /// The operator switched the source off, so it was not to be read: `off`.
    Off(String),
    /// No import of the source has succeeded yet: `never imported`.
    NeverImported(String),
    /// The source is in use but cannot be asked about this company.
    NotAsked(String),
    /// The source was asked and failed.
    Failed(Failure),
}

impl Gap {
    /// Why nothing can be said from a dataset in this state; `None` where something can, also from an older list.
    ///
    /// It does not repeat why an import failed: that may quote what the register said of others.
    #[must_use]
    pub fn of_state(state: &DatasetState) -> Option<Self> {
        match (&state.imported_at, state.off) {
            (_, true) => Some(Self::Off("switched off by the operator".to_owned())),
            (Some(_), false) => None,
            (None, false) => {
                let why = state.failure.as_ref().map(|_| "the newest attempt failed");
                Some(Self::NeverImported(why.unwrap_or_default().to_owned()))
            }
        }
    }

    /// The same of a dataset by its name.
    ///
    /// # Errors
    /// What the host refused.
    pub fn of_dataset(dataset: &str) -> Result<Option<Self>, Failure> {
        Ok(Self::of_state(&records::state(dataset)?))
    }

    /// In one line, as `unread[].why` has it: the code word first.
    #[must_use]
    pub fn why(&self) -> String {
        let (code, details) = match self {
            Self::Off(details) => ("off", details),
            Self::NeverImported(details) => ("never imported", details),
            Self::NotAsked(details) => return details.clone(),
            Self::Failed(failure) => return why(failure),
        };
        if details.is_empty() {
            code.to_owned()
        } else {
            format!("{code}: {details}")
        }
    }

    /// The source as a section names it. Only a failure has a beginning: it is carried over from the stored section.
    #[must_use]
    pub fn unread(&self, source: &str, previous: Option<&str>) -> Unread {
        let since = match self {
            Self::Failed(_) => Some(since(previous, source)),
            Self::Off(_) | Self::NeverImported(_) | Self::NotAsked(_) => None,
        };
        Unread {
            source: source.to_owned(),
            since,
            why: self.why(),
        }
    }
}

/// One source that could not be read, as a section's `unread` names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// A dataset of the connector, an upstream, or another name that clients know the source by.
    pub source: String,
    /// Since when it is not read, or when it was last read: RFC 3339 or a date, where that is known.
    pub since: Option<String>,
    /// Why, in a few words.
    pub why: String,
}

impl Unread {
    /// A dataset that has a row about the company which could not be read; see [`records::unreadable_row`].
    #[must_use]
    pub fn of_odd_row(dataset: &str) -> Self {
        Self {
            source: dataset.to_owned(),
            since: None,
            why: "malformed: a row of the list about this company could not be read".to_owned(),
        }
    }

    /// As the contract names it beside a section.
    #[must_use]
    pub fn field(&self) -> Field {
        Field {
            name: self.source.clone(),
            value: self.why.clone(),
        }
    }

    /// In one line, for a failure: the dataset and why it says nothing.
    #[must_use]
    pub fn of_its_dataset(&self) -> String {
        format!("the dataset {}: {}", self.source, self.why)
    }
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
    pub fn has(&mut self, dataset: &str) -> Result<bool, Failure> {
        let missing = of_dataset(dataset)?;
        let has = missing.is_none();
        self.unread.extend(missing);
        Ok(has)
    }

    /// The section with this content, which must contain [`Sources::unread`] wherever it is an object.
    ///
    /// # Errors
    /// As [`section`].
    pub fn section(self, content: &impl Serialize) -> Result<Section, Failure> {
        section(content, &self.unread, self.evidence)
    }
}

/// A section with this content, which must contain the same unread sources wherever it is an object; `evidence` are
/// the answers that it was made from.
///
/// # Errors
/// The content is no JSON: a map whose keys are no texts, for example.
pub fn section(
    content: &impl Serialize,
    unread: &[Unread],
    evidence: Vec<Evidence>,
) -> Result<Section, Failure> {
    Ok(Section {
        content: to_json(content)?,
        unread: unread.iter().map(Unread::field).collect(),
        evidence,
        details: Vec::new(),
    })
}

/// Why nothing can be said from a dataset; `None` where something can.
///
/// # Errors
/// What the host refused.
pub fn of_dataset(dataset: &str) -> Result<Option<Unread>, Failure> {
    Ok(of_state(dataset, &records::state(dataset)?))
}

/// The state of a dataset from which something can be said, for sections that are nothing without it.
///
/// # Errors
/// [`Failure::Unavailable`] for a dataset that is off or was never imported, and what the host refused.
pub fn imported(dataset: &str) -> Result<DatasetState, Failure> {
    let state = records::state(dataset)?;
    match of_state(dataset, &state) {
        Some(missing) => Err(Failure::Unavailable(missing.of_its_dataset())),
        None => Ok(state),
    }
}

/// The same as [`of_dataset`], of a state that is known already. It does not repeat why an import failed.
#[must_use]
pub fn of_state(dataset: &str, state: &DatasetState) -> Option<Unread> {
    Gap::of_state(state).map(|gap| Unread {
        source: dataset.to_owned(),
        since: state.imported_at.clone(),
        why: gap.why(),
    })
}

/// Since when a source is unread: what the section that is stored says of it, else now.
#[must_use]
pub fn since(previous: Option<&str>, source: &str) -> String {
    let stored = previous.and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let of_source = stored.as_ref().and_then(|section| {
        let unread = section["unread"].as_array()?;
        let same = unread.iter().find(|one| one["source"] == source)?;
        same["since"].as_str()
    });
    of_source.map_or_else(runtime::now, str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestHost;

    #[test]
    fn a_source_stays_unread_since_it_first_was() {
        TestHost::new().now("2026-01-15T08:00:00Z").install();
        let previous = r#"{"unread":[{"source":"a","since":"2026-01-01T00:00:00Z","why":"x"},{"source":"b","since":null,"why":"x"}]}"#;
        assert_eq!(since(Some(previous), "a"), "2026-01-01T00:00:00Z");
        for (previous, source) in [
            (Some(previous), "b"),
            (Some(previous), "c"),
            (Some("["), "a"),
            (None, "a"),
        ] {
            assert_eq!(since(previous, source), "2026-01-15T08:00:00Z", "{source}");
        }
    }

    #[test]
    fn why_an_import_failed_is_not_repeated() {
        let failed = "malformed: row of Jozef Vymyslený";
        for (host, why) in [
            (TestHost::new(), "never imported"),
            (
                TestHost::new().failed("list", failed),
                "never imported: the newest attempt failed",
            ),
            (
                TestHost::new().off("list"),
                "off: switched off by the operator",
            ),
        ] {
            host.install();
            let missing = of_dataset("list").ok().flatten();
            assert_eq!(missing.map(|missing| missing.why).as_deref(), Some(why));
            let expected = format!("the dataset list: {why}");
            let failed = imported("list");
            assert!(matches!(&failed, Err(Failure::Unavailable(told)) if *told == expected));
        }
        TestHost::new()
            .dataset("list", "2026-01-15T08:00:00Z", None, Vec::new())
            .install();
        assert!(imported("list").is_ok());
    }

    #[test]
    fn what_was_found_is_not_repeated() {
        let failure = crate::malformed("row 3: name", "a name", "Jozef Vymyslený");
        assert_eq!(why(&failure), "malformed: row 3: name: expected a name");
    }
}
