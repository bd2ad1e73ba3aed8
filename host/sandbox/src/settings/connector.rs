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

impl ConnectorConfig {
    /// Notes what is wrong with the settings of the connector of this id, with the place.
    pub fn check(&self, id: &str, mistakes: &mut Vec<String>) {
        let mut must = |holds: bool, place: String, mistake: &str| {
            if !holds {
                mistakes.push(format!("connector.{id}.{place}: {mistake}"));
            }
        };
        for (name, upstream) in &self.upstreams {
            let rate = upstream.requests_per_second;
            must(
                rate.is_none_or(|rate| rate > 0.0 && rate.is_finite()),
                format!("upstreams.{name}.requests_per_second"),
                "more than 0",
            );
            must(
                upstream.concurrent != Some(0),
                format!("upstreams.{name}.concurrent"),
                "at least 1",
            );
        }
        for (name, dataset) in &self.datasets {
            if let Some(schedule) = &dataset.schedule
                && let Err(error) = super::Schedule::parse(schedule)
            {
                must(
                    false,
                    format!("datasets.{name}.schedule"),
                    &error.to_string(),
                );
            }
        }
        for (name, scope) in &self.scopes {
            let days = scope.max_age_days;
            must(
                days.is_none_or(|days| days >= 0.0 && days.is_finite()),
                format!("scopes.{name}.max_age_days"),
                "at least 0",
            );
        }
        for name in self.limits.of_imports_only() {
            let mistake = "it bounds imports, so it stands in import_limits";
            must(false, format!("limits.{name}"), mistake);
        }
        let calls = self.concurrent_calls;
        must(
            calls != Some(0),
            "concurrent_calls".to_owned(),
            "at least 1",
        );
    }
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
