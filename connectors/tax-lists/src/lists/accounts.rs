//! Accounts that the authority keeps for payers (`ds_dph_oud`), to which VAT is paid. They are not the payers' own.
//!
//! Such an account is `SK`, two check digits, the code of the State Treasury (`8180`), the prefix of VAT (`500240`) and
//! the payer's own ten digits. A row with another account is odd: showing it would misdirect payments.

use lustra_sdk::tax_lists::{Cells, Entry};
use lustra_sdk::{Failure, iban};
use serde::{Deserialize, Serialize};

use super::Listed;
use super::owner::Owner;

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

/// The digits behind the check digits of every account of the list: the bank's code and the prefix of VAT.
const TREASURY_AND_VAT: &str = "8180500240";

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
    pub city: Option<String>,
    /// The payer's postal code without spaces.
    pub postal_code: Option<String>,
    /// The payer's country in the list's words.
    pub country: Option<String>,
}

impl Listed for Account {
    fn newest_by(&self) -> String {
        // Accounts have no date.
        String::new()
    }
}

/// Reads one row. An account with wrong check digits must not be paid to.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(iban) = cells.compact("iban").filter(|iban| iban::is_valid(iban)) else {
        cells.odd("invalid_iban");
        return Ok(None);
    };
    if !is_of_the_authority(&iban) {
        cells.odd("account_of_another_form");
        return Ok(None);
    }
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

/// Whether an IBAN has the shape of the authority's accounts for VAT.
fn is_of_the_authority(iban: &str) -> bool {
    let own = iban
        .strip_prefix("SK")
        .and_then(|rest| rest.get(2..))
        .and_then(|rest| rest.strip_prefix(TREASURY_AND_VAT));
    own.is_some_and(|own| own.len() == 10 && own.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_treasury_vat_accounts_are_accepted() {
        for (iban, expected) in [
            ("SK1281805002401234567890", true),
            ("SK1281805002241234567890", false),
            ("SK1211005002401234567890", false),
            ("SK128180500240123456789", false),
            ("CZ1281805002401234567890", false),
        ] {
            assert_eq!(is_of_the_authority(iban), expected, "{iban}");
        }
    }
}
