//! Entries of the commercial register and filed deeds.
//!
//! A change in the register appears in the bulletin [`ENTERED_AFTER`] days later, on a working day. Some
//! companies file deeds every working day. Until they are corrected, some rows of the mirror name no company or
//! a wrong one, and some have an invalid number.

use time::{Date, Duration};

use super::super::calendar::before;
use super::super::company::Company;
use super::super::dice::{Dice, Topic};
use super::super::showcase::SHOWCASE_SIZE;
use super::super::{Population, foundation};
use super::forms::Form;
use super::{FIRST, Notice, Place, planned};

/// Days between a change in the register and its notice. A notice due at a weekend appears on Monday.
pub const ENTERED_AFTER: i64 = 3;
/// Positions in an issue that are reserved for changes.
const CHANGES: u32 = 1_400;
/// Positions reserved for deeds.
const DEEDS: u32 = 1_700;
/// Maximum number of each.
const MOST: u32 = 250;
/// Number of companies per deed a day.
const COMPANIES_OF_A_DEED: u32 = 120;

/// A kind of entry. Only the first is documented; the others are made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// The entry of a new company.
    New,
    /// A change of an entered company.
    Change,
    Erasure,
    Deeds,
}

impl EntryKind {
    pub fn code(self) -> &'static str {
        match self {
            Self::New => "nz",
            Self::Change => "zz",
            Self::Erasure => "vz",
            Self::Deeds => "ul",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::New => "Nové zápisy",
            Self::Change => "Zmeny zapísaných údajov",
            Self::Erasure => "Výmazy",
            Self::Deeds => "Uložené listiny",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    pub name: &'static str,
    /// The day of filing.
    pub delivered: Date,
    /// The day on which the register of financial statements forwarded it, if it did.
    pub deposited: Option<Date>,
}

/// The subject of the table's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The company at a place of the population.
    Company(u32),
    /// The number is missing.
    NoNumber,
    /// The number is not a valid IČO.
    Impossible,
}

/// The mirror's table row of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    /// The subject of the row.
    pub about: About,
    /// The filed deeds, if any.
    pub deeds: Vec<Deed>,
}

const NAMES: [&str; 4] = [
    "Účtovná závierka",
    "Spoločenská zmluva",
    "Zápisnica z valného zhromaždenia",
    "Podpisový vzor",
];

/// The table row of a notice in a form. Companies outside the commercial register have no number there.
pub(super) fn of_form(place: &Place<'_>, id: u64, form: Form, index: u32) -> Entry {
    let count = if form == Form::Deed {
        1
    } else if form == Form::DeedList {
        2 + id % 3
    } else {
        0
    };
    let kind = if count > 0 {
        EntryKind::Deeds
    } else {
        EntryKind::Change
    };
    let day = u32::try_from(place.issue).unwrap_or(0);
    let is_registered = place.population.company(index, day).orsr.is_some();
    let deed = |number: u64| Deed {
        name: NAMES[usize::try_from((id + number) % 4).unwrap_or(0)],
        delivered: before(place.published, 4),
        deposited: (id + number)
            .is_multiple_of(4)
            .then(|| before(place.published, 5)),
    };
    Entry {
        kind,
        about: if is_registered {
            About::Company(index)
        } else {
            About::NoNumber
        },
        deeds: (0..count).map(deed).collect(),
    }
}

impl Place<'_> {
    /// An entry of a kind.
    fn entry(&self, slot: u32, index: u32, kind: EntryKind) -> Notice {
        let mut notice = self.notice(self.id(slot), Form::RegisterEntry, index);
        notice.kind = kind.name();
        if let Some(entry) = &mut notice.entry {
            entry.kind = kind;
        }
        notice
    }

    /// Before the correction, replaces the subject of the row with another company or removes it. Returns the
    /// day of the correction once it has come.
    pub(super) fn until_corrected(&self, notice: &mut Notice, other: Option<u32>) {
        notice.updated = self.updated();
        if notice.updated.is_some() {
            return;
        }
        notice.in_text = other;
        if let Some(entry) = &mut notice.entry {
            entry.about = other.map_or(About::NoNumber, About::Company);
        }
    }
}

/// The changes in the register that an issue reports.
pub(super) fn changes(place: &Place<'_>) -> Vec<Notice> {
    let days = (0..3).map(|more| place.issue - ENTERED_AFTER - more);
    let reported = days.filter(|day| issue_of(place.population, *day) == place.issue);
    reported
        .flat_map(|day| entered_on(place.population, day))
        .zip(CHANGES..CHANGES + MOST)
        .map(|((index, kind), slot)| place.entry(slot, index, kind))
        .collect()
}

/// The issue that reports the entries of a day.
fn issue_of(population: &Population, day: i64) -> i64 {
    let published = |issue: i64| population.start().saturating_add(Duration::days(issue));
    let mut issue = day + ENTERED_AFTER;
    while published(issue).weekday().number_days_from_monday() > 4 {
        issue += 1;
    }
    issue
}

/// The companies with entries on a day. Days before the start have only new companies.
fn entered_on(population: &Population, day: i64) -> Vec<(u32, EntryKind)> {
    let date = population.start().saturating_add(Duration::days(day));
    let Some(day) = u32::try_from(day).ok().filter(|day| *day > 0) else {
        let is_new = |index: &u32| {
            let (form, began) =
                foundation::beginning(population.seed(), *index, population.start());
            began == date && form.section().is_some()
        };
        // Every company of the population is at least this old.
        let may_begin = day <= -60;
        let ordinary = SHOWCASE_SIZE..population.len();
        let new = ordinary.filter(|index| may_begin && is_new(index));
        return new.map(|index| (index, EntryKind::New)).collect();
    };
    let scheduled = (SHOWCASE_SIZE..population.len())
        .filter(|index| population.is_scheduled(*index, i64::from(day)));
    let mut indexes: Vec<u32> = scheduled.chain(planned(population)).collect();
    indexes.sort_unstable();
    indexes.dedup();
    let entered = |index: u32| {
        let company = population.company(index, day);
        changed(&company, date).map(|kind| (index, kind))
    };
    indexes.into_iter().filter_map(entered).collect()
}

/// The entry about a company on a day, if there is one.
fn changed(company: &Company, date: Date) -> Option<EntryKind> {
    company.orsr.as_ref()?;
    if company.ending.as_ref().is_some_and(|end| end.date == date) {
        return Some(EntryKind::Erasure);
    }
    let yesterday = before(date, 1);
    let begins = |since: Date| since == date;
    let turns = |since: Date, until: Option<Date>| begins(since) || until == Some(yesterday);
    let officers = company.officers.iter();
    let shareholders = company.shareholders.iter();
    let activities = company.activities.iter();
    let is_changed = company.names.iter().any(|name| begins(name.since))
        || company.seats.iter().any(|seat| begins(seat.since))
        || company.capital.iter().any(|capital| begins(capital.since))
        || company.legal_facts.iter().any(|fact| begins(fact.since))
        || officers
            .map(|one| (one.since, one.until))
            .any(|(since, until)| turns(since, until))
        || shareholders
            .map(|one| (one.since, one.until))
            .any(|(since, until)| turns(since, until))
        || activities
            .map(|one| (one.since, one.until))
            .any(|(since, until)| turns(since, until));
    is_changed.then_some(EntryKind::Change)
}

/// The deeds of an issue: none at weekends, and none without ordinary companies.
pub(super) fn deeds(place: &Place<'_>) -> Vec<Notice> {
    let population = place.population;
    let ordinary = population.len() - SHOWCASE_SIZE;
    if ordinary == 0 || !place.is_working_day() {
        return Vec::new();
    }
    let count = (population.len() / COMPANIES_OF_A_DEED).clamp(1, MOST);
    let day = u32::try_from(place.issue + FIRST).unwrap_or(0);
    let deed = |slot: u32| {
        let salt = u64::from(DEEDS + slot);
        let mut dice = Dice::with_salt(population.seed(), day, Topic::Notices, salt);
        let index = SHOWCASE_SIZE + dice.below(ordinary);
        let form = *dice.pick(&[Form::Deed, Form::Deed, Form::DeedList]);
        let mut notice = place.notice(place.id(DEEDS + slot), form, index);
        let neighbour = SHOWCASE_SIZE + (index - SHOWCASE_SIZE + 1) % ordinary;
        match dice.below(100) {
            0..=3 => place.until_corrected(&mut notice, None),
            4..=7 => place.until_corrected(&mut notice, Some(neighbour)),
            8..=10 => impossible(&mut notice),
            _ => {}
        }
        notice
    };
    (0..count).map(deed).collect()
}

/// Gives a notice an unassigned number in the table.
pub(super) fn impossible(notice: &mut Notice) {
    if let Some(entry) = &mut notice.entry {
        entry.about = About::Impossible;
    }
}
