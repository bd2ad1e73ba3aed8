//! The stored facts of one notice: awards, corrected lots and contacts.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::Failure;
use lustra_sdk::Notes;

use crate::award::{Award, Correction, Sequence};
use crate::contact::{self, Contact};
use crate::notice::Notice;
use crate::organisation::Organisation;
use crate::winners::{self, Results, Winner};

/// The issue of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticePosition {
    pub year: u32,
    /// The number in the year.
    pub number: u32,
    /// The notice's index among the items, from 0.
    pub item: u32,
    /// The day on which the issue was published: `YYYY-MM-DD`.
    pub published_at: String,
}

impl NoticePosition {
    fn sequence(&self) -> Sequence {
        (self.year, self.number, self.item)
    }
}

impl std::fmt::Display for NoticePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "issue {}/{}, item {}", self.number, self.year, self.item)
    }
}

/// The stored facts of a notice.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The winning companies with their awards.
    pub awards: Vec<(String, Award)>,
    /// The procedure and its lots whose earlier awards no longer count.
    pub corrections: Vec<(String, Correction)>,
    /// Companies with their contacts.
    pub contacts: Vec<(String, Contact)>,
    /// The number of lots that have a winner by the notice, and of organisations found behind winning tenders.
    pub chosen_and_found: (u64, u64),
}

/// Reads a notice. `roles` are the local parts of e-mail addresses that are stored.
///
/// # Errors
/// [`Failure::Malformed`] if a value that decides about a winner has an unknown form.
pub fn read(
    position: &NoticePosition,
    notice: &Notice<'_>,
    roles: &BTreeSet<String>,
    notes: &mut Notes,
) -> Result<Facts, Failure> {
    let organisations = notice.organisations();
    let mut facts = Facts {
        contacts: contacts(position, notice, &organisations, roles, notes),
        ..Facts::default()
    };
    let is_result = notice.is_result(&position.to_string(), notes)?;
    if !is_result {
        return Ok(facts);
    }
    let results = winners::read(
        &position.to_string(),
        &notice.components,
        &organisations,
        notes,
    )?;
    facts.chosen_and_found = (results.chosen, results.found);
    let procedure = notice.procedure();
    if notice.is_correction() {
        facts.corrections = corrections(position, &procedure, &results);
    }
    facts.awards = awards(position, notice, &procedure, &organisations, results);
    Ok(facts)
}

/// The corrections of all lots without a winner, or whose winners are all known. Any other lot keeps its earlier
/// awards, because an unknown winner may be the one that won before.
fn corrections(
    position: &NoticePosition,
    procedure: &str,
    results: &Results,
) -> Vec<(String, Correction)> {
    let of_lot = |lot: &String| {
        let correction = Correction {
            lot: lot.clone(),
            sequence: position.sequence(),
        };
        (procedure.to_owned(), correction)
    };
    let readable = results.lots.difference(&results.unreadable_lots);
    readable.map(of_lot).collect()
}

fn awards(
    position: &NoticePosition,
    notice: &Notice<'_>,
    procedure: &str,
    organisations: &[Organisation],
    results: Results,
) -> Vec<(String, Award)> {
    let buyer = notice.buyer(organisations);
    let (title, cpv, order_id) = (notice.title(), notice.cpv(), notice.order_id());
    let mut awards: BTreeMap<(String, String), Award> = BTreeMap::new();
    for winner in results.winners {
        let Winner {
            lot,
            ico,
            value,
            members,
            contract_date,
            contract_url,
        } = winner;
        let same = awards.get_mut(&(lot.clone(), ico.clone()));
        if let Some(known) = same {
            // Two winning tenders of one company for one lot.
            let sum = known.value.as_ref().zip(value.as_ref());
            known.value = sum.and_then(|(one, other)| one.plus(other));
            known.members = known.members.max(members);
            continue;
        }
        let award = Award {
            procedure: procedure.to_owned(),
            lot: lot.clone(),
            notice_id: notice.id.clone(),
            sequence: position.sequence(),
            title: title.clone(),
            buyer: buyer.clone(),
            value,
            members,
            cpv: cpv.clone(),
            contract_date,
            contract_url,
            published_at: position.published_at.clone(),
            order_id: order_id.clone(),
        };
        awards.insert((lot, ico), award);
    }
    awards
        .into_iter()
        .map(|((_, ico), award)| (ico, award))
        .collect()
}

fn contacts(
    position: &NoticePosition,
    notice: &Notice<'_>,
    organisations: &[Organisation],
    roles: &BTreeSet<String>,
    notes: &mut Notes,
) -> Vec<(String, Contact)> {
    let mut contacts = Vec::new();
    for organisation in organisations {
        let Some(ico) = &organisation.ico else {
            notes.count_many(
                "unreadable_company_numbers",
                u64::from(organisation.has_unreadable_number),
            );
            continue;
        };
        // The office appears in every notice, and its contacts are those of the review body.
        if organisation.is_office() || organisation.is_natural_person {
            continue;
        }
        for (kind, value) in contact::of(organisation, roles, notes) {
            let contact = Contact {
                kind,
                value,
                source: format!(
                    "Vestník verejného obstarávania {}/{}, oznámenie {}",
                    position.number, position.year, notice.id
                ),
                observed_on: position.published_at.clone(),
                context: notice.name.clone(),
            };
            contacts.push((ico.clone(), contact));
        }
    }
    contacts
}
