//! Accounts that VAT payers use for business (`ds_dph_iban`). Not to be confused with `ds_dph_oud`, the authority's own.

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, iban};
use serde::{Deserialize, Serialize};

use super::Entry;

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[("ic_dph", "IC_DPH"), ("ico", "ICO"), ("iban", "IBAN")];

/// One published account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BankAccount {
    /// Whose it is: the IČ DPH as the list gives it.
    pub ic_dph: String,
    /// The account, without spaces and in upper case.
    pub iban: String,
}

/// What the keys of a payer's accounts begin with. The separator ends the number, so that no longer one is found.
#[must_use]
pub fn key_prefix(ic_dph: &str) -> String {
    format!("{ic_dph}:")
}

/// Reads one row. An account whose check digits fail is nobody's.
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
