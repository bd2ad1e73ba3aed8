//! Rows of the lists. A value is `None` if the file leaves the element out.

use super::{List, further_rows};
use crate::population::calendar::{Dotted, before};
use crate::population::dice::{Dice, Topic};
use crate::population::words::{ABROAD, FOREIGN_LOOK};
use crate::population::{
    Company, DebtorList, Population, VatReasons, VatRegistration, identifiers,
};
use crate::registers::fold::plain;

/// The values of one row, in the order of the list's columns.
pub(crate) type Row = Vec<Option<String>>;

/// The rows of one company: at most one, except for lists with [`List::has_several_rows`].
pub(crate) fn rows(list: List, company: &Company, seed: u64) -> Vec<Row> {
    let row = match list {
        List::Registered => company
            .vat
            .registration
            .as_ref()
            .map(|registration| registered(company, registration)),
        List::Suspected => suspected(company),
        List::Erased => erased(company),
        List::Accounts => return accounts(company),
        List::Reliability => reliability(company),
        List::Debtors => debtor(company, seed),
        List::IncomeTax => income_tax(company),
        List::OfficeAccounts => further_rows::office_account(company),
        List::Deductions => return further_rows::deductions(company),
        List::Regimes => return further_rows::regimes(company),
        List::Assessments => return further_rows::assessments(company),
        List::Research => return further_rows::research(company),
        List::Investments => return further_rows::investments(company),
        List::Patents => return further_rows::patents(company),
        List::Regulated => return further_rows::branches(company),
    };
    row.into_iter().collect()
}

pub(super) fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The country as the tax authority abbreviates it.
pub(super) fn country(company: &Company) -> Option<String> {
    let seat = company.seat();
    some(if seat.is_slovak() {
        "Slovensko"
    } else {
        seat.country
    })
}

fn registered(company: &Company, registration: &VatRegistration) -> Row {
    let seat = company.seat();
    let date = Dotted(registration.registered).to_string();
    let payer_since = registration
        .kind
        .is_payer()
        .then(|| match registration.kind_changed {
            Some(changed) => Dotted(changed).to_string(),
            None => date.clone(),
        });
    vec![
        Some(format!("SK{}", registration.number)),
        some(&company.ico),
        some(company.name()),
        some(seat.city),
        some(seat.postal_code()),
        Some(seat.street_line()),
        country(company),
        some(registration.kind.text()),
        Some(date),
        registration
            .kind_changed
            .map(|changed| Dotted(changed).to_string()),
        payer_since,
    ]
}

fn listed(company: &Company, number: &str, reasons: &VatReasons) -> Row {
    let seat = company.seat();
    vec![
        Some(format!("SK{number}")),
        some(&company.ico),
        some(company.name()),
        some(seat.city),
        some(seat.postal_code()),
        Some(seat.street_line()),
        Some(reasons.year.to_string()),
        Some(Dotted(reasons.published).to_string()),
    ]
}

fn suspected(company: &Company) -> Option<Row> {
    let registration = company.vat.registration.as_ref()?;
    Some(listed(
        company,
        &registration.number,
        company.vat.reasons.as_ref()?,
    ))
}

fn erased(company: &Company) -> Option<Row> {
    let erasure = company.vat.erasure.as_ref()?;
    let mut row = listed(company, &erasure.number, &erasure.reasons);
    row.push(Some(Dotted(erasure.erased).to_string()));
    Some(row)
}

fn accounts(company: &Company) -> Vec<Row> {
    let seat = company.seat();
    let row = |iban: &String| {
        vec![
            company.ic_dph(),
            some(&company.ico),
            some(iban),
            some(company.name()),
            some(seat.city),
            Some(seat.street_line()),
            some(seat.postal_code()),
            country(company),
        ]
    };
    company.bank_accounts.iter().map(row).collect()
}

fn reliability(company: &Company) -> Option<Row> {
    let seat = company.seat();
    Some(vec![
        company.dic.clone(),
        some(&company.ico),
        some(company.reliability?.text()),
        some(company.name()),
        some(seat.city),
        some(seat.postal_code()),
        Some(seat.street_line()),
        country(company),
    ])
}

fn income_tax(company: &Company) -> Option<Row> {
    let seat = company.seat();
    Some(vec![
        Some(company.dic.clone()?),
        some(&company.ico),
        some(company.name()),
        some(seat.city),
        some(seat.postal_code()),
        Some(seat.street_line()),
        country(company),
    ])
}

/// Debtors have no number, only a name (in quotes, or in capitals without diacritics) and an address.
fn debtor(company: &Company, seed: u64) -> Option<Row> {
    let amount = company.debt(DebtorList::Tax)?;
    let seat = company.seat();
    let mut dice = Dice::new(seed, company.index, Topic::Spelling);
    let name = match dice.below(4) {
        0 => format!("\"{}\"", company.name()),
        1 => company
            .name()
            .to_lowercase()
            .chars()
            .map(plain)
            .collect::<String>()
            .to_uppercase(),
        _ => company.name().to_owned(),
    };
    let postal = if dice.chance(100) {
        seat.spaced_postal_code()
    } else {
        seat.postal_code().to_owned()
    };
    let amount = if dice.chance(200) {
        amount.dotted().replace('.', ",")
    } else {
        amount.dotted()
    };
    Some(vec![
        Some(name),
        Some(amount),
        Some(seat.street_line()),
        Some(postal),
        some(seat.city),
    ])
}

/// Foreign payers without an IČO on the list of the registered. The first is listed twice, and another has an
/// invalid number in the IČO field.
pub(crate) fn foreign_rows(population: &Population) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..population.foreign_payers())
        .map(|place| foreign_row(population, place))
        .collect();
    rows.push(rows[0].clone());
    if let Some(row) = rows.get_mut(3) {
        row[1] = some("12345");
    }
    rows
}

pub(crate) fn foreign_name(place: u32) -> String {
    let count = u32::try_from(FOREIGN_LOOK.len()).expect("a short list");
    let name = FOREIGN_LOOK[(place % count) as usize];
    format!("{name} Handels GmbH {place}")
}

fn foreign_row(population: &Population, place: u32) -> Row {
    let (city, postal, country, _) = ABROAD[place as usize % ABROAD.len()];
    let since = Dotted(before(population.start(), 400 + place % 3_000)).to_string();
    vec![
        Some(format!("SK{}", identifiers::foreign_number(place))),
        None,
        Some(foreign_name(place)),
        some(city),
        some(postal),
        Some(format!("Vymyslená cesta {}", place % 90 + 1)),
        some(country),
        some("§5"),
        Some(since.clone()),
        None,
        Some(since),
    ]
}
