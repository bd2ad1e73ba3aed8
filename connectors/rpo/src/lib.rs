//! RPO, the register of legal persons, entrepreneurs and public bodies: base records of companies.
//!
//! One company is asked for at the register's JSON interface (`live`), all of them come from its dumps (`import`).
//! Both read the same record (`record`) and make the same base company of it (`company`), so that a company looks
//! alike whichever way it came. Officers, owners and capital are left to the connector of the commercial register.

pub use lustra_rpo_records::{answers, record};
use lustra_sdk::{Company, CompanyKey, CompanySource, Failure, ImportRun, Importer};

pub mod address;
pub mod bucket;
pub mod company;
mod countries;
pub mod cursor;
pub mod dump;
mod import;
mod live;
mod plan;

/// The connector.
pub struct Rpo;

impl CompanySource for Rpo {
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure> {
        live::fetch(&key)
    }
}

impl Importer for Rpo {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        import::open(dataset, cursor.as_deref())
    }
}

/// The base company of one record line of a dump, with or without its leading comma. `None`: the record has no IČO
/// or no name, so an import skips it. Natively callable, so that the host can measure what reading a dump costs.
///
/// # Errors
/// [`Failure::Malformed`] when the line is not one record; the first and the last line of a dump are none.
pub fn company_of_line(line: &str) -> Result<Option<Company>, Failure> {
    let record = dump::record_of_line(line)?;
    Ok(match company::read(&record)? {
        company::Reading::Company(company) => Some(*company),
        company::Reading::WithoutIco | company::Reading::WithoutName => None,
    })
}

lustra_sdk::export!(Rpo: CompanySource, Importer);
