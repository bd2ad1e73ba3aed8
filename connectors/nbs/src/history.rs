//! Continues the history of payment services, and guards both lists of the bank against halves.
//!
//! The lists contain only current licences, so the connector keeps the history. That of the other list is in
//! [`crate::entities`].
//!
//! A licence that is no longer listed is kept as ended. So the number of records never shrinks, and the host's guard
//! against shrunken lists cannot notice half a list. [`check_vanished`] replaces that guard.

use std::collections::BTreeMap;

use lustra_sdk::{Failure, malformed};

use crate::licence::{Held, Licence, Listed, Unreadable};

/// Licences by their keys.
pub type Licences = BTreeMap<String, Held>;

/// The number of licences that may vanish in one day from a list of any length.
const FEW: u64 = 20;

/// The licences of today's list, and those of earlier lists as ended.
///
/// A licence that had ended and is listed again is in force again and keeps its first day.
#[must_use]
pub fn carried_on(
    listed: BTreeMap<String, Listed>,
    before: Licences,
    unreadable: &Unreadable,
    day: &str,
) -> Licences {
    let carried = |(key, held): (String, Held)| {
        let held = if unreadable.may_be_of(&held.ico) {
            held
        } else {
            ended(held, day)
        };
        (key, held)
    };
    let mut licences: Licences = before.into_iter().map(carried).collect();
    for (key, listed) in listed {
        let first_seen_on = licences
            .get(&key)
            .map_or_else(|| day.to_owned(), |held| held.licence.first_seen_on.clone());
        let held = Held {
            ico: listed.ico,
            licence: Licence {
                license_type: listed.license_type,
                country: listed.country,
                valid_from: listed.valid_from,
                ended_on: past(listed.valid_to.as_deref(), day),
                valid_to: listed.valid_to,
                first_seen_on,
            },
        };
        licences.insert(key, held);
    }
    licences
}

/// Ends a licence that is no longer listed.
fn ended(mut held: Held, day: &str) -> Held {
    let licence = &mut held.licence;
    if licence.ended_on.is_none() {
        let own = past(licence.valid_to.as_deref(), day);
        licence.ended_on = own.or_else(|| Some(day.to_owned()));
    }
    held
}

/// The last day of a licence, if it is over. Dates in ISO form compare as texts.
pub fn past(valid_to: Option<&str>, day: &str) -> Option<String> {
    valid_to.filter(|last| *last < day).map(str::to_owned)
}

/// For each stored licence in force, whether a list of services still has it.
pub fn still_listed<'a>(
    listed: &'a BTreeMap<String, Listed>,
    before: &'a Licences,
) -> impl Iterator<Item = bool> + 'a {
    before
        .iter()
        .filter(|(_, held)| held.licence.ended_on.is_none())
        .map(|(key, _)| listed.contains_key(key))
}

/// Refuses a list that lacks too many of the licences in force: half a list is likelier than half a market. Takes for
/// each licence in force whether it is still listed.
///
/// # Errors
/// [`Failure::Malformed`] with the counts.
pub fn check_vanished(
    name: &str,
    still_listed: impl Iterator<Item = bool>,
    most_percent: u64,
) -> Result<(), Failure> {
    let (mut in_force, mut vanished) = (0_u64, 0_u64);
    for is_listed in still_listed {
        in_force += 1;
        vanished += u64::from(!is_listed);
    }
    if vanished > FEW && vanished * 100 > in_force * most_percent {
        return Err(malformed(
            name,
            format!(
                "at most {most_percent} % of the {in_force} licences that were in force no longer listed"
            ),
            format!("{vanished} no longer listed"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(valid_to: Option<&str>) -> Listed {
        Listed {
            ico: "99999901".to_owned(),
            license_type: "banka".to_owned(),
            country: "SK".to_owned(),
            valid_from: None,
            valid_to: valid_to.map(str::to_owned),
        }
    }

    fn list(keys: &[&str]) -> BTreeMap<String, Listed> {
        keys.iter()
            .map(|key| ((*key).to_owned(), listed(None)))
            .collect()
    }

    fn days<'a>(licences: &'a Licences, key: &str) -> (&'a str, Option<&'a str>) {
        let licence = &licences[key].licence;
        (&licence.first_seen_on, licence.ended_on.as_deref())
    }

    #[test]
    fn unlisted_licence_ends_on_the_day_it_vanished() {
        let first = carried_on(
            list(&["a", "b"]),
            Licences::new(),
            &Unreadable::default(),
            "2026-01-15",
        );
        assert_eq!(days(&first, "a"), ("2026-01-15", None));
        let second = carried_on(
            list(&["b", "c"]),
            first,
            &Unreadable::default(),
            "2026-01-16",
        );
        assert_eq!(days(&second, "a"), ("2026-01-15", Some("2026-01-16")));
        assert_eq!(days(&second, "b"), ("2026-01-15", None));
        assert_eq!(days(&second, "c"), ("2026-01-16", None));
        let third = carried_on(list(&["c"]), second, &Unreadable::default(), "2026-01-17");
        assert_eq!(
            days(&third, "a"),
            ("2026-01-15", Some("2026-01-16")),
            "what has ended ended once"
        );
        let fourth = carried_on(
            list(&["a", "c"]),
            third,
            &Unreadable::default(),
            "2026-01-18",
        );
        assert_eq!(days(&fourth, "a"), ("2026-01-15", None), "listed again");
    }

    #[test]
    fn listed_last_day_counts_once_it_is_over() {
        let with = |last| BTreeMap::from([("a".to_owned(), listed(Some(last)))]);
        let last_day = carried_on(
            with("2026-01-15"),
            Licences::new(),
            &Unreadable::default(),
            "2026-01-15",
        );
        assert_eq!(days(&last_day, "a"), ("2026-01-15", None));
        let over = carried_on(
            with("2026-01-15"),
            last_day.clone(),
            &Unreadable::default(),
            "2026-01-16",
        );
        assert_eq!(days(&over, "a"), ("2026-01-15", Some("2026-01-15")));
        let gone = carried_on(
            BTreeMap::new(),
            last_day,
            &Unreadable::default(),
            "2026-01-19",
        );
        assert_eq!(days(&gone, "a"), ("2026-01-15", Some("2026-01-15")));
    }

    #[test]
    fn half_a_list_is_refused_and_a_short_one_may_change() {
        let keys: Vec<String> = (0..200).map(|number| format!("{number:03}")).collect();
        let all: Vec<&str> = keys.iter().map(String::as_str).collect();
        let before = carried_on(
            list(&all),
            Licences::new(),
            &Unreadable::default(),
            "2026-01-15",
        );
        assert!(check_vanished("x", still_listed(&list(&all[..160]), &before), 20).is_ok());
        assert!(check_vanished("x", still_listed(&list(&all[..159]), &before), 20).is_err());
        assert!(check_vanished("x", still_listed(&list(&all[..159]), &before), 21).is_ok());
        let few = carried_on(
            list(&all[..20]),
            Licences::new(),
            &Unreadable::default(),
            "2026-01-15",
        );
        assert!(check_vanished("x", still_listed(&list(&[]), &few), 20).is_ok());
        let ended = carried_on(
            BTreeMap::new(),
            before,
            &Unreadable::default(),
            "2026-01-16",
        );
        assert!(
            check_vanished("x", still_listed(&list(&[]), &ended), 20).is_ok(),
            "only what was in force counts"
        );
    }

    #[test]
    fn unreadable_row_ends_no_licence_of_its_subject() {
        let everyone = Unreadable {
            is_anyones: true,
            ..Unreadable::default()
        };
        let own = Unreadable {
            icos: ["99999901".to_owned()].into(),
            ..Unreadable::default()
        };
        let other = Unreadable {
            icos: ["99999902".to_owned()].into(),
            ..Unreadable::default()
        };
        let none = Unreadable::default();
        for (unreadable, has_ended) in [(everyone, false), (own, false), (other, true)] {
            let first = carried_on(list(&["a"]), Licences::new(), &none, "2026-01-15");
            let second = carried_on(BTreeMap::new(), first, &unreadable, "2026-01-16");
            assert_eq!(days(&second, "a").1.is_some(), has_ended, "{unreadable:?}");
        }
    }
}
