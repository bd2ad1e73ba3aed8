//! Merges a new list with the stored bans: the page shows only current bans, so past ones are kept here.
//!
//! A ban that left the list stays stored. So the number of records never decreases, and the host's guard
//! against shrunken lists cannot detect half a list; [`check_vanished`] replaces that guard.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::{Failure, Notes, malformed};

use crate::ban::{Ban, StoredBan};
use crate::block::{LIST, Unnumbered};

/// Bans by their keys.
pub type Bans = BTreeMap<String, StoredBan>;

/// Number of bans that may vanish in one day, however short the list is.
const FEW: u64 = 5;

/// Today's bans by key, and the numbers of subjects for whom two blocks of one decision differ. The first block
/// is kept and the second is an odd row.
#[must_use]
pub fn by_key(bans: Vec<Ban>, notes: &mut Notes) -> (BTreeMap<String, Ban>, BTreeSet<String>) {
    let (mut listed, mut contradictory) = (BTreeMap::<String, Ban>::new(), BTreeSet::new());
    for ban in bans {
        let key = ban.key();
        match listed.get(&key) {
            Some(first) if *first == ban => {}
            Some(_) => {
                let mut of_block = Notes::default();
                of_block.odd("contradictory_blocks");
                notes.add(&of_block);
                contradictory.insert(ban.ico);
            }
            None => {
                listed.insert(key, ban);
            }
        }
    }
    (listed, contradictory)
}

/// Today's bans, plus those of the previous list that match a block without a number by first day and decision.
#[must_use]
pub fn with_unnumbered(
    mut listed: BTreeMap<String, Ban>,
    before: &Bans,
    unnumbered: &[Unnumbered],
) -> BTreeMap<String, Ban> {
    for (key, kept) in before {
        let is_same = |block: &Unnumbered| {
            block.banned_from == kept.ban.banned_from
                && block.decision_number == kept.ban.decision_number
        };
        if kept.removed_on.is_none() && unnumbered.iter().any(is_same) {
            listed
                .entry(key.clone())
                .or_insert_with(|| kept.ban.clone());
        }
    }
    listed
}

/// The bans of today's list and, marked as removed, those that only earlier lists contained.
///
/// A ban that is listed again counts as never removed and keeps its first day seen.
#[must_use]
pub fn carried_on(listed: BTreeMap<String, Ban>, before: Bans, day: &str) -> Bans {
    let mut bans = before;
    for (key, kept) in &mut bans {
        if !listed.contains_key(key) && kept.removed_on.is_none() {
            kept.removed_on = Some(day.to_owned());
        }
    }
    for (key, ban) in listed {
        let first_seen_on = bans
            .get(&key)
            .map_or_else(|| day.to_owned(), |kept| kept.first_seen_on.clone());
        let kept = StoredBan {
            status: ban.status(None, day),
            ban,
            first_seen_on,
            removed_on: None,
        };
        bans.insert(key, kept);
    }
    for kept in bans.values_mut() {
        kept.status = kept.status_on(day);
    }
    bans
}

/// Like [`carried_on`], for a partly unreadable list: a ban that seems to be gone may be in an unreadable
/// block, so it stays unchanged.
#[must_use]
pub fn kept_beside(listed: BTreeMap<String, Ban>, before: Bans, day: &str) -> Bans {
    let mut all = listed;
    for (key, kept) in &before {
        if kept.removed_on.is_none() {
            all.entry(key.clone()).or_insert_with(|| kept.ban.clone());
        }
    }
    carried_on(all, before, day)
}

/// Rejects a list from which too many unexpired bans have vanished.
///
/// # Errors
/// [`Failure::Malformed`] with the counts.
pub fn check_vanished(
    listed: &BTreeMap<String, Ban>,
    before: &Bans,
    day: &str,
    most_percent: u64,
) -> Result<(), Failure> {
    let (mut in_force, mut vanished) = (0_u64, 0_u64);
    for (key, kept) in before {
        let has_run_out = kept
            .ban
            .banned_until
            .as_deref()
            .is_some_and(|until| until < day);
        if kept.removed_on.is_none() && !has_run_out {
            in_force += 1;
            vanished += u64::from(!listed.contains_key(key));
        }
    }
    if vanished > FEW && vanished * 100 > in_force * most_percent {
        return Err(malformed(
            LIST,
            format!(
                "at most {most_percent} % of the {in_force} bans that were listed and hold gone"
            ),
            format!("{vanished} gone"),
        ));
    }
    Ok(())
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests {
    use super::*;
    use crate::ban::Status;

    fn ban(number: usize, until: Option<&str>) -> Ban {
        Ban {
            ico: format!("{:08}", 99_000_000 + number),
            decision_number: Some(format!("{number}/2026")),
            decision_date: None,
            final_on: None,
            legal_basis: None,
            violation_reason: None,
            banned_from: "2026-01-10".to_owned(),
            banned_until: until.map(str::to_owned),
            related_persons: Vec::new(),
        }
    }

    fn listed(bans: Vec<Ban>) -> BTreeMap<String, Ban> {
        by_key(bans, &mut Notes::default()).0
    }

    fn list(count: usize) -> BTreeMap<String, Ban> {
        listed((0..count).map(|number| ban(number, None)).collect())
    }

    #[test]
    fn ban_no_longer_listed_is_kept() {
        let one = listed(vec![ban(1, Some("2026-01-16"))]);
        let key = one.keys().next().unwrap().clone();
        let none = BTreeMap::new();
        let summary = |bans: &Bans| {
            let kept = &bans[&key];
            (
                kept.status,
                kept.first_seen_on.clone(),
                kept.removed_on.clone(),
            )
        };
        let text = |day: &str| day.to_owned();
        let first = carried_on(one.clone(), Bans::new(), "2026-01-09");
        assert_eq!(
            summary(&first),
            (Status::Upcoming, text("2026-01-09"), None)
        );
        let early = carried_on(none.clone(), first.clone(), "2026-01-15");
        let left = Some(text("2026-01-15"));
        assert_eq!(summary(&early), (Status::Removed, text("2026-01-09"), left));
        let again = carried_on(one.clone(), early, "2026-01-16");
        assert_eq!(summary(&again), (Status::Active, text("2026-01-09"), None));
        let over = carried_on(one, again.clone(), "2026-01-17");
        assert_eq!(summary(&over), (Status::Ended, text("2026-01-09"), None));
        let late = carried_on(none, again, "2026-01-18");
        let left = Some(text("2026-01-18"));
        assert_eq!(summary(&late), (Status::Ended, text("2026-01-09"), left));
    }

    #[test]
    fn unreadable_block_prevents_removals() {
        let first = carried_on(list(2), Bans::new(), "2026-01-09");
        let second = kept_beside(list(1), first, "2026-01-15");
        assert!(second.values().all(|kept| kept.removed_on.is_none()));
        let third = carried_on(list(1), second, "2026-01-16");
        let removed = third.values().filter(|kept| kept.removed_on.is_some());
        assert_eq!(removed.count(), 1);
    }

    #[test]
    fn half_a_list_is_refused() {
        let day = "2026-01-15";
        let before = carried_on(list(20), Bans::new(), day);
        assert!(check_vanished(&list(8), &before, day, 60).is_ok());
        assert!(check_vanished(&list(7), &before, day, 60).is_err());
        let few = carried_on(list(5), Bans::new(), day);
        assert!(check_vanished(&list(0), &few, day, 60).is_ok());
        let ended = listed(
            (0..20)
                .map(|number| ban(number, Some("2026-01-14")))
                .collect(),
        );
        let ended = carried_on(ended, Bans::new(), "2026-01-12");
        assert!(check_vanished(&list(0), &ended, day, 60).is_ok());
    }

    #[test]
    fn contradicting_blocks_keep_the_ban() {
        let mut notes = Notes::default();
        let (same, none) = by_key(vec![ban(1, None), ban(1, None)], &mut notes);
        assert_eq!((same.len(), none.len(), notes.odd_rows()), (1, 0, 0));
        let bans = vec![ban(1, None), ban(1, Some("2027-01-01")), ban(2, None)];
        let (both, contradictory) = by_key(bans, &mut notes);
        assert_eq!((both.len(), notes.odd_rows()), (2, 1));
        assert_eq!(contradictory, BTreeSet::from(["99000001".to_owned()]));
    }

    #[test]
    fn ban_matching_unnumbered_block_stays() {
        let day = "2026-01-15";
        let before = carried_on(list(3), Bans::new(), "2026-01-09");
        let block = |decision: &str| Unnumbered {
            banned_from: "2026-01-10".to_owned(),
            decision_number: Some(decision.to_owned()),
        };
        let today = with_unnumbered(list(1), &before, &[block("1/2026"), block("9/2026")]);
        let bans = carried_on(today, before, day);
        let removed: Vec<&str> = bans
            .values()
            .filter(|kept| kept.removed_on.is_some())
            .map(|kept| kept.ban.ico.as_str())
            .collect();
        assert_eq!(removed, ["99000002"]);
    }
}
