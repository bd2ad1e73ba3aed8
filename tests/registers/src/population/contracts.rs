//! Contracts published by public bodies, as the register of contracts has them.
//!
//! Contracts are computed per day, so that the file of a day costs only its own contracts: about one per working day
//! for a population of 60, 2,700 for the largest. Every third ordinary company has some. They begin 120 days before the
//! simulator's first day ([`first_day`]). On Saturdays, Sundays and holidays only events forced by a test are
//! published.
//!
//! The showcase has the same contracts for every seed:
//!
//! | company | contracts |
//! | --- | --- |
//! | 0 | 14 that count, two of them without an amount; three amendments, one recognisable by `typ`, one by its subject and one by its number; one cancelled and one withdrawn later; one supplemented later |
//! | 1 | one with an unknown amount |
//! | 2 | one that is cancelled after nine days |
//! | 3 | one with spaces in its IČO |
//! | 4 | one from before the company ended |
//! | 5 | an amendment recognisable by `typ` alone; its contract is older than the files |
//! | 6 | one with an IČO that lacks two of its leading zeros |
//! | 7 | three with entities of HTML, a stray ampersand and quotes escaped twice |
//! | 8, 11 | none |
//! | 9 | a draft |
//! | 10 | one that is listed again because of an attachment, one with an effective date in words, one with only its total unknown |

mod chance;
pub(crate) mod days;
mod shown;

use time::Date;

use super::company::Company;
use super::dice::{Dice, Topic};
use super::happening::Happening;
use super::money::Money;
use super::showcase::SHOWCASE_SIZE;
use super::{ChangeKind, Population, identifiers, people, script};
use days::{after_days, is_working};

/// Number of days between the register's first file and the simulator's first day.
pub const DAYS_BEFORE: u32 = 120;

/// Distance between the first ids of two consecutive days.
const IDS_OF_A_DAY: u64 = 10_000;
const FIRST_ID: u64 = 9_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supplier {
    /// The company at an index of the population.
    Company(u32),
    /// A supplier that the publisher names without a number.
    WithoutIco(String),
    /// A supplier with another text in the number field: a foreign number, a postal code, a word.
    WithOther { name: String, written: &'static str },
}

/// The state of a contract in the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The register's code is `1`.
    Draft,
    /// The register's code is `2`.
    Published,
    /// The register's code is `3`.
    Cancelled,
    /// The register's code is `5`.
    Withdrawn,
}

impl State {
    /// The number in `stav`.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Draft => 1,
            Self::Published => 2,
            Self::Cancelled => 3,
            Self::Withdrawn => 5,
        }
    }
}

/// How an amendment can be recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amendment {
    /// By the number in `typ`.
    ByType,
    /// By the word in the subject.
    BySubject,
    /// By the word in the publisher's number.
    ByNumber,
}

/// When a contract takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effective {
    On(Date),
    /// The register contains a sentence instead of a date.
    InWords,
    /// The register contains no date.
    Unknown,
}

/// A later change of a contract, which also puts it into the file of that later day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    Turns(State),
    /// The contract is supplemented: its total grows.
    Supplemented(Money),
    /// Only an attachment is replaced.
    Attachment,
}

/// How the publisher writes its texts and numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    Plain,
    /// Entities of HTML, some of them escaped twice.
    Entities,
    /// An ampersand that is not escaped.
    Stray,
    /// Spaces between the digits of the IČO.
    Spaced,
    /// The IČO without two of its leading zeros.
    ZerosLost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    pub id: u64,
    pub number: String,
    /// The subject of the contract.
    pub subject: String,
    pub buyer: &'static str,
    /// The IČO of the buyer, 8 digits; none for a private person.
    pub buyer_ico: Option<String>,
    pub supplier: Supplier,
    /// The agreed amount; a missing amount is written as 0.
    pub agreed: Option<Money>,
    /// The amount with all amendments; a missing amount is written as 0.
    pub total: Option<Money>,
    /// The day of the signature.
    pub signed: Option<Date>,
    /// The day on which it takes effect.
    pub effective: Effective,
    /// The day of publication.
    pub published: Date,
    pub state: State,
    /// How it can be recognised as an amendment; none for a contract in its own right.
    pub amendment: Option<Amendment>,
    /// A later change and its day.
    pub later: Option<(Date, Later)>,
    pub(crate) spelling: Spelling,
}

impl Contract {
    /// The contract as of a day.
    #[must_use]
    pub fn on(mut self, day: Date) -> Self {
        if let Some((_, later)) = self.later.filter(|(on, _)| *on <= day) {
            match later {
                Later::Turns(state) => self.state = state,
                Later::Supplemented(total) => self.total = Some(total),
                Later::Attachment => {}
            }
        }
        self
    }

    /// The total amount, or the agreed amount if the total is unknown.
    pub fn worth(&self) -> Option<Money> {
        self.total.or(self.agreed)
    }

    /// Whether it is an order: `druh` 2.
    pub fn is_order(&self) -> bool {
        self.id.is_multiple_of(7)
    }

    /// Whether it is a contract in its own right and in force.
    pub fn counts(&self) -> bool {
        self.amendment.is_none() && self.state == State::Published
    }
}

/// The first day that has a file.
pub fn first_day(population: &Population) -> Date {
    super::calendar::before(population.start(), DAYS_BEFORE)
}

/// The contracts first published on a day, in their original state.
pub fn published_on(population: &Population, day: Date) -> Vec<Contract> {
    if day < first_day(population) {
        return Vec::new();
    }
    let mut contracts = chance::published_on(population, day);
    contracts.extend(shown::published_on(population, day));
    contracts.extend(happened_on(population, day));
    contracts
}

/// The contents of a day's file: contracts published or changed on that day.
pub fn listed_on(population: &Population, day: Date) -> Vec<Contract> {
    let mut contracts = published_on(population, day);
    contracts.extend(chance::changed_on(population, day));
    contracts.extend(shown::changed_on(population, day));
    contracts
        .into_iter()
        .map(|contract| contract.on(day))
        .collect()
}

/// All contracts of a supplier that were published up to a day, as of that day, oldest first.
pub fn of_company(population: &Population, company: &Company, until: Date) -> Vec<Contract> {
    let mut contracts = Vec::new();
    let mut day = first_day(population);
    while day <= until {
        let published = published_on(population, day).into_iter();
        let own =
            published.filter(|contract| contract.supplier == Supplier::Company(company.index));
        contracts.extend(own.map(|contract| contract.on(until)));
        day = after_days(day, 1);
    }
    contracts
}

/// The number of a day, counted from the first day with a file.
fn number_of(population: &Population, day: Date) -> u32 {
    super::calendar::days_between(first_day(population), day)
}

fn id(number_of_day: u32, place: u64) -> u64 {
    FIRST_ID + u64::from(number_of_day) * IDS_OF_A_DAY + place
}

/// The contracts forced by tests and the script.
fn happened_on(population: &Population, day: Date) -> Vec<Contract> {
    const KIND: ChangeKind = ChangeKind::Happened(Happening::ContractPublished);
    if day < population.start() {
        return Vec::new();
    }
    let simulated = super::calendar::days_between(population.start(), day);
    let forced = population
        .forced
        .read()
        .expect("no holder of this lock panics");
    let is_today = |(on, kind): &(u32, ChangeKind)| *on == simulated && *kind == KIND;
    let mut indexes: Vec<u32> = forced
        .iter()
        .filter(|(_, changes)| changes.iter().any(is_today))
        .map(|(index, _)| *index)
        .collect();
    drop(forced);
    let scripted = script()
        .iter()
        .filter(|change| change.day == simulated && change.kind == KIND);
    indexes.extend(scripted.filter_map(|change| u32::try_from(change.showcase).ok()));
    indexes.sort_unstable();
    indexes.dedup();
    let mut contracts = Vec::new();
    for index in indexes {
        let company = population.company(index, simulated);
        let own = company
            .happened
            .iter()
            .filter(|happened| happened.kind == Happening::ContractPublished && happened.on == day);
        for happened in own {
            let seed = if index < SHOWCASE_SIZE {
                0
            } else {
                population.seed()
            };
            let mut dice = Dice::with_salt(seed, index, Topic::Contracts, happened.salt);
            // A forced contract always counts and is never an amendment.
            let mut contract = loop {
                let contract = chance::contract(day, Supplier::Company(index), &mut dice);
                if contract.amendment.is_none() && contract.counts() {
                    break contract;
                }
            };
            let place = 5_000 + contracts.len() as u64;
            contract.id = id(number_of(population, day), place);
            // Each forced contract changes the sum.
            contract.total = Some(Money(1_234_500 + u64::from(index)));
            contract.later = None;
            contracts.push(contract);
        }
    }
    contracts
}
