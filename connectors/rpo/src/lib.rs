//! RPO, the register of legal persons, entrepreneurs and public bodies: base records of companies, and the history of
//! their people, activities and shares.
//!
//! Single companies come from the register's JSON API (`live`), all companies from its dumps (`import`). Both
//! read the same record (`record`) and build the same base company (`company`) and the same history ([`history`]), so
//! the result does not depend on the source. The history is the scope `orsr` ([`section`]).

pub use lustra_rpo_records::{answers, record};
use lustra_sdk::{
    Company, CompanyKey, CompanySource, Enrichment, Failure, ImportRun, Importer, Section, Subject,
    failure,
};

pub mod address;
pub mod bucket;
pub mod company;
mod countries;
pub mod cursor;
pub mod dump;
mod enrich;
pub mod extract;
pub mod history;
mod import;
mod live;
mod plan;
pub mod section;
pub mod settings;

pub struct Rpo;

impl CompanySource for Rpo {
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure> {
        live::fetch(&key)
    }
}

impl Enrichment for Rpo {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "orsr" => enrich::section(&subject),
            _ => Err(failure::not_offered(&format!("the scope {scope}"))),
        }
    }
}

impl Importer for Rpo {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        import::open(dataset, cursor.as_deref())
    }
}

/// The base company of one record line of a dump, with or without its leading comma. `None` if the record has
/// no IČO or no name, so an import skips it. Callable natively, so that the host can benchmark the reading of a
/// dump.
///
/// # Errors
/// [`Failure::Malformed`] if the line is not one record; the first and the last line of a dump are not records.
pub fn company_of_line(line: &str) -> Result<Option<Company>, Failure> {
    let record = dump::record_of_line(line)?;
    Ok(match company::read(&record)? {
        company::Reading::Company(company) => Some(*company),
        company::Reading::WithoutIco | company::Reading::WithoutName => None,
    })
}

lustra_sdk::export!(Rpo: CompanySource, Enrichment, Importer);
