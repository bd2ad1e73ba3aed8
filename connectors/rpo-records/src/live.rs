//! Requests one record: a search by IČO finds its id, the id finds the record.

use lustra_sdk::http::Request;
use lustra_sdk::{Evidence, Failure, malformed};

use crate::answers;
use crate::names::UPSTREAM;
use crate::record::Record;

/// A record as the interface gave it.
#[derive(Debug)]
pub struct Found {
    /// The part of it that every connector reads.
    pub record: Record,
    /// The entity's JSON, for the parts that only one connector reads.
    pub text: String,
    pub evidence: Vec<Evidence>,
}

/// The record of an IČO of 8 digits. Among several, the one that [`crate::preference::preference`] prefers with these
/// source registers. `None`: the register does not know the number.
///
/// # Errors
/// The register's failure; [`Failure::Unavailable`] if it finds a record that it does not return,
/// [`Failure::Malformed`] if that record has another number.
pub fn by_ico(ico: &str, sources: &[&str]) -> Result<Option<Found>, Failure> {
    let response = Request::get(UPSTREAM, format!("/search?identifier={ico}")).fetch()?;
    let rows = answers::rows(&response.body.text(None)?)?;
    let found_by = response.body.evidence();
    let Some(row) = answers::choose(rows, ico, sources)? else {
        return Ok(None);
    };
    let id = row.id;
    let Some(mut found) = by_id(id)? else {
        return Err(Failure::Unavailable(format!(
            "rpo finds the record {id} but does not return it"
        )));
    };
    found.record = answers::completed(found.record, row);
    if found.record.ico().is_none_or(|(number, _)| number != ico) {
        return Err(malformed(
            "entity of rpo: /identifiers",
            ico,
            format!("the record {id} with another number"),
        ));
    }
    found.evidence.insert(0, found_by);
    Ok(Some(found))
}

/// The record with an id of the register. The request includes history, since an ended company has nothing else.
/// `None`: the register does not know the id.
///
/// # Errors
/// The register's failure; [`Failure::Malformed`] for another record.
pub fn by_id(id: u64) -> Result<Option<Found>, Failure> {
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
    let text = response.body.text(None)?;
    Ok(Some(Found {
        record: answers::entity(&text, id)?,
        evidence: vec![response.body.evidence()],
        text,
    }))
}
