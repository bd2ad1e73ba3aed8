//! Secret values of settings, which are never shown.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// A text that is never shown.
#[derive(Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself; use it only where it is needed.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Settings of which some are secret: only their names are shown.
#[derive(Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SecretMap(Map<String, Value>);

impl SecretMap {
    #[must_use]
    pub fn new(values: Map<String, Value>) -> Self {
        Self(values)
    }

    #[must_use]
    pub fn reveal(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl fmt::Debug for SecretMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.keys().map(|name| (name, "***")))
            .finish()
    }
}
