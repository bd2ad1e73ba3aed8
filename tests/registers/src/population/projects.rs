//! Projects with aid from public funds, as the register of projects has them.
//!
//! About one in seven of the first 600 companies has one or two, so that the register stays short. The showcase:
//!
//! | company | projects | shows |
//! | --- | --- | --- |
//! | 0 | 25 | more than a page of the list |
//! | 1 | one | an unknown amount |
//! | 3 | one | the IČO with spaces |
//! | 5 | one | no day of publication and no end |
//! | 6 | one | the IČO without two of its leading zeros |
//! | 7 | one | a name with entities of HTML |
//! | 9 | one without a recipient's number | no IČO |
//! | 10 | none, from day 20 one | published by the script |
//! | others | none | |

use time::Date;

use super::Population;
use super::calendar::{after, before};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::money::Money;
use super::showcase::SHOWCASE_SIZE;

/// Companies from this index on have no projects.
pub(crate) const MOST: u32 = 600;
/// Number of project numbers reserved for a company.
const OF_A_COMPANY: u32 = 64;
const FIRST_ID: u32 = 900_000;
/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 32;

/// How the register writes the recipient's IČO.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recipient {
    /// Eight digits without spaces.
    Plain,
    /// Grouped digits, such as `99 999 901`.
    Spaced,
    /// The IČO without two of its leading zeros.
    ZerosLost,
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: u32,
    /// The name of the project.
    pub name: &'static str,
    /// The provider of the aid.
    pub provider: &'static str,
    /// The type of the aid.
    pub help_type: &'static str,
    pub amount: Option<Money>,
    /// The first day on the list.
    pub listed: Date,
    /// The day of publication on its page.
    pub published: Option<Date>,
    /// The day on which the contract was signed.
    pub signed: Date,
    pub start: Option<Date>,
    pub end: Option<Date>,
    /// How the recipient's IČO is written.
    pub recipient: Recipient,
}

impl Project {
    /// The day that determines its age.
    pub fn dated(&self) -> Date {
        self.published.unwrap_or(self.signed)
    }
}

const NAMES: [&str; 6] = [
    "Modernizácia výrobných priestorov",
    "Zníženie energetickej náročnosti budovy",
    "Vzdelávanie zamestnancov",
    "Nákup inovatívnych technológií",
    "Obnova kultúrneho domu v obci Horné Čučoriedky",
    "Podpora zamestnávania mladých ľudí",
];
const PROVIDERS: [&str; 4] = [
    "Skúšobné ministerstvo hospodárstva",
    "Vymyslená platobná agentúra",
    "Vzorový úrad práce",
    "Príkladový environmentálny fond",
];
const TYPES: [&str; 3] = ["nenávratný finančný príspevok", "dotácia", "štátna pomoc"];

/// The projects of a company, newest first.
pub fn projects(company: &Company) -> Vec<Project> {
    if company.index >= MOST {
        return Vec::new();
    }
    let mut all = at_first(company);
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::ProjectPublished && place < OF_A_COMPANY {
            all.push(project(company, place, happened.on));
        }
    }
    all.sort_by_key(|one| std::cmp::Reverse((one.dated(), one.id)));
    all
}

/// All projects on a day with their companies, in list order: newest first.
pub(crate) fn listed(population: &Population, day: u32) -> Vec<(Company, Project)> {
    let mut all: Vec<(Company, Project)> = (0..population.len().min(MOST))
        .map(|index| population.company(index, day))
        .flat_map(|company| {
            let own = projects(&company);
            own.into_iter().map(move |one| (company.clone(), one))
        })
        .collect();
    all.sort_by_key(|(_, one)| std::cmp::Reverse((one.listed, one.id)));
    all
}

/// The project with a number on a day, and its company.
pub(crate) fn by_id(population: &Population, id: u32, day: u32) -> Option<(Company, Project)> {
    let index = id.checked_sub(FIRST_ID)? / OF_A_COMPANY;
    let company = (index < population.len()).then(|| population.company(index, day))?;
    let found = projects(&company).into_iter().find(|one| one.id == id)?;
    Some((company, found))
}

/// The projects on the simulator's first day.
fn at_first(company: &Company) -> Vec<Project> {
    let start = company.origin.start;
    let count = if company.index < SHOWCASE_SIZE {
        match company.index {
            0 => 25,
            1 | 3 | 5 | 6 | 7 | 9 => 1,
            _ => 0,
        }
    } else {
        let mut dice = Dice::new(company.origin.seed, company.index, Topic::Projects);
        match dice.below(100) {
            0..86 => 0,
            86..96 => 1,
            _ => 2,
        }
    };
    let listed = |place: u32| {
        let days = 10 + 50 * place + company.index % 40;
        before(start, days).max(company.established)
    };
    let mut all: Vec<Project> = (0..count)
        .map(|place| project(company, place, listed(place)))
        .collect();
    for one in &mut all {
        shown(company, one);
    }
    all
}

/// The hand-written values of the showcase.
fn shown(company: &Company, one: &mut Project) {
    match company.index {
        1 => one.amount = None,
        3 => one.recipient = Recipient::Spaced,
        5 => (one.published, one.end) = (None, None),
        6 => one.recipient = Recipient::ZerosLost,
        7 => one.name = "Výskum \"zelených\" hnojív & kompostov",
        9 => one.recipient = Recipient::Absent,
        _ => {}
    }
}

fn project(company: &Company, place: u32, listed: Date) -> Project {
    let (seed, index) = (company.origin.seed, company.index);
    let mut dice = Dice::with_salt(seed, index, Topic::Projects, 1 + u64::from(place));
    let signed = before(listed, 1 + dice.below(20));
    let start = after(listed, dice.below(60));
    Project {
        id: FIRST_ID + index * OF_A_COMPANY + place,
        name: dice.pick::<&str>(&NAMES),
        provider: dice.pick::<&str>(&PROVIDERS),
        help_type: dice.pick::<&str>(&TYPES),
        amount: Some(Money(100_000 + u64::from(dice.below(90_000_000)))),
        listed,
        published: Some(listed),
        signed,
        start: Some(start),
        end: dice
            .chance(900)
            .then(|| after(start, 400 + dice.below(900))),
        recipient: Recipient::Plain,
    }
}
