//! Awards as they are kept, one record for each lot and winner, and what corrections said of a lot.
//!
//! A correction writes the records of its lots anew. Records of winners that it no longer names are removed where the
//! import can see them; a first import cannot, since nothing of it is shown before its end. So a correction also leaves
//! a mark on its lot, and an award that is older than its lot's mark does not count.

use serde::{Deserialize, Serialize};

use crate::amount::Money;

/// Where a notice stands: year and number of its issue, and its place there. Later notices have greater ones.
pub type Sequence = (u32, u32, u32);

/// What one company won of one lot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Award {
    /// The procedure's UUID, else the order's id, else the notice's.
    pub procedure: String,
    pub lot: String,
    pub notice_id: String,
    /// Where the notice stands.
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
    /// Where the contract is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_url: Option<String>,
    /// When the issue was published: `YYYY-MM-DD`.
    pub published_at: String,
    /// The order's id at the office's site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_id: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buyer {
    pub name: Option<String>,
    /// The IČO, where the notice gives one.
    pub ico: Option<String>,
}

impl Award {
    /// The record's key. A correction of the same procedure and lot overwrites the record.
    #[must_use]
    pub fn key(&self, ico: &str) -> String {
        format!("{}{ico}", awards_of(&self.procedure, &self.lot))
    }
}

/// What all keys of a lot's awards begin with.
#[must_use]
pub fn awards_of(procedure: &str, lot: &str) -> String {
    format!("award/{procedure}/{lot}/")
}

/// The key of a lot's mark; without a lot, what the keys of the procedure's marks begin with.
#[must_use]
pub fn correction_of(procedure: &str, lot: &str) -> String {
    format!("correction/{procedure}/{lot}")
}

/// That the results of a lot were corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    pub lot: String,
    /// Where the correction stands; older awards of the lot do not count.
    pub sequence: Sequence,
}

/// The first issue that was ever read, so that the sections can say since when they know.
pub const FIRST_ISSUE: &str = "journal/first";

/// The content of [`FIRST_ISSUE`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstIssue {
    /// The date of publication: `YYYY-MM-DD`.
    pub published_at: String,
}
