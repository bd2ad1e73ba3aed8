//! Why a component does not serve, and how far it came.

use std::fmt;

use serde::Serialize;

use crate::compile::CompileError;
use crate::manifest::ManifestError;
use crate::plain_text;

/// The most characters of a refusal; one for missing grants lists all of them.
const REASON: usize = 2_000;

/// Where the way from file to connector ended.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file is too large or not to be read.
    #[error("the file: {0}")]
    File(String),
    /// The manifest is missing or wrong.
    #[error("the manifest: {0}")]
    Manifest(#[from] ManifestError),
    /// It imports what the contract does not have.
    #[error("it imports {0}, which is neither of the contract lustra:connector 1.x nor of WASI p2")]
    ForeignImport(String),
    /// An ability of the manifest is not exported.
    #[error("the manifest offers {offered}, but the component does not export {interface}")]
    MissingExport {
        /// What the manifest offers.
        offered: &'static str,
        /// The interface that would carry it.
        interface: &'static str,
    },
    /// It asks for hosts that the operator has not granted.
    #[error(
        "it asks for {address}, which is not granted; to grant it, add under [connector.{connector}]: grants = [{line}]"
    )]
    NotGranted {
        /// The connector.
        connector: String,
        /// The first address that is missing.
        address: String,
        /// All the grants it would need, as they are written in the configuration.
        line: String,
    },
    /// The configuration of the connector does not fit it.
    #[error("its configuration: {0}")]
    Configuration(String),
    /// It does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It does not link.
    #[error("it does not link: {0:#}")]
    Link(wasmtime::Error),
    /// It needs more than it may have.
    #[error("{0}")]
    TooLarge(String),
    /// What it answers to `describe` is not its manifest.
    #[error("describe: {0}")]
    Describe(String),
    /// A call that it brought along came out otherwise.
    #[error("{0}")]
    Fixtures(String),
    /// In the repetition of recent calls it failed more often than the version that serves.
    #[error(
        "repeating {replayed} recent calls, {failed} failed where {failed_before} had: {first}"
    )]
    Shadow {
        /// Calls that were repeated.
        replayed: usize,
        /// How many failed.
        failed: usize,
        /// How many of them had failed before.
        failed_before: usize,
        /// The first that failed newly, and why.
        first: String,
    },
    /// A scope or a place in the answer is taken by another connector.
    #[error("{0}")]
    Clash(String),
    /// It failed in its first calls, so the version before it came back.
    #[error("taken back: {0}")]
    TakenBack(String),
}

/// How far a version came on its way to serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Its file, manifest, imports, grants and settings.
    Admit,
    /// Its machine code.
    Code,
    /// Its imports and exports, its size.
    Link,
    /// What it says of itself when asked.
    Check,
    /// Recent calls.
    Shadow,
    /// Beside the other connectors.
    Swap,
    /// Its first calls.
    Probation,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Admit => "admit",
            Self::Code => "code",
            Self::Link => "link",
            Self::Check => "check",
            Self::Shadow => "shadow",
            Self::Swap => "swap",
            Self::Probation => "probation",
        })
    }
}

impl Refusal {
    /// The reason as it may be logged, kept and shown: names in it are the component's.
    #[must_use]
    pub fn reason(&self) -> String {
        plain_text::one_line(&self.to_string(), REASON)
    }

    /// Where on its way it was refused.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Self::File(_)
            | Self::Manifest(_)
            | Self::ForeignImport(_)
            | Self::NotGranted { .. }
            | Self::Configuration(_) => Stage::Admit,
            Self::Compile(_) => Stage::Code,
            Self::MissingExport { .. } | Self::Link(_) | Self::TooLarge(_) => Stage::Link,
            Self::Describe(_) | Self::Fixtures(_) => Stage::Check,
            Self::Shadow { .. } => Stage::Shadow,
            Self::Clash(_) => Stage::Swap,
            Self::TakenBack(_) => Stage::Probation,
        }
    }
}
