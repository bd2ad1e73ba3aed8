//! The sections of a company's profile, one file per scope.

pub mod bank_accounts;
pub mod erased_vat;
pub mod tax;
pub mod tax_reliability;
