//! The section `replik_administrator`: the entry of a company that administers insolvencies, or null.
//!
//! Proceedings alone do not tell whether an entry is still valid or whether a company without proceedings has
//! one. In that case the section lists the ministry's list as unread, with or without an entry.

use lustra_sdk::records::{self, Stored};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, ico};
use serde::Serialize;

use crate::administrator_settings::{Settings, Source};
use crate::administrators::{Administrator, Office};
use crate::import::ADMINISTRATORS;
use crate::list_import::ADMINISTRATOR_LIST;

/// The entry of an administrator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    license_number: String,
    name: Option<String>,
    is_company: bool,
    /// The office of a company. A person's office may be a home.
    office: Option<Office>,
    region: Option<String>,
    status: Option<String>,
    valid_from: Option<String>,
    valid_to: Option<String>,
    source: Source,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section of one company, from imported records only.
///
/// # Errors
/// A subject without an IČO; [`Failure::Unavailable`] if the configured source of administrators was never
/// imported; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "administrators")?;
    let source = Settings::read()?.source;
    let dataset = match source {
        Source::Proceedings => ADMINISTRATORS,
        Source::Service => ADMINISTRATOR_LIST,
    };
    let mut unread = Vec::new();
    let mut entries = Vec::new();
    let state = records::state(dataset)?;
    match Gap::of_state(&state) {
        None => entries = of_company(source, &subject.ico)?,
        Some(gap @ Gap::Off(_)) => unread.push(gap.unread_dataset(dataset, &state)),
        Some(gap) => {
            let missing = gap.unread_dataset(dataset, &state);
            return Err(Failure::Unavailable(missing.of_its_dataset()));
        }
    }
    if source == Source::Proceedings {
        let why = "only administrators of proceedings that were read are known".to_owned();
        unread.push(Gap::Off(why).unread(ADMINISTRATOR_LIST, None));
    }
    let entry = entries
        .into_iter()
        .max_by(|one, other| preference(one).cmp(&preference(other)))
        .map(|one| entry(one, source, unread.clone()));
    unread::section(&entry, &unread, Vec::new())
}

/// The entries of a company. The list may have an entry without IČO; a proceeding then connects it by the mark.
fn of_company(source: Source, ico: &str) -> Result<Vec<Administrator>, Failure> {
    let stored_entry = |dataset: &str| read(&records::all_of_company(dataset, ico)?);
    match source {
        Source::Proceedings => stored_entry(ADMINISTRATORS),
        Source::Service => {
            let listed = stored_entry(ADMINISTRATOR_LIST)?;
            if !listed.is_empty() {
                return Ok(listed);
            }
            let mut by_mark = Vec::new();
            for one in stored_entry(ADMINISTRATORS)? {
                let mark = one.license_number.as_str();
                let of_mark = records::by_key(ADMINISTRATOR_LIST, mark, 1)?;
                let has_no_ico = |stored: &Stored| stored.key == mark && stored.ico.is_none();
                by_mark.extend(of_mark.into_iter().filter(has_no_ico));
            }
            read(&by_mark)
        }
    }
}

fn read(stored: &[Stored]) -> Result<Vec<Administrator>, Failure> {
    stored.iter().map(records::content).collect()
}

/// Sort key for several entries of one company: a valid one first, then the newest.
fn preference(one: &Administrator) -> (bool, &Option<String>, &str) {
    (one.valid_to.is_none(), &one.valid_from, &one.license_number)
}

fn entry(one: Administrator, source: Source, unread: Vec<Unread>) -> Entry {
    Entry {
        license_number: one.license_number,
        name: one.name,
        office: Some(one.office).filter(|_| one.is_company),
        is_company: one.is_company,
        region: one.region,
        status: one.status,
        valid_from: one.valid_from,
        valid_to: one.valid_to,
        source,
        unread,
    }
}
