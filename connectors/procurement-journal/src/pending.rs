//! The records of a batch in progress.

use std::collections::BTreeMap;

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Failure, Item, Notes, malformed, records, unread};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::award::{awards_of, correction_of};
use crate::facts::{self, Facts, Place};
use crate::issue::{self, Content, Issue};
use crate::names::DATASET;
use crate::notice::Notice;
use crate::settings::Settings;

/// If this many items all lack a fact, the journal's format changed.
const TELLING: u64 = 20;

/// A batch in progress. A later record with the same key replaces an earlier one. An unreadable item is left out and
/// counted.
#[derive(Debug, Default)]
pub struct Pending {
    items: BTreeMap<String, Item>,
    /// Counts of what could not be used.
    pub notes: Notes,
    notices: u64,
    with_kind: u64,
    chosen: u64,
    found: u64,
    awards: u64,
}

impl Pending {
    /// A batch of an issue whose earlier batches had this many items, and this many odd ones.
    #[must_use]
    pub fn behind(items: u64, odd: u64) -> Self {
        Self {
            notes: Notes::resumed(items, odd),
            ..Self::default()
        }
    }

    /// The number of records so far.
    #[must_use]
    pub fn records(&self) -> usize {
        self.items.len()
    }

    /// The records in the order of their keys, and the notes.
    #[must_use]
    pub fn finish(self) -> (Vec<Item>, Notes) {
        (self.items.into_values().collect(), self.notes)
    }

    /// Reads an item of an issue; `item` is its index there. An item of another shape is odd.
    ///
    /// # Errors
    /// The host's refusal.
    pub fn add(
        &mut self,
        issue: &Issue<'_>,
        item: usize,
        raw: &RawValue,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let place = Place {
            year: issue.issue.year,
            number: issue.issue.number,
            item: u32::try_from(item).unwrap_or(u32::MAX),
            published_at: issue.published_at.clone(),
        };
        self.notes.row();
        let json = match issue::content(&place.to_string(), raw) {
            Ok(Content::Notice(json)) => json,
            Ok(Content::Xml) => {
                self.notes.count("xml_notices");
                return Ok(());
            }
            Err(failure) => return self.odd("unreadable_items", failure),
        };
        let notice = match Notice::read(&place.to_string(), &json) {
            Ok(notice) => notice,
            Err(failure) => return self.odd("unreadable_notices", failure),
        };
        self.notices += 1;
        self.with_kind += u64::from(notice.kind().is_some());
        match facts::read(&place, &notice, &settings.role_addresses, &mut self.notes) {
            Ok(facts) => self.keep(&facts),
            Err(failure) => self.odd("notices_of_unknown_form", failure),
        }
    }

    /// Counts an item of another shape. Passes on all other failures.
    fn odd(&mut self, reason: &'static str, failure: Failure) -> Result<(), Failure> {
        let Failure::Malformed(_) = failure else {
            return Err(failure);
        };
        runtime::log(
            Level::Warn,
            &format!("skipped an unreadable item: {}", unread::why(&failure)),
        );
        self.notes.odd(reason);
        Ok(())
    }

    fn keep(&mut self, facts: &Facts) -> Result<(), Failure> {
        let (chosen, found) = facts.chosen_and_found;
        self.chosen += chosen;
        self.found += found;
        self.awards += facts.awards.len() as u64;
        for (procedure, correction) in &facts.corrections {
            self.remove_awards(&awards_of(procedure, &correction.lot))?;
            self.put(correction_of(procedure, &correction.lot), None, correction)?;
        }
        for (ico, award) in &facts.awards {
            self.put(award.key(ico), Some(ico), award)?;
        }
        for (ico, contact) in &facts.contacts {
            self.put(contact.key(ico), Some(ico), contact)?;
        }
        Ok(())
    }

    /// Removes a lot's awards from the store and from this batch. The correction adds its own awards afterwards.
    fn remove_awards(&mut self, prefix: &str) -> Result<(), Failure> {
        for stored in records::all_of_key(DATASET, prefix)? {
            self.remove(stored.key, stored.ico);
        }
        let here: Vec<(String, Option<String>)> = self
            .items
            .range(prefix.to_owned()..)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(key, item)| (key.clone(), item.ico.clone()))
            .collect();
        for (key, ico) in here {
            self.remove(key, ico);
        }
        Ok(())
    }

    fn remove(&mut self, key: String, ico: Option<String>) {
        let item = Item {
            key: key.clone(),
            ico,
            name: None,
            city: None,
            postal_code: None,
            content: "{}".to_owned(),
            removed: true,
        };
        self.items.insert(key, item);
    }

    /// Adds a record.
    ///
    /// # Errors
    /// Never: the content is always valid JSON.
    pub fn put(
        &mut self,
        key: String,
        ico: Option<&String>,
        content: &impl Serialize,
    ) -> Result<(), Failure> {
        let item = records::item(&key, ico.map(String::as_str), content)?;
        self.items.insert(key, item);
        Ok(())
    }

    /// Checks for renamed members. A notice may lack nearly anything, but if many notices lack the same member, it was
    /// renamed, and no winner would be found. The share of odd items is judged once enough of the issue was read, at
    /// the latest at its end.
    ///
    /// # Errors
    /// [`Failure::Malformed`] with the missing fact; as [`Notes::check_odd_rows`].
    pub fn check(&self, issue: &Issue<'_>, is_end: bool) -> Result<(), Failure> {
        let (items, odd) = (self.notes.rows(), self.notes.odd_rows());
        if is_end || items >= TELLING {
            let what = format!("issue {}", issue.issue);
            self.notes.check_odd_rows(&what)?;
        }
        if is_end && odd > 0 && odd == items {
            let what = format!("issue {}: bulletinItemList", issue.issue);
            return Err(malformed(what, "an item that can be read", "none"));
        }
        let lost = |what: &str, expected: &str, count: u64, of: &str| {
            Err(malformed(
                format!("issue {}: {what}", issue.issue),
                expected,
                format!("none in {count} {of}"),
            ))
        };
        if self.notices >= TELLING && self.with_kind == 0 {
            return lost("BT-03-notice", "the kind", self.notices, "notices");
        }
        if self.chosen >= TELLING && self.found == 0 {
            let what = "GR-LotTender_panel, GR-TenderingParty_panel";
            return lost(what, "winners", self.chosen, "lots with one");
        }
        if self.found >= TELLING && self.awards == 0 {
            let what = "BT-501-Organization-Company";
            return lost(what, "an IČO", self.found, "winners");
        }
        Ok(())
    }
}
