//! Travel agencies and the protection of their travellers.

use time::Date;

use super::may_be_listed;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::money::Money;
use crate::population::showcase::SHOWCASE_SIZE;

/// A contract of a travel agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agency {
    /// The insurer or bank.
    pub provider: &'static str,
    /// The number of the contract.
    pub contract: String,
    pub from: Date,
    pub to: Date,
    /// The insured sum, if the list has it.
    pub amount: Option<Money>,
    /// Whether the list calls it unprotected.
    pub is_unprotected: bool,
    /// Whether it was struck off.
    pub is_struck_off: bool,
    /// The first day of a ban.
    pub banned: Option<Date>,
}

const PROVIDERS: [&str; 3] = [
    "Vymyslená poisťovňa, a. s.",
    "Pomyselná cestovná poisťovňa, a. s.",
    "Fiktívna banka, a. s.",
];

/// The contracts of a company, the newest last; empty if it is not a travel agency.
pub fn agencies(company: &Company) -> Vec<Agency> {
    let start = company.origin.start;
    let of = |nth: u32, days: u32, to: Date| Agency {
        provider: PROVIDERS[(company.index + nth) as usize % PROVIDERS.len()],
        contract: format!("99{:06}", company.index * 10 + nth),
        from: before(start, days),
        to,
        amount: (!company.index.is_multiple_of(5))
            .then_some(Money(15_000_050 + 100 * u64::from(company.index))),
        is_unprotected: false,
        is_struck_off: false,
        banned: None,
    };
    let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Listed, 3);
    match company.index {
        1 => vec![of(0, 380, before(start, 16)), of(1, 15, after(start, 350))],
        3 => vec![of(0, 360, after(start, 4))],
        4 => vec![Agency {
            is_struck_off: true,
            ..of(0, 1_500, before(start, 1_100))
        }],
        5 => vec![Agency {
            is_unprotected: true,
            ..of(0, 500, before(start, 135))
        }],
        8 => vec![Agency {
            banned: Some(after(start, 4)),
            ..of(0, 30, after(start, 335))
        }],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if may_be_listed(company.origin.seed, index) && dice.chance(150) => {
            let from = dice.below(360);
            vec![Agency {
                is_unprotected: dice.chance(100),
                banned: dice.chance(100).then(|| before(start, dice.below(100))),
                ..of(0, from, after(before(start, from), 365))
            }]
        }
        _ => Vec::new(),
    }
}
