//! Notices about the company in the commercial bulletin.
//!
//! The bulletin has issues on working days, beginning [`FIRST`] days before the start. Its notices rotate through every
//! form, about one per day for sixty companies. A third of the ordinary companies are named in some notice. Of the
//! showcase, company 0 has more notices than connectors show; 5 is being wound up; 10 is insolvent; 1, 2, 6 and 8 have
//! a few notices; 7 is named as a proposer until a correction on the sixth day; 9 is named only where a notice cannot
//! be counted: in a broken notice and in running text; 3, 4 and 11 have none. The table is in [`shown`].
//!
//! There are also entries of the commercial register and filed deeds ([`entries`]). Their files name the company only
//! in running text, while the mirror has a table with its number. They report new companies, changes in the register
//! some days later, and occasional deeds. Of the showcase, 0, 1, 2, 5, 6, 8 and 9 have some before the start; one of 2
//! has the number of 8 until it is corrected.

mod daily;
mod entries;
mod forms;
mod shown;

use time::{Date, Duration};

pub use entries::{About, Deed, ENTERED_AFTER, Entry, EntryKind};
pub use forms::{Form, Part};

use super::Population;
use super::calendar::days_between;
use super::happening::{Happened, Happening};
use super::script::script;
use super::showcase::SHOWCASE_SIZE;

/// Number of days between the bulletin's first issue and the start.
pub const FIRST: i64 = 90;
/// Number of days between the issue of a notice and its correction.
pub const UPDATED_AFTER: i64 = 9;

/// A company that an element of a notice names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    /// The company's index in the population.
    pub index: u32,
    /// The company's part in the notice.
    pub part: Part,
}

/// A notice as of the requested day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub id: u64,
    /// The date of the issue.
    pub published: Date,
    pub form: Form,
    /// The version of the form.
    pub version: u8,
    /// The companies that elements name, each once.
    pub parties: Vec<Party>,
    /// A company named only in running text.
    pub in_text: Option<u32>,
    /// The notice's row in the mirror's table of register entries, for forms of the commercial register.
    pub entry: Option<Entry>,
    /// Number of natural persons that the notice is about.
    pub people: u32,
    /// The kind of document, if the form has a field for it.
    pub kind: &'static str,
    /// The number of the case, the auction or the corrected issue, if the form has a field for it.
    pub reference: String,
    /// True if the XML is truncated and therefore unreadable.
    pub is_broken: bool,
    /// Whether it has a PDF.
    pub has_attachment: bool,
    /// True if the mirror loaded it at the same moment as many others.
    pub is_bulk: bool,
    /// The day of the correction, if it is before the requested day.
    pub updated: Option<Date>,
}

impl Notice {
    /// The mark by which it is cited.
    pub fn mark(&self) -> String {
        format!("{}{}", self.form.letter(), self.id)
    }

    /// The mark that the commercial register gave it.
    pub fn register_mark(&self) -> String {
        format!("Sro/{}", self.id)
    }

    /// The number of its issue, which restarts at 1 each year.
    pub fn issue(&self) -> u16 {
        self.published.ordinal()
    }

    /// True if a script or a test forced it, in which case it may appear late on its day.
    pub(crate) fn is_late(&self) -> bool {
        self.id >= HAPPENED
    }

    /// The company's part in the notice, if a readable element or the mirror's table of register entries names
    /// it.
    pub fn part_of(&self, index: u32) -> Option<Part> {
        if let Some(entry) = &self.entry {
            let is_about = entry.about == About::Company(index) && !self.is_broken;
            return is_about.then_some(Part::Company);
        }
        let party = self.parties.iter().find(|party| party.index == index);
        party.filter(|_| !self.is_broken).map(|party| party.part)
    }
}

/// The notices that name a company as of a day: newest first, and register entries last within a day.
pub fn of_company(population: &Population, index: u32, day: u32) -> Vec<Notice> {
    let mut notices: Vec<Notice> = (-FIRST..=i64::from(day))
        .flat_map(|issue| of_day(population, issue, day))
        .filter(|notice| notice.part_of(index).is_some())
        .collect();
    notices.sort_by_key(|notice| {
        std::cmp::Reverse((notice.published, notice.entry.is_none(), notice.id))
    });
    notices
}

/// The notices of an issue, counted in days from the start, as they read on a later day.
pub(crate) fn of_day(population: &Population, issue: i64, today: u32) -> Vec<Notice> {
    let published = population.start().saturating_add(Duration::days(issue));
    let place = Place {
        population,
        published,
        issue,
        today: i64::from(today),
    };
    let mut notices = daily::ordinary(&place);
    notices.extend(shown::notices(&place));
    notices.extend(happened(&place));
    notices.extend(entries::changes(&place));
    notices.extend(entries::deeds(&place));
    notices
}

/// The inputs from which the notices of an issue are computed.
struct Place<'a> {
    population: &'a Population,
    published: Date,
    /// Days from the start, negative before it.
    issue: i64,
    today: i64,
}

impl Place<'_> {
    fn is_working_day(&self) -> bool {
        self.published.weekday().number_days_from_monday() < 5
    }

    /// The id of a notice by its place in the issue, below 2,000.
    fn id(&self, slot: u32) -> u64 {
        900_000 + u64::try_from(self.issue + FIRST).unwrap_or(0) * 4_000 + u64::from(slot)
    }

    /// A notice about one company without special properties.
    fn notice(&self, id: u64, form: Form, index: u32) -> Notice {
        let party = form.part().map(|part| Party { index, part });
        let year = self.published.year();
        let number = id % 89 + 1;
        Notice {
            id,
            published: self.published,
            form,
            version: 1 + u8::from(id.is_multiple_of(2)),
            parties: party.into_iter().collect(),
            in_text: form.names_in_text().then_some(index),
            entry: form
                .is_of_register()
                .then(|| entries::of_form(self, id, form, index)),
            people: 0,
            kind: "",
            reference: String::new(),
            is_broken: false,
            has_attachment: id.is_multiple_of(3),
            is_bulk: false,
            updated: None,
        }
        .described(number, year)
    }

    /// The day of a correction, if it has come.
    fn updated(&self) -> Option<Date> {
        (self.issue + UPDATED_AFTER <= self.today)
            .then(|| self.published.saturating_add(Duration::days(UPDATED_AFTER)))
    }
}

impl Notice {
    /// Adds the kind and the reference that the form requires.
    fn described(mut self, number: u64, year: i32) -> Self {
        (self.kind, self.reference) = match self.form {
            Form::Bankruptcy | Form::Dissolution => {
                let kinds = ["Uznesenie", "Oznam", "Uznesenie o vyhlásení konkurzu"];
                let kind = kinds[usize::try_from(number % 3).unwrap_or(0)];
                (kind, format!("{}K/{number}/{year}", number % 9 + 1))
            }
            Form::RegisterEntry | Form::Deed | Form::DeedList => {
                let kind = self.entry.as_ref().map(|entry| entry.kind);
                (kind.map_or("", EntryKind::name), String::new())
            }
            Form::Auction
            | Form::AuctionRepeated
            | Form::AuctionAddendum
            | Form::AuctionWaived
            | Form::AuctionThwarted
            | Form::AuctionResult => ("", format!("DR {number}/{year}")),
            Form::AuctionDecree | Form::Enforcement => ("", format!("EX {number}/{year}")),
            Form::Sale => ("", format!("{}K/{number}/{year}", number % 9 + 1)),
            // The first version has no pointer to what it corrects.
            Form::Correction if self.version == 1 => ("", String::new()),
            Form::Correction => ("Oznámenie o dobrovoľnej dražbe", format!("{number}/{year}")),
            Form::OldLaw => ("Uznesenie", format!("{}K/{number}/2004", number % 9 + 1)),
            Form::Liquidator
            | Form::Liquidator2020
            | Form::FirstReductionLimited
            | Form::FirstReductionShares
            | Form::SecondReductionLimited
            | Form::SecondReductionShares
            | Form::TaxAuction
            | Form::Unknown => ("", String::new()),
        };
        self
    }
}

/// The forms of forced notices.
const HAPPENING: [Form; 4] = [
    Form::Liquidator2020,
    Form::FirstReductionLimited,
    Form::Bankruptcy,
    Form::Enforcement,
];
/// The first id of forced notices.
const HAPPENED: u64 = 1_000_000_000;
/// Maximum number of forced notices of a company in an issue.
const HAPPENED_A_DAY: u64 = 1_000;

/// The companies with scripted or forced events.
fn planned(population: &Population) -> Vec<u32> {
    let mut indexes: Vec<u32> = script()
        .iter()
        .filter_map(|change| u32::try_from(change.showcase).ok())
        .filter(|index| *index < SHOWCASE_SIZE)
        .collect();
    {
        let forced = population
            .forced
            .read()
            .expect("no holder of this lock panics");
        indexes.extend(forced.keys());
    }
    indexes.sort_unstable();
    indexes.dedup();
    indexes
}

/// The forced notices of an issue's day, whether it is a working day or not.
fn happened(place: &Place<'_>) -> Vec<Notice> {
    let Ok(day) = u32::try_from(place.issue) else {
        return Vec::new();
    };
    let population = place.population;
    let indexes = planned(population);
    let of_index = |index: u32| {
        let company = population.company(index, day);
        let is_due = |happened: &Happened| {
            happened.kind == Happening::NoticePublished && happened.on == place.published
        };
        let due: Vec<Happened> = company.happened.into_iter().filter(is_due).collect();
        due.into_iter()
            .zip(0..HAPPENED_A_DAY)
            .map(move |(happened, place_of_day)| {
                let id = HAPPENED
                    + (u64::from(index) * 4_096 + u64::from(day)) * HAPPENED_A_DAY
                    + place_of_day;
                let form = HAPPENING[usize::try_from(happened.salt % 4).unwrap_or(0)];
                Notice {
                    has_attachment: false,
                    ..place.notice(id, form, index)
                }
            })
    };
    indexes.into_iter().flat_map(of_index).collect()
}

/// The issue in which an id was given, in days from the start.
pub(crate) fn issue_of_id(population: &Population, id: u64) -> Option<i64> {
    if let Some(place) = id.checked_sub(HAPPENED) {
        return i64::try_from(place / HAPPENED_A_DAY % 4_096).ok();
    }
    let issue = i64::try_from(id.checked_sub(900_000)? / 4_000).ok()? - FIRST;
    let longest = i64::from(days_between(population.start(), Date::MAX));
    (issue <= longest).then_some(issue)
}
