//! Awards as they are stored, one record per lot and winner, and corrections of lots.
//!
//! A correction rewrites the records of its lots. The import removes the records of winners that are no longer named,
//! if it can see them. A first import cannot, since its records become visible only at its end. So a correction also
//! stores a mark for its lot, and an award older than its lot's mark does not count.

use serde::{Deserialize, Serialize};

use crate::amount::Money;

/// The position of a notice: year and number of its issue, and its index there. Later notices have greater positions.
pub type Sequence = (u32, u32, u32);

/// One company's award of one lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Award {
    /// The procedure's UUID, else the order's id, else the notice's.
    pub procedure: String,
    pub lot: String,
    pub notice_id: String,
    /// The position of the notice.
    pub sequence: Sequence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub buyer: Buyer,
    /// The whole value of the winning tender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Money>,
    /// How many companies won together.
    pub members: u32,
    /// The procedure's main CPV code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpv: Option<String>,
    /// The contract's date: `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_date: Option<String>,
    /// The address of the published contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_url: Option<String>,
    /// The day on which the issue was published: `YYYY-MM-DD`.
    pub published_at: String,
    /// The order's id on the office's site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buyer {
    pub name: Option<String>,
    /// The IČO, if the notice has one.
    pub ico: Option<String>,
}

impl Award {
    /// The record's key. A correction of the same procedure and lot overwrites the record.
    #[must_use]
    pub fn key(&self, ico: &str) -> String {
        format!("{}{ico}", awards_of(&self.procedure, &self.lot))
    }
}

/// The prefix of the keys of a lot's awards.
#[must_use]
pub fn awards_of(procedure: &str, lot: &str) -> String {
    format!("award/{procedure}/{lot}/")
}

/// The key of a lot's mark. Without a lot, the prefix of the keys of the procedure's marks.
#[must_use]
pub fn correction_of(procedure: &str, lot: &str) -> String {
    format!("correction/{procedure}/{lot}")
}

/// The mark of a corrected lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub lot: String,
    /// The position of the correction. Older awards of the lot do not count.
    pub sequence: Sequence,
}

/// The key of the first issue that was ever read. Sections say since when data exist.
pub const FIRST_ISSUE: &str = "journal/first";

/// The content of [`FIRST_ISSUE`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstIssue {
    /// The date of publication: `YYYY-MM-DD`.
    pub published_at: String,
}

/// The prefix of the keys of records about the journal as a whole.
pub const JOURNAL: &str = "journal/";
