//! Those who administer proceedings.

use time::Date;
use time::macros::date;

use super::super::company::Address;
use super::super::dice::{Dice, Topic};
use super::super::holders::{Holder, Person};
use super::super::showcase::{NAMES, SHOWCASE_SEED};
use super::super::{identifiers, people, places};

/// How many there are.
const COUNT: u32 = 24;
/// The mark of the first.
const FIRST_MARK: u32 = 9_001;
/// The showcase company that administers proceedings, and its place among the administrators.
const PARTNERSHIP: (u32, usize) = (10, 11);

/// An administrator; the same for every seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Administrator {
    /// The mark without spaces, `S9001`.
    pub mark: String,
    /// The person, or the partnership with its IČO.
    pub holder: Holder,
    /// The office.
    pub office: Address,
    /// When the entry was made; old entries do not say.
    pub entered: Option<Date>,
    /// The person's birth date, telephone number and e-mail, which nobody should pass on.
    pub private: [String; 3],
}

impl Administrator {
    /// As the list of proceedings names them: `Skúšobná Eva, JUDr.`.
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

/// All of them, by their marks.
pub fn administrators() -> Vec<Administrator> {
    (0..COUNT).map(administrator).collect()
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
    let holder = match place {
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
        office,
        entered: Some(entered).filter(|_| !place.is_multiple_of(6)),
        private: [
            format!("{}-05-17", 1950 + place),
            format!("+42190000{place:04}"),
            format!("spravca{place}@example.invalid"),
        ],
    }
}
