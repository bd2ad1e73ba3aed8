//! The answer of the API about a company, as its page reads it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// An answer of the API.
#[derive(Debug, Deserialize)]
pub(super) struct CompanyAnswer {
    pub(super) data: Map<String, Value>,
    #[serde(default)]
    pub(super) meta: Meta,
}

/// What the answer says about its parts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta {
    pub(super) profile_built_at: Option<String>,
    pub(super) sandbox: bool,
    pub(super) registers: Vec<Origin>,
    pub(super) scopes: BTreeMap<String, Origin>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Origin {
    pub(super) register: String,
    pub(super) connector: String,
    pub(super) as_of: Option<String>,
    pub(super) state: State,
    pub(super) reason: Option<String>,
    pub(super) unread: Option<Vec<Unread>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    #[default]
    Fresh,
    Stale,
    Unread,
    NotApplicable,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Unread {
    pub(super) source: String,
    pub(super) why: String,
}

impl Origin {
    /// The day of `as_of`, ISO 8601.
    pub(super) fn as_deref_day(&self) -> Option<&str> {
        self.as_of.as_deref()?.get(..10)
    }
}
