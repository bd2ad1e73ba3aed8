//! Lists that an operator supplies as one table, and what they say of a company.
//!
//! Some registers are published for nobody's program, but an operator may have their list: a table in CSV or XLSX. Such
//! connectors differ in their columns, in what they keep of a row and in their section; the rest is here. One odd row
//! does not cost the list: it is counted by its reason, and only a share of odd rows above the setting
//! `max_odd_percent` fails the import. A row that names a company but cannot be read otherwise is kept as such, so that
//! the company is not taken for one that is not listed.

mod columns;
mod status;
mod term;

use std::io::Read as _;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::http::{Request, of_io};
use crate::records::{self, item};
use crate::sheet::{Column, Row, Sheet};
use crate::snapshot::Snapshot;
use crate::text::fold;
use crate::unread::{self, Unread};
use crate::{Failure, ImportRun, Item, Notes, Subject, ico, malformed};

pub use status::{Standing, StatusWords};
pub use term::{ShownTerm, State, Term};

/// The upstream that the operator names; failures call the list so.
pub const UPSTREAM: &str = "list";

/// The column of the registration number, which every such list must have.
pub const ICO: &str = "ico";

/// The run over the operator's list, or the rest of it behind a cursor; `entry` as for [`read`].
///
/// # Errors
/// What the upstream failed with; as [`read`]; `list-changed` where the cursor belongs to another list.
pub fn open<T: Serialize>(
    columns: &[Column<'_>],
    cursor: Option<&str>,
    entry: impl Fn(&Row<'_>) -> Result<(String, T), Failure>,
) -> Result<Box<dyn ImportRun>, Failure> {
    let mut bytes = Vec::new();
    let body = Request::get(UPSTREAM, "").fetch()?.body;
    body.reader()
        .read_to_end(&mut bytes)
        .map_err(|error| of_io(UPSTREAM, &error))?;
    let (items, notes) = read(&bytes, columns, entry)?;
    Snapshot::of(items, notes, None).open(cursor)
}

/// The records of a list, by their keys. `entry` gives what is kept of a row, and before it what tells the row from the
/// others of its company in whatever order they stand, such as the number of a licence. Rows that are alike in that and
/// differ otherwise are all kept, those that are the same in all are kept once.
///
/// Noted are `rows_without_ico`, `repeated_rows`, and `odd_check_digit` for those kept in spite of it. Odd rows are
/// `rows_with_unreadable_ico`, `unreadable_rows` (kept as such for their company) and those of
/// [`Sheet::read_forgiving`].
///
/// # Errors
/// As [`Sheet::read_forgiving`]; what `entry` fails with, unless it is [`Failure::Malformed`];
/// [`Failure::Malformed`] for a list without a company and as [`Notes::check_odd_rows`].
pub fn read<T: Serialize>(
    bytes: &[u8],
    columns: &[Column<'_>],
    entry: impl Fn(&Row<'_>) -> Result<(String, T), Failure>,
) -> Result<(Vec<Item>, Notes), Failure> {
    let (mut items, mut notes) = (Vec::new(), Notes::default());
    let sheet = Sheet::read_forgiving(UPSTREAM, bytes, columns, &mut notes)?;
    for row in sheet.rows() {
        notes.row();
        match row.ico(ICO) {
            Ok(Some(ico)) => {
                if !ico::check_digit_fits(&ico) {
                    notes.count("odd_check_digit");
                }
                items.push(match entry(&row) {
                    Ok((own, content)) => {
                        item(format!("{ico}/{}", fold(&own)), Some(&ico), &content)?
                    }
                    Err(wrong @ Failure::Malformed(_)) => {
                        notes.odd_row("unreadable_rows", &wrong);
                        records::unreadable_row(format!("{ico}/"), &ico)?
                    }
                    Err(other) => return Err(other),
                });
            }
            Ok(None) => notes.count("rows_without_ico"),
            Err(_not_one) => notes.odd("rows_with_unreadable_ico"),
        }
    }
    notes.check_odd_rows(UPSTREAM)?;
    if items.is_empty() {
        let found = format!("{} rows without one", notes.rows());
        return Err(malformed(UPSTREAM, "a row with an IČO", found));
    }
    tell_apart(&mut items, &mut notes);
    Ok((items, notes))
}

/// Numbers the records that have one key, in the order of what they say, so that it does not matter where they stand.
fn tell_apart(items: &mut Vec<Item>, notes: &mut Notes) {
    items.sort_by(|a, b| (&a.key, &a.content).cmp(&(&b.key, &b.content)));
    let before = items.len();
    items.dedup_by(|a, b| a.key == b.key && a.content == b.content);
    notes.count_many("repeated_rows", (before - items.len()) as u64);
    let (mut last, mut count) = (String::new(), 0);
    for item in items {
        if item.key == last {
            count += 1;
            item.key = format!("{last}/{count}");
        } else {
            (last, count) = (item.key.clone(), 1);
        }
    }
}

/// What the imported list says of a company.
#[derive(Debug)]
pub struct OfCompany<T> {
    /// Its entries; none says something only where [`OfCompany::known`] does.
    pub entries: Vec<T>,
    /// The list, where it is off or was never imported, or has a row about the company that could not be read.
    pub unread: Vec<Unread>,
}

impl<T> OfCompany<T> {
    /// What rests on the whole list: nothing where it was not read.
    pub fn known<V>(&self, value: V) -> Option<V> {
        self.unread.is_empty().then_some(value)
    }

    /// A verdict: yes where an entry says so, no only where the whole list was read.
    #[must_use]
    pub fn verdict(&self, is_yes: bool) -> Option<bool> {
        if is_yes {
            Some(true)
        } else {
            self.known(false)
        }
    }
}

/// Looks a company up in the imported list.
///
/// # Errors
/// A subject without an IČO; a record that another version made; what the host refused.
pub fn of_company<T: DeserializeOwned>(
    dataset: &str,
    subject: &Subject,
) -> Result<OfCompany<T>, Failure> {
    ico::required(&subject.ico, "entries of the list")?;
    let mut unread: Vec<Unread> = unread::of_dataset(dataset)?.into_iter().collect();
    let stored = if unread.is_empty() {
        records::all_of_company(dataset, &subject.ico)?
    } else {
        Vec::new()
    };
    let mut entries = Vec::with_capacity(stored.len());
    for stored in &stored {
        if records::is_unreadable_row(stored) {
            unread = vec![Unread::of_odd_row(dataset)];
        } else {
            entries.push(records::content(stored)?);
        }
    }
    Ok(OfCompany { entries, unread })
}

#[cfg(test)]
mod tests;
