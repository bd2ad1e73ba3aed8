//! Settings of the name index.

use schemars::JsonSchema;
use serde::Deserialize;

/// The name index.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// How often the index looks for changed companies. At least 1.
    pub poll_ms: u64,
    /// Memory for companies that are being indexed, 15 to 4096. More makes a rebuild faster.
    pub writer_mib: usize,
    /// Longest search text, at least 10.
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
