//! Random contracts, in proportion to the size of the population.

use time::Date;

use super::days::{after_days, brought_to};
use super::{
    Amendment, Contract, Dice, Effective, Later, Money, Population, SHOWCASE_SIZE, Spelling, State,
    Supplier, Topic, id, identifiers, is_working, number_of, people,
};
use crate::population::contracts::days::working;

/// Public bodies that publish contracts. Their IČO lie beyond those of the largest population.
pub(super) const BUYERS: [&str; 6] = [
    "Mesto Vzorov",
    "Obec Skúšobná Lehota",
    "Ministerstvo vymyslených vecí",
    "Fiktívna univerzita v Papradí",
    "Nemocnica s poliklinikou Brmbov",
    "Základná škola Čučoriedková",
];
const FIRST_BUYER: u32 = 2_000_000;

const SUBJECTS: [&str; 8] = [
    "Zmluva o dielo",
    "Kúpna zmluva",
    "Zmluva o poskytnutí služieb",
    "Rámcová dohoda na dodávku čučoriedok",
    "Nájomná zmluva",
    "Oprava strechy telocvične",
    "Dodávka a montáž dverí",
    "Servisná zmluva na výťahy",
];

/// Number of days after which a contract changes.
const CANCELLED_AFTER: i64 = 9;
const SUPPLEMENTED_AFTER: i64 = 20;
const ATTACHED_AFTER: i64 = 3;

/// The IČO of a public body.
pub(super) fn buyer_ico(place: u32) -> String {
    identifiers::ico(FIRST_BUYER + place)
}

/// The number of contracts of a day: 2,700 per working day for 1.4 million companies.
fn count_on(population: &Population, day: Date) -> u32 {
    if !is_working(day) {
        return 0;
    }
    let usual = 1 + u64::from(population.len()) * 2_700 / 1_400_000;
    let usual = u32::try_from(usual).unwrap_or(u32::MAX);
    let mut dice = Dice::with_salt(
        population.seed(),
        number_of(population, day),
        Topic::Contracts,
        u64::MAX,
    );
    usual - usual / 8 + dice.below(usual / 4 + 1)
}

pub(super) fn published_on(population: &Population, day: Date) -> Vec<Contract> {
    let number = number_of(population, day);
    (0..count_on(population, day))
        .map(|place| {
            let salt = u64::from(place);
            let mut dice = Dice::with_salt(population.seed(), number, Topic::Contracts, salt);
            let supplier = supplier(population, &mut dice);
            let mut contract = contract(day, supplier, &mut dice);
            contract.id = id(number, salt);
            contract
        })
        .collect()
}

/// Contracts published earlier that change on the day.
pub(super) fn changed_on(population: &Population, day: Date) -> Vec<Contract> {
    let first = super::first_day(population);
    let mut changed = Vec::new();
    for due in brought_to(day) {
        for days in [ATTACHED_AFTER, CANCELLED_AFTER, SUPPLEMENTED_AFTER] {
            let published = after_days(due, -days);
            if published >= first {
                let earlier = published_on(population, published).into_iter();
                changed.extend(earlier.filter(|contract| {
                    contract
                        .later
                        .is_some_and(|(on, later)| on == day && lag(later) == days)
                }));
            }
        }
    }
    changed
}

fn lag(later: Later) -> i64 {
    match later {
        Later::Turns(_) => CANCELLED_AFTER,
        Later::Supplemented(_) => SUPPLEMENTED_AFTER,
        Later::Attachment => ATTACHED_AFTER,
    }
}

/// Every third ordinary company, or a supplier outside the population.
fn supplier(population: &Population, dice: &mut Dice) -> Supplier {
    let ordinary = population.len() - SHOWCASE_SIZE;
    match dice.below(1_000) {
        0..230 => Supplier::WithoutIco(people::person(dice).formatted()),
        230..250 => Supplier::WithOther {
            name: "Käferhof Handels GmbH".to_owned(),
            written: "ATU99999999",
        },
        250..252 => Supplier::WithOther {
            name: people::person(dice).formatted(),
            written: "94901",
        },
        252..260 => Supplier::WithOther {
            name: people::person(dice).formatted(),
            written: "neuvedené",
        },
        _ if ordinary == 0 => Supplier::WithoutIco(people::person(dice).formatted()),
        _ => {
            let index = dice.below(ordinary);
            Supplier::Company(SHOWCASE_SIZE + index - index % 3)
        }
    }
}

/// A contract in one of the publishers' spellings, without an id.
pub(super) fn contract(day: Date, supplier: Supplier, dice: &mut Dice) -> Contract {
    let buyer = dice.below(6);
    let agreed = Money(1_000 + u64::from(dice.below(5_000_000)));
    let is_known = !dice.chance(370);
    let total_alone_is_unknown = dice.chance(60);
    let kind = dice.below(1_000);
    let amendment = match kind {
        0..40 => Some(Amendment::ByType),
        40..70 => Some(Amendment::BySubject),
        70..80 => Some(Amendment::ByNumber),
        _ => None,
    };
    let number = format!("{}/{}", 1 + dice.below(900), day.year());
    let subject = *dice.pick(&SUBJECTS);
    let signed = after_days(day, -i64::from(dice.below(6)));
    let effective = match dice.below(10) {
        0 => Effective::InWords,
        1 => Effective::Unknown,
        _ => Effective::On(after_days(day, 1)),
    };
    let later = match dice.below(1_000) {
        0..30 => Some((CANCELLED_AFTER, Later::Turns(State::Cancelled))),
        30..40 => Some((CANCELLED_AFTER, Later::Turns(State::Withdrawn))),
        40..80 if is_known && amendment.is_none() => Some((
            SUPPLEMENTED_AFTER,
            Later::Supplemented(Money(agreed.0 + 12_345)),
        )),
        80..130 => Some((ATTACHED_AFTER, Later::Attachment)),
        _ => None,
    };
    let spelling = match dice.below(100) {
        0..8 => Spelling::Spaced,
        8..14 => Spelling::Entities,
        14..16 => Spelling::Stray,
        _ => Spelling::Plain,
    };
    Contract {
        id: 0,
        number: match amendment {
            Some(Amendment::ByNumber) => format!("Dodatok č. 1 k {number}"),
            Some(Amendment::ByType | Amendment::BySubject) | None => number,
        },
        subject: match amendment {
            Some(Amendment::BySubject) => format!("{subject} - DODATOK č. 2"),
            Some(Amendment::ByType | Amendment::ByNumber) | None => subject.to_owned(),
        },
        buyer: BUYERS[buyer as usize % BUYERS.len()],
        buyer_ico: Some(buyer_ico(buyer)),
        supplier,
        agreed: is_known.then_some(agreed),
        total: Some(agreed).filter(|_| is_known && !total_alone_is_unknown),
        signed: Some(signed),
        effective,
        published: day,
        state: State::Published,
        amendment,
        later: later.map(|(days, later)| (working(after_days(day, days)), later)),
        spelling,
    }
}
