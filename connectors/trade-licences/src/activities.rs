//! Reads a record's activities, and their status on a day.

use std::collections::BTreeMap;

use lustra_rpo_records::UPSTREAM;
use lustra_rpo_records::status::day;
use lustra_sdk::{Failure, http, malformed, text};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::source::Source;

/// The activities of an entity. The rest of it is skipped.
#[derive(Deserialize)]
struct Entity {
    #[serde(default, deserialize_with = "present")]
    activities: Activities,
}

/// The list of activities, and how the record has it.
#[derive(Default)]
enum Activities {
    #[default]
    LeftOut,
    Null,
    Listed(Vec<Value>),
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Activities, D::Error> {
    let rows = Option::deserialize(value)?;
    Ok(rows.map_or(Activities::Null, Activities::Listed))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    economic_activity_description: Option<String>,
    valid_from: Option<String>,
    valid_to: Option<String>,
    suspended_from: Option<String>,
    suspended_to: Option<String>,
}

/// An activity. Days are `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    /// The activity in the register's words.
    pub text: String,
    pub since: Option<String>,
    /// Whether the register has closed the activity.
    pub is_closed: bool,
    pub until: Option<String>,
    /// The first day of the pause.
    pub suspended_from: Option<String>,
    /// The last day of the pause. `None` for an indefinite pause.
    pub suspended_to: Option<String>,
}

/// The status of an activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The company may carry on the activity.
    Active,
    Suspended,
    /// The activity's first day is in the future.
    Future,
    Ended,
}

impl Activity {
    /// The status on a day.
    #[must_use]
    pub fn status(&self, today: &str) -> Status {
        let is_past = |last: &Option<String>| last.as_deref().is_some_and(|last| last < today);
        let has_come =
            |first: &Option<String>| first.as_deref().is_some_and(|first| first <= today);
        if self.is_closed && (self.until.is_none() || is_past(&self.until)) {
            Status::Ended
        } else if self.since.is_some() && !has_come(&self.since) {
            Status::Future
        } else if has_come(&self.suspended_from) && !is_past(&self.suspended_to) {
            Status::Suspended
        } else {
            Status::Active
        }
    }
}

/// The activities of a record, and how many of its rows could not be read.
#[derive(Debug, Default)]
pub struct Read {
    pub activities: Vec<Activity>,
    pub odd_rows: usize,
}

/// Reads the activities of an entity's JSON, without repetitions. A row without a text or with an invalid day is skipped
/// and counted. A record that was entered again has each activity
/// twice. The interface's documentation lets a record without activities leave the list out.
///
/// # Errors
/// [`Failure::Malformed`] if the list is null, or left out of a record of the trade register, where each record has a
/// trade; and if no row can be read.
pub fn read(entity: &str, source: Source) -> Result<Read, Failure> {
    let entity: Entity = http::read_json(UPSTREAM, entity)?;
    let place = |name: &str| format!("entity of rpo: /activities{name}");
    let rows = match (entity.activities, source) {
        (Activities::Listed(rows), _) => rows,
        (Activities::LeftOut, Source::CommercialRegister) => return Ok(Read::default()),
        (Activities::LeftOut, Source::TradeRegister) | (Activities::Null, _) => {
            let expected = "a list, an empty one for none";
            return Err(malformed(place(""), expected, "none"));
        }
    };
    let mut known: BTreeMap<(String, Option<String>, bool, Option<String>), Activity> =
        BTreeMap::new();
    let mut odd = Vec::new();
    for (number, row) in rows.into_iter().enumerate() {
        let place = |name: &str| place(&format!("/{number}/{name}"));
        let row = serde_json::from_value(row)
            .map_err(|error| malformed(place(""), "an activity", error.to_string()));
        let activity = match row.and_then(|row| activity(&row, &place)) {
            Ok(activity) => activity,
            Err(failure) => {
                odd.push(failure);
                continue;
            }
        };
        let key = (
            activity.text.clone(),
            activity.since.clone(),
            activity.is_closed,
            activity.until.clone(),
        );
        let other = known.entry(key).or_insert_with(|| activity.clone());
        // If two differ in the pause, the later pause counts.
        if (&other.suspended_from, &other.suspended_to)
            < (&activity.suspended_from, &activity.suspended_to)
        {
            *other = activity;
        }
    }
    let odd_rows = odd.len();
    match odd.into_iter().next() {
        Some(failure) if known.is_empty() => Err(failure),
        Some(_) | None => Ok(Read {
            activities: known.into_values().collect(),
            odd_rows,
        }),
    }
}

fn activity(row: &Row, place: &dyn Fn(&str) -> String) -> Result<Activity, Failure> {
    let raw = row.economic_activity_description.as_deref();
    // Rows of the commercial register end with a comma.
    let words = raw
        .map(text::squeeze)
        .map(|words| words.trim_end_matches([',', ';', ' ']).to_owned());
    let Some(text) = words.filter(|words| !words.is_empty()) else {
        return Err(malformed(
            place("economicActivityDescription"),
            "a text",
            raw.unwrap_or("none"),
        ));
    };
    let read = |raw: &Option<String>, name: &str| day(raw.as_deref(), &place(name));
    Ok(Activity {
        text,
        since: read(&row.valid_from, "validFrom")?,
        is_closed: row
            .valid_to
            .as_deref()
            .is_some_and(|last| !last.trim().is_empty()),
        until: read(&row.valid_to, "validTo")?,
        suspended_from: read(&row.suspended_from, "suspendedFrom")?,
        suspended_to: read(&row.suspended_to, "suspendedTo")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(since: Option<&str>, until: Option<&str>, pause: Option<(&str, Option<&str>)>) -> Status {
        let activity = Activity {
            text: "x".to_owned(),
            since: since.map(str::to_owned),
            is_closed: until.is_some(),
            until: until.filter(|until| !until.is_empty()).map(str::to_owned),
            suspended_from: pause.map(|(from, _)| from.to_owned()),
            suspended_to: pause.and_then(|(_, to)| to.map(str::to_owned)),
        };
        activity.status("2026-01-15")
    }

    #[test]
    fn the_first_and_the_last_day_count() {
        let since = Some("2026-01-15");
        assert_eq!(of(None, None, None), Status::Active);
        assert_eq!(of(since, Some("2026-01-15"), None), Status::Active);
        assert_eq!(of(Some("2026-01-16"), None, None), Status::Future);
        assert_eq!(of(None, Some("2026-01-14"), None), Status::Ended);
        assert_eq!(of(None, Some(""), None), Status::Ended, "no day of the end");
        for (pause, status) in [
            (("2026-01-15", None), Status::Suspended),
            (("2025-01-15", Some("2026-01-15")), Status::Suspended),
            (("2025-01-15", Some("2026-01-14")), Status::Active),
            (("2026-01-16", Some("2026-02-14")), Status::Active),
        ] {
            assert_eq!(of(None, None, Some(pause)), status, "{pause:?}");
        }
        assert_eq!(
            of(None, Some("2026-01-14"), Some(("2025-01-15", None))),
            Status::Ended
        );
    }
}
