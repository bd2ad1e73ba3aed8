//! What the operator says of one connector: whether it is loaded, what it may reach, its settings and limits.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{LimitsConfig, SecretMap};

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
