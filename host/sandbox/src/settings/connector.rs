//! The operator's settings of one connector: whether it is loaded, grants, its own settings and limits.

use std::collections::BTreeMap;

use lustra_store::ConnectorId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{LimitsConfig, SecretMap};

/// Repetitions of a request, which a call waits for.
const MAX_RETRIES: usize = 5;
const MAX_RETRY_PAUSE_MS: u64 = 30_000;

/// The configuration of one connector.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectorConfig {
    /// False keeps the entry but does not load the connector. Default true.
    pub enabled: Option<bool>,
    /// Hosts and files that it may reach, such as `https://www.orsr.sk`, `https://*.orsr.sk` or `file:/srv/list.csv`.
    /// Every address in its manifest must be granted.
    pub grants: Vec<String>,
    /// Addresses and rates of its upstreams, by their names in the manifest.
    pub upstreams: BTreeMap<String, UpstreamConfig>,
    /// Its own settings, as its manifest describes them.
    pub settings: SecretMap,
    /// Limits of one look-up or enrichment.
    pub limits: LimitsConfig,
    /// Limits of one run of an import; `wall_ms` is that of a single batch.
    pub import_limits: LimitsConfig,
    /// Most concurrent look-ups and enrichments; a further one fails with `busy`. At least 1. Default 16.
    pub concurrent_calls: Option<usize>,
    /// Settings of its scopes, by scope.
    pub scopes: BTreeMap<String, ScopeConfig>,
    /// Settings of its datasets, by dataset.
    pub datasets: BTreeMap<String, DatasetConfig>,
}

impl ConnectorConfig {
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled.unwrap_or(true)
    }

    /// Adds the mistakes in the settings of the connector `id`, with their location, to `mistakes`.
    pub fn check(&self, id: &ConnectorId, mistakes: &mut Vec<String>) {
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
            must(
                upstream.timeout_seconds != Some(0),
                format!("upstreams.{name}.timeout_seconds"),
                "at least 1",
            );
            let pauses = upstream.retry_pauses_ms.as_deref().unwrap_or_default();
            must(
                pauses.len() <= MAX_RETRIES
                    && pauses.iter().all(|pause| *pause <= MAX_RETRY_PAUSE_MS),
                format!("upstreams.{name}.retry_pauses_ms"),
                "at most 5, each at most 30000",
            );
        }
        for (name, dataset) in &self.datasets {
            let shrink = dataset.max_shrink_percent;
            must(
                shrink.is_none_or(|shrink| (0.0..=100.0).contains(&shrink)),
                format!("datasets.{name}.max_shrink_percent"),
                "0 to 100",
            );
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
        for (table, limits) in [
            ("limits", &self.limits),
            ("import_limits", &self.import_limits),
        ] {
            for name in limits.zeroes() {
                must(false, format!("{table}.{name}"), "at least 1");
            }
        }
        for name in self.limits.of_imports_only() {
            let mistake = "it applies to imports only; set it in import_limits";
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

/// Address and limits of an upstream that differ from the manifest.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpstreamConfig {
    /// `https://` or `http://` without a slash at the end, or `file:` and an absolute path. Default: the manifest's, as
    /// for all settings of an upstream.
    pub address: Option<String>,
    /// Request rate, shared by all connectors that use this address and by all hosts on one database. More than 0.
    pub requests_per_second: Option<f64>,
    /// Most concurrent requests. At least 1.
    pub concurrent: Option<usize>,
    /// Time from a request to the first byte of its answer.
    pub timeout_seconds: Option<u64>,
    /// Pause before each repetition of a request that failed transiently; up to half as much is added at random. At most
    /// 5, each up to 30000. An empty list: no request is repeated. Default: `[200, 800]`.
    pub retry_pauses_ms: Option<Vec<u64>>,
}

/// The settings of one scope.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScopeConfig {
    /// Maximum age of a section; 0 fetches it for each answer. Default: the manifest's.
    pub max_age_days: Option<f64>,
}

/// The settings of one dataset.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DatasetConfig {
    /// Whether it is imported. Default: the manifest's, as for all settings of a dataset.
    pub on: Option<bool>,
    /// In UTC: `daily 06:00`, `weekly sun 06:00` or `monthly 5 06:00` (day 1 to 28).
    pub schedule: Option<String>,
    /// A list that shrank by a larger share is not published. 0 to 100.
    pub max_shrink_percent: Option<f64>,
}
