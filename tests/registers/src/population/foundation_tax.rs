//! Taxes and debts of an ordinary company on day 0.

use time::Date;

use super::calendar::{after, before, days_between};
use super::company::{Company, Debt, DebtorList};
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::identifiers;
use super::money::Money;
use super::tax::{Reliability, VatErasure, VatKind, VatReasons, VatRegistration};

pub(crate) fn fill(company: &mut Company, seed: u64, start: Date) {
    let mut dice = Dice::new(seed, company.index, Topic::Tax);
    let is_business = match company.legal_form {
        LegalForm::FlatOwners | LegalForm::Association => false,
        LegalForm::Trader
        | LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::Cooperative => true,
    };
    if is_business || dice.chance(500) {
        company.dic = Some(identifiers::dic(company.index));
    }
    if is_business {
        let share = if company.legal_form == LegalForm::Trader {
            90
        } else {
            420
        };
        if dice.chance(share) {
            register_some(company, start, &mut dice);
        } else if dice.chance(25) {
            erase_some(company, start, &mut dice);
        }
        company.reliability = match dice.below(10) {
            0 => Some(Reliability::High),
            1..=3 => Some(Reliability::Reliable),
            4 => Some(Reliability::Low),
            _ => None,
        };
    }
    let mut dice = Dice::new(seed, company.index, Topic::Debts);
    for (list, share) in [
        (DebtorList::Socpoist, 90),
        (DebtorList::Vszp, 80),
        (DebtorList::Union, 20),
        (DebtorList::Dovera, 40),
        (DebtorList::Tax, 65),
    ] {
        if dice.chance(share) {
            company.debts.push(Debt {
                list,
                amount: debt_amount(&mut dice),
            });
        }
    }
}

/// A debt, mostly hundreds of euros and sometimes hundreds of thousands.
pub(crate) fn debt_amount(dice: &mut Dice) -> Money {
    let limit = *dice.pick(&[50_000_u32, 300_000, 2_000_000, 40_000_000]);
    Money(u64::from(10_000 + dice.below(limit)))
}

fn register_some(company: &mut Company, start: Date, dice: &mut Dice) {
    let kind = match dice.below(1000) {
        0..=719 => VatKind::Payer,
        720..=959 => VatKind::Services,
        960..=979 => VatKind::Acquirer,
        _ => VatKind::Group,
    };
    let age = days_between(company.established, start);
    register(
        company,
        kind,
        after(company.established, dice.below(age.min(900) + 1)),
        dice,
    );
    if kind.is_payer() && dice.chance(10) {
        let published = before(start, dice.below(age.min(400) + 1));
        company.vat.reasons = Some(VatReasons {
            year: published.year() - 1,
            published,
        });
    }
}

/// Registers a company and gives a payer one to three accounts.
pub(crate) fn register(company: &mut Company, kind: VatKind, since: Date, dice: &mut Dice) {
    let number = match kind {
        VatKind::Group => identifiers::group_number(company.index),
        VatKind::Payer | VatKind::Foreign | VatKind::Acquirer | VatKind::Services => {
            identifiers::dic(company.index)
        }
    };
    company.vat.registration = Some(VatRegistration {
        number,
        kind,
        registered: since,
        kind_changed: None,
    });
    company.vat.erasure = None;
    if kind.is_payer() && company.bank_accounts.is_empty() {
        for _ in 0..=dice.below(3) {
            company.bank_accounts.push(account(dice));
        }
    }
}

/// An invented account, one in thirty abroad, at a bank that does not exist.
pub(crate) fn account(dice: &mut Dice) -> String {
    let number = dice.roll() % 10_000_000_000;
    if dice.chance(33) {
        identifiers::iban("CZ", &format!("9998000000{number:010}"))
    } else {
        let place = number % identifiers::BANKS.len() as u64;
        let bank = identifiers::BANKS
            .iter()
            .zip(0..)
            .find(|(_, own)| *own == place);
        identifiers::slovak_account(bank.map_or("0200", |(bank, _)| bank.0), number)
    }
}

fn erase_some(company: &mut Company, start: Date, dice: &mut Dice) {
    let age = days_between(company.established, start);
    let erased = before(start, dice.below(age.min(1_500) + 1));
    erase(company, erased);
}

/// Erases a company's VAT registration.
pub(crate) fn erase(company: &mut Company, erased: Date) {
    let number = match company.vat.registration.take() {
        Some(registration) => registration.number,
        None => identifiers::dic(company.index),
    };
    let published = before(erased, 100);
    let reasons = company.vat.reasons.take().unwrap_or(VatReasons {
        year: published.year() - 1,
        published,
    });
    company.vat.erasure = Some(VatErasure {
        number,
        reasons,
        erased,
    });
    company.bank_accounts.clear();
}
