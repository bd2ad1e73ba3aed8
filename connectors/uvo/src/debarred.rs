//! The scope `debarred`: the bans of one company, including those that left the list.

use std::cmp::Reverse;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, records, runtime};
use serde::Serialize;

use crate::ban::{RelatedPerson, Status, StoredBan};
use crate::import::{DATASET, UNREADABLE};

/// The section. The members beside the list describe one ban: one in force if there is any, else the newest.
#[derive(Debug, Default, Serialize)]
struct Debarment {
    /// Null if the list was not read.
    is_debarred: Option<bool>,
    /// Null if the list was not read.
    is_listed: Option<bool>,
    status: Option<Status>,
    violation_reason: Option<String>,
    banned_from: Option<String>,
    banned_until: Option<String>,
    related_persons: Vec<RelatedPerson>,
    bans: Vec<Entry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Clone, Serialize)]
struct Entry {
    status: Status,
    decision_number: Option<String>,
    decision_date: Option<String>,
    final_on: Option<String>,
    legal_basis: Option<String>,
    violation_reason: Option<String>,
    banned_from: String,
    banned_until: Option<String>,
    related_persons: Vec<RelatedPerson>,
    first_seen_on: String,
    removed_on: Option<String>,
}

impl Entry {
    fn of(kept: StoredBan, today: &str) -> Self {
        let status = kept.status_on(today);
        let ban = kept.ban;
        Self {
            status,
            decision_number: ban.decision_number,
            decision_date: ban.decision_date,
            final_on: ban.final_on,
            legal_basis: ban.legal_basis,
            violation_reason: ban.violation_reason,
            banned_from: ban.banned_from,
            banned_until: ban.banned_until,
            related_persons: ban.related_persons,
            first_seen_on: kept.first_seen_on,
            removed_on: kept.removed_on,
        }
    }
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if the list was never imported; the host's refusal.
pub fn section(ico: &str) -> Result<Section, Failure> {
    let state = records::state(DATASET)?;
    let debarment = match unread::of_state(DATASET, &state) {
        Some(missing) if state.off => Debarment {
            unread: vec![missing],
            ..Debarment::default()
        },
        Some(missing) => return Err(Failure::Unavailable(missing.of_its_dataset())),
        None => {
            let today = runtime::today();
            let (unreadable, bans): (Vec<_>, Vec<_>) = records::all_of_company(DATASET, ico)?
                .into_iter()
                .partition(|stored| stored.key.starts_with(UNREADABLE));
            let bans = bans
                .iter()
                .map(|stored| Ok(Entry::of(StoredBan::of(stored)?, &today)))
                .collect::<Result<Vec<Entry>, Failure>>()?;
            let mut debarment = of_bans(bans);
            if !unreadable.is_empty() {
                debarment.leave_open();
            }
            debarment
        }
    };
    unread::section(&debarment, &debarment.unread, Vec::new())
}

impl Debarment {
    /// Leaves the verdict unknown: an unreadable entry of the register may be about the company.
    fn leave_open(&mut self) {
        self.is_debarred = self.is_debarred.filter(|is_debarred| *is_debarred);
        self.is_listed = Some(true);
        let why = "an entry with the company's number could not be read".to_owned();
        self.unread.push(Gap::OddEntry(why).unread(DATASET, None));
    }
}

fn of_bans(mut bans: Vec<Entry>) -> Debarment {
    bans.sort_by_key(|ban| {
        let newest = Reverse((ban.banned_from.clone(), ban.decision_number.clone()));
        (ban.status, newest)
    });
    let first = bans.first().cloned();
    Debarment {
        is_debarred: Some(bans.iter().any(|ban| ban.status == Status::Active)),
        is_listed: Some(!bans.is_empty()),
        status: first.as_ref().map(|ban| ban.status),
        violation_reason: first.as_ref().and_then(|ban| ban.violation_reason.clone()),
        banned_from: first.as_ref().map(|ban| ban.banned_from.clone()),
        banned_until: first.as_ref().and_then(|ban| ban.banned_until.clone()),
        related_persons: first.map(|ban| ban.related_persons).unwrap_or_default(),
        bans,
        unread: Vec::new(),
    }
}
