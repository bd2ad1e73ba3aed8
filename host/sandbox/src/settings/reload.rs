//! Settings for detecting and loading changed components while the host runs.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a running host detects and loads changed components and settings.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Reload {
    /// Whether the components directory and the settings file are watched. `lustra connector reload` works either way.
    pub watch: bool,
    /// How long the files must be unchanged before they are read.
    pub settle_ms: u64,
    /// Whether a new version replays recent calls, without the network, before it serves. `warn` logs differences and
    /// failures; `block` also rejects a version that fails more often than the one that serves.
    pub shadow: Shadow,
    /// Recent calls kept in memory for that, for each scope: the newest of each shape of answer. 0 keeps none.
    pub sample_calls: usize,
    /// Largest answer of a call that is kept.
    pub sample_kib: u64,
    /// A version whose circuit opens, or that violates its schema, within so many calls is rolled back.
    pub probation_calls: u64,
    /// Time within which such a version is rolled back.
    pub probation_minutes: u64,
    /// Whether a new component serves at once with code of a fast compiler, until it is compiled with optimizations in the
    /// background. On x86-64 only.
    pub single_pass: bool,
    /// Program that compiles new components in the background, at low priority. Default: this program.
    pub compiler: Option<PathBuf>,
}

impl Default for Reload {
    fn default() -> Self {
        Self {
            watch: true,
            settle_ms: 150,
            shadow: Shadow::Block,
            sample_calls: 8,
            sample_kib: 512,
            probation_calls: 100,
            probation_minutes: 10,
            single_pass: true,
            compiler: None,
        }
    }
}

/// Effect of the shadow check, which replays recent calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shadow {
    /// No call is replayed.
    Off,
    /// Failures and differences are logged.
    Warn,
    /// A version that fails more often than the serving one is also refused.
    Block,
}
