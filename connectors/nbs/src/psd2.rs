//! The list of payment services: one row per service of a subject, with its first and last day.
//!
//! No recorded answer exists. So the names of its members are settings, and anything unexpected is refused.

use std::collections::btree_map::Entry;

use lustra_sdk::{Failure, date, malformed, text};
use serde_json::Value;

use crate::cells::{self, Row, kind};
use crate::institutions::Ids;
use crate::licence::{List, Listed, Services, key};
use crate::settings::Psd2Members;

/// The list's name in failures.
const LIST: &str = "api/psd2";

/// Reads the list.
///
/// # Errors
/// As [`crate::institutions::read`].
pub fn read(text: &str, members: &Psd2Members) -> Result<List<Services>, Failure> {
    let file = cells::json(LIST, text)?;
    let Some(rows) = file.as_array() else {
        return Err(malformed(LIST, "a list of services", kind(Some(&file))));
    };
    let mut list = List::default();
    let mut ids = Ids::default();
    for (number, row) in rows.iter().enumerate() {
        list.notes.row();
        let read = Row::of(format!("{LIST}: {number}"), row)
            .and_then(|row| service(&row, members, &mut list, &mut ids));
        list.take(read, cells::ico_of(row, &members.id))?;
    }
    list.notes.check_odd_rows(LIST)?;
    ids.check(LIST, !list.entries.is_empty())?;
    Ok(list)
}

fn service(
    row: &Row<'_>,
    members: &Psd2Members,
    list: &mut List<Services>,
    ids: &mut Ids,
) -> Result<(), Failure> {
    let country = row.country(&members.country)?;
    let license_type = row.text(&members.service)?;
    let Some(valid_from) = day(row, &members.date_from)? else {
        return Err(row.wrong(&members.date_from, "a date"));
    };
    let valid_to = day(row, &members.date_to)?;
    // Unlike in the other list, nothing is known of services without the member.
    if row.get(&members.id).is_none() {
        return Err(row.wrong(&members.id, "a text or a whole number"));
    }
    let Some(ico) = ids.ico_of(row, &country, &members.id, &mut list.notes)? else {
        return Ok(());
    };
    // A service that ended and began again has two rows.
    let key = format!("{}/{valid_from}", key(&ico, &license_type));
    let listed = Listed {
        ico,
        license_type,
        country,
        valid_from: Some(valid_from),
        valid_to,
    };
    match list.entries.entry(key) {
        Entry::Vacant(place) => {
            place.insert(listed);
        }
        Entry::Occupied(mut there) => {
            list.notes.count("repeated");
            if goes_before(&listed, there.get()) {
                there.insert(listed);
            }
        }
    }
    Ok(())
}

/// Of two rows about one service, the one that lasts longer wins, whatever their order.
fn goes_before(one: &Listed, other: &Listed) -> bool {
    let rank = |listed: &Listed| {
        (
            listed.valid_to.is_none(),
            listed.valid_to.clone(),
            std::cmp::Reverse(listed.license_type.clone()),
        )
    };
    rank(one) > rank(other)
}

/// A date. `None` for null, an empty text or one of the registers' placeholders for no date.
fn day(row: &Row<'_>, name: &str) -> Result<Option<String>, Failure> {
    match row.get(name) {
        Some(Value::Null) => Ok(None),
        Some(Value::String(raw)) if text::present(raw).is_none() => Ok(None),
        Some(Value::String(raw)) => match date::parse(raw) {
            Some(day) => Ok(Some(day)),
            None => Err(row.wrong(name, "a date")),
        },
        Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) | None => {
            Err(row.wrong(name, "a date or null"))
        }
    }
}
