//! Reliefs from income tax, and regulated branches.

use time::Date;

use super::super::calendar::before;
use super::super::company::Company;
use super::super::happening::Happening;
use super::super::money::Money;
use super::super::showcase::SHOWCASE_SIZE;
use super::{dice, happened, money};

const PROJECTS: [&str; 4] = [
    "Vymyslené ložisko z brezovej kôry",
    "Triedenie ozveny podľa farby & vône",
    "Samozatváracie okno \"Žblnk\"",
    "Predpoveď chrapkania hodín",
];
const PATENTS: [(&str, &str); 3] = [
    (
        "patent",
        "Vymyslený patent č. 999901 – obojstranný kolovrátok",
    ),
    ("úžitkový vzor", "Vymyslený vzor č. 999902 – skladací komín"),
    ("softvér", "Program na počítanie čučoriedok"),
];
const BRANCHES: [&str; 4] = [
    "energetika",
    "poštové služby",
    "elektronické komunikácie",
    "letecká doprava",
];

/// A deduction for a project of research.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Research {
    pub period: String,
    pub amount: Money,
    /// The goal of the project.
    pub project: &'static str,
    pub since: Date,
}

/// A deduction of an investment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Investment {
    pub period: String,
    pub amount: Money,
    pub invested: Money,
    /// The planned investment in percent.
    pub percent: u32,
}

/// Exempt income from a patent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patent {
    /// The kind of right.
    pub subtype: &'static str,
    pub period: String,
    pub exemption: Money,
    pub patent: &'static str,
}

/// A regulated branch in which a company works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub name: &'static str,
    pub from: Date,
    pub to: Option<Date>,
}

pub fn research(company: &Company) -> Vec<Research> {
    let start = company.origin.start;
    let year = start.year() - 2;
    let of = |back: i32, project: usize, salt: u64| Research {
        period: (year - back).to_string(),
        amount: money(&mut dice(company, salt), 500_000),
        project: PROJECTS[project % PROJECTS.len()],
        since: before(start, 1_500),
    };
    let mut all = match company.index {
        0 => vec![of(0, 0, 300), of(0, 1, 301), of(1, 0, 302)],
        11 => vec![of(0, 2, 303)],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if company.dic.is_some() && dice(company, 3).chance(10) => {
            vec![of(0, index as usize, 304)]
        }
        _ => Vec::new(),
    };
    let later = happened(company, Happening::ReliefClaimed);
    all.extend(later.map(|happened| Research {
        since: happened.on,
        ..of(-1, 3, happened.salt)
    }));
    all
}

pub fn investments(company: &Company) -> Vec<Investment> {
    let year = company.origin.start.year() - 2;
    let of = |back: i32, salt: u64| {
        let invested = Money(10 * money(&mut dice(company, salt), 200_000).0);
        Investment {
            period: (year - back).to_string(),
            amount: Money(invested.0 / 10),
            invested,
            percent: 700,
        }
    };
    let mut all = match company.index {
        1 => vec![of(0, 400)],
        8 => vec![of(0, 401), of(1, 402), of(2, 403)],
        index if index < SHOWCASE_SIZE => Vec::new(),
        _ if company.dic.is_some() && dice(company, 4).chance(10) => vec![of(0, 404)],
        _ => Vec::new(),
    };
    let later = happened(company, Happening::ReliefClaimed);
    all.extend(later.map(|happened| of(-1, happened.salt)));
    all
}

/// Exempt income from patents.
pub fn patents(company: &Company) -> Vec<Patent> {
    let year = company.origin.start.year() - 2;
    let of = |back: i32, which: usize, salt: u64| {
        let (subtype, patent) = PATENTS[which % PATENTS.len()];
        Patent {
            subtype,
            period: (year - back).to_string(),
            exemption: money(&mut dice(company, salt), 150_000),
            patent,
        }
    };
    let mut all = match company.index {
        0 => vec![of(0, 0, 500), of(1, 0, 501)],
        11 => vec![of(0, 2, 502)],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if company.dic.is_some() && dice(company, 5).chance(10) => {
            vec![of(0, index as usize, 503)]
        }
        _ => Vec::new(),
    };
    let later = happened(company, Happening::ReliefClaimed);
    all.extend(later.map(|happened| of(-1, 1, happened.salt)));
    all
}

pub fn branches(company: &Company) -> Vec<Branch> {
    let start = company.origin.start;
    let of = |which: usize, from: u32, to: Option<u32>| Branch {
        name: BRANCHES[which % BRANCHES.len()],
        from: before(start, from),
        to: to.map(|to| before(start, to)),
    };
    let mut all = match company.index {
        1 => vec![of(0, 3_000, None), of(1, 2_000, Some(600))],
        6 => vec![of(2, 1_000, None)],
        index if index < SHOWCASE_SIZE => Vec::new(),
        index if dice(company, 6).chance(10) => vec![of(index as usize, 900, None)],
        _ => Vec::new(),
    };
    let later = happened(company, Happening::ReliefClaimed);
    all.extend(later.map(|happened| Branch {
        name: BRANCHES[3],
        from: happened.on,
        to: None,
    }));
    all
}

/// True if a new relief would differ from the existing ones.
pub(crate) fn can_claim(company: &Company) -> bool {
    company.dic.is_some() && happened(company, Happening::ReliefClaimed).next().is_none()
}
