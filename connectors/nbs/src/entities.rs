//! Continues the history of the subjects: who of the list is whom of the last import, and what became of the licences.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::Failure;
use lustra_sdk::text::fold;

use crate::dataset::Dataset;
use crate::entity::{Entities, Entity, Licence, LicenceKey};
use crate::history::check_vanished;
use crate::identity::Identity;
use crate::institutions::{SLOVAKIA, Subject, Subjects};
use crate::licence::Unreadable;
use crate::person;

/// The subjects of today's list by the ids that they keep or get.
pub type Listed = BTreeMap<String, Subject>;

/// Gives each subject of a list its id.
///
/// A subject with a number is recognised by it. One without a number is recognised by country, name and address, and
/// if its address changed, by country and name, provided that no other subject without a match has the same name.
#[must_use]
pub fn recognised(subjects: Subjects, before: &Entities) -> Listed {
    let mut listed = Listed::new();
    let mut unnumbered = Vec::new();
    for (identity, subject) in subjects {
        match identity {
            Identity::Number { .. } => {
                listed.insert(identity.entity_id(0), subject);
            }
            Identity::Name { .. } => unnumbered.push((identity, subject)),
        }
    }
    let mut moved: BTreeMap<(String, String), Vec<(Identity, Subject)>> = BTreeMap::new();
    let known = by_name_and_address(before);
    for (identity, subject) in unnumbered {
        let mut ids = known.get(&identity).into_iter().flatten();
        let found = ids.find(|id| !listed.contains_key(**id));
        match found {
            Some(id) => {
                listed.insert((*id).to_owned(), subject);
            }
            None => moved
                .entry(name_of(&subject.country, subject.name.as_deref()))
                .or_default()
                .push((identity, subject)),
        }
    }
    let mut namesakes: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for (id, entity) in before {
        if entity.ico.is_none() && entity.is_current && !listed.contains_key(id) {
            let name = name_of(&entity.country, Some(&entity.name));
            namesakes.entry(name).or_default().push(id);
        }
    }
    for (name, mut subjects) in moved {
        let known = namesakes.get(&name).map(Vec::as_slice);
        if let (Some([id]), 1) = (known, subjects.len()) {
            let one = subjects.pop();
            listed.extend(one.map(|(_, subject)| ((*id).to_owned(), subject)));
        }
        for (identity, subject) in subjects {
            listed.insert(unused_id(&identity, before, &listed), subject);
        }
    }
    listed
}

/// Published subjects without an IČO by what they are recognised by. Those that are still listed come first.
fn by_name_and_address(before: &Entities) -> BTreeMap<Identity, Vec<&str>> {
    let mut known: BTreeMap<Identity, Vec<&str>> = BTreeMap::new();
    for is_current in [true, false] {
        for (id, entity) in before {
            if entity.ico.is_none() && entity.is_current == is_current {
                let address = entity.address.as_deref();
                let identity = Identity::of_name(&entity.country, &entity.name, address);
                known.entry(identity).or_default().push(id);
            }
        }
    }
    known
}

fn name_of(country: &str, name: Option<&str>) -> (String, String) {
    (country.to_owned(), name.map(fold).unwrap_or_default())
}

/// The id of a new subject. The usual one is taken if a subject with that name moved away from the address.
fn unused_id(identity: &Identity, before: &Entities, listed: &Listed) -> String {
    let is_free = |id: &String| !before.contains_key(id) && !listed.contains_key(id);
    let mut ids = (0..).map(|nth| identity.entity_id(nth));
    ids.find(is_free).unwrap_or_else(|| identity.entity_id(0))
}

/// Refuses a list that lacks too many of the licences in force; see [`check_vanished`].
///
/// # Errors
/// [`Failure::Malformed`] with the counts.
pub fn check(listed: &Listed, before: &Entities, most_percent: u64) -> Result<(), Failure> {
    let is_still_listed = before.iter().flat_map(|(id, entity)| {
        let subject = listed.get(id);
        let in_force = entity.licences.iter().filter(|one| is_listed_one(one));
        in_force.map(move |licence| {
            subject.is_some_and(|own| own.licences.contains_key(&fold(&licence.license_type)))
        })
    });
    check_vanished(Dataset::Institutions.id(), is_still_listed, most_percent)
}

fn is_listed_one(licence: &Licence) -> bool {
    licence.source == Dataset::Institutions && licence.is_current()
}

/// The subjects of today's list, and those of earlier lists as delisted.
///
/// A subject that is listed again keeps its first day, and so do its licences. An odd row ends no licence of the
/// subjects that it may be about.
#[must_use]
pub fn carried_on(
    listed: Listed,
    mut before: Entities,
    unreadable: &Unreadable,
    day: &str,
) -> Entities {
    let kept = Kept::of(unreadable, &before);
    let mut entities = Entities::new();
    for (id, subject) in listed {
        let known = before.remove(&id);
        let is_kept = kept.has(&id);
        let entity = of_listed(id.clone(), subject, known, is_kept, day);
        entities.insert(id, entity);
    }
    for (id, mut entity) in before {
        entity.agents_count = None;
        if !kept.has(&id) {
            entity.is_current = false;
            entity.delisted_on.get_or_insert_with(|| day.to_owned());
            for licence in entity.licences.iter_mut().filter(|one| is_listed_one(one)) {
                licence.end(day);
            }
        }
        entities.insert(id, entity);
    }
    entities
}

/// The subjects that an odd row may be about.
struct Kept {
    everyone: bool,
    ids: BTreeSet<String>,
}

impl Kept {
    fn of(unreadable: &Unreadable, before: &Entities) -> Self {
        // The country of an odd row may be unreadable, and a foreign number may have the digits of an IČO.
        let mut countries: BTreeSet<&str> =
            before.values().map(|one| one.country.as_str()).collect();
        countries.insert(SLOVAKIA);
        let ids = unreadable.icos.iter().flat_map(|ico| {
            let ids = countries.iter();
            ids.map(move |country| Identity::of_number(country, ico).entity_id(0))
        });
        Self {
            everyone: unreadable.is_anyones,
            ids: ids.collect(),
        }
    }

    fn has(&self, id: &str) -> bool {
        self.everyone || self.ids.contains(id)
    }
}

fn of_listed(
    entity_id: String,
    subject: Subject,
    known: Option<Entity>,
    is_kept: bool,
    day: &str,
) -> Entity {
    let mut licences: BTreeMap<LicenceKey, Licence> = BTreeMap::new();
    let (mut first_seen_on, mut former_name) = (day.to_owned(), None);
    if let Some(known) = known {
        (first_seen_on, former_name) = (known.first_seen_on, Some(known.name));
        licences.extend(known.licences.into_iter().map(|one| (one.key(), one)));
    }
    for licence in licences.values_mut().filter(|one| is_listed_one(one)) {
        let is_listed = subject.licences.contains_key(&fold(&licence.license_type));
        if !is_listed && !is_kept {
            licence.end(day);
        }
    }
    for license_type in subject.licences.into_values() {
        let mut licence = Licence::listed(license_type, &subject.country, day);
        let key = licence.key();
        if let Some(known) = licences.remove(&key) {
            licence.first_seen_on = known.first_seen_on;
        }
        licences.insert(key, licence);
    }
    let name = subject.name.or(former_name).unwrap_or(subject.number);
    Entity {
        entity_id,
        is_natural_person: person::is_natural(&name, &subject.country, subject.has_number),
        ico: subject.ico,
        name,
        address: subject.address,
        country: subject.country,
        is_current: true,
        categories: BTreeSet::new(),
        person_id: None,
        person_match: None,
        first_seen_on,
        delisted_on: None,
        nbs_updated_at: None,
        licences: licences.into_values().collect(),
        agents_count: None,
    }
}
