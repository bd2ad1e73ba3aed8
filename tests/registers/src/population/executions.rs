//! Authorizations to enforce claims against the company, as the ministry's register shows them.
//!
//! Only authorizations in force are visible, except for one ended authorization. Two of three ordinary companies have
//! none, most others one or two, and a few enough for several pages. The showcase:
//!
//! | company | authorizations |
//! | --- | --- |
//! | 0, 1, 4, 10 | none |
//! | 2 | none at first; one from day 13 to day 17 by the script |
//! | 3 | one for a natural person, without the kind of claim |
//! | 5 | seven, on two of the simulator's pages; creditors of every kind |
//! | 6 | one against several obligors, the IČO with its zeros and spaces |
//! | 7 | one that the register lists twice |
//! | 8 | one that has ended and is still listed |
//! | 9 | one for a foreign company, without an executor and a publishing date |
//! | 11 | an old one of another court, whose code in the ECLI has small letters |

use time::Date;

use super::calendar::{after, before};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::{Happened, Happening};
use super::showcase::{NAMES, SHOWCASE_SIZE};
use super::{identifiers, people};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorization {
    /// European case law identifier, such as `ECLI:SK:OSBB:2026:6126000011.1`.
    pub ecli: String,
    /// The number of the authorization, 10 digits.
    pub number: String,
    /// The court's file reference, `900Ek/12/2026`.
    pub file_number: String,
    pub court: &'static str,
    /// The executor's name with the title.
    pub executor: Option<String>,
    /// The kind of claim.
    pub claim: Option<&'static str>,
    /// The creditors, at least one.
    pub creditors: Vec<Creditor>,
    /// Whether there are other obligors: a natural person and another company.
    pub has_other_obligors: bool,
    /// The day of the court's authorization.
    pub authorized: Date,
    /// The day of publication in the register.
    pub published: Option<Date>,
    /// Whether the enforcement has not ended.
    pub is_active: bool,
    /// Whether the register has two rows for it.
    pub is_doubled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creditor {
    /// A creditor with an IČO.
    Company {
        name: String,
        /// The IČO, 8 digits.
        ico: String,
    },
    /// A company of another country.
    Foreign {
        /// The name with its legal form.
        name: &'static str,
    },
    /// A natural person, whose name the register shows.
    Person {
        /// The name with titles.
        name: String,
    },
}

const CLAIMS: [&str; 4] = ["peňažný", "nepeňažný", "výživné", "peňažný a nepeňažný"];

/// Invented bodies with numbers at the end of the population's range.
const BODIES: [(&str, u32); 4] = [
    ("Skúšobná sociálna ustanovizeň", 1_399_901),
    ("Vymyslená zdravotná poisťovňa, a. s.", 1_399_902),
    ("Obec Horné Čučoriedky", 1_399_903),
    ("Príkladová \"rýchla\" pôžička s. r. o.", 1_399_904),
];

const FOREIGN: [&str; 2] = ["Musterfinanz GmbH", "Példahitel Zrt."];

/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 16;

/// The authorizations that the register shows, newest first.
pub fn authorizations(company: &Company) -> Vec<Authorization> {
    let mut all = at_first(company);
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::ExecutionAuthorized {
            all.push(granted(company, happened, place));
        } else if happened.kind == Happening::ExecutionEnded {
            let newest = all
                .iter()
                .enumerate()
                .filter(|(_, one)| one.is_active)
                .max_by_key(|(_, one)| (one.authorized, one.number.clone()))
                .map(|(place, _)| place);
            newest.map(|place| all.remove(place));
        }
    }
    all.sort_by(|a, b| (b.authorized, &b.number).cmp(&(a.authorized, &a.number)));
    all
}

/// Whether an authorization is in force.
pub(crate) fn is_enforced(company: &Company) -> bool {
    authorizations(company).iter().any(|one| one.is_active)
}

/// The authorizations on the simulator's first day.
fn at_first(company: &Company) -> Vec<Authorization> {
    let count = if company.index < SHOWCASE_SIZE {
        match company.index {
            3 | 6..=9 | 11 => 1,
            5 => 7,
            _ => 0,
        }
    } else {
        let mut dice = Dice::new(company.origin.seed, company.index, Topic::Executions);
        match dice.below(100) {
            0..67 => 0,
            67..88 => 1,
            88..95 => 2,
            95..99 => 3 + dice.below(3),
            _ => 6 + dice.below(7),
        }
    };
    (0..count)
        .map(|place| {
            let mut dice = dice_of(company, u64::from(place) + 1);
            let days = 30 + 70 * place + dice.below(60);
            let mut one = rolled(
                company,
                before(company.origin.start, days),
                place,
                &mut dice,
            );
            shown(company, &mut one, place);
            one
        })
        .collect()
}

/// The hand-written values of the showcase.
fn shown(company: &Company, one: &mut Authorization, place: u32) {
    if company.index >= SHOWCASE_SIZE {
        return;
    }
    let holding = creditor(NAMES[1], identifiers::ico(1));
    one.creditors = vec![holding];
    one.executor = Some("JUDr. Kvetoslav Skúšobný".to_owned());
    one.claim = Some(CLAIMS[0]);
    one.published = Some(after(one.authorized, 6));
    one.has_other_obligors = false;
    (one.is_active, one.is_doubled) = (true, false);
    let person = |name: &str| Creditor::Person {
        name: name.to_owned(),
    };
    match (company.index, place) {
        (3, _) => {
            one.creditors = vec![person("Mgr. Anežka Perníková, PhD.")];
            one.claim = None;
        }
        (5, 1) => {
            let body = creditor(BODIES[1].0, identifiers::ico(BODIES[1].1));
            one.creditors = vec![person("Štefan Hroznák"), body, person("Eva Mrkvová")];
        }
        (5, 2) => one.creditors.push(creditor(NAMES[7], identifiers::ico(7))),
        (6, _) => one.has_other_obligors = true,
        (7, _) => one.is_doubled = true,
        (8, _) => one.is_active = false,
        (9, _) => {
            one.creditors = vec![Creditor::Foreign { name: FOREIGN[0] }];
            (one.executor, one.published) = (None, None);
        }
        (11, _) => {
            one.court = "Okresný súd Senica pri Vzore";
            one.ecli = one.ecli.replace(":OSBB:", ":SpOSse:");
        }
        _ => {}
    }
}

/// An authorization granted during the simulation. It is visible from the day it was granted.
fn granted(company: &Company, happened: &Happened, place: u32) -> Authorization {
    let mut dice = dice_of(company, happened.salt);
    let mut one = rolled(company, before(happened.on, 4), place, &mut dice);
    one.published = Some(happened.on);
    (one.is_active, one.is_doubled) = (true, false);
    one
}

fn dice_of(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::Executions, salt)
}

fn rolled(company: &Company, authorized: Date, place: u32, dice: &mut Dice) -> Authorization {
    let authorized = authorized.max(company.established);
    let year = authorized.year();
    // Numbers are unique within a company, and between about thirty thousand companies.
    let number = format!(
        "61{:02}{:06}",
        year % 100,
        (company.index * 32 + place) % 1_000_000
    );
    let published = after(authorized, 2 + dice.below(9));
    Authorization {
        ecli: format!("ECLI:SK:OSBB:{year}:{number}.{}", 1 + dice.below(3)),
        file_number: format!("{}Ek/{}/{year}", 1 + dice.below(60), 1 + dice.below(4_000)),
        number,
        court: "Okresný súd Banská Bystrica",
        executor: dice
            .chance(950)
            .then(|| format!("JUDr. {}", people::person(dice).plain())),
        claim: dice.chance(900).then(|| *dice.pick(&CLAIMS)),
        creditors: creditors(dice),
        has_other_obligors: dice.chance(150),
        authorized,
        published: dice.chance(800).then_some(published),
        is_active: !dice.chance(40),
        is_doubled: dice.chance(50),
    }
}

fn creditors(dice: &mut Dice) -> Vec<Creditor> {
    let count = if dice.chance(150) { 2 } else { 1 };
    (0..count)
        .map(|_| match dice.below(20) {
            0..11 => {
                let (name, index) = *dice.pick(&BODIES);
                creditor(name, identifiers::ico(index))
            }
            11..15 => {
                let index = *dice.pick(&[0, 1, 7, 8]);
                creditor(NAMES[index as usize], identifiers::ico(index))
            }
            15 => {
                let name: &&'static str = dice.pick(&FOREIGN);
                Creditor::Foreign { name }
            }
            _ => Creditor::Person {
                name: people::person(dice).formatted(),
            },
        })
        .collect()
}

fn creditor(name: &str, ico: String) -> Creditor {
    Creditor::Company {
        name: name.to_owned(),
        ico,
    }
}
