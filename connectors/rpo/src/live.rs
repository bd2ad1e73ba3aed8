//! Looks up one company live: a search by IČO finds the record's id, and the id gives the record.

use lustra_rpo_records::live::{self, Found};
use lustra_sdk::{Company, CompanyKey, Evidence, Failure, failure, ico, malformed};

use crate::company::{self, Reading};
use crate::record::Record;

/// The company with a key; see [`lustra_sdk::CompanySource`].
pub fn fetch(key: &CompanyKey) -> Result<Option<Company>, Failure> {
    match key {
        CompanyKey::Ico(raw) => match ico::parse(raw) {
            Some(ico) => by_ico(&ico),
            None => Ok(None),
        },
        CompanyKey::RegisterId(raw) => match register_id(raw) {
            Some(id) => by_id(id),
            None => Ok(None),
        },
        CompanyKey::Other((kind, _)) => Err(failure::not_offered(&format!("the key {kind}"))),
    }
}

fn by_ico(ico: &str) -> Result<Option<Company>, Failure> {
    company_of(live::by_ico(ico, company::PREFERRED)?)
}

fn by_id(id: u64) -> Result<Option<Company>, Failure> {
    company_of(live::by_id(id)?)
}

fn company_of(found: Option<Found>) -> Result<Option<Company>, Failure> {
    match found {
        Some(found) => base(&found.record, found.evidence),
        None => Ok(None),
    }
}

fn base(record: &Record, evidence: Vec<Evidence>) -> Result<Option<Company>, Failure> {
    match company::read(record)? {
        Reading::Company(mut company) => {
            company.evidence = evidence;
            Ok(Some(*company))
        }
        // The register has the record, but without an IČO by which the service could identify it.
        Reading::WithoutIco => Ok(None),
        Reading::WithoutName => Err(malformed(
            format!("entity of rpo: record {}: /fullNames", record.id),
            "a name",
            "none",
        )),
    }
}

/// The register's id, a plain number. Anything else cannot be an id and is not requested.
fn register_id(raw: &str) -> Option<u64> {
    let digits = raw.trim();
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}
