//! One company, asked for live: a search by IČO finds the record's id, the id gives the record.

use lustra_sdk::http::Request;
use lustra_sdk::{Company, CompanyKey, Evidence, Failure, failure, ico, malformed};

use crate::answers;
use crate::company::{self, Reading};
use crate::record::Record;

const UPSTREAM: &str = "rpo";

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
    let response = Request::get(UPSTREAM, format!("/search?identifier={ico}")).fetch()?;
    let rows = answers::rows(&response.body.text(None)?)?;
    let found_by = response.body.evidence();
    let Some(row) = answers::choose(rows, ico)? else {
        return Ok(None);
    };
    let id = row.id;
    let Some((entity, read_from)) = entity(id)? else {
        return Err(Failure::Unavailable(format!(
            "rpo finds the record {id} but does not give it"
        )));
    };
    let record = answers::completed(entity, row);
    if record.ico().is_none_or(|(number, _)| number != ico) {
        return Err(malformed(
            "entity of rpo: /identifiers",
            ico,
            format!("the record {id} with another number"),
        ));
    }
    base(&record, vec![found_by, read_from])
}

fn by_id(id: u64) -> Result<Option<Company>, Failure> {
    match entity(id)? {
        Some((record, read_from)) => base(&record, vec![read_from]),
        None => Ok(None),
    }
}

/// One entity. History is asked for, since an ended company has nothing else.
fn entity(id: u64) -> Result<Option<(Record, Evidence)>, Failure> {
    let path = format!("/entity/{id}?showHistoricalData=true&showOrganizationUnits=false");
    let response = Request::get(UPSTREAM, path).send()?;
    if response.status == 404 {
        let failure = response.status_failure();
        return if answers::says_no_record(&response.body.text(None)?) {
            Ok(None)
        } else {
            Err(failure)
        };
    }
    if !(200..300).contains(&response.status) {
        return Err(response.status_failure());
    }
    let record = answers::entity(&response.body.text(None)?, id)?;
    Ok(Some((record, response.body.evidence())))
}

fn base(record: &Record, evidence: Vec<Evidence>) -> Result<Option<Company>, Failure> {
    match company::read(record)? {
        Reading::Company(mut company) => {
            company.evidence = evidence;
            Ok(Some(*company))
        }
        // The register has the record, but nothing that the service could know it by.
        Reading::WithoutIco => Ok(None),
        Reading::WithoutName => Err(malformed(
            format!("entity of rpo: record {}: /fullNames", record.id),
            "a name",
            "none",
        )),
    }
}

/// The register's id: a plain number. Anything else cannot be one, so it is not asked for.
fn register_id(raw: &str) -> Option<u64> {
    let digits = raw.trim();
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}
