//! An upstream in the manifest.

use serde::Deserialize;

/// A named address that the connector sends requests to.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamManifest {
    /// Public address; if missing, the operator must set one.
    #[serde(default)]
    pub address: Option<String>,
    /// What the connector requests there.
    pub about: String,
    /// Rate limit that the register asks for.
    #[serde(default = "one")]
    pub requests_per_second: f64,
    /// Most concurrent requests to this upstream.
    #[serde(default = "one_request")]
    pub concurrent: usize,
    /// Seconds until the first byte of a response.
    #[serde(default = "fifteen")]
    pub timeout_seconds: u64,
}

fn one() -> f64 {
    1.0
}

fn one_request() -> usize {
    1
}

fn fifteen() -> u64 {
    15
}
