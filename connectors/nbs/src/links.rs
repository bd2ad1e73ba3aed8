//! Links sole traders to the list's entries of the same persons.
//!
//! A person may be listed twice: with the IČO of the business, and without one. The link is made only if exactly one
//! entry without an IČO fits.

use std::collections::BTreeMap;

use lustra_sdk::text::fold;

use crate::entity::{Entities, Entity, PersonMatch};
use crate::identity::{folded_address, postcode};

/// Sets `person_id` and `person_match` of the listed sole traders. Those of delisted ones stay as they were.
pub fn link(entities: &mut Entities) {
    let mut by_name: BTreeMap<String, Vec<Person>> = BTreeMap::new();
    for entity in entities.values().filter(|one| is_listed_person(one)) {
        if entity.ico.is_none() {
            by_name
                .entry(fold(&entity.name))
                .or_default()
                .push(Person::of(entity));
        }
    }
    let traders = entities
        .values_mut()
        .filter(|one| is_listed_person(one) && one.ico.is_some());
    for trader in traders {
        let namesakes = by_name.get(&fold(&trader.name));
        let found = namesakes.and_then(|namesakes| found(namesakes, &Person::of(trader)));
        trader.person_match = found.as_ref().map(|(_, how)| *how);
        trader.person_id = found.map(|(id, _)| id);
    }
}

fn is_listed_person(entity: &Entity) -> bool {
    entity.is_current && entity.is_natural_person == Some(true)
}

/// What two entries of one person have in common beside the name.
struct Person {
    entity_id: String,
    /// The folded address, for comparison.
    address: Option<String>,
    postcode: Option<String>,
}

impl Person {
    fn of(entity: &Entity) -> Self {
        let address = entity.address.as_deref().map(folded_address);
        Self {
            entity_id: entity.entity_id.clone(),
            postcode: address.as_deref().and_then(postcode).map(str::to_owned),
            address,
        }
    }
}

fn found(namesakes: &[Person], trader: &Person) -> Option<(String, PersonMatch)> {
    let fitting = |fits: &dyn Fn(&Person) -> bool| -> Vec<&Person> {
        namesakes.iter().filter(|person| fits(person)).collect()
    };
    let of_address =
        fitting(&|person| person.address.is_some() && person.address == trader.address);
    match of_address.as_slice() {
        [] => {}
        [one] => return Some((one.entity_id.clone(), PersonMatch::Address)),
        _ => return None,
    }
    let of_postcode =
        fitting(&|person| person.postcode.is_some() && person.postcode == trader.postcode);
    match of_postcode.as_slice() {
        [one] => Some((one.entity_id.clone(), PersonMatch::NamePostcode)),
        _ => None,
    }
}
