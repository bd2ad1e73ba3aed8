//! Makes a release of Lustra: one archive with all that a server needs, and a Debian package with the same contents.
//!
//! [`program`] builds the server and lets it make what only it can: compiled components, completions, manual pages.
//! [`contents`] collects the files, [`sbom`] and [`licences`] describe where they come from, and [`archive`] and
//! [`debian`] write them. The same sources, toolchain and paths give the same bytes.

pub mod archive;
pub mod contents;
pub mod crates;
pub mod debian;
pub mod licences;
pub mod options;
pub mod program;
pub mod release;
pub mod sbom;
pub mod settings;
pub mod sums;
pub mod tree;

use std::io;
use std::path::Path;

/// Why a release could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    #[error("{path}: {error}")]
    File { path: String, error: io::Error },
    #[error("{command} could not be started: {error}")]
    NotStarted { command: String, error: io::Error },
    #[error("{command} failed: {said}")]
    Failed { command: String, said: String },
    /// The output of a program is not what it should be.
    #[error("{command} printed something unexpected: {why}")]
    Unexpected { command: String, why: String },
    #[error("{file} has no line for the setting {setting}")]
    Setting { file: String, setting: &'static str },
    #[error("the program has {size} bytes; at most {most} are allowed in a release")]
    TooLarge { size: usize, most: usize },
    /// The packaged program does not serve a connector as it should.
    #[error("the packaged program does not serve {connector}: {why}")]
    NotServed { connector: String, why: String },
    #[error("releases are made for Linux on x86_64 and aarch64, not on {0}")]
    Machine(String),
}

impl ReleaseError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::File { path, error }
    }
}
