//! The stored form of a licence.

use lustra_sdk::Failure;
use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use serde::{Deserialize, Serialize};

use crate::kinds::KindWords;

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

/// Makes the reader of rows with the current settings. It returns a key that distinguishes a row from others of its
/// company, and the licence.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Licence), Failure>, Failure> {
    let words = StatusWords::of_settings(StatusWords::default())?;
    let kinds = KindWords::of_settings()?;
    Ok(move |row: &Row<'_>| {
        let kind = row.text("kind");
        let licence = Licence {
            number: row.required("number")?,
            kinds: kinds.kinds(kind.as_deref().unwrap_or_default()),
            kind,
            issued_by: row.text("issued_by"),
            issued_on: row.date("issued_on")?,
            term: Term::read(row, &words)?,
        };
        let own = format!(
            "{} {}",
            licence.number,
            licence.kind.as_deref().unwrap_or_default()
        );
        Ok((own, licence))
    })
}
