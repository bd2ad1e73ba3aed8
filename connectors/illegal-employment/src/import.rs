//! The run over the list.

use lustra_sdk::http::Request;
use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun};

use crate::list::Fines;
use crate::page;
use crate::settings::{Pages, Settings, Source};

pub const DATASET: &str = "fines";

/// The upstream of the operator's file.
pub const FILE: &str = "illegal-employment-list";

/// Starts a run, or resumes one at a cursor.
///
/// # Errors
/// The failure of the source; `list-changed` if the cursor belongs to another list.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let Settings { source, columns } = Settings::read()?;
    let (what, fines) = match source {
        Source::Page => (page::UPSTREAM, page::read_all(&Pages::read()?, &columns)?),
        Source::File => {
            let bytes = Request::get(FILE, "").fetch()?.body.bytes()?;
            (FILE, Fines::read(FILE, &bytes, &columns)?)
        }
    };
    let (items, notes) = fines.into_items(what)?;
    Snapshot::of(items, notes, None).open(cursor)
}
