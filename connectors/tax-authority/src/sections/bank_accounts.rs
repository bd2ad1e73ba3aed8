//! The scope `bank_accounts`: the accounts that a VAT payer published.
//!
//! By specification the section is an array, so it cannot name an unread list. If an unread list may contain an
//! account, there is no section.

use std::collections::BTreeSet;

use lustra_sdk::{Failure, Section, Subject, records};
use serde::Serialize;

use crate::banks;
use crate::lists::bank_accounts::{self, BankAccount};
use crate::lists::{Dataset, owner, vat_payers};
use lustra_sdk::unread::{self, Sources, Unread};

#[derive(Debug, Serialize)]
struct Account {
    iban: String,
    bank_name: Option<&'static str>,
    /// The same as `bank_name`, under the name that newer clients read.
    bank: Option<&'static str>,
    bic: Option<&'static str>,
    is_published: bool,
    /// The same as `is_published`, under the name that newer clients read.
    published: bool,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if a list that may contain an account was not read; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    if let Some(missing) = unread::of_dataset(Dataset::BankAccounts.id())? {
        return Err(unavailable(&missing));
    }
    let mut sources = Sources::default();
    let mut ibans: BTreeSet<String> = Dataset::BankAccounts
        .of_company::<BankAccount>(&subject.ico)?
        .into_iter()
        .map(|account| account.iban)
        .collect();
    match unread::of_dataset(Dataset::VatPayers.id())? {
        None => ibans.extend(by_ic_dph(&subject.ico)?),
        // Rows without an IČO cannot be found now, so an empty answer would be wrong.
        Some(missing) if ibans.is_empty() => return Err(unavailable(&missing)),
        Some(missing) => sources.unread.push(missing),
    }
    let accounts: Vec<Account> = ibans.into_iter().map(account).collect();
    sources.section(&accounts)
}

/// Accounts in rows without an IČO, by the company's IČ DPH, which contains its DIČ if no list of payers has it. Rows with an IČO belong to that company: members
/// of a VAT group share the number but not the accounts.
fn by_ic_dph(ico: &str) -> Result<Vec<String>, Failure> {
    let mut numbers: BTreeSet<String> = vat_payers::of_company(ico)?
        .into_iter()
        .map(|payer| payer.ic_dph)
        .collect();
    if numbers.is_empty() {
        let dics = owner::dics(ico)?.into_iter();
        numbers.extend(dics.map(|dic| format!("SK{dic}")));
    }
    let mut ibans = Vec::new();
    for number in numbers {
        for stored in Dataset::BankAccounts.of_key(&bank_accounts::key_prefix(&number))? {
            if stored.ico.is_none() {
                ibans.push(records::content::<BankAccount>(&stored)?.iban);
            }
        }
    }
    Ok(ibans)
}

fn account(iban: String) -> Account {
    let bank = banks::of_iban(&iban);
    Account {
        bank_name: bank.map(|bank| bank.name),
        bank: bank.map(|bank| bank.name),
        bic: bank.map(|bank| bank.bic),
        iban,
        is_published: true,
        published: true,
    }
}

fn unavailable(missing: &Unread) -> Failure {
    Failure::Unavailable(format!("the dataset {}: {}", missing.source, missing.why))
}
