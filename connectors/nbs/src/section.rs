//! The scope `nbs`: the licences of one company, including ended ones.

use std::collections::BTreeSet;

use lustra_sdk::legal_form::is_natural_person;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, Verdict, ico, records};
use serde::Serialize;

use crate::dataset::Dataset;
use crate::entity::Licence;
use crate::licence::has_anyones_row;
use crate::published::Record;

#[derive(Debug, Serialize)]
struct Supervision {
    /// Null if the list of institutions was not read and nothing else shows a licence.
    is_regulated: Option<bool>,
    license_types: BTreeSet<String>,
    categories: BTreeSet<String>,
    /// The connector's own id of the subject.
    entity_id: Option<String>,
    is_natural_person: Option<bool>,
    licences: Vec<Licence>,
    /// The number of agents; 0 if the list of institutions was read and that of agents was not.
    agents_count: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if no list was ever imported; a subject without an IČO; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "licences")?;
    let mut found = Found::default();
    let mut has_read = false;
    for dataset in Dataset::OF_SECTION {
        let state = records::state(dataset.id())?;
        match Gap::of_state(&state) {
            Some(gap) => {
                found.is_regulated.unread(&gap);
                let unread = unread::of_state(dataset.id(), &state);
                found.unread.extend(unread);
            }
            None => {
                has_read = true;
                for stored in records::all_of_company(dataset.id(), &subject.ico)? {
                    found.take(dataset, &stored)?;
                }
                if has_anyones_row(dataset.id())? {
                    found.take_anyones_rows(dataset);
                }
            }
        }
    }
    if !has_read {
        let lists: Vec<String> = found.unread.iter().map(Unread::of_its_dataset).collect();
        return Err(Failure::Unavailable(lists.join("; ")));
    }
    found.licences.sort();
    of_lists(subject, found)
}

/// What the imported lists have about one company.
#[derive(Default)]
struct Found {
    entity_id: Option<String>,
    licences: Vec<Licence>,
    agents_count: Option<u32>,
    unread: Vec<Unread>,
    is_regulated: Verdict,
}

impl Found {
    /// Takes unreadable rows of a list, any of which may be about the company.
    fn take_anyones_rows(&mut self, dataset: Dataset) {
        self.is_regulated.undecided();
        // An unreadable row about the company itself says more.
        if self.unread.iter().all(|one| one.source != dataset.id()) {
            let gap = Gap::Truncated(
                "rows of the list that name no subject could not be read".to_owned(),
            );
            self.unread.push(gap.unread(dataset.id(), None));
        }
    }

    fn take(&mut self, dataset: Dataset, stored: &records::Stored) -> Result<(), Failure> {
        if records::is_unreadable_row(stored) {
            self.is_regulated.undecided();
            self.unread.push(Unread::of_odd_row(dataset.id()));
            return Ok(());
        }
        if dataset != Dataset::Institutions {
            let licence = Licence::of(records::content(stored)?, dataset);
            self.licences.push(licence);
            return Ok(());
        }
        match Record::of(stored)? {
            Record::Former(held) => self.licences.push(Licence::of(held.licence, dataset)),
            Record::Entity(entity) => {
                self.entity_id = Some(entity.entity_id);
                self.agents_count = entity.agents_count;
                self.licences.extend(entity.licences);
            }
        }
        Ok(())
    }
}

fn of_lists(subject: &Subject, found: Found) -> Result<Section, Failure> {
    // Only the bank's own lists tell who is supervised; the operator's list of agents may be out of date.
    let in_force = || {
        let licences = found.licences.iter();
        licences.filter(|one| one.is_current() && one.source != Dataset::Agents)
    };
    // Only the list of institutions names all supervised subjects. Without it, even if it is off, the verdict
    // is unknown.
    let institutions = Dataset::Institutions.id();
    let is_complete = found.unread.iter().all(|one| one.source != institutions);
    let mut is_regulated = found.is_regulated;
    is_regulated.read(in_force().next().is_some());
    if !is_complete {
        is_regulated.undecided();
    }
    let supervision = Supervision {
        is_regulated: is_regulated.get(),
        license_types: in_force().map(|one| one.license_type.clone()).collect(),
        categories: in_force().map(|one| one.category.clone()).collect(),
        entity_id: found.entity_id,
        is_natural_person: is_natural_person(&subject.company),
        agents_count: is_complete.then_some(found.agents_count.unwrap_or(0)),
        licences: found.licences,
        unread: found.unread,
    };
    unread::section(&supervision, &supervision.unread, Vec::new())
}
