//! Persons and companies that hold an office or a share.

use serde::Serialize;
use time::Date;

use super::calendar::iso;
use super::company::Address;
use super::money::Money;

/// A natural person's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Titles before the name, `Ing.`.
    pub prefixes: Vec<&'static str>,
    pub given: String,
    pub family: String,
    /// Titles after the name, `PhD.`.
    pub postfixes: Vec<&'static str>,
}

impl Person {
    /// The name without titles.
    pub fn plain(&self) -> String {
        format!("{} {}", self.given, self.family)
    }

    /// The name with titles: `Ing. Jana Skúšobná, PhD.`.
    pub fn formatted(&self) -> String {
        let mut text = String::new();
        for prefix in &self.prefixes {
            text.push_str(prefix);
            text.push(' ');
        }
        text.push_str(&self.plain());
        for postfix in &self.postfixes {
            text.push_str(", ");
            text.push_str(postfix);
        }
        text
    }
}

/// The holder of an office or a share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    Person(Person),
    Company {
        name: String,
        /// Its IČO, unless it is foreign.
        ico: Option<String>,
    },
}

impl Holder {
    /// The name as it is listed, with titles.
    pub fn name(&self) -> String {
        match self {
            Self::Person(person) => person.formatted(),
            Self::Company { name, .. } => name.clone(),
        }
    }
}

/// The role of an officer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Managing director of a limited company (konateľ).
    Manager,
    /// Chair of a board of directors (predseda predstavenstva).
    BoardChair,
    /// Member of a board of directors (člen predstavenstva).
    BoardMember,
    /// Partner of a partnership who acts for it (spoločník).
    Partner,
    /// Chair of an association or of flat owners (predseda).
    Chair,
    /// The sole trader (podnikateľ).
    Trader,
    /// Member of a supervisory board.
    Supervisor,
    /// Holder of a procuration.
    Procurist,
    Liquidator,
}

impl Role {
    /// Whether the role belongs to the statutory body.
    pub fn is_statutory(self) -> bool {
        match self {
            Self::Manager
            | Self::BoardChair
            | Self::BoardMember
            | Self::Partner
            | Self::Chair
            | Self::Trader => true,
            Self::Supervisor | Self::Procurist | Self::Liquidator => false,
        }
    }
}

/// An officer and the days in office.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Officer {
    pub holder: Holder,
    pub role: Role,
    /// The home or seat.
    pub address: Address,
    /// The first day in the register.
    #[serde(with = "iso")]
    pub since: Date,
    /// The last day in the register.
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
    /// The last day of a term that has not ended yet.
    #[serde(with = "iso::option")]
    pub term_until: Option<Date>,
}

/// A shareholder with the deposit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shareholder {
    pub holder: Holder,
    /// The home or seat.
    pub address: Address,
    /// The deposit; partners of a partnership and a single shareholder of a joint-stock company have none.
    pub deposit: Option<Money>,
    /// The paid part of the deposit; missing in old entries.
    pub paid: Option<Money>,
    /// The lien on the deposit, as the register words it.
    pub lien: Option<String>,
    /// The first day in the register.
    #[serde(with = "iso")]
    pub since: Date,
    /// The last day in the register.
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
}
