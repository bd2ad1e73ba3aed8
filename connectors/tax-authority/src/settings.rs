//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, runtime};
use serde::{Deserialize, Serialize};

use crate::cells::Columns;
use crate::lists::Dataset;

/// Where a list lies and what its columns are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListSettings {
    /// The file's name without its extension; the authority calls it slug.
    pub slug: String,
    /// The list's columns.
    pub columns: Columns,
}

/// What an operator gave of a list: anything left out keeps its default.
#[derive(Debug, Deserialize)]
struct Given {
    slug: Option<String>,
    #[serde(default)]
    columns: Columns,
}

impl ListSettings {
    /// As the authority publishes the list.
    #[must_use]
    pub fn default_of(dataset: Dataset) -> Self {
        let columns = dataset
            .columns()
            .iter()
            .map(|(fact, column)| ((*fact).to_owned(), (*column).to_owned()))
            .collect();
        Self {
            slug: dataset.slug().to_owned(),
            columns: Columns(columns),
        }
    }

    /// As the operator's setting `lists` says.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another form, or a slug that would leave its place in an address.
    pub fn of(dataset: Dataset) -> Result<Self, Failure> {
        let mut list = Self::default_of(dataset);
        let mut given = runtime::setting::<BTreeMap<String, Given>>("lists")?.unwrap_or_default();
        if let Some(given) = given.remove(dataset.id()) {
            if let Some(slug) = given.slug {
                list.slug = slug;
            }
            list.columns.0.extend(given.columns.0);
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if list.slug.is_empty() || !list.slug.chars().all(plain) {
            let id = dataset.id();
            return Err(Failure::Misconfigured(format!(
                "the slug of the list {id} may contain letters, digits, _ and - only"
            )));
        }
        Ok(list)
    }
}

/// The key of the authority's API, where the operator has one.
///
/// # Errors
/// [`Failure::Misconfigured`] for a key that is no text.
pub fn api_key() -> Result<Option<String>, Failure> {
    let key = runtime::setting::<Option<String>>("api_key")?.flatten();
    Ok(key
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty()))
}

/// How VIES is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vies {
    /// For how many days a definite answer is kept; 0 asks each time.
    pub cache_days: u32,
    /// The member state whose numbers are asked about: two upper-case letters.
    pub member_state: String,
}

impl Vies {
    /// As the operator set it.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another form.
    pub fn read() -> Result<Self, Failure> {
        let cache_days = runtime::setting("vies_cache_days")?.unwrap_or(7);
        let member_state: String =
            runtime::setting("vies_member_state")?.unwrap_or_else(|| "SK".to_owned());
        if member_state.len() != 2 || !member_state.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err(Failure::Misconfigured(
                "the setting vies_member_state must be two upper-case letters".to_owned(),
            ));
        }
        Ok(Self {
            cache_days,
            member_state,
        })
    }
}
