//! Accounts that the authority keeps for payers (`ds_dph_oud`): where tax is paid to. They are not the payers' own.

use lustra_sdk::tax_lists::{Cells, Entry};
use lustra_sdk::{Failure, iban};
use serde::{Deserialize, Serialize};

use super::Listed;
use super::owner::Owner;

/// The columns.
pub const COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("ic_dph", "IC_DPH"),
    ("iban", "IBAN"),
    ("name", "NAZOV_SUBJEKTU"),
    ("street", "ULICA_CISLO"),
    ("city", "OBEC"),
    ("postal_code", "PSC"),
    ("country", "STAT"),
];

/// One account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The payer's name as the list gives it.
    pub name: Option<String>,
    /// The account, without spaces and in upper case.
    pub iban: Option<String>,
    /// The code of the bank: digits 5 to 8 of a Slovak IBAN.
    pub bank_code: Option<String>,
    /// The payer's street and number.
    pub street: Option<String>,
    /// The payer's municipality.
    pub city: Option<String>,
    /// The payer's postal code without spaces.
    pub postal_code: Option<String>,
    /// The payer's country in the list's words.
    pub country: Option<String>,
}

impl Listed for Account {
    fn newest_by(&self) -> String {
        // They have no date.
        String::new()
    }
}

/// Reads one row. An account whose check digits fail is one that nobody should pay to.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(iban) = cells.compact("iban").filter(|iban| iban::is_valid(iban)) else {
        cells.note("invalid_iban");
        return Ok(None);
    };
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let key = owner.key(&iban);
    let account = Account {
        name: cells.text("name"),
        bank_code: iban::bank_code(&iban).map(str::to_owned),
        iban: Some(iban),
        street: cells.text("street"),
        city: cells.text("city"),
        postal_code: cells.compact("postal_code"),
        country: cells.text("country"),
    };
    Entry::new(key, [None, None], owner.ico, &account).map(Some)
}
