//! GLEIF: the legal entity identifier (LEI) of a company, and those of its parents.
//!
//! The connector asks GLEIF's service for one company ([`ask`]), always with the country, since Czech and Slovak
//! numbers have the same shape. It reads the answers without the network ([`answer`]) and checks them again
//! ([`choice`]). A record links to its parents ([`parent`]). [`section`] builds the section.
//! Invariant: *no LEI* is reported only for a complete list without a record of this company.

pub mod answer;
mod ask;
pub mod choice;
pub mod parent;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Gleif;

lustra_sdk::export!(Gleif: Enrichment);

impl Enrichment for Gleif {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "gleif" => ask::about(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}
