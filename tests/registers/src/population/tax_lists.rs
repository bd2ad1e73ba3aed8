//! Further lists of the tax authority, beside registrations, reliability and debts.
//!
//! Payers have one to six quarters of VAT, most companies one to four years of income tax; one ordinary company in a
//! hundred has each of the reliefs and a regulated branch. The showcase:
//!
//! | index | entries | shows |
//! | --- | --- | --- |
//! | 0 | own VAT and an excess; income tax, some of it assessed in addition; two research projects; a patent | several rows on several lists, those of research with the tax number only |
//! | 1 | VAT with the tax number only; an investment; two regulated branches, one of them ended | rows without an IČO |
//! | 2 | a special regime that ended; reasons for deregistration | |
//! | 3 | nothing but its registration for income tax | a natural person |
//! | 4 | income tax of an old year; no longer registered | an ended company |
//! | 5 | losses | |
//! | 6 | income tax; a regulated branch | its IČO is zero-led |
//! | 7 | nothing until it is registered for VAT on the fourth day, then an account | |
//! | 8 | VAT and an account of a group; a special regime; an investment of several years | another number than the tax number |
//! | 9 | VAT and a special regime of its former registration; no account | |
//! | 10 | an account with the VAT number only; a special regime in force | |
//! | 11 | a research project; a patent | |

mod reliefs;

use time::{Date, Month};

use super::calendar::before;
use super::company::Company;
use super::dice::{Dice, Topic};
use super::forms::LegalForm;
use super::happening::{Happened, Happening};
use super::identifiers;
use super::money::Money;
use super::showcase::SHOWCASE_SIZE;
use super::tax::VatKind;

pub(crate) use reliefs::can_claim;
pub use reliefs::{Branch, Investment, Patent, Research, branches, investments, patents, research};

/// A payer's declaration for a quarter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deduction {
    /// The quarter, such as `2025-4Q`.
    pub period: String,
    pub excess: Option<Money>,
    /// The tax to be paid.
    pub own_tax: Option<Money>,
}

/// A special regime of a payer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    pub since: Date,
    pub until: Option<Date>,
}

/// Income tax of a year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assessment {
    /// The calendar year of the period.
    pub year: i32,
    pub tax: Option<Money>,
    /// The additionally assessed tax.
    pub additional: Option<Money>,
    pub loss: Option<Money>,
}

/// True if the VAT rows contain the IČO. The others contain only the tax number or the VAT number.
pub fn vat_rows_have_ico(company: &Company) -> bool {
    match company.index {
        1 => false,
        index if index < SHOWCASE_SIZE => true,
        _ => is_group(company) || !dice(company, 90).chance(100),
    }
}

/// True if the row of the account for paying VAT contains the IČO.
pub fn account_row_has_ico(company: &Company) -> bool {
    match company.index {
        10 => false,
        index if index < SHOWCASE_SIZE => true,
        _ => is_group(company) || !dice(company, 91).chance(100),
    }
}

fn is_group(company: &Company) -> bool {
    let registration = company.vat.registration.as_ref();
    registration.is_some_and(|registration| registration.kind == VatKind::Group)
}

/// The VAT number with its prefix, including a former one.
pub fn vat_number(company: &Company) -> Option<String> {
    let former = company.vat.erasure.as_ref().map(|erasure| &erasure.number);
    company
        .ic_dph()
        .or_else(|| former.map(|number| format!("SK{number}")))
}

/// Excess deductions and own VAT, the newest first.
pub fn deductions(company: &Company) -> Vec<Deduction> {
    let quarters = match company.index {
        0 => 4,
        1 | 8 => 3,
        9 => 2,
        index if index < SHOWCASE_SIZE => 0,
        _ if vat_number(company).is_some() => 1 + dice(company, 0).below(6),
        _ => 0,
    };
    let mut all: Vec<Deduction> = happened(company, Happening::TaxesPublished)
        .map(|happened| {
            let amount = money(&mut dice(company, happened.salt), 20_000);
            deduction(quarter(happened.on, 0), amount, true)
        })
        .collect();
    all.extend((1..=quarters).map(|back| {
        let mut dice = dice(company, 100 + u64::from(back));
        let amount = money(&mut dice, 90_000);
        let is_excess = back == 3 || dice.chance(200);
        deduction(quarter(company.origin.start, back), amount, is_excess)
    }));
    all
}

fn deduction(period: String, amount: Money, is_excess: bool) -> Deduction {
    Deduction {
        period,
        excess: is_excess.then_some(amount),
        own_tax: (!is_excess).then_some(amount),
    }
}

/// The quarter `back` quarters before that of a date: `2025-4Q`.
fn quarter(date: Date, back: u32) -> String {
    let quarters = date.year() * 4 + (i32::from(u8::from(date.month())) - 1) / 3;
    let wanted = quarters - i32::try_from(back).expect("a few");
    format!("{}-{}Q", wanted.div_euclid(4), wanted.rem_euclid(4) + 1)
}

/// The periods under the special regime.
pub fn regimes(company: &Company) -> Vec<Regime> {
    let start = company.origin.start;
    let of = |since: u32, until: Option<u32>| Regime {
        since: before(start, since),
        until: until.map(|until| before(start, until)),
    };
    let mut all = match company.index {
        2 => vec![of(1_500, Some(400))],
        8 => vec![of(2_000, Some(1_200)), of(900, None)],
        9 => vec![of(1_000, Some(300))],
        10 => vec![of(700, None)],
        index if index < SHOWCASE_SIZE => Vec::new(),
        _ => {
            let mut dice = dice(company, 1);
            if vat_number(company).is_some() && dice.chance(150) {
                let ended = dice.chance(400).then(|| 1 + dice.below(300));
                vec![of(400 + dice.below(1_500), ended)]
            } else {
                Vec::new()
            }
        }
    };
    let later = happened(company, Happening::TaxesPublished);
    all.extend(later.map(|happened| Regime {
        since: happened.on,
        until: None,
    }));
    all
}

/// Assessed income tax, the newest year first.
pub fn assessments(company: &Company) -> Vec<Assessment> {
    let newest = company.origin.start.year() - 2;
    let mut all: Vec<Assessment> = happened(company, Happening::TaxesPublished)
        .map(|happened| Assessment {
            year: newest + 1,
            tax: Some(money(&mut dice(company, happened.salt), 300_000)),
            additional: None,
            loss: None,
        })
        .collect();
    let years = match company.index {
        0 => 3,
        1 | 6 | 8 => 2,
        4 | 5 | 11 => 1,
        index if index < SHOWCASE_SIZE => 0,
        _ => {
            let mut dice = dice(company, 2);
            let is_taxed = company.legal_form != LegalForm::Trader && company.dic.is_some();
            if is_taxed && dice.chance(600) {
                1 + i32::try_from(dice.below(4)).expect("a few")
            } else {
                0
            }
        }
    };
    let first = if company.index == 4 {
        newest - 5
    } else {
        newest
    };
    all.extend((0..years).map(|back| {
        let mut dice = dice(company, 200 + u64::from(back.unsigned_abs()));
        let amount = money(&mut dice, 300_000);
        let is_loss = company.index == 5 || (company.index >= SHOWCASE_SIZE && dice.chance(250));
        Assessment {
            year: first - back,
            tax: (!is_loss).then_some(amount),
            additional: (company.index == 0 && back == 1).then_some(Money(123_400)),
            loss: is_loss.then_some(amount),
        }
    }));
    all
}

/// The account that the authority keeps for a payer: at the State Treasury (`8180`), with the prefix of VAT (`500240`).
/// The last ten digits are those of the VAT number.
pub fn office_account(company: &Company) -> Option<String> {
    let registration = company.vat.registration.as_ref()?;
    let is_payer = registration.kind.is_payer();
    is_payer.then(|| identifiers::iban("SK", &format!("8180500240{}", registration.number)))
}

/// The first and the last day of a year.
pub fn year(year: i32) -> (Date, Date) {
    let day = |month, day| Date::from_calendar_date(year, month, day).expect("every year has it");
    (day(Month::January, 1), day(Month::December, 31))
}

fn happened(company: &Company, kind: Happening) -> impl Iterator<Item = &Happened> {
    let all = company.happened.iter();
    all.filter(move |happened| happened.kind == kind)
}

/// A random amount of at least a hundred euros.
fn money(dice: &mut Dice, euros: u32) -> Money {
    Money(u64::from(10_000 + dice.below(euros * 100)))
}

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::TaxLists, salt)
}
