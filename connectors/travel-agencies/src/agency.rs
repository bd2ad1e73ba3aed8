//! The stored form of an agency and its protection.

use lustra_sdk::Failure;
use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use serde::{Deserialize, Serialize};

use crate::bans::BanWords;

/// The stored part of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agency {
    /// The name, in the list's spelling.
    pub name: Option<String>,
    /// The seat on one line.
    pub address: Option<String>,
    /// The insurer or bank.
    pub provider: Option<String>,
    /// The number of the contract.
    pub contract: Option<String>,
    /// The sum in EUR, as decimal text.
    pub amount: Option<String>,
    /// Whether the agency is banned. `None` if the list does not state bans.
    pub has_ban: Option<bool>,
    /// The term of the protection.
    #[serde(flatten)]
    pub term: Term,
}

/// The list's words for an agency that is protected, that is not, and that is no longer an agency.
#[must_use]
pub fn status_words() -> StatusWords {
    StatusWords::of(
        &["v ochrane", "chránená", "platná", "aktívna"],
        &["bez ochrany", "nechránená"],
        &["zrušená", "vymazaná", "ukončená", "ukončená činnosť"],
    )
}

/// Makes the reader of rows with the current settings. It returns a key that distinguishes a row from others of its
/// company, and the agency.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Agency), Failure>, Failure> {
    let mut words = StatusWords::of_settings(status_words())?;
    let bans = BanWords::of_settings()?;
    // The section shows a ban separately. The contract of a banned agency continues.
    words.valid.extend(bans.banned.iter().cloned());
    Ok(move |row: &Row<'_>| {
        let agency = Agency {
            name: row.text("name"),
            address: row.text("address"),
            provider: row.text("provider"),
            contract: row.text("contract"),
            amount: row.amount("amount")?,
            has_ban: bans.read(row)?,
            term: Term::read(row, &words)?,
        };
        let first_day = agency.term.valid_from.as_deref().unwrap_or_default();
        let contract = agency.contract.as_deref().unwrap_or_default();
        Ok((format!("{contract} {first_day}"), agency))
    })
}
