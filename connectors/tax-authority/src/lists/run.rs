//! Reads a whole list natively: the same records as the component's, from the bytes of an XML file.

use std::io::BufRead;

use lustra_sdk::tax_lists;
use lustra_sdk::{Failure, ImportRun, Item};

use super::Dataset;
use crate::settings::ListSettings;

/// A run over one list.
pub type ListRun<R> = tax_lists::ListRun<Dataset, R>;

/// All records of a list as published, for native programs. Needs no host and no settings.
///
/// # Errors
/// As [`tax_lists::ListRun::open`].
pub fn items(dataset: Dataset, input: impl BufRead) -> Result<Vec<Item>, Failure> {
    let mut run = ListRun::open(dataset, ListSettings::default_of(dataset), input, None)?;
    let mut items = Vec::new();
    while let Some(batch) = run.next()? {
        items.extend(batch.items);
    }
    Ok(items)
}
