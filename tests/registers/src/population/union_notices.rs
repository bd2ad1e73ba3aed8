//! Notices of the Union's procurement journal in which the company is the buyer.
//!
//! One ordinary company in ten has some. The showcase:
//!
//! | index | notices | shows |
//! | --- | --- | --- |
//! | 0 | an award | its value is a number |
//! | 1 | an award in euros, one in crowns, a competition | an estimate in `total-value`; a title without Slovak |
//! | 2 | thirty awards | more than are shown; the number with spaces |
//! | 3, 4, 5 | none | |
//! | 6 | an award, from day 19 another one | zero-led; its value is a decimal text |
//! | 7 | one with a foreign buyer, and its modification | a value that replaces another |
//! | 8 | 130 | more than one page |
//! | 9 | one | on day 13 the search times out |
//! | 10 | one without a value or a date | missing members |
//! | 11 | one | another buyer's tax number contains the same digits |

use time::Date;

use super::calendar::before;
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::identifiers;
use super::money::Money;
use super::showcase::SHOWCASE_SIZE;

/// The company whose search times out on a day, and that day.
pub const TIMES_OUT: (u32, u32) = (9, 13);

/// The purchases, in Slovak and in English.
const SUBJECTS: [(&str, &str); 6] = [
    ("Dodávka školských lavíc", "Supply of school desks"),
    ("Oprava mosta cez Čučoriedkový potok", "Repair of a bridge"),
    ("Upratovanie kancelárií", "Cleaning of offices"),
    ("Nákup elektrickej energie", "Purchase of electricity"),
    ("Výsadba líp", "Planting of lime trees"),
    (
        "Softvér na evidenciu čmeľov",
        "Software for counting bumblebees",
    ),
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnionNotice {
    /// The publication number, such as `123456-2026`.
    pub number: String,
    /// The day of publication; missing in one notice.
    pub date: Option<Date>,
    /// `can-standard` for an award, `cn-standard` for a competition, `can-modif` for a modification.
    pub kind: &'static str,
    /// The number of the notice that it modifies.
    pub modifies: Option<String>,
    /// Titles by their languages.
    pub titles: Vec<(&'static str, String)>,
    /// Numbers of the buyers, as they are stored.
    pub buyers: Vec<String>,
    /// Countries of the buyers.
    pub countries: Vec<&'static str>,
    pub value: Option<Worth>,
    /// The estimated value in euros.
    pub estimate: Option<Money>,
}

impl UnionNotice {
    /// The type of its form.
    pub fn form(&self) -> &'static str {
        match self.kind {
            "can-modif" => "cont-modif",
            "cn-standard" => "competition",
            _ => "result",
        }
    }

    /// True if its estimate is in `total-value`, as in some competitions.
    pub fn has_estimate_as_total(&self) -> bool {
        let number = self.number.split('-').next().unwrap_or_default();
        number.ends_with(['0', '2', '4', '6', '8'])
    }

    /// The procedure, which a modification shares with its award.
    pub fn procedure(&self) -> String {
        let of = self.modifies.as_ref().unwrap_or(&self.number);
        let digits: String = of.chars().filter(char::is_ascii_digit).collect();
        format!("00000000-0000-4000-8000-{digits:0>12}")
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Worth {
    pub amount: Money,
    pub currency: &'static str,
    /// True if the notice has it as a number in `total-value`; otherwise it is a decimal text.
    pub is_number: bool,
}

/// The notices of a company, newest first.
pub fn union_notices(company: &Company) -> Vec<UnionNotice> {
    let mut all = if company.index < SHOWCASE_SIZE {
        shown(company)
    } else {
        rolled(company)
    };
    for happened in &company.happened {
        if happened.kind == Happening::UnionNoticePublished {
            let mut dice = dice(company, happened.salt);
            let number = 700_000 + dice.below(99_999);
            all.push(award(company, number, happened.on, &mut dice));
        }
    }
    all.sort_by_cached_key(|one| {
        let (number, year) = one.number.split_once('-').unwrap_or_default();
        (
            one.date,
            year.parse::<u32>().ok(),
            number.parse::<u32>().ok(),
        )
    });
    all.reverse();
    all
}

/// A notice of another buyer whose number contains the digits of company 11.
pub fn notice_of_another(company: &Company) -> Option<UnionNotice> {
    let mut dice = dice(company, 3);
    let date = before(company.origin.start, 20);
    let mut notice = award(company, 899_999, date, &mut dice);
    notice.buyers = vec![format!("20{}", company.ico)];
    (company.index == 11).then_some(notice)
}

fn shown(company: &Company) -> Vec<UnionNotice> {
    let (start, index) = (company.origin.start, company.index);
    let mut dice = dice(company, 1);
    let mut of = |place: u32, days: u32| {
        award(
            company,
            900_000 + index * 200 + place,
            before(start, days),
            &mut dice,
        )
    };
    match index {
        0 | 9 => vec![of(0, 40)],
        1 => {
            let (plain, mut crowns, mut competition) = (of(2, 30), of(1, 300), of(0, 90));
            crowns.value = crowns.value.map(|worth| Worth {
                currency: "CZK",
                ..worth
            });
            crowns.titles.retain(|(language, _)| *language != "slk");
            competition.kind = "cn-standard";
            competition.estimate = competition.value.take().map(|worth| worth.amount);
            vec![plain, crowns, competition]
        }
        2 => (0..30)
            .map(|place| {
                let mut notice = of(place, 10 + 7 * place);
                let (head, rest) = company.ico.split_at(2);
                let (middle, tail) = rest.split_at(3);
                notice.buyers = vec![format!("{head} {middle} {tail}")];
                notice
            })
            .collect(),
        6 => {
            let mut notice = of(0, 60);
            notice.value = notice.value.map(|worth| Worth {
                is_number: false,
                ..worth
            });
            vec![notice]
        }
        7 => {
            let mut notice = of(0, 200);
            notice.buyers.insert(0, "CZ99999927".to_owned());
            notice.countries.insert(0, "CZE");
            let mut modification = UnionNotice {
                modifies: Some(notice.number.clone()),
                kind: "can-modif",
                ..of(1, 100)
            };
            modification.buyers.clone_from(&notice.buyers);
            modification.countries.clone_from(&notice.countries);
            vec![modification, notice]
        }
        8 => (0..130).map(|place| of(place, 5 + 3 * place)).collect(),
        10 => {
            let mut notice = of(0, 1);
            (notice.value, notice.date) = (None, None);
            vec![notice]
        }
        11 => vec![of(0, 15)],
        _ => Vec::new(),
    }
}

fn rolled(company: &Company) -> Vec<UnionNotice> {
    let mut dice = dice(company, 0);
    if !dice.chance(100) {
        return Vec::new();
    }
    let count = 1 + dice.below(5);
    (0..count)
        .map(|place| {
            let date = before(company.origin.start, 1 + dice.below(1_500));
            let number = 100_000 + company.index * 8 + place;
            let mut notice = award(company, number, date, &mut dice);
            if dice.chance(300) {
                notice.kind = "cn-standard";
                notice.estimate = notice.value.take().map(|worth| worth.amount);
            }
            notice
        })
        .collect()
}

fn award(company: &Company, number: u32, date: Date, dice: &mut Dice) -> UnionNotice {
    let (slovak, english) = *dice.pick(&SUBJECTS);
    UnionNotice {
        number: format!("{number}-{}", date.year()),
        date: Some(date),
        kind: "can-standard",
        modifies: None,
        titles: vec![
            ("slk", format!("Slovensko – {slovak}")),
            ("eng", format!("Slovakia – {english}")),
        ],
        buyers: vec![identifiers::ico(company.index)],
        countries: vec!["SVK"],
        value: Some(Worth {
            amount: Money(1_000_000 + u64::from(dice.below(900_000_000))),
            currency: "EUR",
            is_number: dice.chance(700) || company.index < SHOWCASE_SIZE,
        }),
        estimate: None,
    }
}

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(
        company.origin.seed,
        company.index,
        Topic::UnionNotices,
        salt,
    )
}
