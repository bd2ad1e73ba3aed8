//! European funds of the period 2021 to 2027: applications, and projects with a contract.
//!
//! About one in ten of the first 600 companies has one project or two, each after an approved application. The next
//! company may be its partner, the one after that its supplier. The showcase:
//!
//! | company | own projects | shows |
//! | --- | --- | --- |
//! | 0 | 27 | more than a section shows; company 1 is the partner of the first, company 2 its supplier |
//! | 3 | one | terminated without contribution and excluded from funding |
//! | 4 | none, one rejected application | no approved amounts |
//! | 5 | one | its detail is blocked, so that only the facts of the list are known |
//! | 6 | one | no amounts, no contract, no municipality; a foreign supplier |
//! | 7 | one | ended, with entities of HTML in the name; begun on days on which the clocks change |
//! | 9 | none | partner of a project with a foreign recipient |
//! | 11 | none, from day 20 one | contracted by the script |
//! | others | none | |

pub mod debts;
pub mod purchases;

use time::Date;
use time::macros::date;

use super::Population;
use super::calendar::{after, before};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::money::Money;
use super::showcase::SHOWCASE_SIZE;

/// Companies from this index on have no projects.
pub(crate) const MOST: u32 = 600;
/// Number of ids reserved for a company.
const OF_A_COMPANY: u32 = 64;
const FIRST_PROJECT: u32 = 20_000;
const FIRST_APPLICATION: u32 = 200_000;
/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 40;

/// How a company takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Owner,
    Partner,
    Supplier,
}

/// A call for applications.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    pub id: u32,
    pub code: &'static str,
    pub name: &'static str,
    pub program: &'static str,
    /// The provider of the grant, as the call names it.
    pub provider: &'static str,
    /// The same, as details of projects name it.
    pub organ: &'static str,
}

pub const CALLS: [Call; 3] = [
    Call {
        id: 3_165,
        code: "PSK-SM-005-2024-DV-ESF+",
        name: "Podpora skúšobných projektov v obciach",
        program: "Program Slovensko - SK - EFRR/KF/FST/ESF+",
        provider: "Riadiaci orgán PSK - Skúšobné ministerstvo investícií",
        organ: "Skúšobné ministerstvo investícií",
    },
    Call {
        id: 3_201,
        code: "PSK-VM-011-2024-NV-EFRR",
        name: "Nákup vymyslených technológií",
        program: "Program Slovensko - SK - EFRR/KF/FST/ESF+",
        provider: "Riadiaci orgán PSK - Vymyslené ministerstvo hospodárstva",
        organ: "Vymyslené ministerstvo hospodárstva",
    },
    Call {
        id: 3_340,
        code: "PRH-2025-002-ENRAF",
        name: "Vzorové rybníky",
        program: "Program Rybné hospodárstvo",
        provider: "Riadiaci orgán PRH - Príkladové ministerstvo vôd",
        organ: "Príkladové ministerstvo vôd",
    },
];

const NAMES: [&str; 5] = [
    "Zníženie energetickej náročnosti skúšobnej haly",
    "Nákup vymyslených technológií",
    "Vzdelávanie zamestnancov v príkladoch",
    "Obnova vzorového rybníka",
    "Digitalizácia skladu",
];
/// A region, and a municipality in it.
const PLACES: [(&str, &str); 3] = [
    ("Nitriansky kraj", "Žabokreky nad Skúškou"),
    ("Košický kraj", "Fiktívna Nová Ves"),
    ("Prešovský kraj", "Horné Čučoriedky"),
];

/// An application for a grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    pub id: u32,
    pub code: String,
    pub name: &'static str,
    pub status: &'static str,
    pub call: &'static Call,
    pub approved: bool,
    pub excluded: bool,
    pub requested_nfp: Money,
    pub requested_total: Money,
    pub approved_nfp: Option<Money>,
    pub approved_total: Option<Money>,
    pub submitted: Date,
    /// The index of the partner.
    pub partner: Option<u32>,
}

/// A project with a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FundsProject {
    pub id: u32,
    pub code: String,
    pub name: &'static str,
    pub status: &'static str,
    pub call: &'static Call,
    pub region: &'static str,
    /// Only in the detail.
    pub town: Option<&'static str>,
    pub in_progress: bool,
    pub completed: bool,
    pub suspended: bool,
    pub excluded: bool,
    pub terminated: bool,
    pub total: Option<Money>,
    /// The contracted grant, only in the detail.
    pub nfp: Option<Money>,
    /// What was paid, only in the detail.
    pub disbursed: Option<Money>,
    /// The first day of the contract.
    pub effective: Option<Date>,
    pub started: Option<Date>,
    /// Only in the detail.
    pub planned_end: Option<Date>,
    pub changed: Date,
    /// Whether the recipient is a foreign organisation instead of the company.
    pub is_foreign: bool,
    /// The index of the partner.
    pub partner: Option<u32>,
    /// The index of the supplier. Only in the detail.
    pub supplier: Option<u32>,
    /// Whether a foreign organisation is a supplier too.
    pub has_foreign_supplier: bool,
    /// Whether the firewall blocks the detail.
    pub is_blocked: bool,
    pub application: Application,
}

/// The projects that belong to a company, by id.
pub fn projects(population: &Population, company: &Company) -> Vec<FundsProject> {
    if company.index >= MOST {
        return Vec::new();
    }
    let mut all: Vec<FundsProject> = (0..count(company))
        .map(|place| {
            let effective = before(company.origin.start, 20 + 15 * place + company.index % 30);
            project(population, company, place, effective)
        })
        .collect();
    for one in &mut all {
        shown(company, one);
    }
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::FundsContracted && place < OF_A_COMPANY {
            let mut one = project(population, company, place, happened.on);
            (one.partner, one.supplier, one.application.partner) = (None, None, None);
            all.push(one);
        }
    }
    all
}

/// The applications that belong to a company, by id.
pub fn applications(population: &Population, company: &Company) -> Vec<Application> {
    let projects = projects(population, company);
    let of_projects = projects.into_iter().filter(|one| !one.is_foreign);
    let mut all: Vec<Application> = of_projects.map(|one| one.application).collect();
    all.extend(rejected(company));
    all.sort_by_key(|one| one.id);
    all
}

/// The projects in which a company takes part.
pub fn projects_of(
    population: &Population,
    company: &Company,
    day: u32,
) -> Vec<(Company, FundsProject, Part)> {
    let mut all = Vec::new();
    for owner in near(population, company, day) {
        for one in projects(population, &owner) {
            let index = Some(company.index);
            let part = if owner.index == company.index && !one.is_foreign {
                Some(Part::Owner)
            } else if one.partner == index {
                Some(Part::Partner)
            } else if one.supplier == index {
                Some(Part::Supplier)
            } else {
                None
            };
            all.extend(part.map(|part| (owner.clone(), one, part)));
        }
    }
    all
}

/// The applications in which a company takes part.
pub fn applications_of(
    population: &Population,
    company: &Company,
    day: u32,
) -> Vec<(Company, Application, Part)> {
    let mut all = Vec::new();
    for owner in near(population, company, day) {
        for one in applications(population, &owner) {
            let part = if owner.index == company.index {
                Some(Part::Owner)
            } else if one.partner == Some(company.index) {
                Some(Part::Partner)
            } else {
                None
            };
            all.extend(part.map(|part| (owner.clone(), one, part)));
        }
    }
    all
}

/// The companies whose projects a company can take part in.
fn near(population: &Population, company: &Company, day: u32) -> Vec<Company> {
    let first = company.index.saturating_sub(2);
    let others = (first..company.index).map(|index| population.company(index, day));
    others.chain([company.clone()]).collect()
}

/// All companies that can have projects, on a day.
pub(crate) fn owners(population: &Population, day: u32) -> impl Iterator<Item = Company> {
    (0..population.len().min(MOST)).map(move |index| population.company(index, day))
}

/// The project with an id on a day, and its owner.
pub(crate) fn by_id(population: &Population, id: u32, day: u32) -> Option<(Company, FundsProject)> {
    let index = id.checked_sub(FIRST_PROJECT)? / OF_A_COMPANY;
    let owner = (index < population.len()).then(|| population.company(index, day))?;
    let own = projects(population, &owner);
    let found = own.into_iter().find(|one| one.id == id)?;
    Some((owner, found))
}

/// The number of own projects on the first day.
fn count(company: &Company) -> u32 {
    if company.index < SHOWCASE_SIZE {
        return match company.index {
            0 => 27,
            3 | 5 | 6 | 7 | 9 => 1,
            _ => 0,
        };
    }
    let mut dice = Dice::new(company.origin.seed, company.index, Topic::Funds);
    match dice.below(100) {
        0..90 => 0,
        90..97 => 1,
        _ => 2,
    }
}

/// The hand-written values of the showcase.
fn shown(company: &Company, one: &mut FundsProject) {
    match company.index {
        3 => {
            (one.in_progress, one.excluded, one.terminated) = (false, true, true);
            one.status = "Projekt mimoriadne ukončený - neprispel k cieľom (K)";
            one.application.excluded = true;
        }
        5 => (one.is_blocked, one.suspended) = (true, true),
        6 => {
            (one.total, one.nfp, one.disbursed) = (None, None, None);
            (one.effective, one.started, one.planned_end) = (None, None, None);
            (one.town, one.has_foreign_supplier) = (None, true);
        }
        7 => {
            one.name = "Výskum \"zelených\" hnojív & kompostov";
            (one.in_progress, one.completed) = (false, true);
            one.status = "Projekt riadne ukončený (K)";
            one.effective = Some(date!(2025 - 03 - 30));
            one.started = Some(date!(2025 - 10 - 26));
        }
        9 => (one.is_foreign, one.partner, one.supplier) = (true, Some(9), None),
        _ => {}
    }
    let has_others = company.index >= SHOWCASE_SIZE || one.id == FIRST_PROJECT;
    if !has_others && company.index != 9 {
        (one.partner, one.supplier, one.application.partner) = (None, None, None);
    }
}

/// A rejected application, which company 4 and some others have.
fn rejected(company: &Company) -> Option<Application> {
    let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Funds, 1_000);
    let has_one = company.index == 4 || (company.index >= SHOWCASE_SIZE && dice.chance(40));
    if !has_one || company.index >= MOST {
        return None;
    }
    let place = OF_A_COMPANY - 1;
    let submitted = before(company.origin.start, 30 + dice.below(300));
    Some(Application {
        approved: false,
        status: "Neschválená",
        approved_nfp: None,
        approved_total: None,
        ..application(company, place, submitted, &mut dice)
    })
}

fn application(company: &Company, place: u32, submitted: Date, dice: &mut Dice) -> Application {
    let id = FIRST_APPLICATION + company.index * OF_A_COMPANY + place;
    let total = 1_000_000 + u64::from(dice.below(80_000_000));
    let nfp = total / 100 * 85;
    Application {
        id,
        code: format!("NFP401406{id:06}"),
        name: dice.pick::<&str>(&NAMES),
        status: "Zmluva uzavretá",
        call: dice.pick(&CALLS),
        approved: true,
        excluded: false,
        requested_nfp: Money(nfp + 1_050),
        requested_total: Money(total + 2_000),
        approved_nfp: Some(Money(nfp)),
        approved_total: Some(Money(total)),
        submitted,
        partner: None,
    }
}

/// A project with the contract of a day.
fn project(
    population: &Population,
    company: &Company,
    place: u32,
    effective: Date,
) -> FundsProject {
    let index = company.index;
    let salt = 1 + u64::from(place);
    let mut dice = Dice::with_salt(company.origin.seed, index, Topic::Funds, salt);
    let mut own = application(company, place, before(effective, 150), &mut dice);
    let other = |away: u32| Some(index + away).filter(|index| *index < population.len().min(MOST));
    let has_partner = dice.chance(300) || index == 0;
    let has_supplier = dice.chance(300) || index == 0;
    let partner = other(1).filter(|_| has_partner);
    let started = after(effective, dice.below(30));
    let (region, town) = *dice.pick(&PLACES);
    let paid = own.approved_nfp.map(|nfp| Money(nfp.0 / 4 + 7));
    own.partner = partner;
    FundsProject {
        id: FIRST_PROJECT + index * OF_A_COMPANY + place,
        code: own.code.trim_start_matches("NFP").to_owned(),
        name: own.name,
        status: own.status,
        call: own.call,
        region,
        town: Some(town),
        in_progress: true,
        completed: false,
        suspended: false,
        excluded: false,
        terminated: false,
        total: own.approved_total,
        nfp: own.approved_nfp,
        disbursed: paid.filter(|_| dice.chance(800)),
        effective: Some(effective),
        started: Some(started).filter(|_| dice.chance(600)),
        planned_end: Some(after(started, 400 + dice.below(700))),
        changed: effective,
        is_foreign: false,
        partner,
        supplier: other(2).filter(|_| has_supplier),
        has_foreign_supplier: false,
        is_blocked: false,
        application: own,
    }
}
