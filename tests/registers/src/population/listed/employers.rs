//! Employers and their numbers of employees.

use time::Date;

use super::may_be_listed;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::showcase::SHOWCASE_SIZE;

/// A registration as an employer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Employer {
    pub registered: Date,
    pub deregistered: Option<Date>,
    /// Number of employees, if known.
    pub people: Option<u32>,
    /// The first day of a new number, and the number.
    pub later: Option<(Date, u32)>,
}

impl Employer {
    /// The number of employees on a day.
    pub fn people(&self, on: Date) -> Option<u32> {
        let later = self.later.filter(|(since, _)| *since <= on);
        later.map(|(_, people)| people).or(self.people)
    }
}

/// The registrations of a company, the newest last.
pub fn employers(company: &Company) -> Vec<Employer> {
    let start = company.origin.start;
    let of = |days: u32, deregistered: Option<Date>, people: Option<u32>| Employer {
        registered: before(start, days),
        deregistered,
        people,
        later: None,
    };
    let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Listed, 4);
    match company.index {
        0 => vec![of(3_000, None, Some(27))],
        1 => vec![of(3_500, None, Some(320))],
        2 => vec![
            of(2_500, Some(before(start, 400)), Some(12)),
            of(100, None, Some(2)),
        ],
        3 => vec![of(900, None, Some(1))],
        4 => vec![of(2_500, Some(before(start, 500)), Some(0))],
        6 => vec![of(4_000, None, None)],
        7 => vec![Employer {
            later: Some((after(start, 6), 12)),
            ..of(2_000, None, Some(9))
        }],
        8 => vec![of(3_000, None, Some(30_000))],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if may_be_listed(company.origin.seed, index) && dice.chance(700) => {
            let most = *dice.pick(&[5, 20, 100, 1_500]);
            let deregistered = dice.chance(100).then(|| before(start, 1 + dice.below(20)));
            let people = dice.chance(900).then(|| dice.below(most));
            vec![of(30 + dice.below(3_000), deregistered, people)]
        }
        _ => Vec::new(),
    }
}
