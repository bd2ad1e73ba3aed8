//! The stored form of a list's entry.

use serde::{Deserialize, Serialize};

/// The kind of an entry. Vessels and aircraft are not stored: no company is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A company or another organisation.
    #[default]
    Entity,
    Person,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Entity, Self::Person];

    /// The letter in the keys of such entries' words.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Entity => 'e',
            Self::Person => 'p',
        }
    }
}

/// One of an entry's names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// As the list writes it.
    pub name: String,
    /// Whether the list marks the name as shared by many others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_weak: bool,
}

/// An entry. Of persons it contains only the names and what is needed to find the entry again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The Union's reference number, or its internal number if it has none, or the United States' number of the entry.
    pub id: String,
    /// The number in the keys of its records, if that is not the id: two entries may share an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    pub kind: Kind,
    /// Its names, the main one first. There is at least one.
    pub names: Vec<Alias>,
    /// Codes of the programmes under which it is listed.
    pub programmes: Vec<String>,
    /// The day on which it was listed, `YYYY-MM-DD`, if the list states it.
    pub listed_on: Option<String>,
    /// Countries of its addresses as the list writes them: codes in the Union's list, names in the United States'
    /// lists.
    pub countries: Vec<String>,
    /// Towns of its addresses.
    pub towns: Vec<String>,
    /// Slovak register numbers of 8 digits.
    pub icos: Vec<String>,
    /// A page about the entry, or the legal act that listed it.
    pub url: Option<String>,
}

impl Entry {
    /// Identifies the entry within the list. The key stays the same from one list to the next.
    #[must_use]
    pub fn key(&self) -> &str {
        self.number.as_deref().unwrap_or(&self.id)
    }

    /// Sorts by key, then by content.
    pub(crate) fn order(&self) -> impl Ord + use<'_> {
        let names: Vec<&str> = self.names.iter().map(|alias| alias.name.as_str()).collect();
        (self.key(), self.id.as_str(), names, &self.towns)
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |alias| alias.name.as_str())
    }

    /// Adds a name. A name that is already there stays, and becomes strong if either is strong.
    pub fn add_name(&mut self, name: Option<String>, is_weak: bool) {
        let Some(name) = name else {
            return;
        };
        match self.names.iter_mut().find(|alias| alias.name == name) {
            Some(known) => known.is_weak &= is_weak,
            None => self.names.push(Alias { name, is_weak }),
        }
    }
}

/// Adds a text unless it is already there.
pub(crate) fn add(to: &mut Vec<String>, text: Option<String>) {
    if let Some(text) = text
        && !to.contains(&text)
    {
        to.push(text);
    }
}
