//! Parses one page of the ministry's list of administrators.
//!
//! Members are read one by one, because their names are settings. Failures name the place and never quote a
//! row, since most rows contain personal data.

use lustra_sdk::text::present;
use lustra_sdk::{Failure, Notes, date, http, ico, malformed};
use serde_json::Value;

use crate::administrator_settings::Members;
use crate::administrators::{Administrator, Office, mark, person_name};

pub const UPSTREAM: &str = "administrators";

#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The total number of administrators according to the list.
    pub total: u64,
    /// The list's own date: `YYYY-MM-DD`.
    pub as_of: Option<String>,
    /// The page's rows in list order; `None` for a row without a mark.
    pub rows: Vec<Option<Administrator>>,
    /// Counts of the page's rows and of the odd ones.
    pub notes: Notes,
}

/// Reads a page.
///
/// # Errors
/// [`Failure::Malformed`] for JSON with another structure, [`Failure::Unavailable`] for an HTML page.
pub fn read(text: &str, members: &Members) -> Result<Page, Failure> {
    let answer: Value = match http::read_json(UPSTREAM, text) {
        // Leave out the found value, because it names people.
        Err(Failure::Malformed(drift)) => return Err(malformed(drift.what, drift.expected, "")),
        other => other?,
    };
    let unfit = |name: &str, expected: &str| {
        malformed(
            format!("answer of {UPSTREAM}: /{name}"),
            expected,
            kind(member(&answer, name)),
        )
    };
    let Some(total) = member(&answer, &members.total).and_then(Value::as_u64) else {
        return Err(unfit(&members.total, "how many administrators there are"));
    };
    let Some(rows) = member(&answer, &members.rows).and_then(Value::as_array) else {
        return Err(unfit(&members.rows, "the list of administrators"));
    };
    let (mut notes, mut first_wrong) = (Notes::default(), None);
    let mut administrators = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        notes.row();
        match administrator(row, number, members) {
            Ok(administrator) => administrators.push(administrator),
            Err(wrong @ Failure::Malformed(_)) => {
                notes.odd_row("unreadable_rows", &wrong);
                first_wrong.get_or_insert(wrong);
            }
            Err(other) => return Err(other),
        }
    }
    // A page without a readable row has another format. The failure names the first problem.
    if let Some(wrong) = first_wrong.filter(|_| administrators.is_empty()) {
        return Err(wrong);
    }
    let as_of = member(&answer, &members.updated_at).and_then(Value::as_str);
    Ok(Page {
        total,
        as_of: as_of.and_then(date::parse),
        rows: administrators,
        notes,
    })
}

fn administrator(
    row: &Value,
    number: usize,
    members: &Members,
) -> Result<Option<Administrator>, Failure> {
    let place = |name: &str| format!("answer of {UPSTREAM}: /{}/{number}/{name}", members.rows);
    if !row.is_object() {
        return Err(malformed(place(""), "an object", kind(Some(row))));
    }
    let words = |name: &str| match member(row, name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(present(text)),
        Some(Value::Number(digits)) => Ok(Some(digits.to_string())),
        other => Err(malformed(place(name), "a text", kind(other))),
    };
    let day = |name: &str| match words(name)? {
        None => Ok(None),
        Some(raw) => match date::parse(&raw) {
            Some(day) => Ok(Some(day)),
            None => Err(malformed(place(name), "a date", "another text")),
        },
    };
    let license_number = mark(&words(&members.mark)?.unwrap_or_default());
    let company = words(&members.business_name)?;
    let person = person_name(
        words(&members.title_before)?,
        words(&members.given_name)?,
        words(&members.family_name)?,
        words(&members.title_after)?,
    );
    let administrator = Administrator {
        license_number,
        is_company: company.is_some() && person.is_none(),
        name: company.or(person),
        ico: words(&members.ico)?.as_deref().and_then(ico::parse),
        office: Office {
            street: words(&members.street)?,
            city: words(&members.city)?,
            postal_code: words(&members.postal_code)?.map(|code| code.replace(' ', "")),
            country: None,
        },
        region: words(&members.region)?,
        status: words(&members.status)?.map(|status| status.to_lowercase()),
        valid_from: day(&members.valid_from)?,
        valid_to: day(&members.valid_to)?,
    };
    Ok(Some(administrator).filter(|one| !one.license_number.is_empty()))
}

/// A member or a nested member. `None` if the configured name is empty.
fn member<'a>(of: &'a Value, name: &str) -> Option<&'a Value> {
    name.split('/')
        .try_fold(of, |of, name| of.get(name))
        .filter(|_| !name.is_empty())
}

/// The JSON type of the found value, without its content.
fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "none",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}
