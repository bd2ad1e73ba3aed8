//! Reads the history from a record's JSON, as the interface and the dumps share it.
//!
//! Types differ between both: an amount is a number or a text, a code is an object or its label. So a value is read
//! in any of these types ([`values`]). A row in another form is counted and left out.

mod holders;
mod places;
mod units;
mod values;

use std::num::NonZeroU32;

use lustra_sdk::{Failure, date, malformed};
use serde::Deserialize;
use serde_json::value::RawValue;

use self::holders::{DepositRow, PersonRow, RelativeRow, ShareRow};
use self::places::SeatRow;
use self::units::UnitRow;
use self::values::{Coded, Loose};
use super::codes;
use super::kept::{Activities, Equity, History, State, Text, Validity};

/// Maximum length of an unreadable date that is kept.
const DATE_CHARACTERS: usize = 20;

/// Most activities in one group, so that a large history can be shortened by rows.
const MOST_ACTIVITIES: usize = 100;

/// The arrays of a record, not read yet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Arrays<'a> {
    #[serde(borrow)]
    full_names: Option<&'a RawValue>,
    #[serde(borrow)]
    addresses: Option<&'a RawValue>,
    #[serde(borrow)]
    legal_forms: Option<&'a RawValue>,
    #[serde(borrow)]
    legal_statuses: Option<&'a RawValue>,
    #[serde(borrow)]
    activities: Option<&'a RawValue>,
    #[serde(borrow)]
    statutory_bodies: Option<&'a RawValue>,
    #[serde(borrow)]
    stakeholders: Option<&'a RawValue>,
    #[serde(borrow)]
    authorizations: Option<&'a RawValue>,
    #[serde(borrow)]
    deposits: Option<&'a RawValue>,
    #[serde(borrow)]
    equities: Option<&'a RawValue>,
    #[serde(borrow)]
    shares: Option<&'a RawValue>,
    #[serde(borrow)]
    predecessors: Option<&'a RawValue>,
    #[serde(borrow)]
    successors: Option<&'a RawValue>,
    #[serde(borrow)]
    other_legal_facts: Option<&'a RawValue>,
    #[serde(borrow)]
    organization_units: Option<&'a RawValue>,
}

impl History {
    /// Reads the history of a record. `ended` is the day of the company's end.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the text is not a JSON object.
    pub fn read(json: &str, ended: Option<&str>) -> Result<Self, Failure> {
        let arrays: Arrays<'_> = serde_json::from_str(json)
            .map_err(|error| malformed("record", "a JSON object", error.to_string()))?;
        let odd = &mut 0;
        let mut odd_in_units = 0;
        let types = |list| move |row: PersonRow| row.kept(list);
        let mut history = Self {
            names: rows(arrays.full_names, odd, TextRow::kept),
            seats: rows(arrays.addresses, odd, SeatRow::kept),
            forms: rows(arrays.legal_forms, odd, StateRow::kept),
            statuses: rows(arrays.legal_statuses, odd, StateRow::kept),
            activities: grouped(rows(arrays.activities, odd, ActivityRow::kept)),
            statutory: rows(
                arrays.statutory_bodies,
                odd,
                types(codes::List::StatutoryBodies),
            ),
            stakeholders: rows(arrays.stakeholders, odd, types(codes::List::Stakeholders)),
            authorizations: rows(arrays.authorizations, odd, TextRow::kept),
            deposits: rows(arrays.deposits, odd, DepositRow::kept),
            equities: rows(arrays.equities, odd, EquityRow::kept),
            shares: rows(arrays.shares, odd, ShareRow::kept),
            predecessors: rows(arrays.predecessors, odd, RelativeRow::kept),
            successors: rows(arrays.successors, odd, RelativeRow::kept),
            facts: rows(arrays.other_legal_facts, odd, TextRow::kept),
            units: rows(arrays.organization_units, odd, |row: UnitRow<'_>| {
                row.kept(&mut odd_in_units)
            }),
            ended: ended.map(str::to_owned),
            unreadable: None,
            dropped: None,
        };
        history.unreadable = NonZeroU32::new(*odd + odd_in_units);
        Ok(history)
    }

    /// The history of a record that cannot be read.
    #[must_use]
    pub fn unreadable() -> Self {
        Self {
            unreadable: Some(NonZeroU32::MIN),
            ..Self::default()
        }
    }
}

/// Reads the rows of an array. Rows that say nothing are left out; unreadable ones are counted too.
fn rows<'a, R: Deserialize<'a>, T>(
    array: Option<&'a RawValue>,
    odd: &mut u32,
    mut kept: impl FnMut(R) -> Option<T>,
) -> Vec<T> {
    let Some(array) = array else {
        return Vec::new();
    };
    if let Ok(rows) = serde_json::from_str::<Vec<R>>(array.get()) {
        return rows.into_iter().filter_map(&mut kept).collect();
    }
    let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(array.get()) else {
        *odd += 1;
        return Vec::new();
    };
    let mut all = Vec::new();
    for row in rows {
        match serde_json::from_str::<R>(row.get()) {
            Ok(row) => all.extend(kept(row)),
            Err(_) => *odd += 1,
        }
    }
    all
}

/// Joins neighbours with the same validity, up to [`MOST_ACTIVITIES`].
fn grouped(rows: Vec<Activities>) -> Vec<Activities> {
    let mut groups: Vec<Activities> = Vec::new();
    for row in rows {
        match groups.last_mut().filter(|group| {
            group.texts.len() < MOST_ACTIVITIES
                && group.validity == row.validity
                && group.suspended_from == row.suspended_from
                && group.suspended_to == row.suspended_to
        }) {
            Some(group) => group.texts.extend(row.texts),
            None => groups.push(row),
        }
    }
    groups
}

/// A validity as published. A date that cannot be read is kept, so that it is not taken for an open end.
fn validity(from: Loose, to: Loose) -> Validity {
    Validity {
        from: day(from),
        to: day(to),
    }
}

fn day(Loose(raw): Loose) -> Option<String> {
    let raw = raw?;
    Some(date::parse(&raw).unwrap_or_else(|| raw.chars().take(DATE_CHARACTERS).collect()))
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TextRow {
    value: Loose,
    valid_from: Loose,
    valid_to: Loose,
}

impl TextRow {
    fn kept(self) -> Option<Text> {
        Some(Text {
            text: self.value.0?,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StateRow {
    value: Coded,
    valid_from: Loose,
    valid_to: Loose,
}

impl StateRow {
    fn kept(self) -> Option<State> {
        let Coded { code, label } = self.value;
        let label = label.filter(|_| code.is_none());
        (code.is_some() || label.is_some()).then(|| State {
            code,
            label,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ActivityRow {
    economic_activity_description: Loose,
    suspended_from: Loose,
    suspended_to: Loose,
    valid_from: Loose,
    valid_to: Loose,
}

impl ActivityRow {
    fn kept(self) -> Option<Activities> {
        Some(Activities {
            texts: vec![self.economic_activity_description.0?],
            suspended_from: day(self.suspended_from),
            suspended_to: day(self.suspended_to),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct EquityRow {
    value: Loose,
    value_paid: Loose,
    value_approved: Loose,
    currency: Coded,
    valid_from: Loose,
    valid_to: Loose,
}

impl EquityRow {
    fn kept(self) -> Option<Equity> {
        Some(Equity {
            value: self.value.0,
            paid: self.value_paid.0,
            approved: self.value_approved.0,
            currency: self.currency.code(),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[cfg(test)]
mod tests;
