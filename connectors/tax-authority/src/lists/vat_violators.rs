//! VAT payers with grounds for having their registration cancelled (`ds_dphz`). Buyers are liable for their VAT.

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
];

/// One payer on the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VatViolator {
    /// The IČ DPH as the list gives it.
    pub ic_dph: String,
    /// The year in which the grounds arose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub violation_year: Option<u16>,
    /// The day on which the authority published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published_at: Option<String>,
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
    let violator = VatViolator {
        ic_dph,
        violation_year: cells.year("violation_year"),
        published_at: cells.date("published_at"),
    };
    let ico = cells.ico();
    let distinct = [
        violator.violation_year.map(|year| year.to_string()),
        ico.clone(),
    ];
    Entry::new(violator.ic_dph.clone(), distinct, ico, &violator).map(Some)
}
