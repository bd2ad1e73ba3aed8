//! The manifest: what an archive contains and which program made it.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::store::backup::FileSchema;

/// Version of the archive's form. Later programs read all earlier forms.
pub(super) const FORMAT: u32 = 1;

/// Where the key of the webhook secrets is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecretsKey {
    /// In the archive.
    Included,
    /// In the setting `notifications.secrets_key`, which is not part of the archive.
    Settings,
    /// The data directory has none yet.
    None,
}

/// One file of the archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileOfArchive {
    pub name: String,
    pub bytes: u64,
    /// SHA-256 of the content, hexadecimal.
    pub sha256: String,
}

/// Description of an archive, `manifest.json` in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the program that made the archive.
    pub program: String,
    /// When both files were copied.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// The identity of the store.
    pub store_id: Option<String>,
    /// Newest migration of the main file.
    pub schema: i64,
    /// Newest migration of the file of credits.
    pub billing_schema: i64,
    pub secrets_key: SecretsKey,
    /// The files, except the manifest.
    pub files: Vec<FileOfArchive>,
}

impl Manifest {
    pub(super) fn new(
        (main, billing): (&FileSchema, &FileSchema),
        secrets_key: SecretsKey,
        created_at: OffsetDateTime,
    ) -> Self {
        Self {
            format: FORMAT,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created_at,
            store_id: main.store_id.clone(),
            schema: main.newest(),
            billing_schema: billing.newest(),
            secrets_key,
            files: Vec::new(),
        }
    }

    /// Size of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let bytes = self.files.iter().map(|file| file.bytes);
        // The numbers may come from a damaged archive.
        bytes.fold(0, u64::saturating_add)
    }
}
