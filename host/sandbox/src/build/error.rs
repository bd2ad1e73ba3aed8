//! Errors of a build.

use std::io;

use crate::manifest::ManifestError;
use crate::package::PackageError;

/// Why a connector could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No compiler for WebAssembly was found.
    #[error(
        "no Rust compiler here has the target wasm32-unknown-unknown. Run `rustup target add wasm32-unknown-unknown`, or on Debian \
         `apt-get install rustc-web rust-web-src`. What was tried: {0}"
    )]
    NoTarget(String),
    /// Cargo failed; its messages are on standard error.
    #[error("cargo could not build the connectors; see its messages above")]
    Cargo,
    /// A file could not be read or written.
    #[error("{what}: {error}")]
    File { what: String, error: io::Error },
    /// The crate is not a connector's crate.
    #[error("{crate_name}: {why}")]
    Crate { crate_name: String, why: String },
    /// The crate's manifest is invalid.
    #[error("{crate_name}: {error}")]
    Manifest {
        crate_name: String,
        error: ManifestError,
    },
    /// The component could not be packaged.
    #[error(transparent)]
    Package(#[from] PackageError),
}
