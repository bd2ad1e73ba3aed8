//! Rows of organisation units, which have histories of their own.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::holders::PersonRow;
use super::places::SeatRow;
use super::values::{Coded, Loose};
use super::{ActivityRow, TextRow, grouped, rows, validity};
use crate::history::codes;
use crate::history::kept::Unit;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct UnitRow<'a> {
    #[serde(rename = "type")]
    kind: Coded,
    identifier: Loose,
    establishment: Loose,
    termination: Loose,
    #[serde(borrow)]
    full_names: Option<&'a RawValue>,
    #[serde(borrow)]
    addresses: Option<&'a RawValue>,
    #[serde(borrow)]
    stakeholders: Option<&'a RawValue>,
    #[serde(borrow)]
    activities: Option<&'a RawValue>,
}

impl UnitRow<'_> {
    /// Adds the number of rows that could not be read to `odd`. `None` for a unit that says nothing.
    pub(super) fn kept(self, odd: &mut u32) -> Option<Unit> {
        let person = |row: PersonRow| row.kept(codes::List::Stakeholders);
        let unit = Unit {
            kind: self.kind.text(),
            ico: self.identifier.0,
            names: rows(self.full_names, odd, TextRow::kept),
            seats: rows(self.addresses, odd, SeatRow::kept),
            people: rows(self.stakeholders, odd, person),
            activities: grouped(rows(self.activities, odd, ActivityRow::kept)),
            validity: validity(self.establishment, self.termination),
        };
        (unit != Unit::default()).then_some(unit)
    }
}
