//! The owner of a row: the IČO, else the DIČ, which the IČ DPH of an ordinary payer contains.

use lustra_sdk::ico;
use lustra_sdk::tax_lists::Cells;

/// The prefix of the keys of rows without an IČO.
pub const BY_DIC: &str = "dic:";

/// The prefix of the keys of rows without an IČO that have this DIČ. The separator ends the number.
#[must_use]
pub fn key_of_dic(dic: &str) -> String {
    format!("{BY_DIC}{dic}:")
}

/// The owner of a row.
pub(super) struct Owner {
    /// The IČO, if the row has one.
    pub(super) ico: Option<String>,
    key: String,
}

impl Owner {
    /// The owner of a row. `None` and a note if the row identifies no company, as for a foreign payer.
    pub(super) fn of(cells: &mut Cells<'_>) -> Option<Self> {
        if let Some(ico) = cells.ico() {
            return Some(Self {
                key: format!("{ico}:"),
                ico: Some(ico),
            });
        }
        let Some(dic) = dic(cells) else {
            cells.note("without_number");
            return None;
        };
        cells.note("by_dic");
        Some(Self {
            key: key_of_dic(&dic),
            ico: None,
        })
    }

    /// The key of one of the owner's rows.
    pub(super) fn key(&self, rest: &str) -> String {
        format!("{}{rest}", self.key)
    }
}

/// The DIČ of a row, or the one that its IČ DPH contains. A VAT group has a number of its own. It is not a DIČ of any
/// company, so its rows are never found.
fn dic(cells: &Cells<'_>) -> Option<String> {
    let own = cells.text("dic").and_then(|raw| ico::parse_dic(&raw));
    own.or_else(|| {
        let ic_dph = cells.text("ic_dph")?;
        ico::parse_dic(ico::parse_ic_dph(&ic_dph)?.strip_prefix("SK")?)
    })
}
