//! The records of a batch in progress.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::records::Stored;
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Failure, Item, Notes, malformed, records, unread};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::award::{Sequence, awards_of, correction_of};
use crate::contact::Contact;
use crate::facts::{self, Facts, NoticePosition};
use crate::gaps::{UnreadNotice, unread_of};
use crate::issue::{self, Content, Issue};
use crate::names::DATASET;
use crate::notice::Notice;
use crate::numbers;
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
    /// The number of unread notices that name no company by its number.
    pub unassigned: u64,
    /// Whether later issues were read before this one, so that their records are newer.
    is_late: bool,
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

    /// As [`Pending::behind`], of an issue that is read after later ones.
    #[must_use]
    pub fn late(items: u64, odd: u64) -> Self {
        Self {
            is_late: true,
            ..Self::behind(items, odd)
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
        let position = NoticePosition {
            year: issue.issue.year,
            number: issue.issue.number,
            item: u32::try_from(item).unwrap_or(u32::MAX),
            published_at: issue.published_at.clone(),
        };
        self.notes.row();
        let json = match issue::content(&position.to_string(), raw) {
            Ok(Content::Notice(json)) => json,
            Ok(Content::Xml(xml)) => {
                self.notes.count("xml_notices");
                return self.unread(&position, numbers::in_xml(&xml));
            }
            Err(failure) => {
                self.odd("unreadable_items", failure)?;
                return self.unread(&position, numbers::in_json(raw.get()));
            }
        };
        let notice = match Notice::read(&position.to_string(), &json) {
            Ok(notice) => notice,
            Err(failure) => {
                self.odd("unreadable_notices", failure)?;
                return self.unread(&position, numbers::in_json(&json));
            }
        };
        self.notices += 1;
        self.with_kind += u64::from(notice.kind().is_some());
        match facts::read(
            &position,
            &notice,
            &settings.role_addresses,
            &mut self.notes,
        ) {
            Ok(facts) => self.keep(&facts),
            Err(failure) => {
                self.odd("notices_of_unknown_form", failure)?;
                let organisations = notice.organisations().into_iter();
                let named = organisations.filter(|organisation| !organisation.is_office());
                self.unread(&position, named.filter_map(|named| named.ico).collect())
            }
        }
    }

    /// Keeps that a notice is not read, for each company that it names.
    fn unread(
        &mut self,
        position: &NoticePosition,
        companies: BTreeSet<String>,
    ) -> Result<(), Failure> {
        if companies.is_empty() {
            self.notes.count("unassigned_notices");
            self.unassigned += 1;
        }
        for ico in companies {
            let NoticePosition {
                year, number, item, ..
            } = position;
            let key = format!("{}{year}-{number}-{item}", unread_of(&ico));
            let notice = UnreadNotice {
                published_at: position.published_at.clone(),
            };
            self.put(key, Some(&ico), &notice)?;
        }
        Ok(())
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
            let mark = correction_of(procedure, &correction.lot);
            if self.has_newer(&mark, correction.sequence)? {
                continue;
            }
            let awards = awards_of(procedure, &correction.lot);
            self.remove_awards(&awards, correction.sequence)?;
            self.put(mark, None, correction)?;
        }
        for (ico, award) in &facts.awards {
            let key = award.key(ico);
            if !self.has_newer(&key, award.sequence)? {
                self.put(key, Some(ico), award)?;
            }
        }
        for (ico, contact) in &facts.contacts {
            let key = contact.key(ico);
            if !self.is_known_later(&key, contact)? {
                self.put(key, Some(ico), contact)?;
            }
        }
        Ok(())
    }

    /// Whether the record with this key is from a later notice.
    fn has_newer(&self, key: &str, sequence: Sequence) -> Result<bool, Failure> {
        let stored = self.stored(key)?;
        Ok(stored.is_some_and(|stored| is_newer(&stored.content, sequence)))
    }

    /// Whether the contact was seen in a later issue.
    fn is_known_later(&self, key: &str, contact: &Contact) -> Result<bool, Failure> {
        let stored = self.stored(key)?;
        let stored = stored.and_then(|stored| records::content::<Contact>(&stored).ok());
        Ok(stored.is_some_and(|stored| stored.observed_on > contact.observed_on))
    }

    /// The stored record with this key, if it may be newer. Issues in ascending order find only older records.
    fn stored(&self, key: &str) -> Result<Option<Stored>, Failure> {
        if !self.is_late {
            return Ok(None);
        }
        let found = records::by_key(DATASET, key, 1)?;
        Ok(found.into_iter().find(|stored| stored.key == key))
    }

    /// Removes a lot's earlier awards from the store and from this batch. The correction adds its own awards
    /// afterwards.
    fn remove_awards(&mut self, prefix: &str, sequence: Sequence) -> Result<(), Failure> {
        for stored in records::all_of_key(DATASET, prefix)? {
            if !is_newer(&stored.content, sequence) {
                self.remove(stored.key, stored.ico);
            }
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

    /// Removes a record.
    pub fn remove(&mut self, key: String, ico: Option<String>) {
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

/// The part of awards and corrections that orders them.
#[derive(Deserialize)]
struct Positioned {
    sequence: Sequence,
}

/// Whether a stored award or correction is from a later notice. A record of another form counts as older.
fn is_newer(content: &str, sequence: Sequence) -> bool {
    serde_json::from_str::<Positioned>(content).is_ok_and(|stored| stored.sequence > sequence)
}
