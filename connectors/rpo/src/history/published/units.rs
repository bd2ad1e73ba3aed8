//! Rows of organisation units, which have histories of their own.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::holders::PersonRow;
use super::places::SeatRow;
use super::values::{Coded, Loose};
use super::{ActivityRow, TextRow, grouped, kept, rows, validity};
use crate::history::codes;
use crate::history::kept::Unit;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::history) struct UnitRow<'a> {
    #[serde(rename = "type")]
    #[serde(borrow)]
    kind: Coded<'a>,
    #[serde(borrow)]
    identifier: Loose<'a>,
    #[serde(borrow)]
    establishment: Loose<'a>,
    #[serde(borrow)]
    termination: Loose<'a>,
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
        let person = |row: PersonRow<'_>| row.kept(codes::List::Stakeholders);
        let unit = Unit {
            kind: self.kind.text(),
            ico: self.identifier.kept(),
            names: kept(Some(rows(self.full_names, odd)), TextRow::kept),
            seats: kept(Some(rows(self.addresses, odd)), SeatRow::kept),
            people: kept(Some(rows(self.stakeholders, odd)), person),
            activities: grouped(kept(Some(rows(self.activities, odd)), ActivityRow::kept)),
            validity: validity(self.establishment, self.termination),
        };
        (unit != Unit::default()).then_some(unit)
    }
}
