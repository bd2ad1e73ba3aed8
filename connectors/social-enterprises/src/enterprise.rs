//! The stored form of a registration.

use lustra_sdk::listed::{StatusWords, Term, UPSTREAM};
use lustra_sdk::sheet::Row;
use lustra_sdk::{Failure, malformed};
use serde::{Deserialize, Serialize};

/// The stored part of a row. Names and seats are not stored: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enterprise {
    /// The kind of enterprise, in the list's words.
    pub kind: Option<String>,
    /// The number of the certificate.
    pub certificate: Option<String>,
    /// The term from the grant to the day of revocation.
    #[serde(flatten)]
    pub term: Term,
}

/// Makes the reader of rows with the current settings. It returns a key that distinguishes a row from others of its
/// company, and the registration.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Enterprise), Failure>, Failure> {
    let words = StatusWords::of_settings(StatusWords::default())?;
    Ok(move |row: &Row<'_>| {
        // Without either column, current and former social enterprises could not be distinguished.
        if !row.has("revoked_at") && !row.has("status") {
            return Err(malformed(
                format!("{UPSTREAM}: header"),
                "a column of the status or of the day of revocation",
                "neither",
            ));
        }
        let (granted_at, revoked_at) = (row.date("granted_at")?, row.date("revoked_at")?);
        let enterprise = Enterprise {
            kind: row.text("kind"),
            certificate: row.text("certificate"),
            term: Term::of(granted_at.clone(), revoked_at, row, &words)?,
        };
        let certificate = enterprise.certificate.clone().or(granted_at);
        Ok((certificate.unwrap_or_default(), enterprise))
    })
}
