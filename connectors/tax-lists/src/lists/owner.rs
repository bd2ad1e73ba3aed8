//! Whose a row is: the IČO, else the DIČ, which the IČ DPH of an ordinary payer contains.

use lustra_sdk::ico;
use lustra_sdk::tax_lists::Cells;

/// What the keys of rows begin with that have no IČO.
pub const BY_DIC: &str = "dic:";

/// What the keys of rows without an IČO begin with that are of this DIČ. The separator ends the number.
#[must_use]
pub fn key_of_dic(dic: &str) -> String {
    format!("{BY_DIC}{dic}:")
}

/// Whose a row is.
pub(super) struct Owner {
    /// The IČO, where the row has one.
    pub(super) ico: Option<String>,
    key: String,
}

impl Owner {
    /// The owner of a row; none and a note where it names nobody who can be found. A foreign payer is such.
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

    /// The key of one of its rows.
    pub(super) fn key(&self, rest: &str) -> String {
        format!("{}{rest}", self.key)
    }
}

/// The DIČ of a row, or the one that its IČ DPH contains. A VAT group has a number of its own, which is nobody's DIČ
/// and so finds nobody.
fn dic(cells: &Cells<'_>) -> Option<String> {
    let own = cells.text("dic").and_then(|raw| ico::parse_dic(&raw));
    own.or_else(|| {
        let ic_dph = cells.text("ic_dph")?;
        ico::parse_dic(ico::parse_ic_dph(&ic_dph)?.strip_prefix("SK")?)
    })
}
