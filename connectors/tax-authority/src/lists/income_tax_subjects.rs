//! Subjects registered for income tax (`ds_dsrdp`): the only list that gives the DIČ of nearly every IČO.

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, ico};
use serde::{Deserialize, Serialize};

use super::Entry;

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[("dic", "DIC"), ("ico", "ICO")];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub dic: String,
}

/// Reads one row.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(dic) = cells.text("dic").and_then(|raw| ico::parse_dic(&raw)) else {
        cells.odd("without_dic");
        return Ok(None);
    };
    let ico = cells.ico();
    Entry::new(dic.clone(), [ico.clone(), None], ico, &Subject { dic }).map(Some)
}
