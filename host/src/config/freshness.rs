//! Settings of how old answers may be.

use serde::Deserialize;

/// How old data may be and how long an answer may wait.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Freshness {
    /// Base records and registry details older than this are refreshed, in days. Default: what each register's
    /// manifest says, which is 30 where it says nothing.
    pub details_days: Option<f64>,
    /// How long a request waits for what was never fetched, in milliseconds. Default 5000.
    pub live_budget_ms: u64,
    /// When a client is told to come back for refreshed data, in seconds from now. Default 12.
    pub retry_after_seconds: u64,
    /// A section with sources that could not be read is tried again after this many seconds. Default 900.
    pub unread_retry_seconds: u64,
    /// A part whose refresh failed is tried again after this many seconds. Default 60.
    pub failed_retry_seconds: u64,
    /// How long an assembled profile is kept in memory, in seconds; 0 keeps none. Default 60.
    pub cache_seconds: u64,
    /// The most memory for assembled profiles, in MiB. Default 64.
    pub cache_mib: u64,
    /// How long 'no register knows this number' is remembered, in seconds. Default 600.
    pub not_found_seconds: u64,
}

impl Default for Freshness {
    fn default() -> Self {
        Self {
            details_days: None,
            live_budget_ms: 5_000,
            retry_after_seconds: 12,
            unread_retry_seconds: 900,
            failed_retry_seconds: 60,
            cache_seconds: 60,
            cache_mib: 64,
            not_found_seconds: 600,
        }
    }
}
