//! GLEIF: the legal entity identifier (LEI) of a company, and those of its parents.
//!
//! One company is asked for at GLEIF's service ([`ask`]), always with the country, since Czech and Slovak numbers share
//! their form. What comes back is read without the network ([`answer`]) and checked once more ([`choice`]); a record
//! says of each parent where it stands ([`parent`]), and [`section`] puts all together.
//! Invariant: *no LEI* is said only for a whole list without a record of this company.

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
