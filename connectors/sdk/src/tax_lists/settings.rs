//! The operator's settings of a list: its file name and its columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
#[cfg(not(target_family = "wasm"))]
use serde_json::{Value, json};

use super::{Columns, ListKind};
#[cfg(not(target_family = "wasm"))]
use crate::settings::{Declared, Member, Secret, SettingType, Shape};
use crate::{Failure, runtime};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListSettings {
    /// The file name without its extension, which the authority calls slug. Empty if the kind has
    /// no default and the operator set none.
    pub slug: String,
    pub columns: Columns,
}

/// A list in the operator's settings. Members that are left out keep their default.
#[derive(Debug, Deserialize)]
struct Given {
    slug: Option<String>,
    #[serde(default)]
    columns: Columns,
}

impl ListSettings {
    /// The defaults: the list as the authority publishes it.
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

    /// Reads the list from the operator's setting `lists`.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] if the setting has another shape, or for a slug that would
    /// change the path of the address.
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

/// The key of the authority's API, if the operator has one.
///
/// # Errors
/// [`Failure::Misconfigured`] if the key is not a text.
pub fn api_key() -> Result<Option<String>, Failure> {
    let key = runtime::setting::<Option<String>>("api_key")?.flatten();
    Ok(key
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty()))
}

/// The settings `lists`, with these lists, and `api_key`, for the comparison with a manifest. Their
/// descriptions are written in the manifest alone.
#[cfg(not(target_family = "wasm"))]
#[must_use]
pub fn declared<K: ListKind>(kinds: &[K]) -> Declared {
    let member = |name, shape, default| Member {
        name,
        description: None,
        shape,
        range: None,
        default,
    };
    let text = |name, default| member(name, String::shape(), json!(default));
    let list = |kind: &K| {
        let columns = kind.columns().iter();
        let columns = Shape::Group(columns.map(|(fact, column)| text(*fact, *column)).collect());
        let members = vec![
            text("slug", kind.slug()),
            member("columns", columns, Value::Null),
        ];
        member(kind.id(), Shape::Group(members), Value::Null)
    };
    let default = |kind: &K| (kind.id().to_owned(), json!(ListSettings::default_of(*kind)));
    let defaults = kinds.iter().map(default).collect();
    let lists = Shape::Group(kinds.iter().map(list).collect());
    Declared(vec![
        member("lists", lists, Value::Object(defaults)),
        member("api_key", Option::<Secret>::shape(), Value::Null),
    ])
}

/// True if a slug cannot change the path of an address.
#[must_use]
pub(super) fn is_plain(slug: &str) -> bool {
    slug.chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
