//! A supervised subject with the whole history of its licences: the content of a record of `institutions`.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::categories;
use crate::dataset::Dataset;
use crate::licence;

/// Subjects by their ids.
pub type Entities = BTreeMap<String, Entity>;

/// A subject of the list. Members that no source states are null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entity {
    /// The connector's own id; see [`crate::identity`].
    pub entity_id: String,
    /// The IČO of a Slovak subject: 8 digits.
    pub ico: Option<String>,
    pub name: String,
    /// On one line, as the list writes it.
    pub address: Option<String>,
    /// Country code of ISO 3166-1 alpha-2.
    pub country: String,
    /// `None` if the name does not tell; see [`crate::person`].
    pub is_natural_person: Option<bool>,
    /// Whether the last imported list has the subject.
    pub is_current: bool,
    /// The categories of the licences in force; if none is, those of the ended ones.
    pub categories: BTreeSet<String>,
    /// The entry of the same person without an IČO.
    pub person_id: Option<String>,
    pub person_match: Option<PersonMatch>,
    /// The day of the first import whose list had the subject.
    pub first_seen_on: String,
    /// The day of the first import whose list no longer had the subject.
    pub delisted_on: Option<String>,
    /// The list does not state it.
    pub nbs_updated_at: Option<String>,
    /// Those in force first.
    pub licences: Vec<Licence>,
    /// Number of listed agents with a tie in force; `None` if the list of agents was not read.
    pub agents_count: Option<u32>,
}

/// How a sole trader was recognised as a listed person. The names are equal in both cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PersonMatch {
    Address,
    NamePostcode,
}

/// A licence as sections and entities show it. Licences in force sort before ended ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Licence {
    pub status: Status,
    /// The supervision category; see [`categories::of`].
    pub category: String,
    /// What the licence is for, in the list's words on one line.
    pub license_type: String,
    pub valid_from: Option<String>,
    pub sector: Option<String>,
    /// Country code of the holder.
    pub country: String,
    pub regfap_number: Option<String>,
    /// The institution that the holder is an agent of.
    pub parent: Option<Parent>,
    /// The day of the first import whose list had the licence.
    pub first_seen_on: String,
    /// The last day by the list, else the day of the first import whose list no longer had the licence.
    pub ended_on: Option<String>,
    pub source: Dataset,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Current,
    Ended,
}

/// The institution that an agent works for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Parent {
    /// `None` if the institution is not on the bank's list.
    pub entity_id: Option<String>,
    pub ico: Option<String>,
    pub name: String,
}

/// What a licence of one subject is recognised by in the next list.
pub type LicenceKey = (Dataset, String, String, String, String, String);

impl Licence {
    /// A stored licence of a list of the bank.
    #[must_use]
    pub fn of(stored: licence::Licence, source: Dataset) -> Self {
        Self {
            status: Status::of(stored.ended_on.as_deref()),
            category: categories::of(&stored.license_type).to_owned(),
            license_type: stored.license_type,
            valid_from: stored.valid_from,
            sector: None,
            country: stored.country,
            regfap_number: None,
            parent: None,
            first_seen_on: stored.first_seen_on,
            ended_on: stored.ended_on,
            source,
        }
    }

    /// A licence in force of the list of institutions.
    #[must_use]
    pub fn listed(license_type: String, country: &str, first_seen_on: &str) -> Self {
        Self {
            status: Status::Current,
            category: categories::of(&license_type).to_owned(),
            license_type,
            valid_from: None,
            sector: None,
            country: country.to_owned(),
            regfap_number: None,
            parent: None,
            first_seen_on: first_seen_on.to_owned(),
            ended_on: None,
            source: Dataset::Institutions,
        }
    }

    /// Spellings do not matter. The parent is recognised by its IČO, else by its name.
    #[must_use]
    pub fn key(&self) -> LicenceKey {
        let folded = |text: &Option<String>| text.as_deref().map(fold).unwrap_or_default();
        let parent = self.parent.as_ref().map(|parent| match &parent.ico {
            Some(ico) => ico.clone(),
            None => fold(&parent.name),
        });
        (
            self.source,
            fold(&self.license_type),
            folded(&self.sector),
            parent.unwrap_or_default(),
            folded(&self.regfap_number),
            self.valid_from.clone().unwrap_or_default(),
        )
    }

    #[must_use]
    pub fn is_current(&self) -> bool {
        self.status == Status::Current
    }

    /// Ends a licence in force on a day.
    pub fn end(&mut self, day: &str) {
        if self.is_current() {
            self.status = Status::Ended;
            self.ended_on = Some(day.to_owned());
        }
    }
}

impl Status {
    /// The status of a licence with this end.
    #[must_use]
    pub fn of(ended_on: Option<&str>) -> Self {
        match ended_on {
            None => Self::Current,
            Some(_) => Self::Ended,
        }
    }
}

impl Entity {
    /// Sorts the licences and computes what depends on them.
    pub fn settle(&mut self) {
        self.licences.sort();
        let of = |in_force: bool| -> BTreeSet<String> {
            let licences = self.licences.iter();
            licences
                .filter(|licence| licence.is_current() == in_force)
                .map(|licence| licence.category.clone())
                .collect()
        };
        let in_force = of(true);
        self.categories = if in_force.is_empty() {
            of(false)
        } else {
            in_force
        };
    }
}
