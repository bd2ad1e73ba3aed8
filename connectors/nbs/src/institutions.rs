//! The list of all supervised subjects:
//! `{"institutions": [{"id", "name", "address", "country", "licenses": [{"scope"}]}]}`.
//!
//! An `id` is an IČO only if the country is `SK`. Names and addresses are not stored: the section does not need them,
//! and many subjects are natural persons.

use std::collections::btree_map::Entry;

use lustra_sdk::{Failure, ico, malformed};
use serde_json::Value;

use crate::cells::{self, Row, kind};
use crate::licence::{List, Listed, key};

/// The list's name in failures.
const LIST: &str = "api/json";

/// The member with an institution's country.
const COUNTRY: &str = "country";
const ID: &str = "id";
const LICENSES: &str = "licenses";
const SCOPE: &str = "scope";

/// The country whose ids are IČO.
pub const SLOVAKIA: &str = "SK";

/// Reads the list.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page; [`Failure::Malformed`] for another format, and for a list in which no
/// Slovak company, or hardly one, has a licence.
pub fn read(text: &str) -> Result<List, Failure> {
    let file = cells::json(LIST, text)?;
    let rows = file.get("institutions");
    let Some(rows) = rows.and_then(Value::as_array) else {
        let place = format!("{LIST}: institutions");
        return Err(malformed(place, "a list of institutions", kind(rows)));
    };
    let mut list = List::default();
    let mut ids = Ids::default();
    for (number, row) in rows.iter().enumerate() {
        list.notes.row();
        let place = format!("{LIST}: institutions/{number}");
        let read = Row::of(place, row).and_then(|row| institution(&row, &mut list, &mut ids));
        list.take(read, cells::ico_of(row, ID))?;
    }
    list.notes.check_odd_rows(LIST)?;
    ids.check(LIST, &list)?;
    Ok(list)
}

fn institution(row: &Row<'_>, list: &mut List, ids: &mut Ids) -> Result<(), Failure> {
    let country = row.country(COUNTRY)?;
    let Some(licenses) = row.get(LICENSES).and_then(Value::as_array) else {
        return Err(row.wrong(LICENSES, "a list of licences"));
    };
    // Parse before skipping anything, so that a changed format is detected in any row.
    let mut scopes = Vec::with_capacity(licenses.len());
    for (number, licence) in licenses.iter().enumerate() {
        let licence = Row::of(row.at(&format!("{LICENSES}/{number}")), licence)?;
        scopes.push(licence.text(SCOPE)?);
    }
    let Some(ico) = ids.ico_of(row, &country, ID, list)? else {
        return Ok(());
    };
    if scopes.is_empty() {
        list.notes.count("institutions_without_licences");
    }
    for license_type in scopes {
        let listed = Listed {
            ico: ico.clone(),
            license_type,
            country: country.clone(),
            valid_from: None,
            valid_to: None,
        };
        match list.licences.entry(key(&ico, &listed.license_type)) {
            Entry::Vacant(place) => {
                place.insert(listed);
            }
            Entry::Occupied(mut there) => {
                list.notes.count("repeated");
                // Of two spellings, always keep the same one, whatever their order.
                if listed.license_type < there.get().license_type {
                    there.insert(listed);
                }
            }
        }
    }
    Ok(())
}

/// Counts of Slovak subjects, and of those with a readable IČO.
#[derive(Debug, Default)]
pub struct Ids {
    slovak: u64,
    readable: u64,
}

impl Ids {
    /// The IČO of a row's subject. `None` and a note if the subject is foreign or has no IČO.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an id that is neither text nor number.
    pub fn ico_of(
        &mut self,
        row: &Row<'_>,
        country: &str,
        id: &str,
        list: &mut List,
    ) -> Result<Option<String>, Failure> {
        if country != SLOVAKIA {
            list.notes.count("foreign");
            return Ok(None);
        }
        self.slovak += 1;
        let found = row.ico(id)?;
        match &found {
            None => list.notes.count("without_ico"),
            Some(ico) => {
                self.readable += 1;
                if !ico::check_digit_fits(ico) {
                    list.notes.count("odd_check_digit");
                }
            }
        }
        Ok(found)
    }

    /// Checks that ids are still IČO. A list with other ids would look like one without Slovak companies.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if half of the Slovak subjects have no IČO, or none has a licence.
    pub fn check(&self, name: &str, list: &List) -> Result<(), Failure> {
        if self.readable * 2 < self.slovak {
            return Err(malformed(
                format!("{name}: ids of Slovak subjects"),
                "an IČO for at least half of them",
                format!("{} of {}", self.readable, self.slovak),
            ));
        }
        if list.licences.is_empty() {
            return Err(malformed(
                name,
                "a licence of a Slovak subject",
                format!("{} Slovak subjects without one", self.slovak),
            ));
        }
        Ok(())
    }
}
