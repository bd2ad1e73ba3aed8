//! Legal entity identifiers of the company, and its reported parents.
//!
//! One ordinary company in twelve has one. The register does not follow changes after the first day, such as a new
//! name. The showcase:
//!
//! | index | identifiers | parents |
//! | --- | --- | --- |
//! | 0 | in force; a Czech company has the same eight digits | company 1, until day 17; the ultimate one abroad |
//! | 1 | in force, with two bank codes and a former name | one abroad, both direct and ultimate |
//! | 2 | none, but a Czech company has the same eight digits | |
//! | 3 | a trader's, lapsed | natural persons |
//! | 4 | retired with the company | neither is reported |
//! | 5 | lapsed | one exception each, of two kinds |
//! | 6 | in force, zero-led | an exception and a record |
//! | 7 | in force, lapses on day 16 and is renewed on day 18; a duplicate beside it | natural persons |
//! | 8 | lapsed, and a newer one that is retired | neither is reported |
//! | 9 | none | |
//! | 10 | in force | the direct one is a link to a missing record; the ultimate one is unknown |
//! | 11 | none | |

use time::Date;

use super::Population;
use super::calendar::{after, before};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::forms::SourceRegister;
use super::happening::Happening;
use super::identifiers;
use super::showcase::SHOWCASE_SIZE;

/// Groups outside the population: name and country.
const GROUPS: [(&str, &str); 4] = [
    ("Beispiel Holding AG", "AT"),
    ("Příkladová skupina, a. s.", "CZ"),
    ("Muster Gruppe SE", "DE"),
    ("Vzorová Investment Holding B.V.", "NL"),
];

/// An identifier of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lei {
    /// 18 characters and two check digits.
    pub lei: String,
    /// The company's name on the first day.
    pub name: String,
    pub former_name: Option<&'static str>,
    /// `ISSUED`, `LAPSED`, `RETIRED` or `DUPLICATE`.
    pub registration: &'static str,
    /// Whether the company is active.
    pub is_active: bool,
    /// The day of the first registration.
    pub since: Date,
    /// The day by which it must be renewed.
    pub renewal: Option<Date>,
    pub bic: Vec<&'static str>,
    /// The direct parent, which consolidates the company.
    pub direct: Parent,
    /// The ultimate parent of the group.
    pub ultimate: Parent,
}

/// The report about a parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    Nothing,
    /// A reason why the parent is not reported.
    Exception(&'static str),
    /// Its identifier and name.
    Record(String, String),
    /// A link to a record that does not exist.
    Gone,
}

/// A foreign company whose number has the same digits as a company of the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    pub lei: String,
    pub name: &'static str,
    /// Its number in its own register.
    pub number: String,
}

/// Czech companies with the digits of the companies 0 and 2.
pub fn neighbours(population: &Population) -> Vec<Neighbour> {
    let of = |index: u32| {
        let number = population.ico(index);
        Neighbour {
            lei: with_check_digits(&format!("999900Z{number}000")),
            name: "Příkladová stavební, s. r. o.",
            number,
        }
    };
    vec![of(0), of(2)]
}

/// The group at a place: its identifier, name and country.
pub(crate) fn group(place: usize) -> Option<(String, &'static str, &'static str)> {
    let (name, country) = GROUPS.get(place)?;
    let lei = with_check_digits(&format!("999900H{place:011}"));
    Some((lei, *name, *country))
}

/// The company number from which an identifier was derived.
pub(crate) fn number_of(lei: &str) -> Option<&str> {
    lei.strip_prefix("999900C")?.get(..8)
}

/// The index of the group from which an identifier was derived.
pub(crate) fn group_of(lei: &str) -> Option<usize> {
    lei.strip_prefix("999900H")?.get(..11)?.parse().ok()
}

/// The identifiers of a company; the first is the current or the last valid one.
pub fn leis(company: &Company) -> Vec<Lei> {
    let mut all = if company.index < SHOWCASE_SIZE {
        shown(company)
    } else {
        rolled(company)
    };
    for happened in &company.happened {
        let Some(lei) = all.first_mut() else { break };
        if happened.kind == Happening::LeiLapsed {
            lei.registration = "LAPSED";
        } else if happened.kind == Happening::LeiRenewed {
            lei.registration = "ISSUED";
            lei.renewal = Some(after(happened.on, 365));
        } else if happened.kind == Happening::LeiParentReplaced {
            let former = lei.direct.clone();
            let others = (0..GROUPS.len()).map(parent_group);
            let next = others
                .into_iter()
                .find(|group| *group != former && *group != lei.ultimate);
            lei.direct = next.unwrap_or(Parent::Nothing);
        }
    }
    all
}

/// Whether its identifier is in force.
pub(crate) fn is_in_force(company: &Company) -> bool {
    leis(company)
        .first()
        .is_some_and(|lei| lei.registration == "ISSUED")
}

/// Whether its identifier has lapsed.
pub(crate) fn is_lapsed(company: &Company) -> bool {
    leis(company)
        .first()
        .is_some_and(|lei| lei.registration == "LAPSED")
}

/// Whether it reports a direct parent.
pub(crate) fn has_parent(company: &Company) -> bool {
    let all = leis(company);
    all.first()
        .is_some_and(|lei| matches!(lei.direct, Parent::Record(..)))
}

fn shown(company: &Company) -> Vec<Lei> {
    let start = company.origin.start;
    let of = |place, registration, years: u32| {
        lei(company, place, registration, before(start, years * 365))
    };
    match company.index {
        0 => {
            let mut one = of(0, "ISSUED", 5);
            let parent = identifiers::ico(1);
            one.direct = Parent::Record(lei_of(&parent, 0), super::showcase::NAMES[1].to_owned());
            one.ultimate = parent_group(0);
            vec![one]
        }
        1 => {
            let mut one = of(0, "ISSUED", 9);
            one.former_name = Some("Žblnkotech Fiktív, a. s.");
            one.bic = vec!["ZBLNSKBAXXX", "ZBLNSKBA001"];
            one.direct = parent_group(0);
            one.ultimate = parent_group(0);
            vec![one]
        }
        3 => {
            let mut one = of(0, "LAPSED", 3);
            one.direct = Parent::Exception("NATURAL_PERSONS");
            one.ultimate = Parent::Exception("NATURAL_PERSONS");
            vec![one]
        }
        4 => {
            let mut one = of(0, "RETIRED", 8);
            one.is_active = false;
            one.renewal = None;
            vec![one]
        }
        5 => {
            let mut one = of(0, "LAPSED", 4);
            one.direct = Parent::Exception("NO_KNOWN_PERSON");
            one.ultimate = Parent::Exception("NON_CONSOLIDATING");
            vec![one]
        }
        6 => {
            let mut one = of(0, "ISSUED", 2);
            one.direct = Parent::Exception("NON_PUBLIC");
            one.ultimate = parent_group(2);
            vec![one]
        }
        7 => {
            let mut one = of(0, "ISSUED", 6);
            one.direct = Parent::Exception("NATURAL_PERSONS");
            one.ultimate = Parent::Exception("NATURAL_PERSONS");
            vec![one, of(1, "DUPLICATE", 1)]
        }
        8 => {
            let mut retired = of(1, "RETIRED", 1);
            retired.renewal = None;
            vec![of(0, "LAPSED", 7), retired]
        }
        10 => {
            let mut one = of(0, "ISSUED", 3);
            one.direct = Parent::Gone;
            one.ultimate = Parent::Exception("NO_KNOWN_PERSON");
            vec![one]
        }
        _ => Vec::new(),
    }
}

fn rolled(company: &Company) -> Vec<Lei> {
    let mut dice = dice(company);
    if !dice.chance(80) || company.source_register == SourceRegister::FlatOwners {
        return Vec::new();
    }
    let start = company.origin.start;
    let registration = if dice.chance(250) { "LAPSED" } else { "ISSUED" };
    let since = before(start, 200 + dice.below(2_500));
    let mut one = lei(company, 0, registration, since);
    let group = dice.below(4) as usize;
    if dice.chance(400) {
        one.direct = parent_group(group);
        one.ultimate = parent_group((group + usize::from(dice.chance(500))) % GROUPS.len());
    } else {
        let reason = *dice.pick(&["NATURAL_PERSONS", "NO_KNOWN_PERSON", "NON_CONSOLIDATING"]);
        one.direct = Parent::Exception(reason);
        one.ultimate = Parent::Exception(reason);
    }
    vec![one]
}

fn lei(company: &Company, place: u32, registration: &'static str, since: Date) -> Lei {
    let start = company.origin.start;
    let mut first_names = company.names.iter().filter(|name| name.since <= start);
    let name = first_names.next_back().or(company.names.first());
    Lei {
        lei: lei_of(&company.ico, place),
        name: name.map(|name| name.value.clone()).unwrap_or_default(),
        former_name: None,
        registration,
        is_active: company
            .ending
            .as_ref()
            .is_none_or(|ending| ending.date > start),
        since,
        renewal: Some(match registration {
            "ISSUED" => after(start, 90 + company.index % 200),
            _ => before(start, 30 + company.index % 200),
        }),
        bic: Vec::new(),
        direct: Parent::Nothing,
        ultimate: Parent::Nothing,
    }
}

fn parent_group(place: usize) -> Parent {
    group(place).map_or(Parent::Nothing, |(lei, name, _)| {
        Parent::Record(lei, name.to_owned())
    })
}

fn lei_of(ico: &str, place: u32) -> String {
    with_check_digits(&format!("999900C{ico}{place:03}"))
}

/// Appends the two check digits of ISO 17442: with letters as numbers from 10, the whole modulo 97 is 1.
fn with_check_digits(head: &str) -> String {
    let rest = head.chars().chain("00".chars()).fold(0, |rest, letter| {
        let value = letter.to_digit(36).expect("letters and digits");
        (rest * if value < 10 { 10 } else { 100 } + value) % 97
    });
    format!("{head}{:02}", 98 - rest)
}

fn dice(company: &Company) -> Dice {
    Dice::new(company.origin.seed, company.index, Topic::Identifiers)
}
