//! Random notices, derived from the seed and the day.

use time::{Date, Duration};

use super::{Form, Issue, Lot, Notice, Party, Spelling, Who, is_working};
use crate::population::calendar::before;
use crate::population::dice::{Dice, Topic};
use crate::population::{Money, Population, SMALLEST};

/// Number of companies per ordinary notice of an issue.
const COMPANIES_PER_NOTICE: u32 = 150;
/// Maximum number of notices of an issue.
const MOST: u32 = 400;
/// Working days between a notice and its correction.
const CORRECTED_AFTER: u32 = 3;

const SUBJECTS: [(&str, &str); 6] = [
    ("Oprava chodníkov", "45233161"),
    ("Dodávka kancelárskych stoličiek", "39112000"),
    ("Upratovanie obecného úradu", "90919200"),
    ("Zateplenie materskej školy", "45321000"),
    ("Nákup posypovej soli", "34927100"),
    ("Údržba verejného osvetlenia", "50232100"),
];

/// The purchase that belongs to a number: its CPV code and title.
pub(super) fn subject(number: u64) -> (&'static str, &'static str) {
    SUBJECTS[usize::try_from(number % 6).unwrap_or_default()]
}

pub(super) fn julian(date: Date) -> u32 {
    u32::try_from(date.to_julian_day()).unwrap_or_default()
}

/// The number of an order: its day and place.
pub(super) fn order(date: Date, place: u32) -> u64 {
    u64::from(julian(date) - 2_450_000) * 1_000 + u64::from(place)
}

/// A planning notice of a public body, so that no issue is empty.
pub(super) fn filler(issue: &Issue) -> Notice {
    let order = order(issue.published, 999);
    let (title, cpv) = subject(order);
    Notice {
        id: 0,
        form: Form::Planning,
        is_xml: false,
        order,
        has_uuid: true,
        title: title.to_owned(),
        cpv,
        buyer: Party {
            who: Who::Body(issue.number % 20),
            spelling: Spelling::Plain,
        },
        lots: Vec::new(),
    }
}

/// The notices of a day that are not corrections.
pub(super) fn originals(population: &Population, date: Date) -> Vec<Notice> {
    let ordinary = population.len() - SMALLEST;
    if ordinary == 0 {
        return Vec::new();
    }
    let mut dice = Dice::new(population.seed(), julian(date), Topic::Tenders);
    let rest = ordinary % COMPANIES_PER_NOTICE * 1_000 / COMPANIES_PER_NOTICE;
    let count = ordinary / COMPANIES_PER_NOTICE + u32::from(dice.chance(rest));
    (0..count.min(MOST))
        .map(|place| original(population, date, place))
        .collect()
}

fn dice_of(population: &Population, date: Date, place: u32) -> Dice {
    let salt = 1 + u64::from(place);
    Dice::with_salt(population.seed(), julian(date), Topic::Tenders, salt)
}

fn original(population: &Population, date: Date, place: u32) -> Notice {
    let mut dice = dice_of(population, date, place);
    let form = match dice.below(20) {
        0 => Form::Planning,
        1 => Form::Competition,
        2 => Form::ContractChange,
        3..=6 => Form::NationalResult,
        _ => Form::Result,
    };
    let order = order(date, place);
    let (title, cpv) = subject(dice.roll());
    let buyer = if dice.chance(50) {
        Party {
            who: anybody(population, &mut dice),
            spelling: Spelling::Plain,
        }
    } else {
        Party {
            who: Who::Body(dice.below(20)),
            spelling: Spelling::Plain,
        }
    };
    let is_xml = dice.chance(60);
    let has_uuid = !dice.chance(70);
    let lots = match form {
        Form::Planning | Form::Competition => Vec::new(),
        Form::Result | Form::NationalResult | Form::ContractChange | Form::Correction => {
            let count = 1 + dice.below(8) / 5 + dice.below(8) / 7;
            (0..count)
                .map(|_| lot(population, date, &mut dice))
                .collect()
        }
    };
    Notice {
        id: 0,
        form,
        is_xml,
        order,
        has_uuid,
        title: format!("{title} {order}"),
        cpv,
        buyer,
        lots,
    }
}

fn lot(population: &Population, date: Date, dice: &mut Dice) -> Lot {
    let mut winners = vec![tenderer(population, dice)];
    if dice.chance(160) {
        let second = tenderer(population, dice);
        if second.who != winners[0].who {
            winners.push(second);
        }
    }
    let loser = dice
        .chance(300)
        .then(|| tenderer(population, dice))
        .filter(|loser| winners.iter().all(|winner| winner.who != loser.who));
    let cents = 50_000 + u64::from(dice.below(90_000_000));
    Lot {
        value: (!dice.chance(70)).then_some(Money(cents)),
        currency: if dice.chance(50) { "CZK" } else { "EUR" },
        contract: dice.chance(800).then(|| before(date, dice.below(20))),
        winners: if dice.chance(60) { Vec::new() } else { winners },
        loser,
    }
}

fn anybody(population: &Population, dice: &mut Dice) -> Who {
    Who::Company(SMALLEST + dice.below(population.len() - SMALLEST))
}

fn tenderer(population: &Population, dice: &mut Dice) -> Party {
    let who = anybody(population, dice);
    let spelling = match dice.below(100) {
        0..=69 => Spelling::Plain,
        70..=84 => Spelling::Spaced,
        85..=89 => Spelling::NoBreak,
        90..=93 => Spelling::TaxNumber,
        94..=96 => Spelling::Missing,
        _ => Spelling::Abroad,
    };
    Party { who, spelling }
}

/// The notices of a day that correct those of some days before.
pub(super) fn corrections(population: &Population, date: Date) -> Vec<Notice> {
    let mut original_day = date;
    for _ in 0..CORRECTED_AFTER {
        original_day -= Duration::days(1);
        while !is_working(original_day) {
            original_day -= Duration::days(1);
        }
    }
    let first = before(population.start(), super::HISTORY);
    if original_day < first {
        return Vec::new();
    }
    let originals = originals(population, original_day).into_iter().zip(0..);
    originals
        .filter(|(notice, _)| notice.form == Form::Result && !notice.is_xml)
        .filter_map(|(notice, place)| corrected(population, date, original_day, notice, place))
        .collect()
}

fn corrected(
    population: &Population,
    date: Date,
    original_day: Date,
    notice: Notice,
    place: u32,
) -> Option<Notice> {
    let salt = 1_000_000 + u64::from(place);
    let mut dice = Dice::with_salt(
        population.seed(),
        julian(original_day),
        Topic::Tenders,
        salt,
    );
    if !dice.chance(120) {
        return None;
    }
    let mut lots = notice.lots.clone();
    let first = lots.first_mut()?;
    match dice.below(3) {
        0 => first.winners = vec![tenderer(population, &mut dice)],
        1 => first.winners.clear(),
        _ => first.value = Some(Money(100_000 + u64::from(dice.below(1_000_000)))),
    }
    first.loser = None;
    first.contract = Some(date);
    Some(Notice {
        form: Form::Correction,
        lots,
        ..notice
    })
}
