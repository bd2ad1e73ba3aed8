//! Public procurements that companies won, and the contacts in notices: the content of the journal, issue by issue.
//!
//! An issue is published on every working day, beginning sixty days before the start, and numbered within its year. Its
//! notices are derived from its day; an event of a company appears in the issue of that day or of the next working day.
//! There is one ordinary notice per issue and 150 companies, so that about a third of the companies have won by the
//! start.
//!
//! The showcase, in `showcase.rs`: company 0 has an award of each kind (alone, with company 1, in crowns, without an
//! amount, by rank, and one that a correction moved to company 9). 1 also has one with a corrected value. 2 is named
//! with its DIČ and 5 without a number, so neither has an award. 3, a person, has an award but no publishable contacts.
//! 4 won before it ended. 6 is a buyer and a winner, its number written with spaces. 7 publishes only a person's e-mail
//! address. 8 won the second lot of a procedure. 10 was ranked second, and won in an XML notice. 11 tendered for a lot
//! without a winner.

mod contacts;
mod happened;
mod ordinary;
mod showcase;

use time::{Date, Duration, Weekday};

use super::company::Company;
use super::identifiers;
use super::{Money, Population};
use crate::population::calendar::{before, days_between};

pub use contacts::{Contact, ContactKind, Published, contacts, published_by};

/// Number of days between the first issue and the start.
const HISTORY: u32 = 60;

/// An issue of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Issue {
    /// The day of publication, a working day.
    pub published: Date,
    /// The number within its year.
    pub number: u32,
    /// The index among all issues, from 0.
    place: u32,
}

/// A subject named in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A company of the population, by its index.
    Company(u32),
    /// A public body outside the population.
    Body(u32),
    /// The procurement office itself, as review body.
    Office,
}

/// How a notice writes a subject's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Eight digits without spaces.
    Plain,
    /// Grouped digits, such as `99 999 994`.
    Spaced,
    /// Grouped digits with no-break spaces.
    NoBreak,
    /// The tax number instead of the IČO.
    TaxNumber,
    Missing,
    /// The same digits, but of a foreign firm.
    Abroad,
}

impl Spelling {
    /// True if a reader can determine the owner of the number.
    #[must_use]
    pub fn is_readable(self) -> bool {
        match self {
            Self::Plain | Self::Spaced | Self::NoBreak => true,
            Self::TaxNumber | Self::Missing | Self::Abroad => false,
        }
    }
}

/// A subject named in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    pub who: Who,
    /// How the number is written.
    pub spelling: Spelling,
}

/// The kind of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A result that names its winning tenders.
    Result,
    /// A national result, which only ranks tenders.
    NationalResult,
    Correction,
    /// An announcement of a future purchase.
    Planning,
    /// A call for tenders.
    Competition,
    /// A change of a contract, which names its winner again.
    ContractChange,
}

impl Form {
    /// The title in the journal.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Result => "Oznámenie o výsledku verejného obstarávania (D24)",
            Self::NationalResult => "Informácia o výsledku verejného obstarávania (VST)",
            Self::Correction => "Oprava – Oznámenie o výsledku verejného obstarávania (D24)",
            Self::Planning => "Predbežné oznámenie (D04)",
            Self::Competition => "Oznámenie o vyhlásení verejného obstarávania (D16)",
            Self::ContractChange => "Oznámenie o zmene zmluvy (D38)",
        }
    }

    /// True if it names winners.
    #[must_use]
    pub fn is_result(self) -> bool {
        match self {
            Self::Result | Self::NationalResult | Self::Correction => true,
            Self::Planning | Self::Competition | Self::ContractChange => false,
        }
    }
}

/// A lot of a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lot {
    /// The joint winners; empty if the lot was not awarded.
    pub winners: Vec<Party>,
    pub loser: Option<Party>,
    /// The winning tender's amount, in hundredths of the currency.
    pub value: Option<Money>,
    pub currency: &'static str,
    /// The day on which the contract was concluded.
    pub contract: Option<Date>,
}

impl Lot {
    /// The identifier of the lot at a place.
    #[must_use]
    pub fn id(place: usize) -> String {
        format!("LOT-{:04}", place + 1)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The id in the journal.
    pub id: u64,
    pub form: Form,
    /// True if it is XML, which readers of the JSON skip.
    pub is_xml: bool,
    /// The order number, shared by a notice and its corrections.
    pub order: u64,
    /// Whether it contains the procedure's UUID.
    pub has_uuid: bool,
    pub title: String,
    /// The CPV code of the purchase.
    pub cpv: &'static str,
    pub buyer: Party,
    /// The lots; empty until there is a result.
    pub lots: Vec<Lot>,
}

impl Notice {
    /// All named subjects in document order: the buyer, the office, then the tenderers.
    #[must_use]
    pub fn parties(&self) -> Vec<Party> {
        let office = Party {
            who: Who::Office,
            spelling: Spelling::Plain,
        };
        let mut parties = vec![self.buyer, office];
        for lot in &self.lots {
            for party in lot.winners.iter().chain(&lot.loser) {
                if !parties.contains(party) {
                    parties.push(*party);
                }
            }
        }
        parties
    }
}

/// A lot won by a company and not changed by a correction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Award {
    pub notice: Notice,
    /// The place of the lot.
    pub lot: usize,
    /// The day on which the notice was published.
    pub published: Date,
}

impl Award {
    #[must_use]
    pub fn facts(&self) -> &Lot {
        &self.notice.lots[self.lot]
    }
}

/// The name of a subject on a day.
#[must_use]
pub fn name_of(population: &Population, who: Who, published: Date) -> String {
    match who {
        Who::Company(index) => company_on(population, index, published).name().to_owned(),
        Who::Body(place) => format!("Obec Čmeľovce {place}"),
        Who::Office => "Úrad pre verejné obstarávanie".to_owned(),
    }
}

/// The IČO of a subject.
#[must_use]
pub fn ico_of(who: Who) -> String {
    match who {
        Who::Company(index) => identifiers::ico(index),
        // Beyond the numbers of the largest population.
        Who::Body(place) => identifiers::ico(super::LARGEST + 100_000 + place),
        Who::Office => "31797903".to_owned(),
    }
}

/// The address of a contract in the register of contracts.
#[must_use]
pub fn contract_url(notice: &Notice, lot: usize) -> String {
    format!("https://www.crz.gov.sk/zmluva/{}{lot}/", notice.order)
}

/// A company on the day of an issue. Before the start, facts of the first day apply.
pub(crate) fn company_on(population: &Population, index: u32, published: Date) -> Company {
    population.company(index, days_between(population.start(), published))
}

/// The issues published up to a day, the oldest first.
#[must_use]
pub fn issues(population: &Population, day: u32) -> Vec<Issue> {
    let first = before(population.start(), HISTORY);
    let days = HISTORY + day;
    (0..=days)
        .map(|days| super::calendar::after(first, days))
        .filter(|date| is_working(*date))
        .zip(0..)
        .map(|(published, place)| Issue {
            published,
            number: number_of(published),
            place,
        })
        .collect()
}

/// The working days of the year up to this one.
fn number_of(date: Date) -> u32 {
    let days = (1..=date.ordinal())
        .filter_map(|ordinal| Date::from_ordinal_date(date.year(), ordinal).ok());
    u32::try_from(days.filter(|day| is_working(*day)).count()).unwrap_or(u32::MAX)
}

fn is_working(date: Date) -> bool {
    !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)
}

/// The day of the issue that reports the events of a day.
fn reported_on(date: Date) -> Date {
    match date.weekday() {
        Weekday::Saturday => date + Duration::days(2),
        Weekday::Sunday => date + Duration::days(1),
        Weekday::Monday
        | Weekday::Tuesday
        | Weekday::Wednesday
        | Weekday::Thursday
        | Weekday::Friday => date,
    }
}

/// The notices of an issue, in their order.
#[must_use]
pub fn notices(population: &Population, issue: &Issue) -> Vec<Notice> {
    let mut notices = vec![ordinary::filler(issue)];
    notices.extend(showcase::notices(issue));
    notices.extend(ordinary::originals(population, issue.published));
    notices.extend(ordinary::corrections(population, issue.published));
    notices.extend(happened::notices(population, issue.published));
    for (notice, place) in notices.iter_mut().zip(0..) {
        notice.id = id_of(issue.published, place);
    }
    notices
}

fn id_of(date: Date, place: u64) -> u64 {
    let days = u64::try_from(date.to_julian_day() - 2_450_000).unwrap_or_default();
    days * 10_000 + place
}

/// The awards of a company up to a day, newest first.
#[must_use]
pub fn awards(population: &Population, company: &Company, day: u32) -> Vec<Award> {
    let mut awards: Vec<Award> = Vec::new();
    for issue in issues(population, day) {
        for notice in notices(population, &issue) {
            if notice.is_xml || !notice.form.is_result() {
                continue;
            }
            if notice.form == Form::Correction {
                awards.retain(|award| {
                    award.notice.order != notice.order || award.lot >= notice.lots.len()
                });
            }
            // Lots of one notice keep their order when the list is reversed.
            for lot in (0..notice.lots.len()).rev() {
                if wins(&notice.lots[lot], company.index) {
                    awards.push(Award {
                        notice: notice.clone(),
                        lot,
                        published: issue.published,
                    });
                }
            }
        }
    }
    awards.reverse();
    awards
}

/// The number of notices up to a day that name a company and are XML.
#[must_use]
pub fn xml_notices(population: &Population, company: &Company, day: u32) -> usize {
    let names = |notice: &Notice| {
        let mut parties = notice.parties().into_iter();
        parties.any(|party| party.who == Who::Company(company.index))
    };
    issues(population, day)
        .iter()
        .flat_map(|issue| notices(population, issue))
        .filter(|notice| notice.is_xml && names(notice))
        .count()
}

fn wins(lot: &Lot, index: u32) -> bool {
    lot.winners
        .iter()
        .any(|party| party.who == Who::Company(index) && party.spelling.is_readable())
}
