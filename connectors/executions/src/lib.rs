//! The connector of the execution authorizations: which courts authorized which enforcement against a company.
//!
//! The ministry publishes its register as pages for people; the JSON behind them is an assumption. So the operator
//! chooses the source ([`settings::Source`]): none, the assumed service ([`service`], read by [`page`]), or a file of
//! the operator's own ([`import`], read by [`list`]). [`section`] answers from that source.
//! Invariant: a company counts as free of authorizations only if a whole answer or a whole list was read.

pub mod authorization;
pub mod import;
pub mod list;
pub mod page;
pub mod parties;
pub mod section;
pub mod service;
pub mod settings;

use lustra_sdk::{Enrichment, Failure, ImportRun, Importer, Section, Subject, failure};

pub struct Executions;

impl Enrichment for Executions {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "execution_authorizations" => section::execution_authorizations(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Executions {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        match dataset {
            import::DATASET => import::open(cursor.as_deref()),
            _ => Err(failure::not_offered(&format!("the dataset {dataset}"))),
        }
    }
}

lustra_sdk::export!(Executions: Enrichment, Importer);
