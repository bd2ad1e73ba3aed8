//! The stored form of a registration.

use lustra_sdk::listed::{Term, UPSTREAM};
use lustra_sdk::sheet::Row;
use lustra_sdk::{Failure, malformed};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;

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

/// Reads a row: the text that distinguishes it from the company's other rows, and the registration.
///
/// # Errors
/// [`Failure::Malformed`] for a row that is not understood.
pub fn read(row: &Row<'_>, settings: &Settings) -> Result<(String, Enterprise), Failure> {
    // Without either column a revoked status would look like a valid one.
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
        term: Term::of(granted_at.clone(), revoked_at, row, &settings.status_words)?,
    };
    let certificate = enterprise.certificate.clone().or(granted_at);
    Ok((certificate.unwrap_or_default(), enterprise))
}
