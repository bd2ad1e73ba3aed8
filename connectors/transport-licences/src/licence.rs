//! The stored form of a licence.

use lustra_sdk::Failure;
use lustra_sdk::listed::Term;
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The stored part of a row. Names of companies and transport managers are not stored: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    pub number: String,
    /// The kind, in the list's words.
    pub kind: String,
    /// Whether it is a Community licence.
    pub is_eurolicence: bool,
    /// The number of vehicles that it covers.
    pub vehicles: Option<u64>,
    pub authority: Option<String>,
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
    let kind = row.required("kind")?;
    let folded = fold(&kind);
    let mut eurolicence = settings.eurolicence_words.iter().map(|word| fold(word));
    let licence = Licence {
        number: row.required("number")?,
        is_eurolicence: eurolicence.any(|word| folded.contains(&word)),
        kind,
        vehicles: row.count("vehicles")?,
        authority: row.text("authority"),
        issued_on: row.date("issued_on")?,
        term: Term::read(row, &settings.status_words)?,
    };
    Ok((format!("{} {}", licence.number, licence.kind), licence))
}
