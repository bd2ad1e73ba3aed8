//! Settings of the age of data.

use schemars::JsonSchema;
use serde::Deserialize;

/// Maximum ages of data, and how long a response waits for fetches.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FreshnessConfig {
    /// Maximum age of base records and register details; more than 0. Default: the value of each register's manifest,
    /// 30 for the shipped ones. The maximum age of a section is `connector.<id>.scopes.<name>.max_age_days`.
    pub details_days: Option<f64>,
    /// How long a request waits for parts that were never fetched. Longer fetches continue in the background.
    pub live_budget_ms: u64,
    /// Time from now to `meta.retry_at` of a stale answer.
    pub retry_after_seconds: u64,
    /// Delay before a section with sources that could not be read is retried.
    pub unread_retry_seconds: u64,
    /// Delay before a part whose refresh failed is retried.
    pub failed_retry_seconds: u64,
    /// How long an assembled profile is cached in memory; 0 disables the cache. A change of a part removes it earlier.
    pub cache_seconds: u64,
    /// Memory limit of the profile cache.
    pub cache_mib: u64,
    /// How long this host caches that no register knows a number.
    pub not_found_seconds: u64,
}

impl Default for FreshnessConfig {
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
