//! Settings of the name index.

use serde::Deserialize;

/// The name index.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Search {
    /// How often the index looks for changed companies, in milliseconds. Default 500.
    pub poll_ms: u64,
    /// Memory for companies that are on their way into the index, in MiB. Default 64.
    pub writer_mib: usize,
    /// The longest text that is looked for, in characters. Default 200.
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
