//! The lists of the tax authority and the records of their rows.
//!
//! Each list has a file with its row parser; [`lustra_sdk::tax_lists`] fetches and reads lists. Names and
//! addresses are not stored: no section needs them, and many belong to sole traders.

pub mod bank_accounts;
pub mod erased_vat_payers;
pub mod income_tax_subjects;
pub mod owner;
pub mod reliability;
pub mod run;
pub mod vat_payers;
pub mod vat_violators;

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::tax_lists::{Cells, ListKind};
use lustra_sdk::{Failure, records};

pub use lustra_sdk::tax_lists::Entry;

/// A list that is imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dataset {
    /// Subjects registered for VAT.
    VatPayers,
    /// VAT payers with grounds for having their registration cancelled.
    VatViolators,
    /// Subjects whose VAT registration was cancelled for such grounds.
    ErasedVatPayers,
    /// Accounts that VAT payers use for business.
    BankAccounts,
    /// The index of tax reliability.
    Reliability,
    /// Subjects registered for income tax: the DIČ of an IČO.
    IncomeTaxSubjects,
}

impl Dataset {
    /// All of them, in the manifest's order.
    pub const ALL: [Self; 6] = [
        Self::VatPayers,
        Self::VatViolators,
        Self::ErasedVatPayers,
        Self::BankAccounts,
        Self::Reliability,
        Self::IncomeTaxSubjects,
    ];

    /// The dataset with this id in the manifest.
    #[must_use]
    pub fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dataset| dataset.id() == id)
    }

    /// Its id in the manifest.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::VatPayers => "vat-payers",
            Self::VatViolators => "vat-violators",
            Self::ErasedVatPayers => "erased-vat-payers",
            Self::BankAccounts => "bank-accounts",
            Self::Reliability => "reliability",
            Self::IncomeTaxSubjects => "income-tax-subjects",
        }
    }

    /// The imported records of a company, deserialized.
    ///
    /// # Errors
    /// The host's refusal, and a record of another version.
    pub fn of_company<T: DeserializeOwned>(self, ico: &str) -> Result<Vec<T>, Failure> {
        let stored = records::all_of_company(self.id(), ico)?;
        stored.iter().map(records::content).collect()
    }

    /// The imported records with this key prefix.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn of_key(self, key: &str) -> Result<Vec<records::Stored>, Failure> {
        records::all_of_key(self.id(), key)
    }
}

impl ListKind for Dataset {
    fn id(self) -> &'static str {
        Self::id(self)
    }

    fn slug(self) -> &'static str {
        match self {
            Self::VatPayers => "ds_dphs",
            Self::VatViolators => "ds_dphz",
            Self::ErasedVatPayers => "ds_dphv",
            Self::BankAccounts => "ds_dph_iban",
            Self::Reliability => "ds_iz_ran",
            Self::IncomeTaxSubjects => "ds_dsrdp",
        }
    }

    fn columns(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::VatPayers => vat_payers::COLUMNS,
            Self::VatViolators => vat_violators::COLUMNS,
            Self::ErasedVatPayers => erased_vat_payers::COLUMNS,
            Self::BankAccounts => bank_accounts::COLUMNS,
            Self::Reliability => reliability::COLUMNS,
            Self::IncomeTaxSubjects => income_tax_subjects::COLUMNS,
        }
    }

    fn mandatory(self) -> &'static [&'static str] {
        match self {
            Self::VatPayers => &["ic_dph", "ico", "registration_type"],
            Self::VatViolators | Self::ErasedVatPayers => &["ic_dph", "ico"],
            // The IČO column was added later. Without it, accounts are found by IČ DPH.
            Self::BankAccounts => &["ic_dph", "iban"],
            Self::Reliability => &["dic", "ico", "index"],
            Self::IncomeTaxSubjects => &["dic", "ico"],
        }
    }

    fn entry(self, cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
        match self {
            Self::VatPayers => vat_payers::entry(cells),
            Self::VatViolators => vat_violators::entry(cells),
            Self::ErasedVatPayers => erased_vat_payers::entry(cells),
            Self::BankAccounts => bank_accounts::entry(cells),
            Self::Reliability => reliability::entry(cells),
            Self::IncomeTaxSubjects => income_tax_subjects::entry(cells),
        }
    }
}
