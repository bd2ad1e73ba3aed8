//! The stored form of a licence.

use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

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

/// Texts that mark the kind of a Community licence, compared without case and diacritics. The default of the setting
/// `eurolicence_words`.
pub const EUROLICENCE_WORDS: [&str; 3] = ["eurolicencia", "licencia Spoločenstva", "licencia EÚ"];

/// Makes the reader of rows with the current settings. It returns a key that distinguishes a row from others of its
/// company, and the licence.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Licence), Failure>, Failure> {
    let words = StatusWords::of_settings(StatusWords::default())?;
    let eurolicence: Vec<String> = runtime::setting("eurolicence_words")?
        .unwrap_or_else(|| EUROLICENCE_WORDS.map(str::to_owned).to_vec());
    let eurolicence: Vec<String> = eurolicence.iter().map(|word| fold(word)).collect();
    Ok(move |row: &Row<'_>| {
        let kind = row.required("kind")?;
        let folded = fold(&kind);
        let licence = Licence {
            number: row.required("number")?,
            is_eurolicence: eurolicence.iter().any(|word| folded.contains(word)),
            kind,
            vehicles: row.count("vehicles")?,
            authority: row.text("authority"),
            issued_on: row.date("issued_on")?,
            term: Term::read(row, &words)?,
        };
        Ok((format!("{} {}", licence.number, licence.kind), licence))
    })
}
