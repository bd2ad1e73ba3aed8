//! Bans from public procurement.

use time::Date;

use super::{BARRED_BELOW, dice};
use crate::population::Population;
use crate::population::calendar::{after, before};
use crate::population::company::Company;
use crate::population::dice::Dice;
use crate::population::happening::Happening;
use crate::population::holders::Role;
use crate::population::showcase::SHOWCASE_SIZE;

const REASONS: [&str; 4] = [
    "predloženie nepravdivého dokladu o technickej spôsobilosti",
    "predloženie pozmenenej referencie: rozsah plnenia nesúhlasil",
    "závažné porušenie zmluvných povinností",
    "dohoda obmedzujúca hospodársku súťaž",
];

/// Number of days for which an ended ban stays on the page.
const LINGERS: u32 = 3;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ban {
    /// The number of the decision.
    pub decision: String,
    /// The day of the decision.
    pub decided: Date,
    /// The day on which it became final, which is the first day on the page.
    pub final_on: Date,
    pub reason: &'static str,
    pub from: Date,
    pub until: Option<Date>,
    /// Persons named with the company, and their functions.
    pub persons: Vec<(String, Option<&'static str>)>,
    /// The first day on which it is no longer on the page.
    pub left: Option<Date>,
}

impl Ban {
    /// Whether it is on the page on a day.
    pub fn is_listed(&self, on: Date) -> bool {
        self.final_on <= on && self.left.is_none_or(|left| left > on)
    }

    /// Whether it is on the page and in force.
    fn holds(&self, on: Date) -> bool {
        let is_over = self.until.is_some_and(|until| until < on);
        self.is_listed(on) && self.from <= on && !is_over
    }
}

/// A barred subject outside the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BarredOutsider {
    pub name: &'static str,
    /// The text in the number field, if any.
    pub number: Option<String>,
    /// The seat, which ends with the country.
    pub seat: &'static str,
}

/// Foreign firms on the page: one with the digits of company 10, one with another number, one without a number.
pub fn barred_outsiders(population: &Population) -> [BarredOutsider; 3] {
    [
        BarredOutsider {
            name: "Příkladná stavební s.r.o.",
            number: Some(population.ico(10)),
            seat: "Ukázková 3, 602 00 Brno, Česká republika",
        },
        BarredOutsider {
            name: "Beispielbau AG",
            number: Some("HRB 99001".to_owned()),
            seat: "Musterweg 1, 010 99 Dresden, Nemecko",
        },
        BarredOutsider {
            name: "Példa Építő Kft.",
            number: None,
            seat: "Minta utca 2, Győr, Maďarsko",
        },
    ]
}

/// True if there is a ban that was not lifted.
pub(crate) fn is_barred(company: &Company) -> bool {
    let newest = company.happened.iter().rfind(|happened| {
        [Happening::Debarred, Happening::DebarmentLifted].contains(&happened.kind)
    });
    newest.is_some_and(|newest| newest.kind == Happening::Debarred)
}

/// The bans of a company, including past ones; forced ones come last.
pub fn bans(company: &Company) -> Vec<Ban> {
    let mut all = first(company);
    for happened in &company.happened {
        if happened.kind == Happening::Debarred {
            let mut dice = dice(company, happened.salt);
            let until = Some(730);
            all.push(Ban {
                final_on: happened.on,
                ..ban(company, all.len(), happened.on, until, &mut dice)
            });
        } else if happened.kind == Happening::DebarmentLifted
            && let Some(newest) = all.iter_mut().rfind(|ban| ban.holds(happened.on))
        {
            newest.left = Some(happened.on);
        }
    }
    all
}

/// The bans before any forced event.
fn first(company: &Company) -> Vec<Ban> {
    let start = company.origin.start;
    let mut dice = dice(company, 0);
    if company.index >= SHOWCASE_SIZE {
        if company.index >= BARRED_BELOW || !dice.chance(20) {
            return Vec::new();
        }
        let from = before(start, dice.below(1_500));
        let days = 365 * (1 + dice.below(3));
        return vec![ban(company, 0, from, Some(days), &mut dice)];
    }
    let mut of = |place, from, days| ban(company, place, from, days, &mut dice);
    match company.index {
        1 => vec![Ban {
            left: Some(after(start, 8)),
            ..of(0, before(start, 359), Some(365))
        }],
        2 => vec![Ban {
            left: Some(after(start, 9)),
            ..of(0, before(start, 400), Some(365))
        }],
        3 => vec![Ban {
            final_on: before(start, 20),
            ..of(0, after(start, 4), Some(365))
        }],
        4 => vec![of(0, before(start, 2_000), Some(365))],
        5 => vec![of(0, before(start, 700), None)],
        6 => vec![of(0, before(start, 100), Some(1_095))],
        8 => vec![Ban {
            left: Some(after(start, 5)),
            ..of(0, before(start, 200), Some(1_095))
        }],
        9 => vec![
            Ban {
                left: None,
                ..of(0, before(start, 1_200), Some(730))
            },
            of(1, before(start, 50), Some(730)),
        ],
        _ => Vec::new(),
    }
}

fn ban(company: &Company, place: usize, from: Date, days: Option<u32>, dice: &mut Dice) -> Ban {
    let until = days.map(|days| after(from, days));
    let index = company.index;
    let persons = company
        .officers
        .iter()
        .filter(|officer| officer.role.is_statutory() && officer.role != Role::Trader)
        .take(2)
        .map(|officer| (officer.holder.name(), role(officer.role)));
    Ban {
        decision: format!("{}/{}-{place}", 9_000 + index, from.year()),
        decided: before(from, 40),
        final_on: before(from, 10),
        reason: dice.pick::<&str>(&REASONS),
        from,
        until,
        persons: persons.collect(),
        left: until.map(|until| after(until, LINGERS)),
    }
}

fn role(role: Role) -> Option<&'static str> {
    match role {
        Role::Manager => Some("konateľ"),
        Role::BoardChair => Some("predseda predstavenstva"),
        Role::BoardMember => Some("člen predstavenstva"),
        Role::Partner => Some("spoločník"),
        Role::Chair | Role::Trader | Role::Supervisor | Role::Procurist | Role::Liquidator => None,
    }
}
