//! The preview of an import: reads a file through its connector as an import would, compares it with the published
//! list, and publishes nothing.
//!
//! The limits of imports apply. Only digests of the records are kept in memory.

use std::collections::HashMap;
use std::path::Path;

use sha2::{Digest, Sha256};
use tracing::Instrument;

use super::batches::{checkpoint, record};
use super::{Importer, join};
use crate::connectors::manifest::DatasetManifest;
use crate::connectors::{CallFailure, Loaded};
use crate::datasets::bounds::Bounds;
use crate::datasets::progress::{Imported, Progress};
use crate::store::{ConnectorId, StoreError};

/// Most records of a preview. Each takes some 50 bytes of memory.
const MAX_RECORDS: usize = 3_000_000;

/// Published records that one query reads.
const RECORDS_OF_A_PAGE: u32 = 10_000;

/// What an import of the file would change.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ImportPreview {
    pub records: u64,
    pub added: u64,
    pub changed: u64,
    pub removed: u64,
    /// Rows that were skipped as unusable.
    pub skipped: u64,
    /// The date that the list itself states.
    pub list_date: Option<String>,
}

/// Why a file must not be used.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    #[error("no connector that serves has the dataset {0} with a file of the operator")]
    Unknown(String),
    /// The path of the file cannot be granted.
    #[error("the path of the file: {0}")]
    Path(String),
    #[error("{0}")]
    Call(#[from] CallFailure),
    /// The connector read the list from elsewhere, or nothing.
    #[error(
        "the connector did not read the file; its settings under [connector.{0}.settings] name another source of the list"
    )]
    NotRead(String),
    #[error("it has more than {MAX_RECORDS} records")]
    TooManyRecords,
    /// The list failed a plausibility guard.
    #[error("{0}")]
    Guard(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The first half of a digest.
type Half = [u8; 16];

fn half(text: &str) -> Half {
    let mut half = Half::default();
    half.copy_from_slice(&Sha256::digest(text)[..16]);
    half
}

impl Importer {
    /// Reads a file as the list of a dataset, and compares it with the published one.
    ///
    /// # Errors
    /// Why an import of the file would fail.
    pub async fn preview(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        file: &Path,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<ImportPreview, PreviewError> {
        let catalogue = self.companies.connectors().catalogue();
        let unknown = || PreviewError::Unknown(join(connector, dataset));
        let loaded = catalogue.serving(connector).ok_or_else(unknown)?;
        let manifest = loaded.manifest.dataset(dataset).ok_or_else(unknown)?;
        let upstream = manifest.operator_file.as_ref().ok_or_else(unknown)?;
        let reading = loaded.reading_file(upstream, file);
        let reading = reading.map_err(|error| PreviewError::Path(error.to_string()))?;
        let span = tracing::info_span!("preview", connector.id = %connector, connector.version = %loaded.manifest.version, dataset);
        let (mut preview, read) = self
            .read_list(&reading, manifest, progress)
            .instrument(span)
            .await?;
        let datasets = self.context.store.datasets();
        let before = datasets.published_count(connector, dataset).await?;
        let count = i64::try_from(read.len()).unwrap_or(i64::MAX);
        if let Some(why) = Self::snapshot_refusal(loaded, manifest, before, count) {
            return Err(PreviewError::Guard(why));
        }
        self.compare(connector, dataset, read, &mut preview).await?;
        Ok(preview)
    }

    /// Reads the whole list. Returns the digests of contents by the digests of keys.
    async fn read_list(
        &self,
        reading: &std::sync::Arc<Loaded>,
        manifest: &DatasetManifest,
        progress: &(dyn Fn(Progress) + Send + Sync),
    ) -> Result<(ImportPreview, HashMap<Half, Half>), PreviewError> {
        let services = &self.companies.connectors().services;
        let mut bounds = Bounds::begin(&reading.import_limits);
        let mut imported = Imported::begun(&reading.manifest.id, &manifest.id);
        let mut open = reading.open_import(services, &manifest.id, None).await?;
        let mut read: HashMap<Half, Half> = HashMap::new();
        while let Some(batch) = open.next().await? {
            bounds.batch(batch.items.len())?;
            checkpoint(&batch, &mut imported);
            imported.records += batch.items.len() as u64;
            for record in batch.items.into_iter().map(record) {
                read.insert(half(&record.key), half(&record.content_hash));
            }
            if read.len() > MAX_RECORDS {
                return Err(PreviewError::TooManyRecords);
            }
            progress(Progress {
                records: imported.records,
                thousandths: batch.progress,
            });
        }
        if open.cost().requests == 0 {
            return Err(PreviewError::NotRead(reading.manifest.id.to_string()));
        }
        let preview = ImportPreview {
            records: read.len() as u64,
            added: 0,
            changed: 0,
            removed: 0,
            skipped: imported.skipped,
            list_date: imported.list_date,
        };
        Ok((preview, read))
    }

    /// Counts how the read list differs from the published one.
    async fn compare(
        &self,
        connector: &ConnectorId,
        dataset: &str,
        mut read: HashMap<Half, Half>,
        preview: &mut ImportPreview,
    ) -> Result<(), StoreError> {
        let datasets = self.context.store.datasets();
        let mut after = String::new();
        loop {
            let page = datasets.published_hashes(connector, dataset, &after, RECORDS_OF_A_PAGE);
            let page = page.await?;
            let Some((last, _)) = page.last() else { break };
            last.clone_into(&mut after);
            for (key, content) in page {
                match read.remove(&half(&key)) {
                    Some(new) if new != half(&content) => preview.changed += 1,
                    Some(_) => {}
                    None => preview.removed += 1,
                }
            }
        }
        preview.added = read.len() as u64;
        Ok(())
    }
}
