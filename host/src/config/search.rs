//! Settings of the name index.

use schemars::JsonSchema;
use serde::Deserialize;

/// Settings of the name index.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// Poll interval for changed companies. At least 1. While an import changes thousands, it grows to 5 seconds.
    pub poll_ms: u64,
    /// Memory of the index writer, 15 to 4096. More memory makes a rebuild faster.
    pub writer_mib: usize,
    /// Maximum length of a search text, at least 10.
    pub query_characters: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            poll_ms: 500,
            writer_mib: 64,
            query_characters: 200,
        }
    }
}
