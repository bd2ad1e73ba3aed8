//! The scope `reges`: the entries of one company in the list of economic subjects.

use std::cmp::Reverse;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, http, runtime};
use serde::Serialize;

use crate::asking::Asking;
use crate::listing;
use crate::settings::{ICO, SEARCH_TYPE, Settings, Suppliers};
use crate::table::{self, Column, Row, is_one_of};

/// The register's name in failures and in `unread`.
const LIST: &str = "suppliers";

/// The section. The members beside the list describe one entry: a valid one if there is any, else the newest.
#[derive(Debug, Default, Serialize)]
struct Supplier {
    /// Null if the list was not read.
    is_qualified_supplier: Option<bool>,
    registration_id: Option<String>,
    valid_from: Option<String>,
    valid_to: Option<String>,
    status: Option<Status>,
    registrations: Vec<Registration>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Clone, Serialize)]
struct Registration {
    registration_id: String,
    valid_from: String,
    valid_to: String,
    status: Status,
}

/// The status of an entry today.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Registered,
    /// The entry is suspended.
    Suspended,
    /// The first day is in the future.
    Upcoming,
    /// The last day has passed.
    Expired,
    /// The entry was struck off.
    StruckOff,
}

/// Builds the section.
///
/// # Errors
/// The site's failure, or a changed page format.
pub fn section(ico: &str) -> Result<Section, Failure> {
    let Settings {
        most_requests,
        lists,
        suppliers: settings,
        ..
    } = Settings::read()?;
    if settings.search_type.is_empty() {
        let supplier = Supplier {
            unread: vec![
                Gap::Off(
                    "the list's selector in the office's search is not known; set suppliers.search_type"
                        .to_owned(),
                )
                .unread(LIST, None),
            ],
            ..Supplier::default()
        };
        return unread::section(&supplier, &supplier.unread, Vec::new());
    }
    let columns = columns(&settings);
    let path = settings
        .search
        .replace(ICO, ico)
        .replace(SEARCH_TYPE, &http::encode(&settings.search_type));
    let mut asking = Asking::within(most_requests);
    let listed = listing::read(
        LIST,
        &path,
        &mut asking,
        &lists,
        |page| table::rows(&page.document, LIST, &columns),
        |row| row.key("registration_id"),
    )?;
    let (read, total) = (listed.entries.len(), listed.total);
    let cut_short = (!listed.is_whole()).then(|| listing::cut_short(LIST, read, total));
    let (rows, odd) = table::sift(listed.entries)?;
    let unread: Vec<Unread> = cut_short
        .into_iter()
        .chain(listing::left_out(LIST, odd))
        .collect();
    let is_whole = unread.is_empty();
    let today = runtime::today();
    let mut registrations = table::of_company(LIST, rows, "ico", ico)?
        .iter()
        .map(|row| registration(row, &settings, &today))
        .collect::<Result<Vec<Registration>, Failure>>()?;
    registrations.sort_by_key(|one| {
        let newest = Reverse((one.valid_from.clone(), one.registration_id.clone()));
        (one.status, newest)
    });
    let first = registrations.first().cloned();
    let is_qualified = first
        .as_ref()
        .is_some_and(|first| first.status == Status::Registered);
    let supplier = Supplier {
        is_qualified_supplier: (is_qualified || is_whole).then_some(is_qualified),
        registration_id: first.as_ref().map(|first| first.registration_id.clone()),
        valid_from: first.as_ref().map(|first| first.valid_from.clone()),
        valid_to: first.as_ref().map(|first| first.valid_to.clone()),
        status: first.as_ref().map(|first| first.status),
        registrations,
        unread,
    };
    unread::section(&supplier, &supplier.unread, asking.evidence)
}

fn columns(settings: &Suppliers) -> [Column<'_>; 5] {
    [
        ("registration_id", &settings.registration_id),
        ("ico", &settings.ico),
        ("valid_from", &settings.valid_from),
        ("valid_to", &settings.valid_to),
        ("status", &settings.status),
    ]
    .map(|(name, headers)| Column {
        name,
        headers,
        required: true,
    })
}

fn registration(row: &Row, settings: &Suppliers, today: &str) -> Result<Registration, Failure> {
    let (valid_from, valid_to) = (row.day("valid_from")?, row.day("valid_to")?);
    let state = row.required("status")?;
    // ISO dates compare as texts.
    let status = if is_one_of(&state, &settings.struck_off_states) {
        Status::StruckOff
    } else if is_one_of(&state, &settings.suspended_states) {
        Status::Suspended
    } else if !is_one_of(&state, &settings.registered_states) {
        return Err(row.wrong("status", "a state that the setting suppliers has"));
    } else if valid_to.as_str() < today {
        Status::Expired
    } else if valid_from.as_str() > today {
        Status::Upcoming
    } else {
        Status::Registered
    };
    Ok(Registration {
        registration_id: row.required("registration_id")?,
        valid_from,
        valid_to,
        status,
    })
}
