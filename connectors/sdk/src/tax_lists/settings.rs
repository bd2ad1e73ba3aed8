//! Where a list lies and what its columns are called, as the operator set it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Columns, ListKind};
use crate::{Failure, runtime};

/// Where a list lies and what its columns are called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListSettings {
    /// The file's name without its extension; the authority calls it slug. Empty where the kind has none and the
    /// operator gave none.
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
    pub fn default_of(kind: impl ListKind) -> Self {
        let columns = kind
            .columns()
            .iter()
            .map(|(fact, column)| ((*fact).to_owned(), (*column).to_owned()))
            .collect();
        Self {
            slug: kind.slug().to_owned(),
            columns: Columns(columns),
        }
    }

    /// As the operator's setting `lists` says.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another form, or a slug that would leave its place in an address.
    pub fn of(kind: impl ListKind) -> Result<Self, Failure> {
        let mut list = Self::default_of(kind);
        let mut given = runtime::setting::<BTreeMap<String, Given>>("lists")?.unwrap_or_default();
        if let Some(given) = given.remove(kind.id()) {
            if let Some(slug) = given.slug {
                list.slug = slug;
            }
            list.columns.0.extend(given.columns.0);
        }
        let is_missing = list.slug.is_empty() && !kind.slug().is_empty();
        if is_missing || !is_plain(&list.slug) {
            let id = kind.id();
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

/// Whether a slug stays in its place in an address.
#[must_use]
pub(super) fn is_plain(slug: &str) -> bool {
    slug.chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
