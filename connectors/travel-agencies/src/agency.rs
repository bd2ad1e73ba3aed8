//! The stored form of an agency and its protection.

use lustra_sdk::Failure;
use lustra_sdk::listed::{self, Term};
use lustra_sdk::sheet::Row;
use serde::{Deserialize, Serialize};

use crate::settings::{Settings, StatusWords};

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

/// Reads a row: the text that distinguishes it from the company's other rows, and the agency.
///
/// # Errors
/// [`Failure::Malformed`] for a row that is not understood.
pub fn read(row: &Row<'_>, settings: &Settings) -> Result<(String, Agency), Failure> {
    let agency = Agency {
        name: row.text("name"),
        address: row.text("address"),
        provider: row.text("provider"),
        contract: row.text("contract"),
        amount: row.amount("amount")?,
        has_ban: settings.ban_words.read(row)?,
        term: Term::read(row, &words(settings))?,
    };
    let first_day = agency.term.valid_from.as_deref().unwrap_or_default();
    let contract = agency.contract.as_deref().unwrap_or_default();
    Ok((format!("{contract} {first_day}"), agency))
}

/// The status words. A ban in the column of the status does not end the contract, and [`Agency::has_ban`] shows it.
fn words(settings: &Settings) -> listed::StatusWords {
    let StatusWords {
        mut valid,
        suspended,
        ended,
    } = settings.status_words.clone();
    valid.extend(settings.ban_words.banned.iter().cloned());
    listed::StatusWords {
        valid,
        suspended,
        ended,
    }
}
