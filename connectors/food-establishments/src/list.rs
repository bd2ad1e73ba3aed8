//! One downloaded list, in CSV or as a workbook.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use lustra_sdk::sheet::{Column, Row, Sheet};
use lustra_sdk::text::{business_name, fold};
use lustra_sdk::{Failure, Notes, malformed};

use crate::codes;
use crate::establishment::Establishment;
use crate::page;
use crate::place::Place;
use crate::settings::Columns;

/// The establishments of the lists of a dataset, by their keys.
#[derive(Debug, Default)]
pub struct Establishments {
    /// Each establishment once, even if it has a row for each activity.
    pub by_key: BTreeMap<String, Establishment>,
    /// Counts of skipped and doubtful rows.
    pub notes: Notes,
}

impl Establishments {
    /// Reads a list. `section` applies to rows without one; failures name the list as `what`. Leaves out and counts a
    /// row of another width, with unreadable bytes, without number, or without both operator and establishment, and a
    /// row that contradicts an earlier one about the same establishment in more than its activity.
    ///
    /// # Errors
    /// As [`Sheet::read_forgiving`] and [`Notes::check_odd_rows`]; [`Failure::Malformed`] for a list without
    /// establishments.
    pub fn take(
        &mut self,
        what: &str,
        bytes: &[u8],
        section: Option<&str>,
        columns: &Columns,
    ) -> Result<(), Failure> {
        let mut notes = Notes::default();
        let sheet = Sheet::read_forgiving(what, bytes, &wanted(columns), &mut notes)?;
        for row in sheet.rows() {
            notes.row();
            match establishment(&row, section) {
                Ok(read) => {
                    for (column, note) in [
                        ("operator", "rows_without_operator"),
                        ("name", "rows_without_establishment"),
                    ] {
                        if row.text(column).is_none() {
                            notes.count(note);
                        }
                    }
                    self.add(read, &mut notes);
                }
                Err(reason) => notes.odd(reason),
            }
        }
        self.close(what, notes)
    }

    /// Reads the page of the veterinary list.
    ///
    /// # Errors
    /// As [`page::establishments`] and [`Establishments::take`].
    pub fn take_page(
        &mut self,
        what: &str,
        text: &str,
        section: Option<&str>,
    ) -> Result<(), Failure> {
        let mut notes = Notes::default();
        for read in page::establishments(what, text, section, &mut notes)? {
            self.add(read, &mut notes);
        }
        self.close(what, notes)
    }

    fn close(&mut self, what: &str, mut notes: Notes) -> Result<(), Failure> {
        notes.check_odd_rows(what)?;
        if notes.rows() == notes.odd_rows() {
            return Err(malformed(what, "an establishment", "a list without any"));
        }
        notes.count_many("rows", notes.rows());
        self.notes.add(&notes);
        Ok(())
    }

    fn add(&mut self, read: Establishment, notes: &mut Notes) {
        let key = format!(
            "{}|{}|{}",
            fold(&read.approval_number),
            fold(read.section.as_deref().unwrap_or_default()),
            fold(&read.name)
        );
        match self.by_key.entry(key) {
            Entry::Vacant(place) => {
                place.insert(read);
            }
            Entry::Occupied(mut there) => {
                let there = there.get_mut();
                let mut same = read.clone();
                same.activities.clone_from(&there.activities);
                if same != *there {
                    notes.odd("rows_that_contradict");
                    return;
                }
                notes.count("repeated_rows");
                there.activities.extend(read.activities);
                there.activities.sort();
                there.activities.dedup();
            }
        }
    }
}

fn wanted(columns: &Columns) -> [Column<'_>; 10] {
    let column = |name, headers, required| Column {
        name,
        headers,
        required,
    };
    // Match the more specific headers first, so that a general header does not take their columns.
    [
        column("approval_number", &columns.approval_number, true),
        column("operator_address", &columns.operator_address, false),
        column("operator", &columns.operator, false),
        column("name", &columns.name, true),
        column("address", &columns.address, false),
        column("city", &columns.city, false),
        column("district", &columns.district, false),
        column("region", &columns.region, false),
        column("section", &columns.section, false),
        column("activity", &columns.activity, false),
    ]
}

/// The establishment of a row, or the name of the note that explains why there is none.
fn establishment(row: &Row<'_>, section: Option<&str>) -> Result<Establishment, &'static str> {
    let approval_number = row.text("approval_number").ok_or("rows_without_number")?;
    let named = |column| row.text(column).map(|name| business_name(&name));
    let (operator, name) = (named("operator"), named("name"));
    // Either of the two may be empty; then the other one stands for it.
    let name = name
        .or_else(|| operator.clone())
        .ok_or("rows_without_name")?;
    let section = row.text("section").or_else(|| section.map(str::to_owned));
    let of_address = Place::of_address(row.cell("address"));
    Ok(Establishment {
        approval_number,
        section: section.map(|section| codes::section_code(&section)),
        activities: codes::activities(&row.text("activity").unwrap_or_default()),
        operator: operator.unwrap_or_else(|| name.clone()),
        name,
        place: Place {
            city: row.text("city").or(of_address.city),
            postal_code: of_address.postal_code,
        },
        operator_place: Place::of_address(row.cell("operator_address")),
        district: row.text("district"),
        region: row.text("region"),
    })
}
