//! Lists that an operator supplies as one table, and look-ups in them.
//!
//! Some registers publish nothing that a program can read, but an operator may have their list as
//! a CSV or XLSX table. The connectors for such lists differ in their columns, in the stored
//! facts and in their section, which they define as [`Listed`]; this module does the rest.
//!
//! One odd row does not fail the list: it is counted by its reason, and the import fails only if
//! the share of odd rows exceeds the setting `max_odd_percent`. A row that names a company but is
//! otherwise unreadable is stored as such, so that the company does not count as *not listed*.

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
use crate::{
    Enrichment, Failure, ImportRun, Importer, Item, Notes, Section, Subject, failure, ico,
    malformed, runtime,
};

pub use status::{ListedStatus, StatusWords};
pub use term::{ShownTerm, State, Term};

/// The upstream that the operator configures. Failures use this name for the list.
pub const UPSTREAM: &str = "list";

/// The column with the registration number, which every such list must have.
pub const ICO: &str = "ico";

/// A connector that imports one list of an operator and builds one section from it. It has
/// [`Enrichment`] and [`Importer`].
pub trait Listed {
    /// The scope of the section.
    const SCOPE: &'static str;
    /// The dataset with the list.
    const DATASET: &'static str;
    /// The operator's settings, declared with [`settings!`](crate::settings!).
    type Settings;
    /// The stored facts of a row.
    type Entry: Serialize + DeserializeOwned;
    /// The content of the section. Its member `unread` repeats [`OfCompany::unread`], unless it is
    /// null.
    type Section: Serialize;

    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    fn settings() -> Result<Self::Settings, Failure>;

    /// The columns of the list; see [`columns!`](crate::columns!).
    fn columns(settings: &Self::Settings) -> Vec<Column<'_>>;

    /// Reads a row. Returns two values: a text that distinguishes the row from the company's other
    /// rows regardless of order, such as a licence number, and the facts to store.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an unreadable row.
    fn entry(row: &Row<'_>, settings: &Self::Settings) -> Result<(String, Self::Entry), Failure>;

    /// The section of a company on a day given as `YYYY-MM-DD`.
    fn section(found: OfCompany<Self::Entry>, today: &str) -> Self::Section;
}

impl<C: Listed> Enrichment for C {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        if scope != C::SCOPE {
            return Err(failure::not_offered(&format!("the scope {scope}")));
        }
        let found = of_company::<C::Entry>(C::DATASET, &subject)?;
        let unread = found.unread.clone();
        unread::section(&C::section(found, &runtime::today()), &unread, Vec::new())
    }
}

impl<C: Listed> Importer for C {
    fn open(dataset: &str, cursor: Option<String>) -> Result<Box<dyn ImportRun>, Failure> {
        if dataset != C::DATASET {
            return Err(failure::not_offered(&format!("the dataset {dataset}")));
        }
        let mut bytes = Vec::new();
        let body = Request::get(UPSTREAM, "").fetch()?.body;
        body.reader()
            .read_to_end(&mut bytes)
            .map_err(|error| of_io(UPSTREAM, &error))?;
        let (items, notes) = read::<C>(&bytes)?;
        Snapshot::of(items, notes, None).open(cursor.as_deref())
    }
}

/// Reads the records of a list, sorted by key.
///
/// Rows with the same distinguishing text (see [`Listed::entry`]) but different facts are all kept;
/// identical rows are kept once.
///
/// Counts the notes `rows_without_ico`, `repeated_rows`, and `odd_check_digit` for rows kept
/// despite a wrong check digit. Odd rows are `rows_with_unreadable_ico`, `unreadable_rows`
/// (stored as unreadable for their company) and those of [`Sheet::read_forgiving`]. Of the latter,
/// a row with a readable IČO and another unreadable cell is stored as unreadable too.
///
/// # Errors
/// As [`Sheet::read_forgiving`] and [`Listed::settings`]; any failure of [`Listed::entry`] except
/// [`Failure::Malformed`]; [`Failure::Malformed`] for a list without a company and as
/// [`Notes::check_odd_rows`].
pub fn read<C: Listed>(bytes: &[u8]) -> Result<(Vec<Item>, Notes), Failure> {
    let settings = C::settings()?;
    let (mut items, mut notes) = (Vec::new(), Notes::default());
    let sheet = Sheet::read_forgiving(UPSTREAM, bytes, &C::columns(&settings), &mut notes)?;
    for row in sheet.rows() {
        notes.row();
        match row.ico(ICO) {
            Ok(Some(ico)) => {
                if !ico::check_digit_fits(&ico) {
                    notes.count("odd_check_digit");
                }
                items.push(match C::entry(&row, &settings) {
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
    for row in sheet.unreadable_rows() {
        if let Ok(Some(ico)) = row.ico(ICO) {
            items.push(records::unreadable_row(format!("{ico}/"), &ico)?);
        }
    }
    notes.check_odd_rows(UPSTREAM)?;
    if items.is_empty() {
        let found = format!("{} rows without one", notes.rows());
        return Err(malformed(UPSTREAM, "a row with an IČO", found));
    }
    number_shared_keys(&mut items, &mut notes);
    Ok((items, notes))
}

/// Numbers records that share a key, ordered by content, so that their position in the list does
/// not matter.
fn number_shared_keys(items: &mut Vec<Item>, notes: &mut Notes) {
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

/// What the imported list contains about a company.
#[derive(Debug)]
pub struct OfCompany<T> {
    /// The entries of the company. An empty list means *not listed* only if [`OfCompany::known`]
    /// returns a value.
    pub entries: Vec<T>,
    /// The list, if it is off, was never imported, or has an unreadable row about the company.
    pub unread: Vec<Unread>,
}

impl<T> OfCompany<T> {
    /// Returns a value that depends on the whole list, or `None` if the list was not read.
    pub fn known<V>(&self, value: V) -> Option<V> {
        self.unread.is_empty().then_some(value)
    }

    /// A verdict: `true` if an entry says so, `false` only if the whole list was read, else
    /// `None`.
    #[must_use]
    pub fn verdict(&self, is_yes: bool) -> Option<bool> {
        if is_yes {
            Some(true)
        } else {
            self.known(false)
        }
    }
}

/// Looks up a company in the imported list.
///
/// # Errors
/// The subject has no IČO; a record was written by another version; the host refused.
fn of_company<T: DeserializeOwned>(
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
