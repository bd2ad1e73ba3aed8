//! The connector of the labour inspectorate's list of employers fined for illegal employment.
//!
//! The list's address is known; its format is an assumption. So the dataset is off until the operator chooses the
//! source ([`settings::Source`]): the register's pages, read by [`page`], or a file of the operator's own. Both are
//! tables, which [`list`] reads. [`import`] imports the list as a whole, and [`section`] answers from the imported
//! records.
//! Invariant: a company counts as not listed only if the whole list was read.

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
