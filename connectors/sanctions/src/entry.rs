//! An entry of a list, as it is kept.

use serde::{Deserialize, Serialize};

/// What is listed. Vessels and aircraft are not kept: no company is one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A company or another body.
    #[default]
    Entity,
    Person,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Entity, Self::Person];

    /// The letter by which words of such entries are kept apart.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Entity => 'e',
            Self::Person => 'p',
        }
    }
}

/// A name of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// As the list writes it.
    pub name: String,
    /// Whether the list says that many others have it too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_weak: bool,
}

/// An entry. Of persons there are their names and what is needed to find the entry again, nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The Union's reference number, its internal number where it has none, or the United States' number of the entry.
    pub id: String,
    /// The number by which its records are kept, where that is not the id: two entries may share an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    pub kind: Kind,
    /// Its names, the main one first; at least one.
    pub names: Vec<Alias>,
    /// Codes of the programmes that it is listed by.
    pub programmes: Vec<String>,
    /// Since when it is listed, `YYYY-MM-DD`, where the list says so.
    pub listed_on: Option<String>,
    /// Countries of its addresses, as the list writes them: codes of the Union's, names of the United States'.
    pub countries: Vec<String>,
    /// Towns of its addresses.
    pub towns: Vec<String>,
    /// Slovak register numbers of 8 digits.
    pub icos: Vec<String>,
    /// A page about the entry, or the legal act that listed it.
    pub url: Option<String>,
}

impl Entry {
    /// Identifies the entry within the list, and is stable from one list to the next.
    #[must_use]
    pub fn key(&self) -> &str {
        self.number.as_deref().unwrap_or(&self.id)
    }

    /// By key, then by content.
    pub(crate) fn order(&self) -> impl Ord + use<'_> {
        let names: Vec<&str> = self.names.iter().map(|alias| alias.name.as_str()).collect();
        (self.key(), self.id.as_str(), names, &self.towns)
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |alias| alias.name.as_str())
    }

    /// Adds a name. One that is there already stays, and is strong where either is.
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

/// Adds a text that is not there yet.
pub(crate) fn add(to: &mut Vec<String>, text: Option<String>) {
    if let Some(text) = text
        && !to.contains(&text)
    {
        to.push(text);
    }
}
