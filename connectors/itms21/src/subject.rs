//! Subjects as the API embeds them: recipients, applicants, partners and suppliers.

use lustra_sdk::{Notes, ico};
use serde::Deserialize;

use crate::value::line;

/// An embedded subject. Foreign subjects have another number and no IČO.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Party {
    nazov: Option<String>,
    ico: Option<String>,
    icz: Option<String>,
    #[serde(rename = "ineIdentifikacneCislo")]
    other_number: Option<String>,
}

impl Party {
    /// The IČO, if the subject has one. An unreadable one makes the row odd.
    pub fn ico(&self, notes: &mut Notes) -> Option<String> {
        let Some(raw) = line(self.ico.as_ref()) else {
            notes.count("without_ico");
            return None;
        };
        let ico = ico::parse(&raw);
        if ico.is_none() {
            notes.odd("unreadable_ico");
        }
        ico
    }

    /// Whether the subject has a number of any kind.
    #[must_use]
    pub fn has_number(&self) -> bool {
        let numbers = [&self.ico, &self.icz, &self.other_number];
        let mut numbers = numbers.into_iter().map(|number| line(number.as_ref()));
        numbers.any(|number| number.is_some())
    }

    /// The name of an organisation. A subject without any number may be a natural person and is not named.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        self.has_number()
            .then(|| line(self.nazov.as_ref()))
            .flatten()
    }
}

/// The IČO of each subject that has one.
pub fn icos(parties: &[Party], notes: &mut Notes) -> Vec<String> {
    let parties = parties.iter();
    parties.filter_map(|party| party.ico(notes)).collect()
}
