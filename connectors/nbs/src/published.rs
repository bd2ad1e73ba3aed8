//! The records of the last import of `institutions`, in the present form and in that of version 0.1.
//!
//! Until version 0.1 a record was one licence of a Slovak company, with the key `<IČO>/<folded text>`, and names were
//! not stored. The first import of a later version turns these records into entities, so that no history is lost.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Failure, records};

use crate::dataset::Dataset;
use crate::entity::{Entities, Entity, Licence};
use crate::identity::Identity;
use crate::institutions::SLOVAKIA;
use crate::licence::Held;

/// A record of `institutions`.
#[derive(Debug)]
pub enum Record {
    Entity(Box<Entity>),
    /// One licence, by version 0.1.
    Former(Held),
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a record in a format that this version does not know.
    pub fn of(stored: &records::Stored) -> Result<Self, Failure> {
        if stored.key.contains('/') {
            return Ok(Self::Former(Held::of(stored)?));
        }
        Ok(Self::Entity(records::content(stored)?))
    }
}

/// The entities of the last complete import.
///
/// # Errors
/// The host's refusal; [`Failure::Malformed`] for a record of an unknown version.
pub fn entities() -> Result<Entities, Failure> {
    let mut entities = Entities::new();
    let mut former: BTreeMap<String, Vec<Licence>> = BTreeMap::new();
    records::each_of_key(Dataset::Institutions.id(), "", |stored| {
        if records::is_unreadable_row(&stored) {
            return Ok(());
        }
        match Record::of(&stored)? {
            Record::Entity(entity) => {
                entities.insert(entity.entity_id.clone(), *entity);
            }
            Record::Former(held) => {
                let licence = Licence::of(held.licence, Dataset::Institutions);
                former.entry(held.ico).or_default().push(licence);
            }
        }
        Ok(())
    })?;
    for (ico, licences) in former {
        let entity = of_former(ico, licences);
        entities.entry(entity.entity_id.clone()).or_insert(entity);
    }
    Ok(entities)
}

/// The entity of a company whose licences version 0.1 stored. Its name is its IČO until the list states it.
fn of_former(ico: String, licences: Vec<Licence>) -> Entity {
    let first_seen_on = licences.iter().map(|one| one.first_seen_on.clone()).min();
    let is_current = licences.iter().any(Licence::is_current);
    let last_end = licences.iter().filter_map(|one| one.ended_on.clone()).max();
    let mut entity = Entity {
        entity_id: Identity::of_number(SLOVAKIA, &ico).entity_id(0),
        name: ico.clone(),
        ico: Some(ico),
        address: None,
        country: SLOVAKIA.to_owned(),
        is_natural_person: None,
        is_current,
        categories: BTreeSet::new(),
        person_id: None,
        person_match: None,
        first_seen_on: first_seen_on.unwrap_or_default(),
        delisted_on: last_end.filter(|_| !is_current),
        nbs_updated_at: None,
        licences,
        agents_count: None,
    };
    entity.settle();
    entity
}
