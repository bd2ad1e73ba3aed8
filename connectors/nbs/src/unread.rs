//! Lists that could not be read, so that absence from them is not taken for a finding.

use lustra_sdk::unread::Unread;
use lustra_sdk::{Failure, records};

use crate::dataset::Dataset;

/// Why nothing can be said from a dataset; `None` where something can.
///
/// # Errors
/// What the host refused.
pub fn missing(dataset: Dataset) -> Result<Option<Unread>, Failure> {
    let state = records::state(dataset.id())?;
    let why = match (&state.imported_at, state.off) {
        (_, true) => "off: switched off by the operator",
        (Some(_), false) => return Ok(None),
        // What the failure quotes of the list is the operator's to read.
        (None, false) if state.failure.is_some() => "never imported: the newest attempt failed",
        (None, false) => "never imported",
    };
    Ok(Some(Unread {
        source: dataset.id().to_owned(),
        since: state.imported_at,
        why: why.to_owned(),
    }))
}
