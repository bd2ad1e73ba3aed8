//! Subjects whose VAT registration was cancelled because grounds for it arose (`ds_dphv`).

use lustra_sdk::Failure;
use lustra_sdk::tax_lists::Cells;
use serde::{Deserialize, Serialize};

use super::Entry;

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[
    ("ic_dph", "IC_DPH"),
    ("ico", "ICO"),
    ("violation_year", "ROK_PORUSENIA"),
    ("published_at", "DAT_ZVEREJNENIA"),
    ("erased_at", "DAT_VYMAZU"),
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ErasedVatPayer {
    /// The IČ DPH as the list gives it.
    pub ic_dph: String,
    /// The year in which the grounds arose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation_year: Option<u16>,
    /// When the grounds were published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<String>,
    /// When the registration ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<String>,
}

/// Reads one row.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(ic_dph) = cells.compact("ic_dph") else {
        cells.odd("without_ic_dph");
        return Ok(None);
    };
    let erased = ErasedVatPayer {
        ic_dph,
        violation_year: cells.year("violation_year"),
        published_at: cells.date("published_at"),
        erased_at: cells.date("erased_at"),
    };
    let ico = cells.ico();
    let distinct = [erased.erased_at.clone(), ico.clone()];
    Entry::new(erased.ic_dph.clone(), distinct, ico, &erased).map(Some)
}
