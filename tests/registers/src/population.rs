//! A synthetic population of companies of any size.
//!
//! Nothing is stored: a company on a day is computed from the seed, its index and the day, so memory use does
//! not grow with the population. Only the changes forced by tests are stored.

pub(crate) mod calendar;
mod change;
mod changes;
mod company;
pub mod contracts;
pub mod decisions;
pub(crate) mod dice;
pub mod establishments;
pub mod executions;
pub mod fines;
mod forms;
mod foundation;
mod foundation_people;
mod foundation_tax;
pub mod funds;
mod happening;
mod holders;
pub(crate) mod identifiers;
pub mod leis;
pub mod listed;
mod money;
pub mod notices;
pub mod partners;
mod people;
pub(crate) mod places;
pub mod proceedings;
pub mod procurement;
pub mod projects;
pub mod sanctions;
mod script;
mod showcase;
mod showcase_later;
pub mod statements;
pub mod supervision;
mod tax;
pub mod tax_lists;
pub mod tenders;
mod trades;
pub mod union_notices;
pub(crate) mod words;

use std::collections::HashMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU64, Ordering};

use time::Date;

pub use change::ChangeKind;
pub use company::{
    Activity, Address, Capital, Company, Debt, DebtorList, EarlierRecord, Ending, Nace, OrsrFile,
    Shares, Timed,
};
pub use forms::{LegalForm, SourceRegister};
pub use happening::{Happened, Happening};
pub use holders::{Holder, Officer, Person, Role, Shareholder};
pub use identifiers::BANKS;
pub use money::Money;
pub use script::{ScriptedChange, script};
pub use tax::{Reliability, Vat, VatErasure, VatKind, VatReasons, VatRegistration};

use dice::{Dice, Topic};
use identifiers::VatOwner;
use showcase::SHOWCASE_SIZE;

/// The smallest population: exactly the showcase.
pub const SMALLEST: u32 = SHOWCASE_SIZE;
/// The largest population: about the real number of subjects.
pub const LARGEST: u32 = 1_400_000;

/// A change on a day, with its sequence number for this company on that day.
type DatedChange = (u32, ChangeKind, u64);

/// All companies. Facts are a function of the seed, the company's index and the day.
#[derive(Debug)]
pub struct Population {
    companies: u32,
    seed: u64,
    start: Date,
    forced: RwLock<HashMap<u32, Vec<(u32, ChangeKind)>>>,
    revision: AtomicU64,
}

impl Population {
    /// A population whose day 0 is the given date. The size is clamped to [`SMALLEST`] and [`LARGEST`].
    pub fn new(companies: u32, seed: u64, start: Date) -> Self {
        let companies = companies.clamp(SMALLEST, LARGEST);
        Self {
            companies,
            seed,
            start,
            forced: RwLock::default(),
            revision: AtomicU64::default(),
        }
    }

    /// Number of companies in the population.
    #[expect(
        clippy::len_without_is_empty,
        reason = "a population always has its showcase"
    )]
    pub fn len(&self) -> u32 {
        self.companies
    }

    /// The IČO of the company at an index.
    pub fn ico(&self, index: u32) -> String {
        identifiers::ico(index)
    }

    /// The index of an IČO of 8 digits, if it belongs to the population.
    pub fn by_ico(&self, ico: &str) -> Option<u32> {
        identifiers::index_of_ico(ico).filter(|index| *index < self.companies)
    }

    /// The IČO of the hand-written companies; their indexes are 0, 1, 2, …
    pub fn showcase(&self) -> Vec<String> {
        (0..SHOWCASE_SIZE).map(identifiers::ico).collect()
    }

    /// The facts about the company at an index on a day. Panics if the index is out of range.
    pub fn company(&self, index: u32, day: u32) -> Company {
        assert!(
            index < self.companies,
            "company {index} of {}",
            self.companies
        );
        let mut company = if index < SHOWCASE_SIZE {
            showcase::found(index, self.start)
        } else {
            foundation::found(self.seed, index, self.start)
        };
        let planned = self.planned(index, day);
        let mut planned = planned.into_iter().peekable();
        for changed in self.scheduled_days(index, day) {
            while let Some((on, kind, salt)) = planned.next_if(|(on, _, _)| *on < changed) {
                self.apply(&mut company, on, kind, salt);
            }
            let kind = self.scheduled_kind(&company, changed);
            self.apply(&mut company, changed, kind, u64::from(changed));
        }
        for (on, kind, salt) in planned {
            self.apply(&mut company, on, kind, salt);
        }
        company
    }

    /// The date of a simulated day.
    pub fn date(&self, day: u32) -> Date {
        calendar::after(self.start, day)
    }

    /// Forces a change on a day. Returns false if the change does not apply to the company in its current
    /// state.
    pub fn force(&self, index: u32, day: u32, kind: ChangeKind) -> bool {
        if !kind.applies_to(&self.company(index, day)) {
            return false;
        }
        let mut forced = self.forced.write().expect("no holder of this lock panics");
        forced.entry(index).or_default().push((day, kind));
        self.revision.fetch_add(1, Ordering::SeqCst);
        true
    }

    /// The companies with forced changes, in no particular order.
    pub(crate) fn forced_companies(&self) -> Vec<u32> {
        let forced = self.forced.read().expect("no holder of this lock panics");
        forced.keys().copied().collect()
    }

    pub(crate) fn start(&self) -> Date {
        self.start
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// Increases with every forced change. Caches compare it to detect that they are outdated.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.load(Ordering::SeqCst)
    }

    /// The owner of a VAT number of ten digits.
    pub(crate) fn vat_owner(&self, digits: &str) -> Option<VatOwner> {
        identifiers::vat_owner(digits).filter(|owner| match owner {
            VatOwner::Company(index) | VatOwner::Group(index) => *index < self.companies,
            VatOwner::Foreign(place) => *place < self.foreign_payers(),
        })
    }

    /// Number of foreign payers. They are on the tax authority's list but are not companies of the population.
    pub(crate) fn foreign_payers(&self) -> u32 {
        1 + self.companies / 120
    }

    /// The company with a record id, and whether the id means its earlier record.
    pub(crate) fn by_rpo_id(&self, id: u64) -> Option<(u32, bool)> {
        let offset = id.checked_sub(foundation::rpo_id(0))?;
        let index = u32::try_from(offset / 2)
            .ok()
            .filter(|index| *index < self.companies)?;
        Some((index, offset % 2 == 1))
    }

    /// The company of an extract, and whether the extract is its ceded file.
    pub(crate) fn by_orsr_file(&self, id: u32, court: u8, day: u32) -> Option<(Company, bool)> {
        let candidates = [
            id.checked_sub(1_000),
            id.checked_sub(999),
            id.checked_sub(4_000_000),
        ];
        let known = candidates
            .into_iter()
            .flatten()
            .filter(|index| *index < self.companies);
        known
            .map(|index| self.company(index, day))
            .find_map(|company| {
                let file = company.orsr.as_ref()?;
                if (file.id, file.court) == (id, court) {
                    Some((company, false))
                } else if file.ceded == Some((id, court)) {
                    Some((company, true))
                } else {
                    None
                }
            })
    }

    /// True if a daily export of the register of legal persons contains the company. Day 0 is the start.
    /// Exports before it contain records that have not changed.
    pub(crate) fn is_exported(&self, index: u32, day: i64) -> bool {
        if index >= SHOWCASE_SIZE && self.is_scheduled(index, day) {
            let Some(day) = u32::try_from(day).ok().filter(|day| *day > 0) else {
                return true;
            };
            let yesterday = self.company(index, day - 1);
            if self.scheduled_kind(&yesterday, day).is_in_rpo() {
                return true;
            }
        }
        let Some(day) = u32::try_from(day).ok() else {
            return false;
        };
        self.planned(index, day)
            .iter()
            .any(|(changed, kind, _)| *changed == day && kind.is_in_rpo())
    }

    /// Scripted and forced changes up to a day, in order.
    fn planned(&self, index: u32, day: u32) -> Vec<DatedChange> {
        let mut planned: Vec<DatedChange> = Vec::new();
        if index < SHOWCASE_SIZE {
            let own = script()
                .iter()
                .zip(0..)
                .filter(|(change, _)| change.showcase == index as usize);
            planned.extend(own.map(|(change, place)| (change.day, change.kind, 1_000_000 + place)));
        }
        let forced = self.forced.read().expect("no holder of this lock panics");
        if let Some(own) = forced.get(&index) {
            planned.extend(
                own.iter()
                    .zip(0..)
                    .map(|((day, kind), place)| (*day, *kind, 2_000_000 + place)),
            );
        }
        planned.retain(|(changed, _, _)| *changed <= day);
        planned.sort_by_key(|(changed, _, salt)| (*changed, *salt));
        planned
    }

    fn apply(&self, company: &mut Company, day: u32, kind: ChangeKind, salt: u64) {
        let date = self.date(day);
        if let ChangeKind::Happened(kind) = kind
            && ChangeKind::Happened(kind).applies_to(company)
        {
            company.happened.push(Happened {
                kind,
                on: date,
                salt,
            });
        }
        let mut dice = Dice::with_salt(self.seed, company.index, Topic::Change, salt);
        changes::apply(company, kind, date, &mut dice);
    }

    /// Interval between changes of an ordinary company and its offset. On any day about one company in 480
    /// changes.
    fn interval(&self, index: u32) -> (i64, i64) {
        let mut dice = Dice::new(self.seed, index, Topic::Schedule);
        let interval = 200 + dice.below(600);
        (i64::from(interval), i64::from(dice.below(interval)))
    }

    fn is_scheduled(&self, index: u32, day: i64) -> bool {
        let (interval, phase) = self.interval(index);
        (day + phase).rem_euclid(interval) == 0
    }

    /// The days after the start on which an ordinary company changes. Showcase companies follow the script
    /// instead.
    fn scheduled_days(&self, index: u32, day: u32) -> impl Iterator<Item = u32> + use<> {
        let (interval, phase) = self.interval(index);
        let until = if index < SHOWCASE_SIZE {
            0
        } else {
            i64::from(day)
        };
        let first = if phase == 0 {
            interval
        } else {
            interval - phase
        };
        let mut next = first;
        std::iter::from_fn(move || {
            let day = u32::try_from(next).ok().filter(|_| next <= until)?;
            next += interval;
            Some(day)
        })
    }

    fn scheduled_kind(&self, company: &Company, day: u32) -> ChangeKind {
        let mut dice = Dice::with_salt(self.seed, company.index, Topic::Schedule, u64::from(day));
        let kinds = ChangeKind::usual();
        let first = dice.below(u32::try_from(kinds.len()).expect("a short list"));
        let turned = kinds.iter().cycle().skip(first as usize).take(kinds.len());
        let mut usual = turned.filter(|kind| **kind != ChangeKind::Terminated || dice.chance(100));
        usual
            .find(|kind| kind.applies_to(company))
            .copied()
            .unwrap_or(ChangeKind::SeatMoved)
    }
}
