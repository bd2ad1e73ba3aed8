//! The stored form of a licence.

use lustra_sdk::Failure;
use lustra_sdk::listed::Term;
use lustra_sdk::sheet::Row;
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The stored part of a row. Names are not stored: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    pub number: String,
    /// The kinds, in the list's words.
    pub kind: Option<String>,
    /// The kinds as separate values.
    pub kinds: Vec<String>,
    pub issued_by: Option<String>,
    /// The day of issue: `YYYY-MM-DD`.
    pub issued_on: Option<String>,
    /// The validity of the licence.
    #[serde(flatten)]
    pub term: Term,
}

/// Reads a row: the text that distinguishes it from the company's other rows, and the licence.
///
/// # Errors
/// [`Failure::Malformed`] for a row that is not understood.
pub fn read(row: &Row<'_>, settings: &Settings) -> Result<(String, Licence), Failure> {
    let kind = row.text("kind");
    let licence = Licence {
        number: row.required("number")?,
        kinds: settings
            .kind_words
            .kinds(kind.as_deref().unwrap_or_default()),
        kind,
        issued_by: row.text("issued_by"),
        issued_on: row.date("issued_on")?,
        term: Term::read(row, &settings.status_words)?,
    };
    let kind = licence.kind.as_deref().unwrap_or_default();
    Ok((format!("{} {kind}", licence.number), licence))
}
