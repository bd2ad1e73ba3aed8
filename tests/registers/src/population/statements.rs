//! Financial statements of the company: its accounting units, their statements, and the figures.
//!
//! Advancing the days files nothing: statements filed before the simulator's first day end with the year two years
//! before it, and `StatementFiled` files one for the year before the event. About a third of the ordinary companies
//! have statements; half of the others have a unit without statements.
//!
//! The showcase (years are those of a simulator that starts in 2026):
//!
//! | index | statements |
//! | --- | --- |
//! | 0 | ten years of `Úč POD`, more than a connector reads in one call |
//! | 1 | consolidated statements beside its own, and a corrected one |
//! | 2 | `Úč MUJ`, three years |
//! | 3 | single entry, two years; property and debts have the year before first |
//! | 4 | ended: the last statement is an extraordinary one of part of a year |
//! | 5 | the newest statement has tables in which every cell is blank |
//! | 6 | the forms of 2009 to 2013 with separate balance sheet and result, and one of non-profit units |
//! | 7 | a unit without statements |
//! | 8 | IFRS: only files |
//! | 9 | a statement that does not balance, a non-public one, an erased one that is still listed, old region codes |
//! | 10 | two units under one IČO, and an erased third |
//! | 11 | no unit |

mod facts;
mod filed;
mod showcase;

use time::{Date, Month};

pub use self::facts::{
    SIZES, Shown, Statement, StatementFigures, StatementForm, StatementKind, Unit,
};

use self::filed::Filing;
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::{LegalForm, SMALLEST};

/// Maximum number of numbered statements per unit.
const ROOM: u64 = 64;
const FIRST_STATEMENT: u64 = 1_000_000;
const FIRST_UNIT: u64 = 300_000;
/// The ids of a company's units.
const UNITS: u64 = 4;
const REPORTS: u64 = 8;

/// The accounting units of a company in its current state.
pub fn units(company: &Company) -> Vec<Unit> {
    let mut plans = if company.index < SMALLEST {
        showcase::plans(company)
    } else {
        ordinary(company)
    };
    let added = company
        .happened
        .iter()
        .filter(|happened| happened.kind == Happening::StatementFiled);
    for happened in added {
        if plans.iter().all(|plan| plan.is_erased) {
            plans.push(Plan::default());
        }
        let live = plans.iter_mut().filter(|plan| !plan.is_erased);
        let Some(unit) = live.max_by_key(|plan| plan.filings.len()) else {
            continue;
        };
        let year = happened.on.year() - 1;
        let form = usual_form(company, year);
        let filing = Filing::of(company, year, form, happened.salt);
        unit.filings.push(Filing {
            submitted: happened.on,
            ..filing
        });
    }
    let mut taken = 0;
    let mut units = Vec::new();
    for (plan, place) in plans.into_iter().zip(0..) {
        let mut filings = plan.filings;
        filings.sort_by_key(|filing| filing.submitted);
        let first = FIRST_STATEMENT + u64::from(company.index) * ROOM + taken;
        taken += filings.len() as u64;
        units.push(Unit {
            id: FIRST_UNIT + u64::from(company.index) * UNITS + place,
            is_erased: plan.is_erased,
            size: size(company),
            statements: filings
                .into_iter()
                .zip(first..)
                .map(|(filing, id)| filing.numbered(id))
                .collect(),
        });
    }
    units
}

/// The unit whose statements count: the active unit with the most statements.
pub fn unit(company: &Company) -> Option<Unit> {
    let live = units(company).into_iter().filter(|unit| !unit.is_erased);
    live.max_by_key(|unit| unit.statements.len())
}

/// The company that a unit's number belongs to.
pub(crate) fn company_of_unit(id: u64) -> Option<u32> {
    u32::try_from(id.checked_sub(FIRST_UNIT)? / UNITS).ok()
}

/// The company that a statement's number belongs to.
pub(crate) fn company_of_statement(id: u64) -> Option<u32> {
    u32::try_from(id.checked_sub(FIRST_STATEMENT)? / ROOM).ok()
}

/// The number of a report of a statement.
pub(crate) fn report_id(statement: u64, place: u64) -> u64 {
    statement * REPORTS + place
}

/// The statement that a report's number belongs to, and its place.
pub(crate) fn statement_of_report(id: u64) -> (u64, u64) {
    (id / REPORTS, id % REPORTS)
}

/// A unit before its statements have numbers.
#[derive(Debug, Default)]
struct Plan {
    is_erased: bool,
    filings: Vec<Filing>,
}

fn day(year: i32, month: Month, day: u8) -> Date {
    Date::from_calendar_date(year, month, day).expect("a day of the calendar")
}

fn dice(company: &Company, salt: u64) -> Dice {
    let seed = if company.index < SMALLEST {
        0
    } else {
        company.origin.seed
    };
    Dice::with_salt(seed, company.index, Topic::Statements, salt)
}

fn size(company: &Company) -> Option<&'static str> {
    let place = if company.index < SMALLEST {
        company.index as usize % SIZES.len()
    } else {
        let mut dice = dice(company, 1);
        if dice.chance(50) {
            return None;
        }
        dice.below(6) as usize
    };
    SIZES.get(place).map(|(code, _)| *code)
}

/// The form that a company fills in for a year.
fn usual_form(company: &Company, year: i32) -> StatementForm {
    match company.legal_form {
        LegalForm::Trader => StatementForm::SingleEntry,
        LegalForm::FlatOwners | LegalForm::Association => StatementForm::NonProfit,
        LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::Cooperative => match year {
            ..2011 => StatementForm::Old2009,
            2011..2014 => StatementForm::Old2011,
            _ if company.index.is_multiple_of(2) => StatementForm::Micro,
            _ => StatementForm::Company,
        },
    }
}

/// The last year for which all statements were filed by the simulator's first day.
fn last_year(company: &Company) -> i32 {
    let last = company.origin.start.year() - 2;
    company
        .ending
        .as_ref()
        .map_or(last, |ending| last.min(ending.date.year() - 1))
}

fn ordinary(company: &Company) -> Vec<Plan> {
    let mut dice = dice(company, 0);
    let rolled = dice.below(1_000);
    let all_years = dice.chance(60);
    let some_years = i32::try_from(1 + dice.below(4)).expect("a small number");
    let (quirk, has_correction) = (dice.below(40), dice.chance(100));
    if rolled >= 670 {
        return Vec::new();
    }
    if rolled >= 340 {
        return vec![Plan::default()];
    }
    let last = last_year(company);
    // Forms of persons and non-profit units exist only since 2014.
    let earliest = if company.orsr.is_some() { 2009 } else { 2014 };
    let earliest = earliest.max(company.established.year());
    let first = if all_years {
        earliest
    } else {
        earliest.max(last + 1 - some_years)
    };
    let mut filings: Vec<Filing> = (first..=last)
        .map(|year| Filing::of(company, year, usual_form(company, year), 0))
        .collect();
    if let Some(newest) = filings.last_mut() {
        match quirk {
            0 => newest.shown = Shown::Blank,
            1 => newest.shown = Shown::NotPublic,
            2 => newest.figures.assets = None,
            3 => newest.figures.liabilities = newest.figures.liabilities.map(|owed| owed + 3),
            4 => newest.kind = StatementKind::Interim,
            5 | 6 if company.legal_form == LegalForm::JointStockCompany => {
                newest.form = StatementForm::Ifrs;
                newest.shown = Shown::File;
            }
            _ => {}
        }
    }
    if has_correction && let Some(newest) = filings.last() {
        let corrected = Filing::of(company, newest.to.year(), newest.form, 1);
        filings.push(corrected.filed_later(90));
    }
    vec![Plan {
        is_erased: false,
        filings,
    }]
}
