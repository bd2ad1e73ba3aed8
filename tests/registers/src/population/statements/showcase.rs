//! The statements of the hand-written companies. The parent module's table lists their purposes.

use time::Month;

use super::filed::Filing;
use super::{Plan, Shown, StatementForm, StatementKind, day};
use crate::population::calendar::after;
use crate::population::company::Company;

pub(super) fn plans(company: &Company) -> Vec<Plan> {
    let last = company.origin.start.year() - 2;
    let years = |first: i32, form: StatementForm| -> Vec<Filing> {
        (first..=last)
            .map(|year| Filing::of(company, year, form, 0))
            .collect()
    };
    let filings = match company.index {
        0 => years(last - 9, StatementForm::Company),
        1 => with_group(company, years(last - 2, StatementForm::Company)),
        2 => years(last - 2, StatementForm::Micro),
        3 => years(last - 1, StatementForm::SingleEntry),
        4 => ended(company, years(last - 3, StatementForm::Company)),
        5 => {
            let mut filings = years(last - 2, StatementForm::Micro);
            if let Some(newest) = filings.last_mut() {
                newest.shown = Shown::Blank;
            }
            filings
        }
        6 => of_all_times(company, last),
        7 => Vec::new(),
        8 => {
            let mut filings = years(last - 1, StatementForm::Ifrs);
            let group = Filing::of(company, last, StatementForm::Ifrs, 1);
            filings.push(Filing {
                consolidated: true,
                ..group.filed_later(10)
            });
            filings
        }
        9 => odd(years(last - 3, StatementForm::Company)),
        10 => return two_units(company, last),
        _ => return Vec::new(),
    };
    vec![Plan {
        is_erased: false,
        filings,
    }]
}

/// The group's statements of two years, and a later correction of the company's own statement of the earlier year.
fn with_group(company: &Company, mut filings: Vec<Filing>) -> Vec<Filing> {
    let own: Vec<i32> = filings.iter().map(|filing| filing.to.year()).collect();
    for year in own.iter().rev().take(2) {
        let group = Filing::of(company, *year, StatementForm::Company, 1);
        filings.push(Filing {
            consolidated: true,
            ..group.filed_later(40)
        });
    }
    if let Some(year) = own.iter().rev().nth(1) {
        let corrected = Filing::of(company, *year, StatementForm::Company, 2);
        filings.push(corrected.filed_later(200));
    }
    filings
}

/// Two regular years, and an extraordinary statement of the months until the company ended.
fn ended(company: &Company, mut filings: Vec<Filing>) -> Vec<Filing> {
    filings.truncate(2);
    let Some(ending) = &company.ending else {
        return filings;
    };
    let to = ending.date;
    let last = Filing::of(company, to.year(), StatementForm::Company, 0);
    let month = to.month();
    filings.push(Filing {
        kind: StatementKind::Extraordinary,
        to: day(to.year(), month, month.length(to.year())),
        submitted: after(to, 80),
        ..last
    });
    filings
}

/// The years from 2009 to 2013, and two recent ones, the last in the form of non-profit units.
fn of_all_times(company: &Company, last: i32) -> Vec<Filing> {
    let old = (2009..=2013).map(|year| {
        let form = if year < 2011 {
            StatementForm::Old2009
        } else {
            StatementForm::Old2011
        };
        Filing::of(company, year, form, 0)
    });
    let late = [
        Filing::of(company, last - 1, StatementForm::Company, 0),
        Filing::of(company, last, StatementForm::NonProfit, 0),
    ];
    old.chain(late).collect()
}

/// One statement each: erased, not public, unbalanced, and with a blank total.
fn odd(mut filings: Vec<Filing>) -> Vec<Filing> {
    let oddities: [fn(&mut Filing); 4] = [
        |filing| filing.shown = Shown::Erased,
        |filing| filing.shown = Shown::NotPublic,
        |filing| filing.figures.liabilities = filing.figures.liabilities.map(|owed| owed + 100),
        |filing| filing.figures.assets = None,
    ];
    for (filing, oddity) in filings.iter_mut().zip(oddities) {
        oddity(filing);
    }
    filings
}

/// The counting unit comes second, so that a reader that takes the first unit is wrong.
fn two_units(company: &Company, last: i32) -> Vec<Plan> {
    let of_years = |first: i32, salt: u64| -> Vec<Filing> {
        (first..=last)
            .map(|year| Filing::of(company, year, StatementForm::Company, salt))
            .collect()
    };
    let mut interim = of_years(last, 3);
    for filing in &mut interim {
        filing.kind = StatementKind::Interim;
        filing.from = day(last, Month::January, 1);
        filing.to = day(last, Month::June, 30);
    }
    vec![
        Plan {
            is_erased: true,
            filings: of_years(last - 4, 1),
        },
        Plan {
            is_erased: false,
            filings: of_years(last, 2),
        },
        Plan {
            is_erased: false,
            filings: of_years(last - 1, 0).into_iter().chain(interim).collect(),
        },
    ]
}
