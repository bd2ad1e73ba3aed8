//! Finds rows without a readable IČO by the company's DIČ, which the IČ DPH of an ordinary payer contains.
//!
//! A row with another IČO is never the company's. Rows of a VAT group have a number of their own and are not found.

use std::collections::BTreeSet;

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::{Failure, records, unread};

use super::{Dataset, income_tax_subjects, reliability};

/// The rows of a company: those with its IČO, else those without any IČO under its DIČ.
///
/// # Errors
/// The host's refusal, and a record of another version.
pub fn rows<T: DeserializeOwned>(dataset: Dataset, ico: &str) -> Result<Vec<T>, Failure> {
    let own: Vec<T> = dataset.of_company(ico)?;
    if !own.is_empty() {
        return Ok(own);
    }
    let mut rows = Vec::new();
    for dic in dics(ico)? {
        let number = match dataset {
            Dataset::Reliability => dic,
            Dataset::VatPayers
            | Dataset::VatViolators
            | Dataset::ErasedVatPayers
            | Dataset::BankAccounts
            | Dataset::IncomeTaxSubjects => format!("SK{dic}"),
        };
        for stored in dataset.of_key(&number)? {
            // A longer, invalid number may begin with the same digits.
            let rest = stored.key.strip_prefix(&number);
            let is_whole = rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            if stored.ico.is_none() && is_whole {
                rows.push(records::content(&stored)?);
            }
        }
    }
    Ok(rows)
}

/// The DIČ of a company in the list of income-tax subjects, else in the reliability index. Empty if neither has it.
///
/// # Errors
/// As [`rows`].
pub fn dics(ico: &str) -> Result<BTreeSet<String>, Failure> {
    let mut dics = BTreeSet::new();
    if unread::of_dataset(Dataset::IncomeTaxSubjects.id())?.is_none() {
        let subjects: Vec<income_tax_subjects::Subject> =
            Dataset::IncomeTaxSubjects.of_company(ico)?;
        dics.extend(subjects.into_iter().map(|subject| subject.dic));
    }
    if dics.is_empty() && unread::of_dataset(Dataset::Reliability.id())?.is_none() {
        let ratings: Vec<reliability::Rating> = Dataset::Reliability.of_company(ico)?;
        dics.extend(ratings.into_iter().filter_map(|rating| rating.dic));
    }
    Ok(dics)
}
