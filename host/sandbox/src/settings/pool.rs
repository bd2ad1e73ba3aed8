//! Settings of the instance pool.

use serde::Deserialize;

/// The instance pool.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pool {
    /// Calls in flight, all connectors together. Default 128.
    pub instances: u32,
    /// The hard cap of one instance's memory, in MiB. Default 512.
    pub memory_mib: u64,
    /// The stack of a component's code, in KiB. Default 512.
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
