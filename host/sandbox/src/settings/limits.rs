//! Limits of a connector's calls, as far as the operator sets them.

use std::time::Duration;

use serde::Deserialize;

use crate::limits::Limits;

/// Limits that differ from the defaults.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Memory in MiB.
    pub memory_mib: Option<u64>,
    /// CPU time in milliseconds.
    pub cpu_ms: Option<u64>,
    /// Time from start to answer, for an import of one batch, in milliseconds.
    pub wall_ms: Option<u64>,
    /// Time to open an import, in milliseconds.
    pub open_ms: Option<u64>,
    /// Time of a whole run of an import, in milliseconds.
    pub run_ms: Option<u64>,
    /// Batches of an import without a record, one after another.
    pub empty_batches: Option<u64>,
    /// HTTP requests.
    pub requests: Option<u64>,
    /// Redirects that one request may follow.
    pub redirects: Option<u32>,
    /// Bytes of all answers, in MiB.
    pub bytes_mib: Option<u64>,
    /// Bytes of one answer, in MiB.
    pub body_mib: Option<u64>,
    /// Bytes from the connector to the host in one crossing, in MiB.
    pub crossing_mib: Option<u64>,
    /// Live handles and resources.
    pub handles: Option<usize>,
    /// Elements of each table of the component.
    pub table_elements: Option<usize>,
    /// Bytes handed to the connector in one piece, in MiB.
    pub piece_mib: Option<u64>,
    /// Unpacked to packed bytes of an archive.
    pub archive_ratio: Option<u64>,
    /// Files in an archive.
    pub archive_entries: Option<usize>,
    /// Lines in the log.
    pub log_lines: Option<u64>,
    /// Bytes in the log, in KiB.
    pub log_kib: Option<u64>,
}

impl LimitsConfig {
    /// The defaults with what is set here.
    #[must_use]
    pub fn apply(&self, mut limits: Limits) -> Limits {
        const MIB: u64 = 1 << 20;
        let set = |to: &mut u64, value: Option<u64>, unit: u64| {
            if let Some(value) = value {
                *to = value.saturating_mul(unit);
            }
        };
        set(&mut limits.memory, self.memory_mib, MIB);
        set(&mut limits.requests, self.requests, 1);
        set(&mut limits.bytes, self.bytes_mib, MIB);
        set(&mut limits.body, self.body_mib, MIB);
        set(&mut limits.crossing, self.crossing_mib, MIB);
        set(&mut limits.piece, self.piece_mib, MIB);
        set(&mut limits.archive_ratio, self.archive_ratio, 1);
        set(&mut limits.empty_batches, self.empty_batches, 1);
        set(&mut limits.log_lines, self.log_lines, 1);
        set(&mut limits.log_bytes, self.log_kib, 1 << 10);
        limits.handles = self.handles.unwrap_or(limits.handles);
        limits.archive_entries = self.archive_entries.unwrap_or(limits.archive_entries);
        limits.table_elements = self.table_elements.unwrap_or(limits.table_elements);
        limits.redirects = self.redirects.unwrap_or(limits.redirects);
        let last = |to: &mut Duration, millis: Option<u64>| {
            if let Some(millis) = millis {
                *to = Duration::from_millis(millis);
            }
        };
        last(&mut limits.cpu, self.cpu_ms);
        last(&mut limits.wall, self.wall_ms);
        last(&mut limits.open, self.open_ms);
        last(&mut limits.run, self.run_ms);
        limits
    }

    /// Those that are set but mean nothing for a look-up.
    pub(super) fn of_imports_only(&self) -> Vec<&'static str> {
        let set = [
            ("open_ms", self.open_ms),
            ("run_ms", self.run_ms),
            ("empty_batches", self.empty_batches),
        ];
        set.into_iter()
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name)
            .collect()
    }
}
