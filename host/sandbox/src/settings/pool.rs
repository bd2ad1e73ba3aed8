//! Settings of the instance pool.

use schemars::JsonSchema;
use serde::Deserialize;

/// Size of the pool of WebAssembly instances.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pool {
    /// Calls in flight, over all connectors. At least 1.
    pub instances: u32,
    /// Hard limit of one instance's memory. The limits of connectors are below it.
    pub memory_mib: u64,
    /// Stack of a component's code, 64 to 8192.
    pub stack_kib: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            instances: 128,
            memory_mib: 512,
            stack_kib: 512,
        }
    }
}
