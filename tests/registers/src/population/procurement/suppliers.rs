//! Entries in the list of economic subjects.

use time::Date;

use super::dice;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::forms::LegalForm;
use crate::population::happening::Happening;
use crate::population::showcase::SHOWCASE_SIZE;

/// Validity of an entry in days.
const DAYS: u32 = 1_095;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supplier {
    /// The number of the entry, such as `2024/8-PO-X0001`.
    pub number: String,
    pub from: Date,
    pub until: Date,
    /// The day on which it was struck off.
    pub struck_off: Option<Date>,
    /// True if the entry is suspended.
    pub is_suspended: bool,
}

impl Supplier {
    /// The state of the entry in the list on a day.
    pub fn state(&self, on: Date) -> &'static str {
        if self.struck_off.is_some_and(|day| day <= on) {
            "vyčiarknutý"
        } else if self.is_suspended {
            "pozastavený"
        } else {
            "zapísaný"
        }
    }

    /// True if the entry makes the company a qualified supplier on a day.
    pub fn holds(&self, on: Date) -> bool {
        self.state(on) == "zapísaný" && self.from <= on && on <= self.until
    }
}

/// True if there is an entry that can be struck off.
pub(crate) fn is_entered(company: &Company) -> bool {
    suppliers(company)
        .iter()
        .any(|entry| entry.struck_off.is_none() && !entry.is_suspended)
}

/// The entries of a company, including past ones; the newest is last.
pub fn suppliers(company: &Company) -> Vec<Supplier> {
    let mut all = first(company);
    for happened in &company.happened {
        if happened.kind == Happening::SupplierEntered {
            all.push(entry(company, all.len(), happened.on, DAYS));
        } else if happened.kind == Happening::SupplierStruckOff
            && let Some(newest) = all.iter_mut().rfind(|entry| entry.struck_off.is_none())
        {
            newest.struck_off = Some(happened.on);
        }
    }
    all
}

fn first(company: &Company) -> Vec<Supplier> {
    let start = company.origin.start;
    let of = |place, ago, days| entry(company, place, before(start, ago), days);
    if company.index >= SHOWCASE_SIZE {
        let mut dice = dice(company, 1);
        if !dice.chance(100) {
            return Vec::new();
        }
        let mut own = of(0, dice.below(1_400), DAYS);
        own.is_suspended = dice.chance(30);
        own.struck_off = dice.chance(60).then(|| before(start, 5));
        return vec![own];
    }
    match company.index {
        0 => vec![of(0, 500, DAYS)],
        1 => vec![of(0, 1_200, DAYS), of(1, 100, DAYS)],
        2 => vec![Supplier {
            struck_off: Some(before(start, 10)),
            ..of(0, 300, DAYS)
        }],
        6 => vec![of(0, 1_092, DAYS)],
        8 => vec![Supplier {
            is_suspended: true,
            ..of(0, 300, DAYS)
        }],
        9 => vec![of(0, 1_500, DAYS)],
        10 => vec![entry(company, 0, after(start, 2), DAYS)],
        _ => Vec::new(),
    }
}

fn entry(company: &Company, place: usize, from: Date, days: u32) -> Supplier {
    let kind = match company.legal_form {
        LegalForm::Trader => "FO",
        LegalForm::GeneralPartnership
        | LegalForm::LimitedCompany
        | LegalForm::LimitedPartnership
        | LegalForm::JointStockCompany
        | LegalForm::SimpleShareCompany
        | LegalForm::Cooperative
        | LegalForm::FlatOwners
        | LegalForm::Association => "PO",
    };
    let (year, month) = (from.year(), u8::from(from.month()));
    Supplier {
        number: format!("{year}/{month}-{kind}-X{:04}{place}", company.index),
        from,
        until: after(from, days),
        struck_off: None,
        is_suspended: false,
    }
}
