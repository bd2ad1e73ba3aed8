//! The connector of the establishments that the veterinary and food administration has approved.
//!
//! The lists have no IČO. [`list`] reads one of them. [`import`] imports all lists of a dataset and stores with each
//! establishment the companies that [`matching`] finds, however certain. [`section`] evaluates them again for the
//! requested company, by the same rules, and shows the certain matches.
//! Invariant: if an operator's name and place fit two companies, neither is shown the establishment.

pub mod codes;
pub mod establishment;
pub mod import;
pub mod list;
pub mod matching;
pub mod page;
pub mod place;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub struct FoodEstablishments;

impl Enrichment for FoodEstablishments {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "svps_establishments" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for FoodEstablishments {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match settings::Register::of_dataset(dataset) {
            Some(register) => import::open(register, cursor.as_deref()),
            None => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}

lustra_sdk::export!(FoodEstablishments: Enrichment, Importer);
