//! Subjects that the national bank supervises outside the population, and second entries of its people.

use time::Date;

use crate::population::calendar::after;
use crate::population::dice::{Dice, Topic};
use crate::population::{LARGEST, Population, identifiers, people};

/// The agent of [`outsiders`] that leaves the list and returns.
pub const RETURNING: &str = "Vymyslené sprostredkovanie, s. r. o.";

/// The sole trader of [`outsiders`] whose other entry has the same postcode.
pub const TRADER: &str = "Eva Vymyslená";

/// A subject of the register outside the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outsider {
    /// The text in the id field: digits equal to an IČO, another kind of number, or nothing.
    pub id: Option<String>,
    pub name: String,
    pub address: String,
    /// ISO 3166-1 alpha-2 code of the country.
    pub country: &'static str,
    /// The licensed activity, as the register writes it.
    pub text: &'static str,
    /// The first day on which it is not listed, and the day on which it is listed again.
    pub absent: Option<(Date, Date)>,
}

impl Outsider {
    /// Whether it is listed on a day.
    pub fn is_listed(&self, on: Date) -> bool {
        self.absent
            .is_none_or(|(from, until)| on < from || until <= on)
    }
}

/// Foreign institutions, the first of them with the eight digits of company 2; natural persons without an IČO; second
/// entries of sole traders; and an agent that leaves the list for some days.
pub fn outsiders(population: &Population) -> Vec<Outsider> {
    let foreign = (0..2 + population.len() / 60).map(|place| foreigner(population, place));
    let persons = (0..1 + population.len() / 100).map(|place| {
        let mut dice = Dice::with_salt(population.seed(), place, Topic::Supervision, 11);
        Outsider {
            id: place.is_multiple_of(2).then(String::new),
            name: people::person(&mut dice).formatted(),
            address: format!("Príkladová {}, 999 98 Príkladov", place + 1),
            ..agent()
        }
    });
    foreign
        .chain(persons)
        .chain(second_entries(population))
        .chain([returning(population)])
        .collect()
}

fn foreigner(population: &Population, place: u32) -> Outsider {
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
        address: "Beispielgasse 1, 1999 Wien".to_owned(),
        country: if place == 0 { "CZ" } else { country },
        text: "poisťovňa z iného členského štátu",
        absent: None,
    }
}

/// The person of company 3 at the company's address, and a sole trader with an entry at another address of the same
/// postcode.
fn second_entries(population: &Population) -> [Outsider; 3] {
    let trader = population.company(3, 0);
    let named = |id: Option<String>, address: &str| Outsider {
        id,
        name: TRADER.to_owned(),
        address: address.to_owned(),
        ..agent()
    };
    [
        Outsider {
            name: trader.name().to_owned(),
            address: super::address(&trader),
            ..agent()
        },
        named(
            Some(identifiers::ico(LARGEST + 200_001)),
            "Vymyslená 5, 99997 Vymyslov",
        ),
        named(None, "Príkladová 6, 999 97 Vymyslov"),
    ]
}

/// Not listed from the second day to the seventh.
fn returning(population: &Population) -> Outsider {
    let start = population.date(0);
    Outsider {
        id: Some(identifiers::ico(LARGEST + 200_002)),
        name: RETURNING.to_owned(),
        address: "Vymyslená 7, 999 97 Vymyslov".to_owned(),
        text: "viazaný finančný agent",
        absent: Some((after(start, 2), after(start, 7))),
        ..agent()
    }
}

/// A natural person without an IČO, as yet without a name.
fn agent() -> Outsider {
    Outsider {
        id: None,
        name: String::new(),
        address: String::new(),
        country: "SK",
        text: "podriadený finančný agent",
        absent: None,
    }
}
