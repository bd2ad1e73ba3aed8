//! Facts about people that only the register of legal persons shows: former homes, the chair of a supervisory board,
//! the procurators' rule of acting.

use time::Date;

use super::calendar::{after, days_between};
use super::company::{Address, Company};
use super::dice::{Dice, Topic};
use super::holders::Role;
use super::{identifiers, places, showcase};

/// A person's former home and the last day there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub from: Address,
    pub until: Date,
}

/// A company that was merged into another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Predecessor {
    pub name: String,
    pub ico: String,
    pub since: Date,
}

/// The rule by which a procurator acts.
pub const PROCURA: &str = "Rozsah udelenej prokúry: Prokurista koná samostatne.";

/// Shareholders' places are counted from here, so that they move independently of officers.
const SHAREHOLDERS: u64 = 1_000;

impl Company {
    /// The move of an officer in office. Only the register's rows tell of it; the office goes on.
    pub fn move_of_officer(&self, place: usize) -> Option<Move> {
        let officer = self.officers.get(place)?;
        self.moved(place as u64, officer.since, officer.until)
    }

    /// The move of a shareholder.
    pub fn move_of_shareholder(&self, place: usize) -> Option<Move> {
        let owner = self.shareholders.get(place)?;
        self.moved(place as u64 + SHAREHOLDERS, owner.since, owner.until)
    }

    /// Everyone who moves did so before the simulator's first day.
    fn moved(&self, salt: u64, since: Date, until: Option<Date>) -> Option<Move> {
        let ended = self.ending.as_ref().map(|ending| ending.date);
        let last = [until, ended]
            .into_iter()
            .flatten()
            .fold(self.origin.start, Date::min);
        let (seed, index) = (self.origin.seed, self.index);
        let mut dice = Dice::with_salt(seed, index, Topic::Histories, salt);
        if last <= after(since, 400) || !dice.chance(250) {
            return None;
        }
        let days = 100 + dice.below(days_between(since, last) - 200);
        Some(Move {
            from: places::address(&mut dice),
            until: after(since, days),
        })
    }

    /// Whether an officer is the chair of the supervisory board: the first member of every other board.
    pub fn is_supervisory_chair(&self, place: usize) -> bool {
        let is_supervisor = |place: &usize| {
            self.officers
                .get(*place)
                .is_some_and(|own| own.role == Role::Supervisor)
        };
        let first = (0..self.officers.len()).find(is_supervisor);
        first == Some(place) && self.index.is_multiple_of(2)
    }

    /// The companies that were merged into this one.
    pub fn predecessors(&self) -> Vec<Predecessor> {
        let merged = showcase::MERGED;
        let is_successor = self.index == showcase::SUCCESSOR;
        let of_showcase = is_successor.then(|| Predecessor {
            name: showcase::NAMES[merged as usize].to_owned(),
            ico: identifiers::ico(merged),
            since: super::calendar::before(self.origin.start, showcase::MERGED_DAYS_AGO),
        });
        of_showcase.into_iter().collect()
    }
}

/// Gives some limited companies a former shareholder and some foreign ones a seat abroad.
pub(crate) fn fill(company: &mut Company) {
    let origin = company.origin;
    let mut dice = Dice::with_salt(origin.seed, company.index, Topic::Histories, u64::MAX);
    for owner in &mut company.shareholders {
        if matches!(owner.holder, super::Holder::Company { ico: None, .. }) && dice.chance(500) {
            owner.address = places::address_abroad(&mut dice);
        }
    }
    let has_partners = company.legal_form == super::LegalForm::LimitedCompany;
    // A company that has ended lived for at least 400 days.
    let is_old = after(company.established, 900) < origin.start;
    if !has_partners || !is_old || !dice.chance(250) {
        return;
    }
    let Some(present) = company.shareholders.first_mut() else {
        return;
    };
    let turn = after(company.established, 200 + dice.below(180));
    let mut former = present.clone();
    former.holder = super::Holder::Person(super::people::person(&mut dice));
    former.address = places::address(&mut dice);
    former.until = Some(super::calendar::before(turn, 1));
    present.since = turn;
    company.shareholders.insert(0, former);
}
