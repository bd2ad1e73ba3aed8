//! Import runs over the register of barred persons.
//!
//! A run reads the whole register and merges it with the previous import. A resumed run reads both again and
//! continues only if the result is the same.

use std::collections::BTreeSet;

use lustra_sdk::snapshot::Snapshot;
use lustra_sdk::{Failure, ImportRun, Item, Notes, malformed, records, runtime};

use serde::Serialize;

use crate::asking::Asking;
use crate::ban::StoredBan;
use crate::block::{self, LIST};
use crate::history::{self, Bans};
use crate::listing;
use crate::settings::Settings;

pub const DATASET: &str = "debarred";

/// Key prefix of records for companies with an unreadable block.
pub const UNREADABLE: &str = "unreadable/";

/// The empty content of such a record: its existence is the information.
#[derive(Debug, Default, Serialize)]
struct Unreadable {}

/// Maximum number of pages; the register has some tens of entries.
const MAX_PAGES: u64 = 200;

/// Starts a run, or resumes one.
///
/// # Errors
/// The site's failure; [`Failure::Malformed`] for a changed format or an incomplete list;
/// [`lustra_sdk::failure::list_changed`] if the cursor belongs to another list.
pub fn open(cursor: Option<&str>) -> Result<Box<dyn ImportRun>, Failure> {
    let Settings {
        most_vanished_percent,
        lists,
        debarred,
        ..
    } = Settings::read()?;
    let mut notes = Notes::default();
    let listed = listing::read(
        LIST,
        &debarred.path,
        &mut Asking::within(MAX_PAGES),
        &lists,
        |page| block::read(page, &debarred, &mut notes),
        |block| block.text.clone(),
    )?;
    if !listed.is_whole() {
        return Err(malformed(
            format!("{LIST}: entries"),
            format!("{} on at most {MAX_PAGES} pages", listed.total),
            format!("{} of them", listed.entries.len()),
        ));
    }
    let blocks = listed.entries.len();
    let mut unreadable: BTreeSet<String> = listed
        .entries
        .iter()
        .flat_map(|block| block.unreadable.iter().cloned())
        .collect();
    let unnumbered: Vec<_> = listed
        .entries
        .iter()
        .filter_map(|block| block.without_number.clone())
        .collect();
    let bans: Vec<_> = listed
        .entries
        .into_iter()
        .filter_map(|block| block.ban)
        .collect();
    let count = bans.len();
    let (bans, contradictory) = history::by_key(bans, &mut notes);
    unreadable.extend(contradictory);
    notes.check_odd_rows(LIST)?;
    let has_odd = notes.odd_rows() > 0;
    if (blocks > 1 && count * 2 < blocks) || (has_odd && count == 0) {
        return Err(malformed(
            format!("{LIST}: ico"),
            "a number in most blocks",
            format!("one in {count} of {blocks}"),
        ));
    }
    let (day, before) = (runtime::today(), published()?);
    let bans = history::with_unnumbered(bans, &before, &unnumbered);
    history::check_vanished(&bans, &before, &day, most_vanished_percent)?;
    let kept = if has_odd {
        history::kept_beside(bans, before, &day)
    } else {
        history::carried_on(bans, before, &day)
    };
    let mut items: Vec<Item> = kept
        .iter()
        .map(|(key, kept)| records::item(key, Some(&kept.ban.ico), kept))
        .collect::<Result<_, _>>()?;
    for ico in &unreadable {
        let key = format!("{UNREADABLE}{ico}");
        items.push(records::item(key, Some(ico), &Unreadable::default())?);
    }
    Snapshot::of(items, notes, None).open(cursor)
}

/// The records of the newest complete import.
fn published() -> Result<Bans, Failure> {
    let mut bans = Bans::new();
    records::each_of_key(DATASET, "", |stored| {
        if !stored.key.starts_with(UNREADABLE) {
            let ban = StoredBan::of(&stored)?;
            bans.insert(stored.key, ban);
        }
        Ok(())
    })?;
    Ok(bans)
}
