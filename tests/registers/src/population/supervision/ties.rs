//! Which institutions the agents work for. Only an operator's list has it.
//!
//! Tied agents work for company 1, a bank, and subordinate ones for company 0, an independent agent. Of the showcase,
//! company 6 has a tie that ends on the third day, and company 3 one that begins on the fifth.

use time::Date;

use super::{Company, Licence, TIED_AGENT, dice, licences};
use crate::population::calendar::after;

/// The index of the list of kinds.
const SUBORDINATE_AGENT: usize = 1;
const INVESTMENT_AGENT: usize = 4;

const SECTORS: [&str; 4] = [
    "poistenie a zaistenie",
    "prijímanie vkladov",
    "poskytovanie úverov",
    "kapitálový trh",
];

/// An agent's tie to an institution in one sector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tie {
    /// The index of the institution.
    pub institution: u32,
    /// What the agent is entered as.
    pub category: &'static str,
    pub sector: &'static str,
    /// The number in the register of financial agents.
    pub number: String,
    /// The first day, on which it is listed for the first time.
    pub from: Date,
    /// The last day; ended ties stay on the list.
    pub to: Option<Date>,
}

/// The ties of a company, including past ones.
pub fn ties(company: &Company) -> Vec<Tie> {
    let start = company.origin.start;
    let mut dice = dice(company, 300);
    let mut ties = Vec::new();
    for licence in licences(company) {
        let Some(institution) = institution(&licence) else {
            continue;
        };
        let of = |sector, from, to: Option<Date>| Tie {
            institution,
            category: licence.category.unwrap_or("viazaný finančný agent"),
            sector,
            number: (990_000 + company.index).to_string(),
            from,
            to: to.or(licence.until),
        };
        match company.index {
            3 => {
                ties.push(of(SECTORS[0], licence.since, None));
                ties.push(of(SECTORS[2], after(start, 5), None));
            }
            6 => {
                ties.push(of(SECTORS[0], licence.since, None));
                ties.push(of(SECTORS[1], licence.since, Some(after(start, 3))));
            }
            _ => ties.push(of(*dice.pick(&SECTORS), licence.since, None)),
        }
    }
    ties
}

fn institution(licence: &Licence) -> Option<u32> {
    match licence.kind {
        TIED_AGENT | INVESTMENT_AGENT => Some(1),
        SUBORDINATE_AGENT => Some(0),
        _ => None,
    }
}
