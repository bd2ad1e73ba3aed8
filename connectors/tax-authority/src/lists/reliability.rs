//! The index of tax reliability (`ds_iz_ran`).

use lustra_sdk::tax_lists::Cells;
use lustra_sdk::{Failure, ico, text};
use serde::{Deserialize, Serialize};

use super::Entry;

/// The columns as the authority names them.
pub const COLUMNS: &[(&str, &str)] = &[("dic", "DIC"), ("ico", "ICO"), ("index", "IDS")];

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dic: Option<String>,
    /// The rating as published.
    pub index: String,
}

/// The meaning of a rating, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Less reliable or unreliable.
    Poor,
    /// An unknown rating text.
    Unknown,
    Good,
    Best,
}

impl Rating {
    /// The meaning of the rating text.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match text::fold(&self.index).as_str() {
            "vysoko spolahlivy" => Grade::Best,
            "spolahlivy" => Grade::Good,
            "menej spolahlivy" | "nespolahlivy" => Grade::Poor,
            _ => Grade::Unknown,
        }
    }

    /// True for a good rating. `None` for an unknown rating text.
    #[must_use]
    pub fn is_reliable(&self) -> Option<bool> {
        match self.grade() {
            Grade::Best | Grade::Good => Some(true),
            Grade::Poor => Some(false),
            Grade::Unknown => None,
        }
    }
}

/// Reads one row. A row without a DIČ still rates the company that it names.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(index) = cells.text("index") else {
        cells.odd("without_index");
        return Ok(None);
    };
    let dic = cells.text("dic").and_then(|raw| ico::parse_dic(&raw));
    let ico = cells.ico();
    let Some(number) = dic
        .clone()
        .or_else(|| ico.as_ref().map(|ico| format!("ico:{ico}")))
    else {
        cells.odd("without_dic");
        return Ok(None);
    };
    let rating = Rating { dic, index };
    if rating.is_reliable().is_none() {
        cells.odd("unknown_index");
    }
    Entry::new(number, [ico.clone(), None], ico, &rating).map(Some)
}
