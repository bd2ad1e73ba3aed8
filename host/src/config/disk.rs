//! Settings of free space.

use schemars::JsonSchema;
use serde::Deserialize;

/// Free space where the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Disk {
    /// Below this much free space imports pause, `/v1/health` warns, and it is logged. 0 switches the check off.
    pub low_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_mib: 512 }
    }
}
