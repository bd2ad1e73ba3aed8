//! The list of all supervised subjects:
//! `{"institutions": [{"id", "name", "address", "country", "licenses": [{"scope"}]}]}`.
//!
//! An `id` is an IČO only if the country is `SK`. Natural persons and foreign subjects may have none.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, Notes, ico, malformed};
use serde::Serialize;
use serde_json::Value;

use crate::cells::{self, Row, kind};
use crate::identity::Identity;
use crate::licence::List;

/// The list's name in failures.
const LIST: &str = "api/json";

/// The member with an institution's country.
const COUNTRY: &str = "country";
const ID: &str = "id";
const NAME: &str = "name";
const ADDRESS: &str = "address";
const LICENSES: &str = "licenses";
const SCOPE: &str = "scope";

/// The country whose ids are IČO.
pub const SLOVAKIA: &str = "SK";

/// A subject as today's list states it, all its rows together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// 8 digits, of a Slovak subject.
    pub ico: Option<String>,
    /// The IČO or the foreign id. Empty if the row has none.
    #[serde(skip)]
    pub number: String,
    /// Whether the row has an id of any form.
    pub has_number: bool,
    pub name: Option<String>,
    pub address: Option<String>,
    pub country: String,
    /// The texts of the licences by their folded texts.
    pub licences: BTreeMap<String, String>,
}

/// Subjects by what distinguishes them.
pub type Subjects = BTreeMap<Identity, Subject>;

/// Reads the list.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page; [`Failure::Malformed`] for another format, and for a list in which no
/// Slovak company, or hardly one, has a licence.
pub fn read(text: &str) -> Result<List<Subjects>, Failure> {
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
    let is_licensed = |subject: &Subject| subject.ico.is_some() && !subject.licences.is_empty();
    ids.check(LIST, list.entries.values().any(is_licensed))?;
    Ok(list)
}

fn institution(row: &Row<'_>, list: &mut List<Subjects>, ids: &mut Ids) -> Result<(), Failure> {
    let country = row.country(COUNTRY)?;
    let Some(licenses) = row.get(LICENSES).and_then(Value::as_array) else {
        return Err(row.wrong(LICENSES, "a list of licences"));
    };
    let mut scopes = Vec::with_capacity(licenses.len());
    for (number, licence) in licenses.iter().enumerate() {
        let licence = Row::of(row.at(&format!("{LICENSES}/{number}")), licence)?;
        scopes.push(licence.text(SCOPE)?);
    }
    let (name, address) = (row.optional_text(NAME)?, row.optional_text(ADDRESS)?);
    let ico = ids.ico_of(row, &country, ID, &mut list.notes)?;
    let number = match &ico {
        Some(ico) => Some(ico.clone()),
        None if country == SLOVAKIA => None,
        None => row.foreign_id(ID)?,
    };
    let identity = match (&number, &name) {
        (Some(number), _) => Identity::of_number(&country, number),
        (None, Some(name)) => Identity::of_name(&country, name, address.as_deref()),
        (None, None) => return Err(row.wrong(NAME, "a name, since there is no id")),
    };
    if scopes.is_empty() {
        list.notes.count("institutions_without_licences");
    }
    let subject = Subject {
        ico,
        has_number: !row.is_blank(ID),
        number: number.unwrap_or_default(),
        name,
        address,
        country,
        licences: BTreeMap::new(),
    };
    let subject = match list.entries.entry(identity) {
        Entry::Vacant(place) => place.insert(subject),
        Entry::Occupied(there) => {
            let known = there.into_mut();
            known.take_words(subject);
            known
        }
    };
    for text in scopes {
        subject.take_licence(text, &mut list.notes);
    }
    Ok(())
}

impl Subject {
    /// Takes name and address of another row. Of two spellings always keeps the same one, whatever their order.
    fn take_words(&mut self, other: Self) {
        let first = |one: Option<String>, other: Option<String>| one.into_iter().chain(other).min();
        self.name = first(self.name.take(), other.name);
        self.address = first(self.address.take(), other.address);
    }

    /// Takes a licence. Of two spellings always keeps the same one.
    fn take_licence(&mut self, text: String, notes: &mut Notes) {
        match self.licences.entry(fold(&text)) {
            Entry::Vacant(place) => {
                place.insert(text);
            }
            Entry::Occupied(mut there) => {
                notes.count("repeated");
                if text < *there.get() {
                    there.insert(text);
                }
            }
        }
    }
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
        notes: &mut Notes,
    ) -> Result<Option<String>, Failure> {
        if country != SLOVAKIA {
            notes.count("foreign");
            return Ok(None);
        }
        self.slovak += 1;
        let found = row.ico(id)?;
        match &found {
            None => notes.count("without_ico"),
            Some(ico) => {
                self.readable += 1;
                if !ico::check_digit_fits(ico) {
                    notes.count("odd_check_digit");
                }
            }
        }
        Ok(found)
    }

    /// Checks that ids are still IČO. A list with other ids would look like one without Slovak companies.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if half of the Slovak subjects have no IČO, or none has a licence.
    pub fn check(&self, name: &str, has_licence: bool) -> Result<(), Failure> {
        if self.readable * 2 < self.slovak {
            return Err(malformed(
                format!("{name}: ids of Slovak subjects"),
                "an IČO for at least half of them",
                format!("{} of {}", self.readable, self.slovak),
            ));
        }
        if !has_licence {
            return Err(malformed(
                name,
                "a licence of a Slovak subject",
                format!("{} Slovak subjects without one", self.slovak),
            ));
        }
        Ok(())
    }
}
