//! Reads one page of the assumed service's answer.
//!
//! Members are read one by one, since the operator's settings define their names. Failures quote the value in question,
//! never a party's name.

use lustra_sdk::text::{present, squeeze};
use lustra_sdk::{Failure, date, http, ico, malformed};
use serde_json::{Map, Value};

use crate::authorization::{self, Entry};
use crate::parties::Creditor;
use crate::settings::Members;

/// The upstream, as failures name it.
pub const UPSTREAM: &str = "obcan-justice";

#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// The number of rows on all pages, as the register reports it.
    pub total: u64,
    /// The register's own date: `YYYY-MM-DD`.
    pub as_of: Option<String>,
    pub rows: Vec<Row>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The register's id of the row.
    pub id: Option<String>,
    /// The company's role in the row.
    pub about: About,
}

/// The role of a company in a row.
#[derive(Debug, PartialEq, Eq)]
pub enum About {
    /// The authorization is against the company.
    Obligor(Box<Entry>),
    /// The company is a creditor.
    Creditor,
    Others,
}

/// Reads a page for one company.
///
/// # Errors
/// [`Failure::Malformed`] for JSON of another shape, [`Failure::Unavailable`] for an HTML page.
pub fn read(text: &str, wanted: &str, members: &Members) -> Result<Page, Failure> {
    let answer: Value = http::read_json(UPSTREAM, text)?;
    let envelope = Part::of(&answer, format!("answer of {UPSTREAM}: "))?;
    let total = envelope.get(&members.total);
    let Some(total) = total.and_then(Value::as_u64) else {
        return Err(envelope.unfit(&members.total, "how many authorizations were found", total));
    };
    let list = envelope.get(&members.rows);
    let Some(list) = list.and_then(Value::as_array) else {
        return Err(envelope.unfit(&members.rows, "the list of authorizations", list));
    };
    let rows = list
        .iter()
        .enumerate()
        .map(|(place, row)| {
            let place = format!("answer of {UPSTREAM}: /{}/{place}", members.rows);
            row_about(&Part::of(row, place)?, wanted, members)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let updated_at = envelope.get(&members.updated_at);
    Ok(Page {
        total,
        as_of: updated_at.and_then(Value::as_str).and_then(date::parse),
        rows,
    })
}

fn row_about(row: &Part<'_>, wanted: &str, members: &Members) -> Result<Row, Failure> {
    let obligors = icos(row, &members.obligors, members)?;
    let creditors = icos(row, &members.creditors, members)?;
    let has = |parties: &[Option<String>]| {
        parties
            .iter()
            .flatten()
            .any(|party| party.as_str() == wanted)
    };
    // The obligors of a creditor are mostly natural persons, who have no IČO.
    if obligors.iter().all(Option::is_none) && !has(&creditors) {
        let found = row.get(&members.obligors).map(|_| "none of them has one");
        return Err(malformed(
            row.place_of(&members.obligors),
            "an obligor with a readable IČO",
            found.unwrap_or("no obligors"),
        ));
    }
    let about = if has(&obligors) {
        About::Obligor(Box::new(entry(row, &creditors, members)?))
    } else if has(&creditors) {
        About::Creditor
    } else {
        About::Others
    };
    let id = row.text(&members.id)?;
    Ok(Row { id, about })
}

fn entry(row: &Part<'_>, icos: &[Option<String>], members: &Members) -> Result<Entry, Failure> {
    let needed = |name: &str, what: &str| {
        row.text(name)?
            .ok_or_else(|| row.unfit(name, what, row.get(name)))
    };
    let dated = |name: &str| match row.text(name)? {
        Some(raw) => authorization::date(&raw, &row.place_of(name)),
        None => Ok(None),
    };
    let mut entry = Entry {
        ecli: needed(&members.ecli, "an ECLI")?,
        authorization_number: row.text(&members.authorization_number)?,
        court_file_number: row.text(&members.court_file_number)?,
        court: row.named(&members.court, &members.court_name)?,
        executor_name: row.named(&members.executor, &members.executor_name)?,
        enforced_claim: row.text(&members.enforced_claim)?,
        creditors: Vec::new(),
        creditor_icos: Vec::new(),
        authorized_at: dated(&members.authorized_at)?,
        published_at: dated(&members.published_at)?,
        status: needed(&members.status, "a state")?,
    };
    for (party, ico) in row.list(&members.creditors)?.iter().zip(icos) {
        let name = party.text(&members.party_name)?.unwrap_or_default();
        let ico = ico.as_deref();
        Creditor { name: &name, ico }.add_to(&mut entry);
    }
    Ok(entry)
}

/// The IČO of each party of a list. `None` if the party has none, or something else in its place.
fn icos(row: &Part<'_>, list: &str, members: &Members) -> Result<Vec<Option<String>>, Failure> {
    let parties = row.list(list)?;
    parties
        .iter()
        .map(|party| party.ico(&members.party_ico))
        .collect()
}

/// An object of the answer and its place.
struct Part<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

impl<'a> Part<'a> {
    fn of(value: &'a Value, place: String) -> Result<Self, Failure> {
        match value.as_object() {
            Some(members) => Ok(Self { members, place }),
            None => {
                let place = place.trim_end_matches([':', ' ']);
                Err(malformed(place, "an object", kind(value)))
            }
        }
    }

    /// An omitted member counts as null.
    fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn place_of(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    fn unfit(&self, name: &str, expected: &str, found: Option<&Value>) -> Failure {
        malformed(self.place_of(name), expected, found.map_or("nothing", kind))
    }

    /// The member's text in one line. A number is read as its digits.
    fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(present(text)),
            Some(Value::Number(number)) => Ok(Some(number.to_string())),
            other @ Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
                Err(self.unfit(name, "text", other))
            }
        }
    }

    /// The name of a value that is either an object with a name or the name itself.
    fn named(&self, name: &str, inner: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            Some(object @ Value::Object(_)) => Part::of(object, self.place_of(name))?.text(inner),
            Some(_) | None => self.text(name),
        }
    }

    fn list(&self, name: &str) -> Result<Vec<Part<'a>>, Failure> {
        let items = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            other @ Some(_) => return Err(self.unfit(name, "a list", other)),
        };
        let place = self.place_of(name);
        items
            .iter()
            .enumerate()
            .map(|(at, item)| Part::of(item, format!("{place}/{at}")))
            .collect()
    }

    fn ico(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            // A JSON number has lost the IČO's leading zeros.
            Some(Value::Number(number)) => Ok(ico::parse(&format!("{number:0>8}"))),
            Some(_) | None => Ok(self.text(name)?.as_deref().and_then(ico::parse)),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(text) if squeeze(text).is_empty() => "an empty text",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
