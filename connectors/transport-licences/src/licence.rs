//! A licence as it is kept.

use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// What a row says. Names of companies and of transport managers are left in the list: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Licence {
    pub number: String,
    /// What it is, in the list's words.
    pub kind: String,
    /// Whether it is a Community licence.
    pub is_eurolicence: bool,
    /// For how many vehicles it is.
    pub vehicles: Option<u64>,
    pub authority: Option<String>,
    /// The day of issue: `YYYY-MM-DD`.
    pub issued_on: Option<String>,
    /// How long it is in force.
    #[serde(flatten)]
    pub term: Term,
}

/// Texts that the kind of a Community licence contains, without regard to case and diacritics, where the operator has no
/// `eurolicence_words`.
pub const EUROLICENCE_WORDS: [&str; 3] = ["eurolicencia", "licencia Spoločenstva", "licencia EÚ"];

/// Reads rows with the settings that hold: what tells a row from others of its company, and the licence.
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
