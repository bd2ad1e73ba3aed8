//! Answers of the service, which are JSON:API documents.
//!
//! Members that the section rests on must be there, if only as null: one that is missing means another form, not that
//! a company has none.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;
use serde_json::Value;

/// The most records of one page, and of one company.
pub const PAGE: usize = 200;

/// A list of records.
#[derive(Debug, Deserialize)]
struct Page {
    meta: Meta,
    data: Vec<Record>,
}

/// What a list says of itself.
#[derive(Debug, Deserialize)]
struct Linked {
    links: Links,
}

/// Links to pages of the same list, which repeat the question.
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
    /// What it says of the entity.
    pub attributes: Attributes,
    /// Where more stands, by the kind of relationship and the kind of link.
    pub relationships: BTreeMap<String, Relationship>,
}

/// What a record says of its entity.
#[derive(Debug, Clone, Deserialize)]
pub struct Attributes {
    pub lei: String,
    pub entity: Entity,
    /// The registration of the identifier.
    pub registration: Registration,
    /// Bank identifier codes; null where there are none.
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
    /// The register that it stands in.
    pub registered_at: Coded,
    #[serde(deserialize_with = "Option::deserialize")]
    pub registered_as: Option<String>,
    /// Its legal form, an ELF code.
    pub legal_form: Coded,
    /// Either `ACTIVE` or `INACTIVE`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub status: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Name {
    /// As the register of the entity has it.
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct OtherName {
    pub name: String,
    /// The type of the name, such as `PREVIOUS_LEGAL_NAME`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

/// An address, of which only the country matters here.
#[derive(Debug, Clone, Deserialize)]
pub struct Address {
    /// The country's code by ISO 3166-1 alpha-2.
    pub country: String,
}

/// A code, or a text where no code fits.
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
    /// When it was first registered.
    pub initial_registration_date: String,
    /// When it has to be renewed.
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

/// Checks that a list answers the question for a number, which its links repeat.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for the list of another question.
pub fn is_for(text: &str, number: &str) -> Result<(), Failure> {
    let list: Linked = http::read_json("gleif", text)?;
    let filter = format!("={number}");
    let repeats = |part: &str| part.contains("entity.registeredAs") && part.ends_with(&filter);
    if list.links.first.split(['?', '&']).any(repeats) {
        return Ok(());
    }
    Err(malformed("links/first", number, list.links.first))
}

/// The records of a list, all of them.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for a list that does not have as many records as it says.
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

/// Why an entity reported no parent: the reason of an exception, which must be of this entity and of this kind.
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

/// Whether the body of a 404 is the service's own: a JSON:API document with errors. A proxy's is not.
#[must_use]
pub fn is_refusal(text: &str) -> bool {
    serde_json::from_str::<Refusal>(text).is_ok_and(|refusal| !refusal.errors.is_empty())
}

/// Lets an identifier of 18 letters or digits and two check digits through.
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
