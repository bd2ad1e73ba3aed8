//! How changed components and settings are taken up while a host runs.

use std::path::PathBuf;

use serde::Deserialize;

/// How changed components and settings are taken up while the host runs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Reload {
    /// Whether the directory of components and this file are watched. Default true.
    pub watch: bool,
    /// How long the directory must be quiet before it is looked at, in milliseconds. Default 150.
    pub settle_ms: u64,
    /// Whether a new version repeats recent calls before it serves. Default `block`.
    pub shadow: Shadow,
    /// Recent calls kept in memory for that, for each scope: of each shape of answer (found, not found, …) the newest. 0
    /// keeps none. Default 8.
    pub sample_calls: usize,
    /// The most that a kept call may have been answered with, in KiB. Default 512.
    pub sample_kib: u64,
    /// Calls during which a new version may still be taken back. Default 100.
    pub probation_calls: u64,
    /// Minutes during which it may. Default 10.
    pub probation_minutes: u64,
    /// The program that compiles new components beside this one, at low priority. Default: this program.
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
            compiler: None,
        }
    }
}

/// What the repetition of recent calls decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shadow {
    /// Nothing is repeated.
    Off,
    /// Failures and differences are shown.
    Warn,
    /// And a version that fails more often than the one that serves does not serve.
    Block,
}
