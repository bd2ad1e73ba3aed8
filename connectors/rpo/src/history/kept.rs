//! The stored form of a record's history.
//!
//! Rows keep the register's dates as published; [`End`] says what they mean. Labels of codes are left out where the
//! code list has the same label. Invariant: the JSON text of a history is never longer than [`MAX_BYTES`].

mod size;

use std::num::NonZeroU32;

use lustra_sdk::date;
use serde::{Deserialize, Serialize};

pub use size::MAX_BYTES;

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
    /// Texts of the other legal facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Text>,
    /// Branches and other organisation units.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<Unit>,
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

/// Defines rows: optional texts, then parts. An absent text is left out.
macro_rules! rows {
    ($(
        $(#[$about:meta])*
        $row:ident {
            $($(#[$text_about:meta])* $text:ident),*;
            $($(#[$part_about:meta])* $part:ident: $kind:ty),*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct $row {
            $(
                $(#[$text_about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $text: Option<String>,
            )*
            $($(#[$part_about])* pub $part: $kind,)*
        }
    )*};
}

rows! {
    /// A text with its validity.
    Text {
        ;
        text: String,
        #[serde(flatten)]
        validity: Validity
    }

    /// A value of a code list with its validity.
    State {
        code,
        /// Only for a row without a code.
        label;
        #[serde(flatten)]
        validity: Validity
    }

    /// Activities with the same validity, in the register's order.
    Activities {
        suspended_from,
        suspended_to;
        texts: Vec<String>,
        #[serde(flatten)]
        validity: Validity
    }

    /// An address as published.
    Address {
        /// Street with the numbers of house and entrance.
        street,
        city,
        /// Without spaces in Slovakia.
        zip,
        /// ISO 3166-1 number of the country, left out for Slovakia.
        country,
        /// The country's name, left out for Slovakia.
        country_name;
    }

    /// A seat with its validity.
    Seat {
        ;
        #[serde(flatten)]
        address: Address,
        #[serde(flatten)]
        validity: Validity
    }

    /// The name of a person or company.
    Name {
        /// The whole name with titles, left out if it consists of the parts.
        whole,
        given,
        family,
        /// The family name at birth, if it differs.
        birth,
        /// The name of a legal person.
        company,
        /// The IČO of a legal person, or the text that the register has in its place.
        ico;
    }

    /// A row of a person or company in a function.
    Person {
        /// The code of the function.
        #[serde(rename = "type")]
        code,
        /// The function's label, if it differs from the code list.
        label,
        /// The function within a body with several members.
        member;
        #[serde(flatten)]
        name: Name,
        #[serde(skip_serializing_if = "Option::is_none")]
        address: Option<Address>,
        #[serde(flatten)]
        validity: Validity
    }

    /// A deposit. Nothing but the name connects it with a partner.
    Deposit {
        kind,
        amount,
        currency;
        #[serde(flatten)]
        name: Name,
        #[serde(flatten)]
        validity: Validity
    }

    /// The registered, paid or approved capital; usually one of them in each row.
    Equity {
        value,
        paid,
        approved,
        currency;
        #[serde(flatten)]
        validity: Validity
    }

    /// An issue of shares.
    Share {
        kind,
        form,
        nominal,
        currency,
        count,
        transferability;
        #[serde(flatten)]
        name: Name,
        #[serde(flatten)]
        validity: Validity
    }

    /// A predecessor or successor.
    Relative {
        ;
        #[serde(flatten)]
        name: Name,
        #[serde(skip_serializing_if = "Option::is_none")]
        address: Option<Address>,
        #[serde(flatten)]
        validity: Validity
    }

    /// A branch or another organisation unit. Its validity lasts from its establishment to its termination.
    Unit {
        /// The type as published.
        kind,
        ico;
        #[serde(skip_serializing_if = "Vec::is_empty")]
        names: Vec<Text>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        seats: Vec<Seat>,
        /// Types are codes of CL010109.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        people: Vec<Person>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        activities: Vec<Activities>,
        #[serde(flatten)]
        validity: Validity
    }
}
