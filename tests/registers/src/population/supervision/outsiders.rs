//! Subjects that the national bank supervises outside the population.

use crate::population::Population;
use crate::population::dice::{Dice, Topic};
use crate::population::people;

/// A subject of the register outside the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outsider {
    /// The text in the id field: digits equal to an IČO, another kind of number, or nothing.
    pub id: Option<String>,
    pub name: String,
    /// ISO 3166-1 alpha-2 code of the country.
    pub country: &'static str,
    /// The licensed activity, as the register writes it.
    pub text: &'static str,
}

/// Foreign institutions, the first of them with the eight digits of company 2, and natural persons without an IČO.
pub fn outsiders(population: &Population) -> Vec<Outsider> {
    let foreign = (0..2 + population.len() / 60).map(|place| {
        let mut dice = Dice::new(population.seed(), place, Topic::Records);
        let (country, name) = *dice.pick(&[
            ("CZ", "Příkladová pojišťovna, a. s."),
            ("AT", "Beispiel Versicherung AG"),
            ("DE", "Musterbank AG"),
            ("HU", "Példa Biztosító Zrt."),
        ]);
        let same_digits = match place {
            0 => 2,
            _ => dice.below(population.len()),
        };
        Outsider {
            id: Some(match place % 2 {
                0 => population.ico(same_digits),
                _ => format!("HRB {}", 990_000 + place),
            }),
            name: name.to_owned(),
            country: if place == 0 { "CZ" } else { country },
            text: "poisťovňa z iného členského štátu",
        }
    });
    let persons = (0..1 + population.len() / 100).map(|place| {
        let mut dice = Dice::with_salt(population.seed(), place, Topic::Supervision, 11);
        Outsider {
            id: place.is_multiple_of(2).then(String::new),
            name: people::person(&mut dice).formatted(),
            country: "SK",
            text: "podriadený finančný agent",
        }
    });
    foreign.chain(persons).collect()
}
