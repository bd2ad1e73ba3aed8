//! Entries that mean no company of the population, including look-alikes.

use super::{Entry, Kind, List, RUSSIA, Reference, strong};
use crate::population::Population;
use crate::population::calendar::before;
use crate::population::dice::{Dice, Topic};
use crate::population::people;

/// The look-alikes: list, type of subject, names.
const LOOK_ALIKES: &[(List, Kind, &[&str])] = &[
    (
        List::Union,
        Kind::Body,
        &["VZOROSTAV BALTIC RADAR OOO", "ВЗОРОСТАВ БАЛТИК РАДАР"],
    ),
    (
        List::Main,
        Kind::Body,
        &["GLOBAL TRADE LLC", "GLOBAL TRADING FZE"],
    ),
    (List::Main, Kind::Body, &["HRKOTFONT"]),
    (List::Union, Kind::Body, &["HRKOTFONT"]),
    (List::Main, Kind::Body, &["BRMBOSOFT RADIOLOKATOR"]),
    (List::Union, Kind::Body, &["DATLODREV 7 RADIOLOKATOR"]),
    (List::Main, Kind::Person, &["Ivan KVAPKOVIN"]),
    (
        List::Union,
        Kind::Person,
        &["Ivan KVAPKOVIN", "Иван Квапковин"],
    ),
    (List::Main, Kind::Vessel, &["VZOROSTAV CUCORIEDKA"]),
    (List::Other, Kind::Body, &["ENERGY HOLDING"]),
    (List::Other, Kind::Person, &["Petr NEEXISTUJUCI"]),
    (List::Union, Kind::Unknown, &["NEZNAMY DRUH"]),
    (List::Main, Kind::Unknown, &["NEZNAMY DRUH"]),
];

/// The entry of company 1, whose reference number the first look-alike shares.
const SHARED: u32 = 100_011;

/// The entries outside the population; the same on every day.
pub fn outsiders(population: &Population) -> Vec<Entry> {
    let since = before(population.start(), 900);
    let entry = |list, kind, number, names| Entry {
        list,
        number,
        reference: match number {
            90_000 => Reference::Shared(SHARED),
            _ => Reference::Own,
        },
        kind,
        names,
        programme: "XYZ",
        since,
        country: Some(RUSSIA),
        town: Some("Vymyslensk".to_owned()),
        register_number: None,
    };
    let alike = LOOK_ALIKES
        .iter()
        .zip(90_000..)
        .map(|((list, kind, names), number)| entry(*list, *kind, number, strong(names)));
    // Names that no company of the population has, so that the lists are not too short.
    let others = (0..20 + population.len() / 10).map(|place| {
        let mut dice = Dice::with_salt(population.seed(), place, Topic::Sanctions, 1);
        let list = *dice.pick(&[List::Union, List::Main, List::Other]);
        let person = people::foreigner(&mut dice).formatted();
        let is_person = dice.chance(600);
        let name = if is_person {
            person
        } else {
            let number = 100 + dice.below(900);
            format!("ZAVOD RADIOLOKATOR {number}")
        };
        let kind = if is_person { Kind::Person } else { Kind::Body };
        entry(list, kind, 91_000 + place, strong(&[&name]))
    });
    alike.chain(others).collect()
}
