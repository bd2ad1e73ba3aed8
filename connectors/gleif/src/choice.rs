//! Chooses the company's records among the results, and the record that the section shows.

use std::cmp::Reverse;

use lustra_sdk::{Failure, ico, malformed};

use crate::answer::Record;

/// The requested country. Numbers of other countries have the same shape.
pub const COUNTRY: &str = "SK";

/// The record that the section shows, and the other records of the same company.
#[derive(Debug, Clone)]
pub struct Chosen {
    /// The best record: in force, then lapsed, then any other; the newest first.
    pub record: Record,
    /// In the same order.
    pub others: Vec<Record>,
}

/// The records of a company. `None` if it has none.
///
/// # Errors
/// [`Failure::Malformed`] if all records with its country and number are of registers that the settings do not name: it
/// is not known whether they are the company's.
pub fn of_company(
    records: Vec<Record>,
    number: &str,
    authorities: &[String],
) -> Result<Option<Chosen>, Failure> {
    let (mut own, mut unknown) = (Vec::new(), None);
    for record in records {
        let entity = &record.attributes.entity;
        let stored = entity.registered_as.as_deref().and_then(ico::parse);
        if entity.legal_address.country != COUNTRY || stored.as_deref() != Some(number) {
            continue;
        }
        match &entity.registered_at.id {
            Some(authority) if authorities.contains(authority) => own.push(record),
            other => unknown = Some(other.clone().unwrap_or_default()),
        }
    }
    own.sort_by_cached_key(|record| {
        let registration = &record.attributes.registration;
        let since = registration.initial_registration_date.clone();
        (
            rank(&registration.status),
            Reverse(since),
            record.attributes.lei.clone(),
        )
    });
    let mut own = own.into_iter();
    match (own.next(), unknown) {
        (Some(record), _) => Ok(Some(Chosen {
            record,
            others: own.collect(),
        })),
        (None, Some(authority)) => Err(malformed(
            "data/attributes/entity/registeredAt/id",
            authorities.join(", "),
            authority,
        )),
        (None, None) => Ok(None),
    }
}

fn rank(status: &str) -> u8 {
    match status {
        "ISSUED" => 0,
        "LAPSED" => 1,
        _ => 2,
    }
}
