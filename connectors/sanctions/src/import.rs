//! Imports of the lists.

use lustra_sdk::http::Request;
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun};

use crate::dataset::Dataset;
use crate::settings::Settings;
use crate::{eu, index, ofac};

/// Starts a run over a list, or resumes one.
///
/// # Errors
/// The upstream's failure; [`Failure::Malformed`] for another document or a part of the list; `list-changed` if the
/// cursor belongs to another list.
pub fn open(dataset: Dataset, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let settings = Settings::read()?;
    let (path, max_odd_share) = (settings.path(dataset), settings.max_odd_share);
    let body = Request::get(dataset.upstream(), path).fetch()?.body;
    let list = match dataset {
        Dataset::EuFsf => eu::read(body.reader(), max_odd_share),
        Dataset::OfacSdn | Dataset::OfacConsolidated => ofac::read(body.reader(), max_odd_share),
    }?;
    let items = index::items(&list.entries)?;
    Snapshot::of(items, list.notes, list.date).open(cursor)
}
