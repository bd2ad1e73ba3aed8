//! Proceedings over natural persons outside the population. They have no IČO, and they make up most of the
//! register.

use std::ops::Range;

use time::Date;

use super::super::Population;
use super::super::calendar::before;
use super::super::dice::{Dice, Topic};
use super::super::{holders, people};
use super::{Kind, Proceeding};

/// The first number of their proceedings.
const FIRST: u64 = 500_000;
/// Proceedings that changed at one moment in a nightly run.
pub(crate) const AT_ONE_MOMENT: Range<u64> = FIRST..FIRST + 7;

/// A natural person in debt relief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub name: holders::Person,
    /// The birth date, which connectors must not pass on.
    pub born: Date,
    pub proceeding: Proceeding,
}

/// All persons, ordered by the numbers of their proceedings. They are the same on every day.
pub fn persons(population: &Population) -> Vec<Person> {
    let count = 8 + population.len() / 25;
    (0..count).map(|place| person(population, place)).collect()
}

/// The person whose proceeding has this number.
pub(crate) fn by_id(population: &Population, id: u64) -> Option<Person> {
    let place = u32::try_from(id.checked_sub(FIRST)?).ok()?;
    (place < 8 + population.len() / 25).then(|| person(population, place))
}

fn person(population: &Population, place: u32) -> Person {
    let mut dice = Dice::with_salt(population.seed(), place, Topic::Proceedings, 1);
    let id = FIRST + u64::from(place);
    let kind = if dice.chance(700) {
        Kind::ReliefByBankruptcy
    } else {
        Kind::ReliefBySchedule
    };
    let changed = if AT_ONE_MOMENT.contains(&id) {
        before(population.start(), 60)
    } else {
        before(population.start(), 1 + dice.below(95))
    };
    let began = before(changed, 20 + dice.below(300));
    Person {
        name: people::person(&mut dice),
        born: before(population.start(), 8_000 + dice.below(15_000)),
        proceeding: Proceeding::begun(id, kind, began).declared(changed),
    }
}
