//! Settings of free space.

use serde::Deserialize;

/// Free space where the host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Disk {
    /// Below this much free space imports pause and operators are told, in MiB. 0 watches nothing. Default 512.
    pub low_mib: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self { low_mib: 512 }
    }
}
