//! Limits and cleaning of what a guest returns.
//!
//! The crossing limit bounds the total bytes. This module bounds the number of items and the length of each text,
//! because each is stored, indexed or shown separately, and cleans the texts that operators read.

use crate::bindings::enrichment::exports::lustra::connector::enrichment::Section;
use crate::bindings::importer::exports::lustra::connector::importer::{Batch, Item};
use crate::bindings::types::{Company, Evidence, Field};
use crate::call_failure::CallFailure;
use crate::plain_text::{self, NAME, REASON};

/// Most bytes of a name, an address or another single text of a company or record.
const MAX_TEXT_BYTES: usize = 4_000;

/// Most bytes of a record's key.
const MAX_KEY_BYTES: usize = 4_096;

/// Most bytes of a cursor, which is stored with each batch.
const MAX_CURSOR_BYTES: usize = 64 << 10;

/// Most bytes of a record's content. A guest reads up to 1,000 records at once.
const MAX_CONTENT_BYTES: usize = 1 << 20;

/// Most facts of a company, unread sources of a section, or counter names of a batch.
const MAX_FIELDS: usize = 200;

/// Most responses that one fact came from.
const MAX_EVIDENCE: usize = 1_000;

/// Checks a section's parts except its content, and cleans the reasons of its unread sources.
pub(super) fn section(section: &mut Section) -> Result<(), CallFailure> {
    most("/unread", section.unread.len(), MAX_FIELDS)?;
    section.unread.iter_mut().for_each(reason);
    section.details = Vec::new();
    evidence(&mut section.evidence)
}

/// Checks a company's typed fields.
pub(super) fn company(company: &mut Company) -> Result<(), CallFailure> {
    let address = &company.address;
    let optional = [
        ("/legal_form", &company.legal_form),
        ("/legal_form_code", &company.legal_form_code),
        ("/address/street", &address.street),
        ("/address/city", &address.city),
        ("/address/postal_code", &address.postal_code),
        ("/address/country", &address.country),
        ("/address/country_code", &address.country_code),
        ("/established_date", &company.established_date),
        ("/terminated_date", &company.terminated_date),
        ("/nace_code", &company.nace_code),
        ("/nace_description", &company.nace_description),
        ("/register_id", &company.register_id),
    ];
    let required = [("/ico", &company.ico), ("/name", &company.name)];
    texts(required, optional)?;
    most("/facts", company.facts.len(), MAX_FIELDS)?;
    for fact in &company.facts {
        longest("/facts", fact.name.len() + fact.value.len(), MAX_TEXT_BYTES)?;
    }
    evidence(&mut company.evidence)
}

/// Checks a record's typed fields and its size.
pub(super) fn item(item: &Item) -> Result<(), CallFailure> {
    longest("/key", item.key.len(), MAX_KEY_BYTES)?;
    longest("/content", item.content.len(), MAX_CONTENT_BYTES)?;
    let optional = [
        ("/ico", &item.ico),
        ("/name", &item.name),
        ("/city", &item.city),
        ("/postal_code", &item.postal_code),
    ];
    texts([], optional)
}

/// Checks a batch except its items and companies.
pub(super) fn batch(batch: &mut Batch) -> Result<(), CallFailure> {
    longest("/cursor", batch.cursor.len(), MAX_CURSOR_BYTES)?;
    most("/notes", batch.notes.len(), MAX_FIELDS)?;
    batch.notes.iter_mut().for_each(reason);
    if let Some(date) = &mut batch.list_date {
        plain_text::clean(date, NAME);
    }
    Ok(())
}

fn reason(field: &mut Field) {
    plain_text::clean(&mut field.name, NAME);
    plain_text::clean(&mut field.value, REASON);
}

fn evidence(evidence: &mut [Evidence]) -> Result<(), CallFailure> {
    most("/evidence", evidence.len(), MAX_EVIDENCE)?;
    for one in evidence {
        for text in [&mut one.id, &mut one.digest, &mut one.fetched_at] {
            plain_text::clean(text, NAME);
        }
        one.details = Vec::new();
    }
    Ok(())
}

fn texts<'a>(
    required: impl IntoIterator<Item = (&'static str, &'a String)>,
    optional: impl IntoIterator<Item = (&'static str, &'a Option<String>)>,
) -> Result<(), CallFailure> {
    let optional = optional
        .into_iter()
        .filter_map(|(place, text)| Some((place, text.as_ref()?)));
    required
        .into_iter()
        .chain(optional)
        .try_for_each(|(place, text)| longest(place, text.len(), MAX_TEXT_BYTES))
}

fn longest(place: &str, bytes: usize, limit: usize) -> Result<(), CallFailure> {
    if bytes > limit {
        return Err(CallFailure::schema(
            place,
            &format!("it has {bytes} bytes; {limit} is the most"),
        ));
    }
    Ok(())
}

fn most(place: &str, count: usize, limit: usize) -> Result<(), CallFailure> {
    if count > limit {
        return Err(CallFailure::schema(
            place,
            &format!("it has {count} entries; {limit} is the most"),
        ));
    }
    Ok(())
}
