//! What the operator says of one connector: whether it is loaded, what it may reach, its settings and limits.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;

use super::SecretMap;
use crate::connectors::limits::Limits;

/// One connector's configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectorConfig {
    /// False keeps the entry but does not load the connector. Default true.
    pub enabled: Option<bool>,
    /// The hosts it may reach, such as `https://api.statistics.sk`, `https://*.orsr.sk` or `file:/srv/list.csv`.
    pub grants: Vec<String>,
    /// Other addresses and manners of its upstreams, by their names.
    pub upstreams: BTreeMap<String, UpstreamConfig>,
    /// Its own settings, as its manifest describes them.
    pub settings: SecretMap,
    /// Limits of look-ups and enrichments.
    pub limits: LimitsConfig,
    /// Limits of imports.
    pub import_limits: LimitsConfig,
    /// Calls of it at once. Default 16.
    pub concurrent_calls: Option<usize>,
    /// Its scopes.
    pub scopes: BTreeMap<String, ScopeConfig>,
    /// Its datasets.
    pub datasets: BTreeMap<String, DatasetConfig>,
}

/// Another address and other manners for an upstream.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UpstreamConfig {
    /// An `https://` or `http://` address without a slash at its end, or `file:` and a path.
    pub address: Option<String>,
    /// Requests a second.
    pub requests_per_second: Option<f64>,
    /// Requests at once.
    pub concurrent: Option<usize>,
    /// Seconds to the first byte.
    pub timeout_seconds: Option<u64>,
}

/// A scope's settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// Sections older than this are refreshed, in days; 0 asks anew for each answer.
    pub max_age_days: Option<f64>,
}

/// A dataset's settings.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatasetConfig {
    /// Whether it is imported.
    pub on: Option<bool>,
    /// When, in UTC: `daily 06:00`, `weekly sun 06:00`, `monthly 5 06:00`.
    pub schedule: Option<String>,
    /// A list that shrank by more is not published, in percent.
    pub max_shrink_percent: Option<f64>,
}

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
    /// HTTP requests.
    pub requests: Option<u64>,
    /// Bytes of all answers, in MiB.
    pub bytes_mib: Option<u64>,
    /// Bytes of one answer, in MiB.
    pub body_mib: Option<u64>,
    /// Bytes from the connector to the host in one crossing, in MiB.
    pub crossing_mib: Option<u64>,
    /// Live handles and resources.
    pub handles: Option<usize>,
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
        set(&mut limits.log_lines, self.log_lines, 1);
        set(&mut limits.log_bytes, self.log_kib, 1 << 10);
        limits.handles = self.handles.unwrap_or(limits.handles);
        limits.archive_entries = self.archive_entries.unwrap_or(limits.archive_entries);
        if let Some(cpu) = self.cpu_ms {
            limits.cpu = Duration::from_millis(cpu);
        }
        if let Some(wall) = self.wall_ms {
            limits.wall = Duration::from_millis(wall);
        }
        limits
    }
}
