//! The list of entities of regulated branches, which pay a special levy. Neither its slug nor its columns are known.

use lustra_sdk::Failure;
use lustra_sdk::tax_lists::{Cells, Entry};
use serde::{Deserialize, Serialize};

use super::owner::Owner;
use super::{Listed, mark, part};

pub const COLUMNS: &[(&str, &str)] = &[
    ("ico", "ICO"),
    ("dic", "DIC"),
    ("type", "DRUH_CINNOSTI"),
    ("from", "PLATNOST_OD"),
    ("to", "PLATNOST_DO"),
];

/// An entity and the branch in which it is regulated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Regulated {
    /// The branch, in the list's words.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The first day, `YYYY-MM-DD`.
    pub from: Option<String>,
    /// The last day, `YYYY-MM-DD`.
    pub to: Option<String>,
}

impl Listed for Regulated {
    fn newest_by(&self) -> String {
        self.from.clone().unwrap_or_default()
    }
}

/// Reads one row.
///
/// # Errors
/// As [`Entry::new`].
pub fn entry(cells: &mut Cells<'_>) -> Result<Option<Entry>, Failure> {
    let Some(owner) = Owner::of(cells) else {
        return Ok(None);
    };
    let regulated = Regulated {
        kind: cells.text("type"),
        from: cells.date("from"),
        to: cells.date("to"),
    };
    let from = part(regulated.from.as_deref());
    let key = owner.key(&format!("{from}/{}", mark(regulated.kind.as_deref())));
    let distinct = [regulated.to.clone(), None];
    Entry::new(key, distinct, owner.ico, &regulated).map(Some)
}
