//! Fingerprints of component files, so that unchanged files are not read again.

use std::path::Path;
use std::time::SystemTime;

use lustra_store::ConnectorId;

use super::refusal::Stage;

/// Fingerprint of a file when it was last read, and its content.
#[derive(Debug, Clone)]
pub(super) struct FileFingerprint {
    pub(super) look: Look,
    /// Id and digest, or why it is not a component.
    pub(super) content: Result<(ConnectorId, String), (Stage, String)>,
}

/// What the file system says of a file. A changed file differs in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    length: u64,
    modified: Option<SystemTime>,
    file: u64,
}

impl Look {
    /// `None` if the file is gone or not accessible.
    pub(super) fn at(file: &Path) -> Option<Self> {
        let metadata = std::fs::metadata(file).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            file: number,
        })
    }
}
