//! The data of the API's sandbox: ten invented companies with complete data for every scope of the specification, and
//! collections.
//!
//! The data is part of the program, so the sandbox works even if registers or the store are unavailable.

mod meta;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::clock::rfc3339;
use crate::collections::{CollectionError, FixedCollection};
use crate::companies::Ico;
use crate::connectors::manifest::CollectionManifest;
use crate::search::{IndexError, NameIndex};
use crate::store::{CompanyToFind, ConnectorId, UnknownWord};

const FILES: [&str; 10] = [
    include_str!("sandbox_companies/companies/01.json"),
    include_str!("sandbox_companies/companies/02.json"),
    include_str!("sandbox_companies/companies/03.json"),
    include_str!("sandbox_companies/companies/04.json"),
    include_str!("sandbox_companies/companies/05.json"),
    include_str!("sandbox_companies/companies/06.json"),
    include_str!("sandbox_companies/companies/07.json"),
    include_str!("sandbox_companies/companies/08.json"),
    include_str!("sandbox_companies/companies/09.json"),
    include_str!("sandbox_companies/companies/10.json"),
];

const COLLECTIONS: [&str; 1] = [include_str!(
    "sandbox_companies/collections/nbs-entities.json"
)];

pub struct Sandbox {
    companies: BTreeMap<String, Value>,
    scopes: Vec<meta::DemoScope>,
    index: NameIndex,
    /// Each with the id of its connector.
    collections: Vec<(ConnectorId, FixedCollection)>,
}

/// A collection in the sandbox's data.
#[derive(Deserialize)]
struct GivenCollection {
    connector: ConnectorId,
    collection: CollectionManifest,
    items: Vec<GivenItem>,
}

#[derive(Deserialize)]
struct GivenItem {
    /// The company whose own item it is.
    ico: Option<String>,
    item: Value,
}

/// Errors of the sandbox's data.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("the demo company {0}: {1}")]
    Company(usize, String),
    #[error("a demo collection: {0}")]
    Collection(#[from] serde_json::Error),
    #[error("the scopes of demo companies: {0}")]
    Scopes(#[source] serde_json::Error),
    #[error("a demo collection: {0}")]
    Items(#[from] CollectionError),
    #[error(transparent)]
    Index(IndexError),
}

fn collection(text: &str) -> Result<(ConnectorId, FixedCollection), SandboxError> {
    let given: GivenCollection = serde_json::from_str(text)?;
    let items = given.items.into_iter().map(|given| (given.ico, given.item));
    Ok((
        given.connector,
        FixedCollection::new(given.collection, items)?,
    ))
}

fn to_find(company: &Value) -> Result<CompanyToFind, UnknownWord> {
    let text = |pointer: &str| {
        let text = company.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    Ok(CompanyToFind {
        ico: text("/ico").unwrap_or_default(),
        name: text("/name").unwrap_or_default(),
        city: text("/address/city"),
        legal_form: text("/legal_form"),
        legal_form_code: text("/legal_form_code"),
        status: text("/status").unwrap_or_default().try_into()?,
        nace_code: text("/nace_code"),
        established_date: text("/established_date"),
        facts: None,
        revision: 0,
    })
}

impl Sandbox {
    /// Parses the embedded demo companies and indexes their names.
    ///
    /// # Errors
    /// [`SandboxError`] if the embedded data is invalid.
    pub fn read() -> Result<Self, SandboxError> {
        let mut companies = BTreeMap::new();
        let mut found = Vec::new();
        for (at, text) in FILES.iter().enumerate() {
            let company: Value = serde_json::from_str(text)
                .map_err(|error| SandboxError::Company(at + 1, error.to_string()))?;
            let ico = company
                .get("ico")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let of_index = to_find(&company);
            found.push(of_index.map_err(|error| SandboxError::Company(at + 1, error.to_string()))?);
            companies.insert(ico, company);
        }
        let index = NameIndex::of(&found).map_err(SandboxError::Index)?;
        let collections = COLLECTIONS.into_iter().map(collection);
        Ok(Self {
            companies,
            scopes: meta::scopes().map_err(SandboxError::Scopes)?,
            index,
            collections: collections.collect::<Result<_, _>>()?,
        })
    }

    /// The demo collections, each with the id of its connector.
    pub fn collections(&self) -> impl Iterator<Item = (&ConnectorId, &FixedCollection)> {
        let collections = self.collections.iter();
        collections.map(|(connector, fixed)| (connector, fixed))
    }

    /// The index of the companies' names.
    #[must_use]
    pub fn index(&self) -> &NameIndex {
        &self.index
    }

    /// All demo companies, ordered by registration number.
    pub fn companies(&self) -> impl Iterator<Item = &Value> {
        self.companies.values()
    }

    /// The answer about a demo company, with the members `data` and `meta` of live answers. `None` if there is no such
    /// company.
    #[must_use]
    pub fn answer(&self, ico: &Ico, now: OffsetDateTime) -> Option<Value> {
        let company = self.companies.get(ico.as_str())?;
        let meta = meta::meta(company, &self.scopes, &rfc3339(now));
        Some(serde_json::json!({ "data": company, "meta": meta }))
    }
}
