//! Reads the history from a record's JSON, as the interface and the dumps share it.
//!
//! Types differ between both: an amount is a number or a text, a code is an object or its label. So a value is read
//! in any of these types ([`values`]). A row in another form is counted and left out.

mod holders;
mod places;
mod units;
mod values;

use std::borrow::Cow;
use std::num::NonZeroU32;

use lustra_sdk::{Failure, date, malformed};
use serde::Deserialize;
use serde_json::value::RawValue;

pub(super) use self::holders::{DepositRow, PersonRow, RelativeRow, ShareRow};
pub(super) use self::places::SeatRow;
pub(super) use self::units::UnitRow;
use self::values::{Coded, Loose};
use super::codes;
use super::kept::{Activities, Equity, History, State, Text, Validity};

/// Maximum length of an unreadable date that is kept.
const DATE_CHARACTERS: usize = 20;

/// Most activities in one group, so that a large history can be shortened by rows.
const MAX_ACTIVITIES: usize = 100;

/// The arrays of a record, each read into `Vec<R>` for its type of rows, or not read yet.
macro_rules! arrays {
    ($($array:ident: $row:ident),* $(,)?) => {
        /// The arrays with rows in the usual form. Reads a record once, so it is tried first.
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub(super) struct UsualArrays<'a> {
            $(#[serde(borrow)] pub(super) $array: Option<Vec<$row<'a>>>,)*
        }

        /// The arrays, not read yet.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Arrays<'a> {
            $(#[serde(borrow)] $array: Option<&'a RawValue>,)*
        }

        impl<'a> UsualArrays<'a> {
            /// Reads the rows one by one. Counts those in another form.
            fn tolerant(arrays: &Arrays<'a>, odd: &mut u32) -> Self {
                Self {
                    $($array: Some(rows(arrays.$array, odd)),)*
                }
            }
        }
    };
}

arrays! {
    full_names: TextRow,
    addresses: SeatRow,
    legal_forms: StateRow,
    legal_statuses: StateRow,
    activities: ActivityRow,
    statutory_bodies: PersonRow,
    stakeholders: PersonRow,
    authorizations: TextRow,
    deposits: DepositRow,
    equities: EquityRow,
    shares: ShareRow,
    predecessors: RelativeRow,
    successors: RelativeRow,
    other_legal_facts: TextRow,
    organization_units: UnitRow,
}

impl History {
    /// Reads the history of a record. `ended` is the day of the company's end.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the text is not a JSON object.
    pub fn read(json: &str, ended: Option<&str>) -> Result<Self, Failure> {
        if let Ok(arrays) = serde_json::from_str::<UsualArrays<'_>>(json) {
            return Ok(Self::of(arrays, ended, 0));
        }
        let arrays: Arrays<'_> = serde_json::from_str(json)
            .map_err(|error| malformed("record", "a JSON object", error.to_string()))?;
        let mut odd = 0;
        let arrays = UsualArrays::tolerant(&arrays, &mut odd);
        Ok(Self::of(arrays, ended, odd))
    }

    /// `odd` is the number of rows that could not be read.
    pub(super) fn of(arrays: UsualArrays<'_>, ended: Option<&str>, odd: u32) -> Self {
        let mut odd_in_units = 0;
        let types = |list| move |row: PersonRow<'_>| row.kept(list);
        let mut history = Self {
            names: kept(arrays.full_names, TextRow::kept),
            seats: kept(arrays.addresses, SeatRow::kept),
            forms: kept(arrays.legal_forms, StateRow::kept),
            statuses: kept(arrays.legal_statuses, StateRow::kept),
            activities: grouped(kept(arrays.activities, ActivityRow::kept)),
            statutory: kept(arrays.statutory_bodies, types(codes::List::StatutoryBodies)),
            stakeholders: kept(arrays.stakeholders, types(codes::List::Stakeholders)),
            authorizations: kept(arrays.authorizations, TextRow::kept),
            deposits: kept(arrays.deposits, DepositRow::kept),
            equities: kept(arrays.equities, EquityRow::kept),
            shares: kept(arrays.shares, ShareRow::kept),
            predecessors: kept(arrays.predecessors, RelativeRow::kept),
            successors: kept(arrays.successors, RelativeRow::kept),
            facts: kept(arrays.other_legal_facts, TextRow::kept),
            units: kept(arrays.organization_units, |row: UnitRow<'_>| {
                row.kept(&mut odd_in_units)
            }),
            ended: ended.map(str::to_owned),
            unreadable: None,
            dropped: None,
        };
        history.unreadable = NonZeroU32::new(odd + odd_in_units);
        history
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

/// The rows that say something.
fn kept<R, T>(rows: Option<Vec<R>>, kept: impl FnMut(R) -> Option<T>) -> Vec<T> {
    rows.unwrap_or_default()
        .into_iter()
        .filter_map(kept)
        .collect()
}

/// Reads the rows of an array. Unreadable ones are left out and counted.
fn rows<'a, R: Deserialize<'a>>(array: Option<&'a RawValue>, odd: &mut u32) -> Vec<R> {
    let Some(array) = array else {
        return Vec::new();
    };
    if let Ok(rows) = serde_json::from_str::<Vec<R>>(array.get()) {
        return rows;
    }
    let Ok(rows) = serde_json::from_str::<Vec<&RawValue>>(array.get()) else {
        *odd += 1;
        return Vec::new();
    };
    let mut all = Vec::new();
    for row in rows {
        match serde_json::from_str::<R>(row.get()) {
            Ok(row) => all.push(row),
            Err(_) => *odd += 1,
        }
    }
    all
}

/// Joins neighbours with the same validity, up to [`MAX_ACTIVITIES`].
fn grouped(rows: Vec<Activities>) -> Vec<Activities> {
    let mut groups: Vec<Activities> = Vec::new();
    for row in rows {
        match groups.last_mut().filter(|group| {
            group.texts.len() < MAX_ACTIVITIES
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
fn validity(from: Loose<'_>, to: Loose<'_>) -> Validity {
    Validity {
        from: day(from),
        to: day(to),
    }
}

fn day(Loose(raw): Loose<'_>) -> Option<String> {
    let raw = raw?;
    Some(date::parse(&raw).unwrap_or_else(|| raw.chars().take(DATE_CHARACTERS).collect()))
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct TextRow<'a> {
    #[serde(borrow)]
    value: Loose<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl TextRow<'_> {
    fn kept(self) -> Option<Text> {
        Some(Text {
            text: self.value.kept()?,
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StateRow<'a> {
    #[serde(borrow)]
    value: Coded<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl StateRow<'_> {
    fn kept(self) -> Option<State> {
        let Coded { code, label } = self.value;
        let label = label.filter(|_| code.is_none());
        (code.is_some() || label.is_some()).then(|| State {
            code: code.map(Cow::into_owned),
            label: label.map(Cow::into_owned),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ActivityRow<'a> {
    #[serde(borrow)]
    economic_activity_description: Loose<'a>,
    #[serde(borrow)]
    suspended_from: Loose<'a>,
    #[serde(borrow)]
    suspended_to: Loose<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl ActivityRow<'_> {
    fn kept(self) -> Option<Activities> {
        Some(Activities {
            texts: vec![self.economic_activity_description.kept()?],
            suspended_from: day(self.suspended_from),
            suspended_to: day(self.suspended_to),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct EquityRow<'a> {
    #[serde(borrow)]
    value: Loose<'a>,
    #[serde(borrow)]
    value_paid: Loose<'a>,
    #[serde(borrow)]
    value_approved: Loose<'a>,
    #[serde(borrow)]
    currency: Coded<'a>,
    #[serde(borrow)]
    valid_from: Loose<'a>,
    #[serde(borrow)]
    valid_to: Loose<'a>,
}

impl EquityRow<'_> {
    fn kept(self) -> Option<Equity> {
        Some(Equity {
            value: self.value.kept(),
            paid: self.value_paid.kept(),
            approved: self.value_approved.kept(),
            currency: self.currency.code(),
            validity: validity(self.valid_from, self.valid_to),
        })
    }
}

#[cfg(test)]
mod tests;
