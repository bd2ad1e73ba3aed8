//! Since when an entry is listed, from the history of the list: no list says it.
//!
//! An entry gets the date of the first list that has it, and keeps it until it leaves the list. Entries of the first
//! list that was imported may be older than that list, so their date is unknown. Entries with an IČO are recognised
//! by it, because a key changes with the address.

use std::collections::BTreeMap;

use lustra_sdk::records::{self, Stored};
use lustra_sdk::{Failure, fingerprint, runtime};

use crate::debt::Content;

/// The dates of the entries of the list in use.
pub struct Since {
    /// Dates by fingerprint of the entry, since a list has 150,000 entries. `None` for an unknown date, as for all
    /// entries before the first import.
    listed: Option<BTreeMap<u64, Option<String>>>,
    today: String,
}

impl Since {
    /// Reads the list in use of a dataset.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn of(dataset: &str) -> Result<Self, Failure> {
        let today = runtime::today();
        if records::state(dataset)?.imported_at.is_none() {
            return Ok(Self {
                listed: None,
                today,
            });
        }
        let mut listed = BTreeMap::new();
        records::each_of_key(dataset, "", |stored| {
            add(&mut listed, &stored);
            Ok(())
        })?;
        Ok(Self {
            listed: Some(listed),
            today,
        })
    }

    /// The date of an entry: `YYYY-MM-DD`. `None` if it is unknown.
    #[must_use]
    pub fn date(&self, key: &str, ico: Option<&str>, list_date: Option<&str>) -> Option<String> {
        match self.listed.as_ref()?.get(&identity(key, ico)) {
            Some(date) => date.clone(),
            None => Some(list_date.unwrap_or(&self.today).to_owned()),
        }
    }
}

/// Adds a stored entry. Of several entries of a company the earliest date counts, and an unknown one is the earliest.
fn add(listed: &mut BTreeMap<u64, Option<String>>, stored: &Stored) {
    let content = records::content::<Content>(stored).ok();
    let date = content.and_then(|content| content.listed_since);
    let identity = identity(&stored.key, stored.ico.as_deref());
    let earliest = listed.entry(identity).or_insert_with(|| date.clone());
    if date < *earliest {
        *earliest = date;
    }
}

fn identity(key: &str, ico: Option<&str>) -> u64 {
    fingerprint(0, ico.unwrap_or(key).as_bytes())
}
