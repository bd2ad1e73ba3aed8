//! What a register file holds.

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
    /// Who the partner is and was.
    pub versions: Vec<Version>,
    /// Beneficial owners.
    pub owners: Vec<Owner>,
    /// Those who verify them.
    pub authorised: Vec<Authorised>,
    /// Public officials in the structure.
    pub officials: Vec<Official>,
    /// The days of verifications with what is said of them.
    pub verifications: Vec<Verification>,
    /// Qualified complaints.
    pub complaints: Vec<Complaint>,
    /// A fine.
    pub fine: Option<Fine>,
    /// The erasure.
    pub erasure: Option<Erasure>,
}

/// The days on which something was valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Valid {
    /// The first day.
    #[serde(with = "iso")]
    pub since: Date,
    /// The first day on which it no longer was.
    #[serde(with = "iso::option")]
    pub until: Option<Date>,
}

/// The kind of partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum PartnerForm {
    /// A legal person.
    Legal,
    /// A sole trader.
    Trader,
}

impl PartnerForm {
    /// The register's word.
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
    /// The trader.
    pub person: Option<Person>,
    /// The kind.
    pub form: PartnerForm,
    /// The number as the register stores it: some have inner spaces.
    pub stored_ico: String,
    /// From when until when.
    pub valid: Valid,
}

impl Version {
    /// The name as it is told.
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
    /// Who; the register lost some names.
    pub holder: Option<Holder>,
    /// Whether a public official.
    pub is_public_official: bool,
    /// The country of citizenship.
    pub citizenship: Option<&'static str>,
    /// The birth date, which nobody is told.
    #[serde(skip)]
    pub born: Option<Date>,
    /// From when until when.
    pub valid: Valid,
}

/// A verifying person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Authorised {
    /// Who.
    pub holder: Holder,
    /// From when until when.
    pub valid: Valid,
}

/// A public official in the partner's structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Official {
    /// Who.
    pub person: Person,
    /// As what; sometimes not said.
    pub function: Option<&'static str>,
    /// From when until when.
    pub valid: Valid,
}

/// A verification of the owners' identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    /// The day.
    #[serde(with = "iso")]
    pub on: Date,
    /// What is said of it.
    pub statement: &'static str,
}

/// A qualified complaint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// Of the court.
    pub case_number: String,
    /// The first day of the proceedings.
    #[serde(with = "iso")]
    pub started: Date,
    /// The last day, the day on which the decision was final, and the decision.
    pub decided: Option<(Date, Date, &'static str)>,
}

/// A fine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fine {
    /// The day of the record.
    #[serde(with = "iso")]
    pub recorded: Date,
    /// The note.
    pub note: &'static str,
}

/// An erasure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Erasure {
    /// The day.
    #[serde(with = "iso")]
    pub on: Date,
    /// The reason in the register's word.
    pub reason: &'static str,
}

impl RegisterFile {
    /// Whether the registration holds: a version is open that no erasure ended.
    pub fn is_current(&self) -> bool {
        let erased = self.erasure.as_ref().map(|erasure| erasure.on);
        self.versions.iter().any(|version| {
            version.valid.until.is_none() && erased.is_none_or(|on| version.valid.since > on)
        })
    }

    /// The day on which the last version ended, by its own word or by the erasure; none while it holds.
    pub fn ended(&self) -> Option<Date> {
        if self.is_current() {
            return None;
        }
        let erased = self.erasure.as_ref().map(|erasure| erasure.on);
        let ends = self.versions.iter().map(|version| version.valid.until);
        ends.map(|end| end.or(erased)).max().flatten()
    }
}
