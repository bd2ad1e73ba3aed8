//! Answers of the service, which are JSON:API documents.
//!
//! Members that the section depends on must be present, even if null. A missing member means another format, not that
//! the company lacks the value.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;
use serde_json::Value;

/// The largest number of records on one page, and of one company.
pub const PAGE: usize = 200;

/// A list of records.
#[derive(Debug, Deserialize)]
struct Page {
    meta: Meta,
    data: Vec<Record>,
}

/// The metadata of a list.
#[derive(Debug, Deserialize)]
struct Linked {
    links: Links,
}

/// Links to pages of the same list. They repeat the query.
#[derive(Debug, Deserialize)]
struct Links {
    first: String,
}

/// The error of a JSON:API document.
#[derive(Debug, Deserialize)]
struct Refusal {
    errors: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Meta {
    pagination: Pagination,
}

#[derive(Debug, Deserialize)]
struct Pagination {
    total: u64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    pub attributes: Attributes,
    /// Links to related resources, by the kind of relationship and the kind of link.
    pub relationships: BTreeMap<String, Relationship>,
}

/// The data of a record's entity.
#[derive(Debug, Clone, Deserialize)]
pub struct Attributes {
    pub lei: String,
    pub entity: Entity,
    /// The registration of the identifier.
    pub registration: Registration,
    /// Bank identifier codes. Null if there are none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub bic: Option<Vec<String>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entity {
    pub legal_name: Name,
    /// Former names, and names in other languages.
    pub other_names: Vec<OtherName>,
    pub legal_address: Address,
    /// The register in which the entity is entered.
    pub registered_at: Coded,
    #[serde(deserialize_with = "Option::deserialize")]
    pub registered_as: Option<String>,
    /// The legal form, an ELF code.
    pub legal_form: Coded,
    /// Either `ACTIVE` or `INACTIVE`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub status: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Name {
    /// The name as the entity's register writes it.
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct OtherName {
    pub name: String,
    /// The type of the name, such as `PREVIOUS_LEGAL_NAME`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// An address. Only its country is used.
#[derive(Debug, Clone, Deserialize)]
pub struct Address {
    /// The country's code by ISO 3166-1 alpha-2.
    pub country: String,
}

/// A code, or a text if no code fits.
#[derive(Debug, Clone, Deserialize)]
pub struct Coded {
    #[serde(deserialize_with = "Option::deserialize")]
    pub id: Option<String>,
    /// The text that stands in place of a code.
    pub other: Option<String>,
}

/// The registration of an identifier.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    /// The day of the first registration.
    pub initial_registration_date: String,
    /// The day by which the registration must be renewed.
    #[serde(deserialize_with = "Option::deserialize")]
    pub next_renewal_date: Option<String>,
    /// `ISSUED`, `LAPSED`, `RETIRED`, `MERGED`, `DUPLICATE`, …
    pub status: String,
}

/// Links of one relationship.
#[derive(Debug, Clone, Deserialize)]
pub struct Relationship {
    pub links: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Document<T> {
    data: T,
}

#[derive(Debug, Deserialize)]
struct Resource<T> {
    attributes: T,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    lei: String,
    entity: NamedEntity,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamedEntity {
    legal_name: Name,
}

#[derive(Debug, Deserialize)]
struct Exception {
    lei: String,
    category: String,
    reason: String,
}

/// Checks that a list answers the query for a number. The list's links repeat the query.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for the list of another query.
pub fn is_for(text: &str, number: &str) -> Result<(), Failure> {
    let list: Linked = http::read_json("gleif", text)?;
    let filter = format!("={number}");
    let repeats = |part: &str| part.contains("entity.registeredAs") && part.ends_with(&filter);
    if list.links.first.split(['?', '&']).any(repeats) {
        return Ok(());
    }
    Err(malformed("links/first", number, list.links.first))
}

/// Reads all records of a list.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] if the list does not contain as many records as it reports.
pub fn records(text: &str) -> Result<Vec<Record>, Failure> {
    let page: Page = http::read_json("gleif", text)?;
    let (total, count) = (page.meta.pagination.total, page.data.len());
    if total != count as u64 {
        let expected = format!("{total} records, at most {PAGE}");
        return Err(malformed("data", expected, format!("{count} records")));
    }
    for record in &page.data {
        identifier(&record.attributes.lei, "data/attributes/lei")?;
    }
    Ok(page.data)
}

/// The identifier and the name of one record.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for an identifier of another shape.
pub fn named(text: &str) -> Result<(String, String), Failure> {
    let document: Document<Resource<Named>> = http::read_json("gleif", text)?;
    let named = document.data.attributes;
    identifier(&named.lei, "data/attributes/lei")?;
    Ok((named.lei, named.entity.legal_name.name))
}

/// Reads why an entity reported no parent: the reason of an exception. The exception must be of this entity and this
/// kind.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for the exception of another entity or kind.
pub fn exception(text: &str, lei: &str, category: &str) -> Result<String, Failure> {
    let document: Document<Resource<Exception>> = http::read_json("gleif", text)?;
    let exception = document.data.attributes;
    if exception.lei != lei {
        return Err(malformed("data/attributes/lei", lei, exception.lei));
    }
    if exception.category != category {
        let what = "data/attributes/category";
        return Err(malformed(what, category, exception.category));
    }
    Ok(exception.reason)
}

/// Whether the body of a 404 is the service's own: a JSON:API document with errors. A proxy's body is not.
#[must_use]
pub fn is_refusal(text: &str) -> bool {
    serde_json::from_str::<Refusal>(text).is_ok_and(|refusal| !refusal.errors.is_empty())
}

/// Accepts an identifier of 18 letters or digits and two check digits.
fn identifier(lei: &str, what: &str) -> Result<(), Failure> {
    let is_one = lei.len() == 20
        && lei
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && lei.bytes().skip(18).all(|byte| byte.is_ascii_digit());
    if is_one {
        Ok(())
    } else {
        Err(malformed(what, "20 letters and digits", lei))
    }
}
