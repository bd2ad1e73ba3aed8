//! Partners and shareholders with their part of the capital.

use lustra_sdk::person::without_titles;
use lustra_sdk::text;
use serde::Serialize;

use crate::extract::Extract;
use crate::labels::Label;
use crate::money::{Deposit, percentage};
use crate::people::{keep_earlier, name_only, named_person};

/// One partner, or the only shareholder.
#[derive(Debug, Serialize)]
pub struct Shareholder {
    name: String,
    address: Option<String>,
    share_amount: Option<String>,
    share_percentage: Option<String>,
    share_paid: Option<String>,
    share_currency: Option<String>,
    contribution_kind: Option<String>,
    /// The lien on the deposit: left out if the entry was not understood, `None` if it states no lien.
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit_lien: Option<Option<String>>,
    is_company: bool,
    ico: Option<String>,
    function: Option<String>,
    stakeholder_type: &'static str,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

/// All current holders of a share.
#[must_use]
pub fn shareholders(extract: &Extract) -> Vec<Shareholder> {
    let deposits: Vec<Deposit> = extract
        .valid(Label::Deposits)
        .filter_map(Deposit::read)
        .collect();
    let mut shareholders: Vec<Shareholder> = Vec::new();
    for (label, stakeholder_type) in [
        (Label::Partners, "Spoločník"),
        (Label::Shareholder, "Akcionár"),
    ] {
        for entry in extract.valid(label) {
            let person = named_person(entry).unwrap_or_else(name_only);
            let known = shareholders.iter_mut().find(|known| {
                known.name == person.name
                    && known.address == person.address
                    && known.ico == person.ico
            });
            if let Some(known) = known {
                keep_earlier(&mut known.effective_from, entry);
                continue;
            }
            shareholders.push(Shareholder {
                name: person.name,
                address: person.address,
                share_amount: None,
                share_percentage: None,
                share_paid: None,
                share_currency: None,
                contribution_kind: None,
                deposit_lien: None,
                is_company: !person.is_natural,
                ico: person.ico,
                function: person.function,
                stakeholder_type,
                effective_from: entry.from.clone(),
                effective_to: entry.to.clone(),
                current: true,
            });
        }
    }
    let names: Vec<String> = shareholders
        .iter()
        .map(|shareholder| without_titles(&text::fold(&shareholder.name)))
        .collect();
    for (at, shareholder) in shareholders.iter_mut().enumerate() {
        if let Some(deposit) = deposit_of(at, &names, &deposits) {
            let percentage = deposit
                .amount
                .as_ref()
                .and_then(|amount| percentage(amount, &deposits));
            shareholder.share_percentage = percentage;
            shareholder.share_currency = deposit
                .amount
                .as_ref()
                .and_then(|amount| amount.currency.clone());
            shareholder.share_amount = deposit.amount.map(|amount| amount.printed);
            shareholder.share_paid = deposit.paid.map(|paid| paid.printed);
            shareholder.contribution_kind = deposit.kind;
            shareholder.deposit_lien = deposit.lien;
        }
    }
    shareholders
}

/// Deposits name only their partner. Partners with the same name get theirs in the page's order if both counts
/// are equal; otherwise the assignment is unknown.
fn deposit_of(at: usize, names: &[String], deposits: &[Deposit]) -> Option<Deposit> {
    let name = &names[at];
    let namesakes = names.iter().filter(|other| *other == name).count();
    let theirs: Vec<&Deposit> = deposits
        .iter()
        .filter(|deposit| without_titles(&deposit.name) == *name)
        .collect();
    match namesakes {
        1 => Deposit::together(&theirs),
        _ if namesakes == theirs.len() => {
            let before = names[..at].iter().filter(|other| *other == name).count();
            Some(theirs[before].clone())
        }
        _ => None,
    }
}
