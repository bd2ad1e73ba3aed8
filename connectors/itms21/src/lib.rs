//! ITMS21+: European funds of the period 2021 to 2027, from the Ministry's open data API.
//!
//! No list of the API can be filtered by IČO. So the connector imports whole lists ([`list`], [`sweep`], [`run`]):
//! projects with one detail each ([`project`], [`projects`]), applications ([`application`]), irregularities ([`debt`],
//! [`debts`]), and contracts ([`procurement`], [`procurements`]). [`section`] uses the imported records alone.
//! Invariant: an answer that does not repeat the question, or a list that ends early, fails the import.

pub mod application;
pub mod debt;
mod debts;
mod gaps;
pub mod list;
mod names;
mod organisations;
pub mod procurement;
mod procurements;
pub mod project;
mod projects;
mod run;
pub mod section;
pub mod settings;
mod states;
mod subject;
mod sweep;
pub mod value;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub use names::{APPLICATIONS, IRREGULARITIES, PROCUREMENT, PROJECTS, UPSTREAM};

pub struct Itms21;

lustra_sdk::export!(Itms21: Enrichment, Importer);

impl Enrichment for Itms21 {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "itms21" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Itms21 {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        let cursor = cursor.as_deref();
        match dataset {
            PROJECTS => run::open(projects::Projects::open()?, cursor),
            APPLICATIONS => run::open(application::Applications, cursor),
            IRREGULARITIES => run::open(debts::Debts::open()?, cursor),
            PROCUREMENT => run::open(procurements::Procurements::open()?, cursor),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}
