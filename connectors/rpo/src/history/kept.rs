//! The stored form of a record's history.
//!
//! Rows keep the register's dates as published; [`End`] says what they mean. Labels of codes are left out where the
//! code list has the same label. Invariant: the JSON text of a history is never longer than [`MOST_BYTES`].

mod size;

use std::num::NonZeroU32;

use lustra_sdk::date;
use serde::{Deserialize, Serialize};

pub use size::MOST_BYTES;

/// The dated facts of one record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Text>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<Seat>,
    /// Legal forms, by codes of the list CL000056.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<State>,
    /// Legal statuses, by codes of the list CL010108.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<State>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub activities: Vec<Activities>,
    /// Types are codes of CL010113.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statutory: Vec<Person>,
    /// Types are codes of CL010109.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stakeholders: Vec<Person>,
    /// How the company acts, and how its procurators act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authorizations: Vec<Text>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deposits: Vec<Deposit>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub equities: Vec<Equity>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Share>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predecessors: Vec<Relative>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub successors: Vec<Relative>,
    /// Day of the company's end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Number of rows that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<NonZeroU32>,
    /// Number of rows that were left out because of the maximum size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dropped: Option<NonZeroU32>,
}

/// The validity of a row as published: `YYYY-MM-DD`, or another text that the register printed in its place.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Validity {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// The end of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// The row is closed, but its last day is not known (`1800-01-01`).
    Unknown,
    /// The last day: `YYYY-MM-DD`.
    On(String),
    /// The row is open.
    Open,
}

impl Validity {
    /// The first day. `None` if it is not known.
    #[must_use]
    pub fn from(&self) -> Option<String> {
        date::parse(self.from.as_deref()?)
    }

    #[must_use]
    pub fn end(&self) -> End {
        match self.to.as_deref() {
            None => End::Open,
            Some(raw) => date::parse(raw).map_or(End::Unknown, End::On),
        }
    }
}

/// A text with its validity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Text {
    pub text: String,
    #[serde(flatten)]
    pub validity: Validity,
}

/// A value of a code list with its validity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Only for a row without a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// Activities with the same validity, in the register's order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Activities {
    pub texts: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended_to: Option<String>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// An address as published.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Address {
    /// Street with the numbers of house and entrance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Without spaces in Slovakia.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zip: Option<String>,
    /// ISO 3166-1 number of the country, left out for Slovakia.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    /// The country's name, left out for Slovakia.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub country_name: Option<String>,
}

/// A seat with its validity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seat {
    #[serde(flatten)]
    pub address: Address,
    #[serde(flatten)]
    pub validity: Validity,
}

/// The name of a person or company.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Name {
    /// The whole name with titles, left out if it consists of the parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The family name at birth, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub birth: Option<String>,
    /// The name of a legal person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub company: Option<String>,
    /// The IČO of a legal person, or the text that the register has in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ico: Option<String>,
}

/// A row of a person or company in a function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The code of the function.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The function's label, if it differs from the code list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The function within a body with several members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    #[serde(flatten)]
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// A deposit. Nothing but the name connects it with a partner.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deposit {
    #[serde(flatten)]
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amount: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// The registered, paid or approved capital; usually one of them in each row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Equity {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// An issue of shares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Share {
    #[serde(flatten)]
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nominal: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transferability: Option<String>,
    #[serde(flatten)]
    pub validity: Validity,
}

/// A predecessor or successor.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Relative {
    #[serde(flatten)]
    pub name: Name,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
    #[serde(flatten)]
    pub validity: Validity,
}
