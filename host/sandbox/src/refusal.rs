//! Why a component is refused, and at which stage.

use std::fmt;

use lustra_store::ConnectorId;

use crate::compile::CompileError;
use crate::manifest::ManifestError;
use crate::plain_text;

/// Most characters of a refusal, which may list all missing grants.
const REASON: usize = 2_000;

/// Why a component was refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The file is too large or unreadable.
    #[error("the file: {0}")]
    File(String),
    /// The manifest is missing or invalid.
    #[error("the manifest: {0}")]
    Manifest(#[from] ManifestError),
    /// It imports an interface outside the contract.
    #[error("it imports {0}, which is neither of the contract lustra:connector 1.x nor of WASI p2")]
    ForeignImport(String),
    /// It does not export an ability that the manifest offers.
    #[error("the manifest offers {offered}, but the component does not export {interface}")]
    MissingExport {
        offered: &'static str,
        interface: &'static str,
    },
    /// Its manifest requests hosts that the operator has not granted.
    #[error(
        "it asks for {address}, which is not granted; to grant it, add under [connector.{connector}]: grants = [{line}]"
    )]
    NotGranted {
        connector: ConnectorId,
        /// The first missing address.
        address: String,
        /// All required grants in the syntax of the settings file.
        line: String,
    },
    /// The connector's settings do not fit its manifest.
    #[error("its configuration: {0}")]
    Configuration(String),
    /// It does not compile.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// It does not link.
    #[error("it does not link: {0:#}")]
    Link(wasmtime::Error),
    /// It exceeds a size limit.
    #[error("{0}")]
    TooLarge(String),
    /// Its `describe` does not return its manifest.
    #[error("describe: {0}")]
    Describe(String),
    /// The replay of one of its fixtures had a different outcome.
    #[error("{0}")]
    Fixtures(String),
    /// It failed more often in the shadow check than the serving version.
    #[error(
        "repeating {replayed} recent calls, {failed} failed where {failed_before} had: {first}"
    )]
    Shadow {
        /// Number of replayed calls.
        replayed: usize,
        failed: usize,
        /// Calls that had failed before.
        failed_before: usize,
        /// The first new failure, with its reason.
        first: String,
    },
    /// Another connector has the same scope or key in the answer.
    #[error("{0}")]
    Clash(String),
    /// It failed during its probation and was rolled back. Holds the whole sentence, which is also stored.
    #[error("{0}")]
    RolledBack(String),
}

/// Stage of loading a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Checks of file, manifest, imports, grants and settings.
    Admit,
    /// Compilation to machine code.
    Code,
    /// Linking, and check of the size.
    Link,
    /// Comparison of `describe` with the manifest.
    Check,
    /// Replay of recent calls.
    Shadow,
    /// Check for clashes with other connectors, then the swap.
    Swap,
    /// Probation: its first calls.
    Probation,
}

lustra_store::text_enum!(Stage {
    Admit: "admit",
    Code: "code",
    Link: "link",
    Check: "check",
    Shadow: "shadow",
    Swap: "swap",
    Probation: "probation",
});

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Refusal {
    /// The reason, cleaned for logs and lists, because the component chose the names in it.
    #[must_use]
    pub fn reason(&self) -> String {
        plain_text::one_line(&self.to_string(), REASON)
    }

    /// The stage that refused it.
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
            Self::RolledBack(_) => Stage::Probation,
        }
    }
}
