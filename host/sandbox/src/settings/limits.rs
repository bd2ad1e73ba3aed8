//! The operator's limits of a connector's calls.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::Limits;

/// Limits that differ from the defaults.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Memory of the guest. Components made from Python or JavaScript need 256.
    pub memory_mib: Option<u64>,
    /// CPU time of one call.
    pub cpu_ms: Option<u64>,
    /// Wall time of one call; in an import, of one batch.
    pub wall_ms: Option<u64>,
    /// Time to open an import, which may download an archive. Only in `import_limits`.
    pub open_ms: Option<u64>,
    /// Time of a whole run, checked between batches. Only in `import_limits`.
    pub run_ms: Option<u64>,
    /// Consecutive batches without a record. Only in `import_limits`.
    pub empty_batches: Option<u64>,
    /// HTTP requests, including redirects and retries.
    pub requests: Option<u64>,
    /// Redirects that one request follows.
    pub redirects: Option<u32>,
    /// Size of all answers together.
    pub bytes_mib: Option<u64>,
    /// Size of one answer.
    pub body_mib: Option<u64>,
    /// Data from the connector to the host in one call.
    pub crossing_mib: Option<u64>,
    /// Live handles and resources.
    pub handles: Option<usize>,
    /// Elements of each table of the component.
    pub table_elements: Option<usize>,
    /// Data handed to the connector in one piece.
    pub piece_mib: Option<u64>,
    /// Ratio of unpacked to packed size of an archive or a response.
    pub archive_ratio: Option<u64>,
    /// Files in an archive.
    pub archive_entries: Option<usize>,
    /// Log lines of one call.
    pub log_lines: Option<u64>,
    /// Size of the log lines together.
    pub log_kib: Option<u64>,
}

impl LimitsConfig {
    #[must_use]
    pub fn of(limits: &Limits) -> Self {
        const MIB: u64 = 1 << 20;
        let millis = |time: Duration| u64::try_from(time.as_millis()).ok();
        Self {
            memory_mib: Some(limits.memory / MIB),
            cpu_ms: millis(limits.cpu),
            wall_ms: millis(limits.wall),
            open_ms: millis(limits.open),
            run_ms: millis(limits.run),
            empty_batches: Some(limits.empty_batches),
            requests: Some(limits.requests),
            redirects: Some(limits.redirects),
            bytes_mib: Some(limits.bytes / MIB),
            body_mib: Some(limits.body / MIB),
            crossing_mib: Some(limits.crossing / MIB),
            handles: Some(limits.handles),
            table_elements: Some(limits.table_elements),
            piece_mib: Some(limits.piece / MIB),
            archive_ratio: Some(limits.archive_ratio),
            archive_entries: Some(limits.archive_entries),
            log_lines: Some(limits.log_lines),
            log_kib: Some(limits.log_bytes / (1 << 10)),
        }
    }

    /// The given defaults, overridden by what is set here.
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

    /// The limits that are set to zero, with which no call could succeed.
    pub(super) fn zeroes(&self) -> Vec<&'static str> {
        let set = [
            ("memory_mib", self.memory_mib),
            ("cpu_ms", self.cpu_ms),
            ("wall_ms", self.wall_ms),
            ("open_ms", self.open_ms),
            ("run_ms", self.run_ms),
        ];
        let zeroes = set.into_iter().filter(|(_, value)| *value == Some(0));
        zeroes.map(|(name, _)| name).collect()
    }

    /// The limits that are set but apply only to imports.
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
