//! References that buyers wrote about their suppliers.

use time::Date;

use super::dice;
use crate::population::calendar::before;
use crate::population::company::Company;
use crate::population::dice::Dice;
use crate::population::happening::Happening;
use crate::population::showcase::SHOWCASE_SIZE;
use crate::population::{Money, Population};

const BUYERS: [&str; 5] = [
    "Mesto Vzorov",
    "Obec Skúšobná Lehota",
    "Fiktívna univerzita v Papradí",
    "Nemocnica s poliklinikou Brmbov",
    "Základná škola Čučoriedková & materská škola",
];
const SUBJECTS: [&str; 5] = [
    "Oprava chodníkov",
    "Dodávka kancelárskych stoličiek",
    "Upratovanie obecného úradu",
    "Zateplenie materskej školy",
    "Údržba verejného osvetlenia",
];
const RATINGS: [Option<&str>; 4] = [Some("výborne"), Some("dobre"), Some("95 / 100"), None];

/// Maximum number of references of a company.
const MOST: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The number in the address of its page.
    pub id: u32,
    pub number: String,
    pub buyer: &'static str,
    pub subject: String,
    /// The price without VAT, in hundredths of the currency.
    pub price: Option<Money>,
    /// ISO 4217 code of the currency.
    pub currency: &'static str,
    pub rating: Option<&'static str>,
    /// Whether it has a document.
    pub has_document: bool,
    /// The day on which it was written, its first day in the register.
    pub made: Date,
    /// Whether it was cancelled.
    pub is_cancelled: bool,
}

/// The references of a company; forced ones come last.
pub fn references(company: &Company) -> Vec<Reference> {
    let start = company.origin.start;
    let mut dice = dice(company, 3);
    let count = match company.index {
        0 => 32,
        1 => 3,
        6 => 2,
        2 | 11 => 1,
        index if index < SHOWCASE_SIZE => 0,
        _ if !dice.chance(250) => 0,
        _ if dice.chance(20) => 30 + dice.below(20),
        _ => 1 + dice.below(5),
    };
    let mut all: Vec<Reference> = (0..count)
        .map(|place| {
            let made = before(start, 1 + dice.below(1_800));
            reference(company, place, made, &mut dice)
        })
        .collect();
    if company.index < SHOWCASE_SIZE {
        show(company.index, &mut all);
    }
    for happened in &company.happened {
        if happened.kind == Happening::ReferenceMade {
            let mut dice = super::dice(company, happened.salt);
            let place = u32::try_from(all.len()).expect("few references");
            let mut made = reference(company, place, happened.on, &mut dice);
            // A forced reference is never cancelled.
            made.is_cancelled = false;
            all.push(made);
        }
    }
    all
}

/// Sets the deciding facts of the showcase's references, so that they do not depend on chance.
fn show(index: u32, all: &mut [Reference]) {
    for reference in all.iter_mut() {
        reference.is_cancelled = index == 2;
        reference.currency = "EUR";
        reference.price.get_or_insert(Money(123_450));
    }
    if let (0, [first, second, third, ..]) = (index, all) {
        first.is_cancelled = true;
        second.currency = "CZK";
        third.price = None;
    }
}

fn reference(company: &Company, place: u32, made: Date, dice: &mut Dice) -> Reference {
    let subject = dice.pick(&SUBJECTS);
    let price = Money(u64::from(10_000 + dice.below(90_000_000)));
    Reference {
        id: company.index * MOST + place,
        number: format!("R-{}-{:06}{place:03}", made.year(), company.index),
        buyer: dice.pick::<&str>(&BUYERS),
        subject: format!("{subject} {}", place + 1),
        price: (!dice.chance(40)).then_some(price),
        currency: if dice.chance(20) { "CZK" } else { "EUR" },
        rating: *dice.pick(&RATINGS),
        has_document: dice.chance(800),
        made,
        is_cancelled: dice.chance(60),
    }
}

/// The company and reference of an id.
pub fn reference_by_id(population: &Population, id: u32, day: u32) -> Option<(Company, Reference)> {
    let index = id / MOST;
    let company = (index < population.len()).then(|| population.company(index, day))?;
    let own = references(&company);
    let reference = own.into_iter().find(|reference| reference.id == id)?;
    Some((company, reference))
}
