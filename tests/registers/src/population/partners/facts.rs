//! The contents of a register file.

use serde::Serialize;
use time::Date;

use crate::population::calendar::iso;
use crate::population::holders::{Holder, Person};

/// A register file (vložka) with everything in it, in the order in which it was entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegisterFile {
    /// The id, which leads to the page for people.
    pub id: u32,
    /// The number of the file (číslo vložky).
    pub number: u32,
    /// The identity versions of the partner.
    pub versions: Vec<Version>,
    pub owners: Vec<Owner>,
    pub authorised: Vec<Authorised>,
    /// Public officials in the structure.
    pub officials: Vec<Official>,
    /// The days of verifications with their statements.
    pub verifications: Vec<Verification>,
    pub complaints: Vec<Complaint>,
    pub fine: Option<Fine>,
    pub erasure: Option<Erasure>,
}

/// The days on which something was valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Valid {
    #[serde(with = "iso")]
    pub since: Date,
    /// The first day on which it is no longer valid.
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
}

/// The kind of partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum PartnerForm {
    Legal,
    Trader,
}

impl PartnerForm {
    pub fn word(self) -> &'static str {
        match self {
            Self::Legal => "PravnickaOsoba",
            Self::Trader => "FyzickaOsobaPodnikatel",
        }
    }
}

/// An identity version of the partner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Version {
    /// The firm; a trader may have none.
    pub business_name: Option<String>,
    pub person: Option<Person>,
    pub form: PartnerForm,
    /// The number as the register stores it: some have inner spaces.
    pub stored_ico: String,
    /// From when until when.
    pub valid: Valid,
}

impl Version {
    /// The name of the partner.
    pub fn name(&self) -> String {
        let person = || self.person.as_ref().map(Person::formatted);
        self.business_name
            .clone()
            .or_else(person)
            .unwrap_or_default()
    }
}

/// A beneficial owner, in one version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owner {
    /// The owner. The register lost some names.
    pub holder: Option<Holder>,
    /// Whether a public official.
    pub is_public_official: bool,
    /// The country of citizenship.
    pub citizenship: Option<&'static str>,
    /// The birth date, which connectors must not pass on.
    #[serde(skip)]
    pub born: Option<Date>,
    /// From when until when.
    pub valid: Valid,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Authorised {
    pub holder: Holder,
    /// From when until when.
    pub valid: Valid,
}

/// A public official in the partner's structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Official {
    pub person: Person,
    /// The function, if stated.
    pub function: Option<&'static str>,
    /// From when until when.
    pub valid: Valid,
}

/// A verification of the owners' identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    #[serde(with = "iso")]
    pub on: Date,
    /// The statement of the verification.
    pub statement: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Complaint {
    pub case_number: String,
    /// The first day of the proceedings.
    #[serde(with = "iso")]
    pub started: Date,
    /// The last day, the day on which the decision was final, and the decision.
    pub decided: Option<(Date, Date, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fine {
    /// The day of the record.
    #[serde(with = "iso")]
    pub recorded: Date,
    pub note: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Erasure {
    #[serde(with = "iso")]
    pub on: Date,
    /// The reason in the register's word.
    pub reason: &'static str,
}

impl RegisterFile {
    /// True if the registration is valid: a version is open and no erasure ended it.
    pub fn is_current(&self) -> bool {
        let erased = self.erasure.as_ref().map(|erasure| erasure.on);
        self.versions.iter().any(|version| {
            version.valid.until.is_none() && erased.is_none_or(|on| version.valid.since > on)
        })
    }

    /// The day on which the last version ended, by its own end date or by the erasure. `None` while the
    /// registration is valid.
    pub fn ended(&self) -> Option<Date> {
        if self.is_current() {
            return None;
        }
        let erased = self.erasure.as_ref().map(|erasure| erasure.on);
        let ends = self.versions.iter().map(|version| version.valid.until);
        ends.map(|end| end.or(erased)).max().flatten()
    }
}
