//! The operator's settings of the ministry's list of administrators, whose format is assumed.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// The source of administrators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The proceedings read so far. Administrators without proceedings are unknown.
    Proceedings,
    /// The ministry's list. A company that is not on it is not an administrator.
    Service,
}

impl Source {
    /// Reads the setting.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for another value.
    pub fn read() -> Result<Self, Failure> {
        Ok(runtime::setting("administrators_source")?.unwrap_or(Self::Proceedings))
    }
}

/// The request for the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct List {
    /// The path below the upstream.
    pub path: String,
    /// The names of the query parameters.
    pub query: Query,
    /// The number of its first page.
    pub first_page: u64,
    /// Requested number of rows on a page. 0 means that one answer without query parameters contains all rows.
    pub page_size: u64,
    /// The names of the members of its answer.
    pub members: Members,
}

impl Default for List {
    fn default() -> Self {
        Self {
            path: "/spravca".to_owned(),
            query: Query::default(),
            first_page: 1,
            page_size: 100,
            members: Members::default(),
        }
    }
}

impl List {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        fn or<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
            Ok(runtime::setting(name)?.unwrap_or(default))
        }
        let default = Self::default();
        Ok(Self {
            path: or("administrators_path", default.path)?,
            query: or("administrators_query", default.query)?,
            first_page: or("administrators_first_page", default.first_page)?,
            page_size: or("administrators_page_size", default.page_size)?,
            members: or("administrators_members", default.members)?,
        })
    }
}

/// The names of the query parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Query {
    /// The number of the page.
    pub page: String,
    /// How many rows a page has.
    pub size: String,
}

impl Default for Query {
    fn default() -> Self {
        Self {
            page: "page".to_owned(),
            size: "size".to_owned(),
        }
    }
}

/// The names of the answer's members by their content; `adresa/obec` is a nested member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct Members {
    pub total: String,
    pub updated_at: String,
    pub rows: String,
    pub mark: String,
    pub given_name: String,
    pub family_name: String,
    pub title_before: String,
    pub title_after: String,
    pub business_name: String,
    pub ico: String,
    pub street: String,
    pub city: String,
    pub postal_code: String,
    pub region: String,
    pub valid_from: String,
    pub valid_to: String,
    pub status: String,
}

impl Default for Members {
    fn default() -> Self {
        let named = str::to_owned;
        Self {
            total: named("numFound"),
            updated_at: named("updateDate"),
            rows: named("spravcaList"),
            mark: named("znacka"),
            given_name: named("meno"),
            family_name: named("priezvisko"),
            title_before: named("titulPred"),
            title_after: named("titulZa"),
            business_name: named("obchodneMeno"),
            ico: named("ico"),
            street: named("adresa/ulica"),
            city: named("adresa/obec"),
            postal_code: named("adresa/psc"),
            region: named("adresa/kraj"),
            valid_from: named("datumZapisu"),
            valid_to: named("datumVyciarknutia"),
            status: named("stav"),
        }
    }
}
