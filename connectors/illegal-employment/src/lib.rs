//! The connector of the labour inspectorate's list of those who were fined for illegal employment.
//!
//! The list is known by its address; its form is an assumption. So its dataset is off until the operator says where it
//! comes from ([`settings::Source`]): the pages of the register, read by [`page`], or a file of the operator's own. Both
//! are a table, which [`list`] reads; [`import`] takes it in whole and [`section`] answers from what was imported.
//! Invariant: nobody is said not to be listed unless the whole list was read.

pub mod import;
pub mod list;
pub mod page;
pub mod section;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub struct IllegalEmployment;

impl Enrichment for IllegalEmployment {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "illegal_employment" => section::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for IllegalEmployment {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            import::DATASET => import::open(cursor.as_deref()),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}

lustra_sdk::export!(IllegalEmployment: Enrichment, Importer);
