//! Licences that the national bank granted to the company, and other supervised subjects.
//!
//! One ordinary company in twenty has a licence, mostly as an agent. The showcase:
//!
//! | index | licences | shows |
//! | --- | --- | --- |
//! | 0 | financial agent; another licence that ended long ago | licences that ended before the first day are not listed |
//! | 1 | bank, securities dealer, fund manager; three payment services, one of which ends on the fourth day | several licences, odd case |
//! | 2 | none | a Czech insurer and a Czech payment service have the same eight digits |
//! | 3 | subordinate agent | a natural person |
//! | 4 | insurer, ended with the company | |
//! | 5 | none | |
//! | 6 | tied agent | its number is written as `124` |
//! | 7 | exchange office | listed twice, in two spellings |
//! | 8 | none, from day 11 to day 20 one | granted and withdrawn by the script |
//! | 9 | one whose text fits no category, until the third day; consumer credit | a licence that leaves the list |
//! | 10 | none | it is listed, with an empty list of licences |
//! | 11 | payment institution, electronic money; services that ended, are in force, and begin on the fifth day | a row for each licence |

mod outsiders;
mod ties;

use time::Date;

use super::calendar::{after, before, parse_iso};
use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::showcase::SHOWCASE_SIZE;

pub use outsiders::{Outsider, RETURNING, TRADER, outsiders};
pub use ties::{Tie, ties};

/// Texts of licences and their supervision category; `None` if the text has no category. The first four are the
/// most common.
const KINDS: [(&str, Option<&str>); 17] = [
    (
        "samostatný finančný agent",
        Some("samostatný finančný agent"),
    ),
    (
        "podriadený finančný agent",
        Some("podriadený finančný agent"),
    ),
    ("viazaný finančný agent", Some("viazaný finančný agent")),
    ("finančný poradca", Some("finančný poradca")),
    ("viazaný investičný agent", Some("viazaný investičný agent")),
    ("banka a úverová inštitúcia", Some("banka")),
    ("poisťovňa", Some("poisťovňa")),
    (
        "správcovská spoločnosť / kolektívne investovanie",
        Some("správcovská spoločnosť"),
    ),
    (
        "obchodník s cennými papiermi",
        Some("obchodník s cennými papiermi"),
    ),
    (
        "dôchodková správcovská spoločnosť",
        Some("dôchodková správcovská spoločnosť"),
    ),
    (
        "doplnková dôchodková spoločnosť",
        Some("doplnková dôchodková spoločnosť"),
    ),
    ("platobná inštitúcia", Some("platobná inštitúcia")),
    (
        "inštitúcia elektronických peňazí",
        Some("inštitúcia elektronických peňazí"),
    ),
    (
        "veriteľ spotrebiteľských úverov",
        Some("veriteľ spotrebiteľských úverov"),
    ),
    ("zmenáreň", Some("zmenáreň")),
    (
        "poskytovateľ služieb kryptoaktív",
        Some("poskytovateľ služieb kryptoaktív"),
    ),
    ("centrálny depozitár", None),
];

const AGENTS: usize = 4;
const TIED_AGENT: usize = 2;
const BANK: usize = 5;
const INSURER: usize = 6;
const FUNDS: usize = 7;
const SECURITIES: usize = 8;
const PAYMENTS: usize = 11;
const E_MONEY: usize = 12;
const CONSUMER_CREDIT: usize = 13;
const EXCHANGE: usize = 14;
const DEPOSITORY: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Licence {
    /// The licensed activity, as the register writes it; several spellings if its rows differ.
    pub spellings: Vec<String>,
    /// The supervision category; `None` if the text has none.
    pub category: Option<&'static str>,
    pub since: Date,
    /// The first day on which it is no longer listed.
    pub until: Option<Date>,
    /// The index in the list of kinds. Prevents granting a licence that the company already has.
    kind: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Service {
    /// `AISP`, `PISP` or `PIISP`.
    pub name: &'static str,
    /// The first day, on which it is listed for the first time.
    pub from: Date,
    /// The last day; ended services stay on the list.
    pub to: Option<Date>,
}

impl Licence {
    /// Whether it is listed on a day.
    pub fn is_listed(&self, on: Date) -> bool {
        self.since <= on && self.until.is_none_or(|until| until > on)
    }
}

/// True if a licence without an end is in force.
pub(crate) fn is_supervised(company: &Company) -> bool {
    licences(company)
        .iter()
        .any(|licence| licence.until.is_none())
}

/// The licences of a company, including past ones; the newest is last.
pub fn licences(company: &Company) -> Vec<Licence> {
    let mut all = first(company);
    for happened in &company.happened {
        if happened.kind == Happening::SupervisionGranted {
            let mut dice = dice(company, happened.salt);
            let kinds = u32::try_from(KINDS.len()).expect("a short list");
            let first = dice.below(kinds) as usize;
            let free = (first..first + KINDS.len())
                .map(|kind| kind % KINDS.len())
                .find(|kind| all.iter().all(|licence| licence.kind != *kind));
            if let Some(kind) = free {
                all.push(licence(company, kind, happened.on, None));
            }
        } else if happened.kind == Happening::SupervisionEnded
            && let Some(newest) = all.iter_mut().rfind(|licence| licence.until.is_none())
        {
            newest.until = Some(happened.on);
        }
    }
    if let Some(ending) = &company.ending {
        for licence in &mut all {
            licence.until = Some(
                licence
                    .until
                    .map_or(ending.date, |until| until.min(ending.date)),
            );
        }
    }
    all
}

/// The payment services of a company, including past ones.
pub fn services(company: &Company) -> Vec<Service> {
    let start = company.origin.start;
    let begun = parse_iso("2019-09-14").expect("the day of the directive");
    let mut all = if company.index < SHOWCASE_SIZE {
        let of = |name, from, to| Service { name, from, to };
        match company.index {
            1 => vec![
                of("AISP", begun, None),
                of("PISP", begun, None),
                of("PIISP", begun, Some(after(start, 4))),
            ],
            11 => vec![
                of("AISP", begun, Some(before(start, 500))),
                of("AISP", before(start, 300), None),
                of("PISP", before(start, 300), None),
                of("PIISP", after(start, 5), None),
            ],
            _ => Vec::new(),
        }
    } else {
        let mut dice = dice(company, 7);
        let is_payer = |licence: &Licence| [BANK, PAYMENTS, E_MONEY].contains(&licence.kind);
        let since = first(company)
            .iter()
            .find(|one| is_payer(one))
            .map(|one| one.since);
        let names = ["AISP", "PISP", "PIISP"].into_iter();
        names
            .filter(|_| dice.chance(600))
            .filter_map(|name| {
                let from = since?.max(begun);
                let to = (name == "PISP").then(|| before(start, 30).max(from));
                Some(Service { name, from, to })
            })
            .collect()
    };
    if let Some(ending) = &company.ending {
        for service in &mut all {
            service.to = Some(service.to.map_or(ending.date, |to| to.min(ending.date)));
        }
    }
    all
}

/// The licences before any forced event.
fn first(company: &Company) -> Vec<Licence> {
    let start = company.origin.start;
    let since = |days| before(start, days).max(company.established);
    let of = |kind, days, until| licence(company, kind, since(days), until);
    if company.index >= SHOWCASE_SIZE {
        return rolled(company);
    }
    match company.index {
        0 => vec![of(2, 3_000, Some(before(start, 900))), of(0, 900, None)],
        1 => vec![
            of(BANK, 4_000, None),
            of(SECURITIES, 3_000, None),
            of(FUNDS, 500, None),
        ],
        3 => vec![of(1, 700, None)],
        4 => vec![of(INSURER, 2_500, None)],
        6 => vec![of(TIED_AGENT, 1_200, None)],
        7 => vec![of(EXCHANGE, 800, None)],
        9 => vec![
            of(DEPOSITORY, 2_000, Some(after(start, 3))),
            of(CONSUMER_CREDIT, 600, None),
        ],
        11 => vec![of(PAYMENTS, 1_000, None), of(E_MONEY, 400, None)],
        _ => Vec::new(),
    }
}

fn rolled(company: &Company) -> Vec<Licence> {
    let mut dice = dice(company, 0);
    if !dice.chance(50) {
        return Vec::new();
    }
    let start = company.origin.start;
    let most = if dice.chance(800) {
        AGENTS
    } else {
        KINDS.len()
    };
    let kind = dice.below(u32::try_from(most).expect("a short list")) as usize;
    let since = before(start, 30 + dice.below(3_000)).max(company.established);
    let mut all = vec![licence(company, kind, since, None)];
    if dice.chance(300) {
        // An earlier licence, or a parallel one.
        let until = dice
            .chance(500)
            .then(|| before(start, 1 + dice.below(400)).max(since));
        let other = (kind + 1) % KINDS.len();
        all.insert(0, licence(company, other, since, until));
    }
    all
}

fn licence(company: &Company, kind: usize, since: Date, until: Option<Date>) -> Licence {
    let (text, category) = KINDS[kind];
    Licence {
        spellings: spellings(company, kind, text),
        category,
        since,
        until,
        kind,
    }
}

/// Spellings of the text. The register does not normalize case or spaces.
fn spellings(company: &Company, kind: usize, text: &str) -> Vec<String> {
    let capital = || {
        let mut letters = text.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    };
    if company.index == 7 {
        return vec![capital(), text.to_uppercase()];
    }
    let mut dice = dice(company, 100 + kind as u64);
    vec![match dice.below(10) {
        0 | 1 => capital(),
        2 => text.to_uppercase(),
        3 => text.replacen(' ', "\u{a0}", 1),
        _ => text.to_owned(),
    }]
}

/// The seat on one line, as the list writes it.
pub(crate) fn address(company: &Company) -> String {
    let seat = company.seat();
    format!(
        "{}, {} {}",
        seat.street_line(),
        seat.postal_code(),
        seat.city
    )
}

fn dice(company: &Company, salt: u64) -> Dice {
    Dice::with_salt(company.origin.seed, company.index, Topic::Supervision, salt)
}
