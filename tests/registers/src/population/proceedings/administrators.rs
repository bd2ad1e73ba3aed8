//! The administrators of proceedings, and the ministry's list of them.
//!
//! The same 24 administrators handle proceedings for every seed. The list contains them, those entered by
//! [`Happening::AdministratorRegistered`], and all that were struck off, with the day.
//!
//! | company | entry in the list |
//! | --- | --- |
//! | 3 | the trader as S9004 |
//! | 11 | the partnership as S9011 |

use std::collections::BTreeSet;

use time::Date;
use time::macros::date;

use super::super::Population;
use super::super::company::{Address, Company};
use super::super::dice::{Dice, Topic};
use super::super::happening::Happening;
use super::super::holders::{Holder, Person};
use super::super::showcase::{NAMES, SHOWCASE_SEED, SHOWCASE_SIZE, named};
use super::super::{identifiers, people, places};

const COUNT: u32 = 24;
const FIRST_MARK: u32 = 9_001;
/// The showcase company that is an administrator, and its index among the administrators.
const PARTNERSHIP: (u32, usize) = (10, 11);
/// The showcase trader who is an administrator, and the index among the administrators.
const TRADER: (u32, u32) = (3, 3);
/// The first mark of administrators entered later.
const LATER_MARK: u32 = 20_000;
/// Some old entries were struck off on this day.
const STRUCK_OFF: Date = date!(2019 - 06 - 30);

/// An administrator; the same for every seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Administrator {
    /// The mark without spaces, `S9001`.
    pub mark: String,
    /// The person, or the partnership with its IČO.
    pub holder: Holder,
    /// The IČO of a person who is a trader.
    pub trader_ico: Option<String>,
    pub office: Address,
    /// The day of the entry; missing in old entries.
    pub entered: Option<Date>,
    /// The day on which the entry ended.
    pub struck_off: Option<Date>,
    /// Birth date, telephone number and e-mail of the person, which connectors must not pass on.
    pub private: [String; 3],
}

impl Administrator {
    /// The IČO, of a partnership or of a person.
    pub fn ico(&self) -> Option<&str> {
        match &self.holder {
            Holder::Company { ico, .. } => ico.as_deref(),
            Holder::Person(_) => self.trader_ico.as_deref(),
        }
    }

    /// The name as in the list of proceedings: `Skúšobná Eva, JUDr.`.
    pub fn listed(&self) -> String {
        match &self.holder {
            Holder::Company { name, .. } => name.clone(),
            Holder::Person(person) => {
                let titles: Vec<&str> = [&person.prefixes, &person.postfixes]
                    .into_iter()
                    .flatten()
                    .copied()
                    .collect();
                let name = format!("{} {}", person.family, person.given);
                if titles.is_empty() {
                    name
                } else {
                    format!("{name}, {}", titles.join(", "))
                }
            }
        }
    }
}

/// All administrators, ordered by mark.
pub fn administrators() -> Vec<Administrator> {
    (0..COUNT).map(administrator).collect()
}

/// The ministry's list on a day, ordered by mark: the administrators of proceedings, and companies entered
/// later.
pub fn listed(population: &Population, day: u32) -> Vec<Administrator> {
    let others = administrators().into_iter().filter(|one| {
        let index = one.ico().and_then(|ico| population.by_ico(ico));
        index.is_none()
    });
    // Ordinary companies are entered only by a forced event.
    let mut indexes: BTreeSet<u32> = (0..SHOWCASE_SIZE).collect();
    indexes.extend(population.forced_companies());
    let companies = indexes
        .into_iter()
        .map(|index| population.company(index, day));
    let mut all: Vec<Administrator> = others
        .chain(companies.filter_map(|company| of_company(&company)))
        .collect();
    all.sort_by(|one, other| one.mark.cmp(&other.mark));
    all
}

/// The entry of a company, even if it was struck off.
pub fn of_company(company: &Company) -> Option<Administrator> {
    let mut entry = administrators()
        .into_iter()
        .find(|one| one.ico() == Some(company.ico.as_str()));
    for happened in &company.happened {
        if happened.kind == Happening::AdministratorRegistered {
            let again = entry.unwrap_or_else(|| later(company));
            entry = Some(Administrator {
                entered: Some(happened.on),
                struck_off: None,
                ..again
            });
        } else if happened.kind == Happening::AdministratorStruckOff
            && let Some(entry) = &mut entry
        {
            entry.struck_off = Some(happened.on);
        }
    }
    entry
}

/// Whether the company is entered and was not struck off.
pub(crate) fn is_administrator(company: &Company) -> bool {
    of_company(company).is_some_and(|entry| entry.struck_off.is_none())
}

fn later(company: &Company) -> Administrator {
    Administrator {
        mark: format!("S{}", LATER_MARK + company.index),
        holder: Holder::Company {
            name: company.name().to_owned(),
            ico: Some(company.ico.clone()),
        },
        trader_ico: None,
        office: company.seat().clone(),
        entered: None,
        struck_off: None,
        private: [String::new(), String::new(), String::new()],
    }
}

/// The administrator of a proceeding.
pub(super) fn of(id: u64) -> Administrator {
    let place = (id / 1_000 + id % 1_000) % u64::from(COUNT);
    administrator(u32::try_from(place).unwrap_or(0))
}

fn administrator(place: u32) -> Administrator {
    let mut dice = Dice::new(SHOWCASE_SEED, place, Topic::Proceedings);
    let person: Person = people::person(&mut dice);
    let office = places::address(&mut dice);
    let entered = date!(2006 - 01 - 01) + time::Duration::days(i64::from(dice.below(6_000)));
    let is_trader = place == TRADER.0;
    let holder = match place {
        _ if is_trader => Holder::Person(named(&[], "Žofia", "Papraďová", &[])),
        place if place == PARTNERSHIP.0 => Holder::Company {
            name: NAMES[PARTNERSHIP.1].to_owned(),
            ico: Some(identifiers::ico(11)),
        },
        place if place % 8 == 5 => Holder::Company {
            name: format!("Fiktívni správcovia {}, k. s.", person.family),
            ico: None,
        },
        _ => Holder::Person(person),
    };
    Administrator {
        mark: format!("S{}", FIRST_MARK + place),
        holder,
        trader_ico: is_trader.then(|| identifiers::ico(TRADER.1)),
        office,
        struck_off: Some(STRUCK_OFF).filter(|_| place % 9 == 7),
        entered: Some(entered).filter(|_| !place.is_multiple_of(6)),
        private: [
            format!("{}-05-17", 1950 + place),
            format!("+42190000{place:04}"),
            format!("spravca{place}@example.invalid"),
        ],
    }
}
