//! Registered social enterprises.

use time::Date;

use super::may_be_listed;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::showcase::SHOWCASE_SIZE;

/// A registration as a social enterprise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enterprise {
    /// The kind of enterprise.
    pub kind: &'static str,
    /// The number of the certificate.
    pub certificate: String,
    /// The day of the grant.
    pub granted: Date,
    /// The last day, which the list shows from then on.
    pub revoked: Option<Date>,
}

const KINDS: [&str; 3] = [
    "integračný podnik",
    "sociálny podnik bývania",
    "všeobecný registrovaný sociálny podnik",
];

/// The registrations of a company, the newest last.
pub fn enterprises(company: &Company) -> Vec<Enterprise> {
    let start = company.origin.start;
    let of = |nth: u32, days: u32, revoked: Option<Date>| {
        let granted = before(start, days);
        Enterprise {
            kind: KINDS[(company.index + nth) as usize % KINDS.len()],
            certificate: format!("{}/{}_RSP", company.index * 10 + nth, granted.year()),
            granted,
            revoked,
        }
    };
    let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Listed, 2);
    match company.index {
        0 => vec![of(0, 1_800, None)],
        2 => vec![of(0, 2_000, Some(before(start, 300)))],
        6 => vec![of(0, 2_000, Some(before(start, 900))), of(1, 60, None)],
        7 => vec![of(0, 1_000, Some(after(start, 4)))],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if may_be_listed(company.origin.seed, index) && dice.chance(150) => {
            let revoked = dice.chance(250).then(|| before(start, 1 + dice.below(20)));
            vec![of(0, 30 + dice.below(2_500), revoked)]
        }
        _ => Vec::new(),
    }
}
