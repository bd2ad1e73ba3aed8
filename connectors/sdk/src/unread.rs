//! Sources that could not be read for a section, so that clients do not mistake missing data for
//! absence.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::failure;
use crate::records::DatasetState;
use crate::{Evidence, Failure, Field, Section, records, runtime, to_json};

/// Why a source, or a part of it, is missing in a section. [`Display`](fmt::Display) writes the
/// reason of the contract, on one line. Hosts read the code word before the first colon, the rest is
/// for people.
#[derive(Debug, Clone)]
pub enum Gap {
    /// The operator switched the source off: `off`. A retry is useless.
    Off(String),
    /// No import of the source has succeeded yet: `never imported`. A retry is useless.
    NeverImported(String),
    /// A setting or the form of the source limits how much was read, and there is more: `truncated`. A
    /// retry is useless.
    Truncated(String),
    /// The newest reading is old: `behind`.
    Behind(String),
    /// The first reading is not complete yet: `in part`.
    InPart(String),
    /// An entry about the company could not be read: `malformed`.
    OddEntry(String),
    /// The source was read, but not all of it, or not all of it is understood, and a retry may help.
    /// Without a code.
    Partly(String),
    /// The source was queried and failed. The code is the failure's; `misconfigured` means that a
    /// retry is useless.
    Failed(Failure),
    /// Several reasons. Hosts read the code word of the first one.
    Several(Vec<Gap>),
}

/// Words that begin a reason with a meaning. Reasons without a code must not begin with them.
#[cfg(not(target_family = "wasm"))]
const CODES: [&str; 10] = [
    "off",
    "never imported",
    "truncated",
    "misconfigured",
    "malformed",
    "unavailable",
    "throttled",
    "refused",
    "limit",
    "busy",
];

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (code, details) = match self {
            Self::Off(details) => ("off", details),
            Self::NeverImported(details) => ("never imported", details),
            Self::Truncated(details) => ("truncated", details),
            Self::Behind(details) => ("behind", details),
            Self::InPart(details) => ("in part", details),
            Self::OddEntry(details) => ("malformed", details),
            Self::Partly(details) => return f.write_str(details),
            Self::Failed(failure) => return f.write_str(&why(failure)),
            Self::Several(gaps) => {
                for (place, gap) in gaps.iter().enumerate() {
                    f.write_str(if place == 0 { "" } else { "; " })?;
                    gap.fmt(f)?;
                }
                return Ok(());
            }
        };
        f.write_str(code)?;
        if details.is_empty() {
            return Ok(());
        }
        write!(f, ": {details}")
    }
}

/// Gaps are equal if their reasons read the same.
impl PartialEq for Gap {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Gap {}

impl Serialize for Gap {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Gap {
    /// The gap of a dataset in this state. `None` if the dataset is usable, even from an older
    /// list.
    ///
    /// Does not repeat why an import failed: the reason may quote the register's text about other
    /// subjects.
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

    /// Like [`Gap::of_state`], for a dataset by its name.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn of_dataset(dataset: &str) -> Result<Option<Self>, Failure> {
        Ok(Self::of_state(&records::state(dataset)?))
    }

    /// A reason in words alone, for what no other kind describes: [`Gap::Partly`].
    ///
    /// # Panics
    /// In native tests, if the words begin with a code, which belongs to another kind.
    #[must_use]
    pub fn partly(words: impl Into<String>) -> Self {
        let words = words.into();
        #[cfg(not(target_family = "wasm"))]
        assert!(!has_code(&words), "this reason has a code: {words}");
        Self::Partly(words)
    }

    /// True if the operator switched off all that is missing.
    #[must_use]
    pub fn is_off(&self) -> bool {
        match self {
            Self::Off(_) => true,
            Self::Several(gaps) => !gaps.is_empty() && gaps.iter().all(Self::is_off),
            Self::NeverImported(_)
            | Self::Truncated(_)
            | Self::Behind(_)
            | Self::InPart(_)
            | Self::OddEntry(_)
            | Self::Partly(_)
            | Self::Failed(_) => false,
        }
    }

    /// The entry of the source in a section's `unread`. Only a failure has a start time, which is
    /// carried over from the stored section.
    #[must_use]
    pub fn unread(self, source: &str, previous: Option<&str>) -> Unread {
        Unread {
            source: source.to_owned(),
            since: matches!(self, Self::Failed(_)).then(|| since(previous, source)),
            why: self,
        }
    }

    /// The entry of a dataset in this state, with the time of its last import.
    #[must_use]
    pub fn unread_dataset(self, dataset: &str, state: &DatasetState) -> Unread {
        Unread {
            source: dataset.to_owned(),
            since: state.imported_at.clone(),
            why: self,
        }
    }
}

/// A source that could not be read, as listed in a section's `unread`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// A dataset of the connector, an upstream, or another source name that clients know.
    pub source: String,
    /// Start of the outage or time of the last successful read, if known: RFC 3339 or a date.
    pub since: Option<String>,
    /// The reason; in a section and in the contract a text.
    pub why: Gap,
}

impl Unread {
    /// A dataset with an unreadable row about the company; see [`records::unreadable_row`].
    #[must_use]
    pub fn of_odd_row(dataset: &str) -> Self {
        Self {
            source: dataset.to_owned(),
            since: None,
            why: Gap::OddEntry("a row of the list about this company could not be read".to_owned()),
        }
    }

    /// The field of the contract that accompanies a section.
    #[must_use]
    pub fn field(&self) -> Field {
        Field {
            name: self.source.clone(),
            value: self.why.to_string(),
        }
    }

    /// The dataset and its reason on one line, for a failure.
    #[must_use]
    pub fn of_its_dataset(&self) -> String {
        format!("the dataset {}: {}", self.source, self.why)
    }
}

/// The sources from which a section is built.
#[derive(Debug, Default)]
pub struct Sources {
    /// Sources that could not be read.
    pub unread: Vec<Unread>,
    /// Answers that were read for the section.
    pub evidence: Vec<Evidence>,
}

impl Sources {
    /// True if the dataset is usable. Otherwise adds it to the unread sources.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn has(&mut self, dataset: &str) -> Result<bool, Failure> {
        let missing = of_dataset(dataset)?;
        let has = missing.is_none();
        self.unread.extend(missing);
        Ok(has)
    }

    /// Builds the section. The content must contain [`Sources::unread`] if it is an object.
    ///
    /// # Errors
    /// As [`section`].
    pub fn section(self, content: &impl Serialize) -> Result<Section, Failure> {
        section(content, &self.unread, self.evidence)
    }
}

/// Builds a section. The content must contain the same unread sources if it is an object.
/// `evidence` lists the answers it was built from.
///
/// # Errors
/// The content cannot be represented as JSON, for example a map with keys that are not texts.
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

/// Why the dataset is unusable, or `None` if it is usable.
///
/// # Errors
/// The host's refusal.
pub fn of_dataset(dataset: &str) -> Result<Option<Unread>, Failure> {
    Ok(of_state(dataset, &records::state(dataset)?))
}

/// The state of a usable dataset, for sections that depend on this dataset alone.
///
/// # Errors
/// [`Failure::Unavailable`] for a dataset that is off or was never imported, and the host's
/// refusal.
pub fn imported(dataset: &str) -> Result<DatasetState, Failure> {
    let state = records::state(dataset)?;
    match of_state(dataset, &state) {
        Some(missing) => Err(Failure::Unavailable(missing.of_its_dataset())),
        None => Ok(state),
    }
}

/// Like [`of_dataset`], for a known state. Does not repeat why an import failed.
#[must_use]
pub fn of_state(dataset: &str, state: &DatasetState) -> Option<Unread> {
    Gap::of_state(state).map(|gap| gap.unread_dataset(dataset, state))
}

/// Start of a source's outage: the time in the stored section, else now.
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

/// A failure on one line for a section and the log. Leaves out the value that was found: it may
/// be a person's name.
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

/// Whether a reason begins with a code word.
#[cfg(not(target_family = "wasm"))]
fn has_code(words: &str) -> bool {
    CODES.iter().any(|code| {
        let rest = words.strip_prefix(code);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests;
