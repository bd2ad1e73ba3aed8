//! Fines for illegal employment. The labour inspectorate's list keeps them for five years.
//!
//! One ordinary company in twenty-five has one, a few have two. The showcase:
//!
//! | company | fines |
//! | --- | --- |
//! | 0, 4 | none |
//! | 1, 10 | one |
//! | 2 | two, the older without a number and the day of the violation |
//! | 3 | one against a sole trader, who has an IČO |
//! | 5 | three, one of them in two rows |
//! | 6 | one; the IČO begins with zeros |
//! | 7 | one that a court has deleted, until day 5 |
//! | 8 | one whose five years end on day 8 |
//! | 9 | one from day 4 on |
//! | 11 | none at first; one from day 16 to day 19 by the script |

use time::Date;

use super::calendar::{after, before};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::showcase::SHOWCASE_SIZE;
use super::{Population, people};

/// Number of days that an entry stays on the list.
const FIVE_YEARS: u32 = 1_826;

/// An entry of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fine {
    /// The number of the decision, if the list has it.
    pub number: Option<String>,
    /// The day of the violation, if the list has it.
    pub violated: Option<Date>,
    /// The day on which the decision became final.
    pub decided: Date,
    /// The provision that was violated.
    pub provision: &'static str,
    /// The inspectorate that decided.
    pub inspectorate: &'static str,
    /// The first day on the list.
    pub since: Date,
    /// The first day on which a court's decision removed it from the list.
    pub until: Option<Date>,
    /// True if the list has two rows for it.
    pub is_doubled: bool,
}

impl Fine {
    /// Whether it is on the list on a day.
    pub fn is_listed(&self, on: Date) -> bool {
        self.since <= on
            && self.until.is_none_or(|until| until > on)
            && after(self.decided, FIVE_YEARS) > on
    }
}

const PROVISIONS: [&str; 3] = [
    "§ 2 ods. 2 písm. a) zák. 82/2005",
    "§ 2 ods. 2 písm. b) zák. 82/2005",
    "§ 2a ods. 1 zák. 82/2005",
];

const INSPECTORATES: [&str; 4] = [
    "Inšpektorát práce Nitra",
    "Inšpektorát práce Žilina",
    "Inšpektorát práce Košice",
    "Inšpektorát práce Bratislava",
];

/// Indexes of forced events start after those of the first day.
const HAPPENED: u32 = 8;

/// The fines of a company, including past ones; the newest is last.
pub fn fines(company: &Company) -> Vec<Fine> {
    let mut all = at_first(company);
    for (happened, place) in company.happened.iter().zip(HAPPENED..) {
        if happened.kind == Happening::IllegalEmploymentFined {
            let mut dice = dice(company, happened.salt);
            all.push(fine(
                company,
                before(happened.on, 9),
                happened.on,
                place,
                &mut dice,
            ));
        } else if happened.kind == Happening::IllegalEmploymentErased
            && let Some(newest) = all.iter_mut().rfind(|fine| fine.until.is_none())
        {
            newest.until = Some(happened.on);
        }
    }
    all
}

/// True if there is an entry that a court can delete.
pub(crate) fn is_fined(company: &Company) -> bool {
    fines(company).iter().any(|fine| fine.until.is_none())
}

/// Natural persons on the list, who have no number.
pub fn persons(population: &Population) -> Vec<String> {
    (0..3 + population.len() / 50)
        .map(|place| {
            let mut dice = Dice::with_salt(population.seed(), place, Topic::Fines, 99);
            people::person(&mut dice).plain()
        })
        .collect()
}

fn at_first(company: &Company) -> Vec<Fine> {
    let start = company.origin.start;
    if company.index >= SHOWCASE_SIZE {
        let mut dice = dice(company, 0);
        let count = match dice.below(1_000) {
            0..35 => 1,
            35..40 => 2,
            _ => 0,
        };
        return (0..count)
            .map(|place| {
                let decided = before(start, 40 + dice.below(1_700) - 30 * place);
                fine(company, decided, after(decided, 10), place, &mut dice)
            })
            .collect();
    }
    let days: &[u32] = match company.index {
        1 => &[300],
        2 => &[1_200, 90],
        3 => &[500],
        5 => &[1_000, 700, 60],
        6 => &[210],
        7 => &[400],
        8 => &[FIVE_YEARS - 8],
        9 => &[20],
        10 => &[640],
        _ => &[],
    };
    (0..)
        .zip(days)
        .map(|(place, days)| {
            let decided = before(start, *days);
            let mut dice = dice(company, u64::from(place));
            let mut one = fine(company, decided, after(decided, 10), place, &mut dice);
            match (company.index, place) {
                (2, 0) => (one.number, one.violated) = (None, None),
                (5, 1) => one.is_doubled = true,
                (7, _) => one.until = Some(after(start, 5)),
                (9, _) => one.since = after(start, 4),
                _ => {}
            }
            one
        })
        .collect()
}

fn fine(company: &Company, decided: Date, since: Date, place: u32, dice: &mut Dice) -> Fine {
    let number = company.index * 16 + place;
    Fine {
        number: Some(format!("{number}/99/{}", decided.year())),
        violated: Some(before(decided, 60 + dice.below(200))),
        decided,
        provision: dice.pick::<&'static str>(&PROVISIONS),
        inspectorate: dice.pick::<&'static str>(&INSPECTORATES),
        since,
        until: None,
        is_doubled: false,
    }
}

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::Fines, salt)
}
