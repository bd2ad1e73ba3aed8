//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::sheet::Headers;
use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

/// Where the list comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The pages of the register.
    Page,
    File,
}

impl Source {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for another word.
    pub fn read() -> Result<Self, Failure> {
        setting_or("source", || Self::Page)
    }
}

/// How the register's pages are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pages {
    /// The path of the list.
    pub page_path: String,
    /// The parameter that says which page is meant.
    pub page_parameter: String,
    /// The number of the first page.
    pub first_page: u64,
    /// What stands before the number of all rows.
    pub total_label: String,
}

impl Default for Pages {
    fn default() -> Self {
        Self {
            page_path: "/app/registerNZ/".to_owned(),
            page_parameter: "strana".to_owned(),
            first_page: 1,
            total_label: "Počet záznamov".to_owned(),
        }
    }
}

impl Pages {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        Ok(Self {
            page_path: setting_or("page_path", || default.page_path)?,
            page_parameter: setting_or("page_parameter", || default.page_parameter)?,
            first_page: setting_or("first_page", || default.first_page)?,
            total_label: setting_or("total_label", || default.total_label)?,
        })
    }
}

/// What the columns of the list are called, by what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(missing_docs, reason = "a member is called what it holds")]
pub struct Columns {
    pub name: Headers,
    pub ico: Headers,
    pub address: Headers,
    pub violation_date: Headers,
    pub decision_date: Headers,
    pub decision_number: Headers,
    pub legal_basis: Headers,
    pub inspectorate: Headers,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            name: Headers::of(&["názov", "obchodné meno", "meno"]),
            ico: Headers::of(&["ičo"]),
            address: Headers::of(&["sídlo", "adresa"]),
            violation_date: Headers::of(&["dátum porušenia", "dátum zistenia"]),
            decision_date: Headers::of(&["dátum právoplatnosti", "dátum rozhodnutia", "dátum"]),
            decision_number: Headers::of(&["číslo rozhodnutia"]),
            legal_basis: Headers::of(&["porušenie", "porušené ustanovenie", "zistenie"]),
            inspectorate: Headers::of(&["inšpektorát"]),
        }
    }
}

impl Columns {
    /// As the operator set them.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        setting_or("columns", Self::default)
    }
}

fn setting_or<T: DeserializeOwned>(name: &str, default: impl FnOnce() -> T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or_else(default))
}
