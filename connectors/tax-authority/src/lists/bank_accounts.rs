//! Accounts that VAT payers use for business (`ds_dph_iban`). Not to be confused with `ds_dph_oud`, the authority's
//! own.

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, iban};
use serde::{Deserialize, Serialize};

use super::Entry;

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[("ic_dph", "IC_DPH"), ("ico", "ICO"), ("iban", "IBAN")];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankAccount {
    /// The owner's IČ DPH as in the list.
    pub ic_dph: String,
    /// The account, without spaces and in upper case.
    pub iban: String,
}

/// The key prefix of a payer's accounts. The separator ends the number, so that no longer number matches.
#[must_use]
pub fn key_prefix(ic_dph: &str) -> String {
    format!("{ic_dph}:")
}

/// Reads one row. An account with wrong check digits is skipped.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(ic_dph) = cells.compact("ic_dph") else {
        cells.odd("without_ic_dph");
        return Ok(None);
    };
    let Some(iban) = cells.compact("iban").filter(|iban| iban::is_valid(iban)) else {
        cells.odd("invalid_iban");
        return Ok(None);
    };
    let ico = cells.ico();
    let key = format!("{}{iban}", key_prefix(&ic_dph));
    Entry::new(key, [ico.clone(), None], ico, &BankAccount { ic_dph, iban }).map(Some)
}
