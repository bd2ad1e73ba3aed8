//! Contracts that public bodies have published, as the register of contracts knows them.
//!
//! They are made by the day, so that the file of a day costs only its own contracts: about one a working day for a
//! population of 60, 2,700 for the largest. Of the ordinary companies every third has some. They begin 120 days before
//! the simulator's first day ([`first_day`]); on Saturdays, Sundays and holidays nothing is published but what a test
//! made happen.
//!
//! The showcase has the same contracts for every seed:
//!
//! | company | what it has |
//! | --- | --- |
//! | 0 | 14 that count, two of them without an amount; three amendments, one known by `typ`, one by its subject and one by its number; one cancelled and one withdrawn later; one supplemented later |
//! | 1 | one whose amount is not known |
//! | 2 | one that is cancelled after nine days |
//! | 3 | one in which its IČO has spaces |
//! | 4 | one, of the time before it ended |
//! | 5 | an amendment by `typ` alone, whose contract is of earlier times |
//! | 6 | one in which its IČO lost two of its zeros |
//! | 7 | three with entities of HTML, a stray ampersand and quotes escaped twice |
//! | 8, 11 | none |
//! | 9 | a draft |
//! | 10 | one that comes again because of an attachment, one with an effective date in words, one whose total alone is unknown |

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

/// How many days before the simulator's first day the register's files begin.
pub const DAYS_BEFORE: u32 = 120;

/// Ids of a day's contracts are these apart from those of the next.
const IDS_OF_A_DAY: u64 = 10_000;
const FIRST_ID: u64 = 9_000_000;

/// Who supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Supplier {
    /// The company at an index of the population.
    Company(u32),
    /// Somebody whom the publisher names without a number.
    WithoutIco(String),
    /// Somebody who has something else where the number should be: a foreign one, a postcode, a word.
    WithOther {
        /// The name.
        name: String,
        /// What stands there.
        written: &'static str,
    },
}

/// What the register says of a contract's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// `1`.
    Draft,
    /// `2`.
    Published,
    /// `3`.
    Cancelled,
    /// `5`.
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

/// How an amendment can be told.
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
    /// On a day.
    On(Date),
    /// The register has a sentence in place of the day.
    InWords,
    /// It says nothing.
    Unknown,
}

/// What becomes of a contract later, which makes it stand in another day's file too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// Its state is another one from then on.
    Turns(State),
    /// It is supplemented: its total grows.
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
    /// Without two of the zeros that the IČO begins with.
    ZerosLost,
}

/// A contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The register's id.
    pub id: u64,
    /// The publisher's number.
    pub number: String,
    /// What it is about.
    pub subject: String,
    /// Who orders.
    pub buyer: &'static str,
    /// The IČO of who orders, 8 digits; none of a private person.
    pub buyer_ico: Option<String>,
    /// Who supplies.
    pub supplier: Supplier,
    /// The agreed amount; none is written as 0.
    pub agreed: Option<Money>,
    /// The amount with all amendments; none is written as 0.
    pub total: Option<Money>,
    /// When it was signed.
    pub signed: Option<Date>,
    /// When it takes effect.
    pub effective: Effective,
    /// When it was published.
    pub published: Date,
    /// Its standing.
    pub state: State,
    /// Whether it amends another one.
    pub amendment: Option<Amendment>,
    /// What becomes of it, and on which day.
    pub later: Option<(Date, Later)>,
    pub(crate) spelling: Spelling,
}

impl Contract {
    /// As it stands on a day.
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

    /// The amount that it is worth: the total, or the agreed amount where that is not known.
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

/// What is published on a day for the first time, as it is published.
pub fn published_on(population: &Population, day: Date) -> Vec<Contract> {
    if day < first_day(population) {
        return Vec::new();
    }
    let mut contracts = chance::published_on(population, day);
    contracts.extend(shown::published_on(population, day));
    contracts.extend(happened_on(population, day));
    contracts
}

/// What stands in the file of a day: what is published on it, and what changes on it.
pub fn listed_on(population: &Population, day: Date) -> Vec<Contract> {
    let mut contracts = published_on(population, day);
    contracts.extend(chance::changed_on(population, day));
    contracts.extend(shown::changed_on(population, day));
    contracts
        .into_iter()
        .map(|contract| contract.on(day))
        .collect()
}

/// All contracts that a company supplies and that were published up to a day, as they stand on it; oldest first.
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

/// The number of a day, from the first that has a file.
fn number_of(population: &Population, day: Date) -> u32 {
    super::calendar::days_between(first_day(population), day)
}

fn id(number_of_day: u32, place: u64) -> u64 {
    FIRST_ID + u64::from(number_of_day) * IDS_OF_A_DAY + place
}

/// What tests and the script made happen.
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
            // What is made to happen is a contract that counts, never an amendment of one.
            let mut contract = loop {
                let contract = chance::contract(day, Supplier::Company(index), &mut dice);
                if contract.amendment.is_none() && contract.counts() {
                    break contract;
                }
            };
            let place = 5_000 + contracts.len() as u64;
            contract.id = id(number_of(population, day), place);
            // Whatever happens changes the sum.
            contract.total = Some(Money(1_234_500 + u64::from(index)));
            contract.later = None;
            contracts.push(contract);
        }
    }
    contracts
}
