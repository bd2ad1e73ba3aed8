//! The import of a list.

use lustra_sdk::tax_lists::{ListSettings, archive};
use lustra_sdk::{Failure, ImportRun};

use crate::catalogue;
use crate::dataset::Dataset;

/// Requests the list's newest edition and begins to read it.
///
/// # Errors
/// As [`archive::open`], and for a list with an unknown slug as [`catalogue::slug`].
pub fn open(dataset: Dataset, cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let mut list = ListSettings::of(dataset)?;
    if list.slug.is_empty() {
        list.slug = catalogue::slug(dataset)?;
    }
    archive::open(dataset, list, cursor)
}
