//! An agency and its protection as they are kept.

use lustra_sdk::Failure;
use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use serde::{Deserialize, Serialize};

use crate::bans::BanWords;

/// What a row says.
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
    /// None where the list says nothing of bans.
    pub has_ban: Option<bool>,
    /// How long the protection lasts.
    #[serde(flatten)]
    pub term: Term,
}

/// The list's words for an agency that is protected, that is not, and that is no agency any more.
#[must_use]
pub fn status_words() -> StatusWords {
    StatusWords::of(
        &["v ochrane", "chránená", "platná", "aktívna"],
        &["bez ochrany", "nechránená"],
        &["zrušená", "vymazaná", "ukončená", "ukončená činnosť"],
    )
}

/// Reads rows with the settings that hold: what tells a row from others of its company, and the agency.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Agency), Failure>, Failure> {
    let mut words = StatusWords::of_settings(status_words())?;
    let bans = BanWords::of_settings()?;
    // A ban is told by itself; beside it the contract goes on.
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
