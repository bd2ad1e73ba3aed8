//! One answer of the service: a page of a list, or one register file.

use lustra_sdk::{Failure, http, malformed};
use serde_json::{Map, Value};

use crate::entry::kind;
use crate::link;
use crate::question::FILES;

const CONTEXT: &str = "@odata.context";
const NEXT: &str = "@odata.nextLink";

/// A page of a list.
#[derive(Debug)]
pub struct Page {
    /// The rows, which should be objects.
    pub rows: Vec<Value>,
    /// The path of the next page.
    pub next: Option<String>,
    /// The service's address, as the answer states it.
    pub root: Option<String>,
}

/// Reads a page of the list at `path` (`Partneri`, or a list of a register file in both its spellings).
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for an answer without `value`, and for a link elsewhere.
pub fn read(text: &str, path: &[String]) -> Result<Page, Failure> {
    let mut answer: Map<String, Value> = http::read_json("rpvs", text)?;
    let root = root(&answer);
    let next = match answer.get(NEXT) {
        None | Some(Value::Null) => None,
        Some(Value::String(link)) => Some(link::below(link, root.as_deref(), path, NEXT)?),
        Some(other) => return Err(malformed(NEXT, "a link", kind(other))),
    };
    match answer.remove("value") {
        Some(Value::Array(rows)) => Ok(Page { rows, next, root }),
        Some(other) => Err(malformed("value", "a list", kind(&other))),
        None => Err(malformed("answer of rpvs", "the member value", text)),
    }
}

/// Reads one register file, which must be the requested one, and the service's address.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Malformed`] for another file.
pub fn read_file(text: &str, id: i64) -> Result<(Value, Option<String>), Failure> {
    let answer: Map<String, Value> = http::read_json("rpvs", text)?;
    let root = root(&answer);
    match answer.get("Id").and_then(Value::as_i64) {
        Some(found) if found == id => Ok((Value::Object(answer), root)),
        found => Err(malformed(
            format!("{FILES}({id})/Id"),
            id.to_string(),
            found.map_or_else(|| "none".to_owned(), |found| found.to_string()),
        )),
    }
}

/// The truncated lists of a register file, each with the path of its rest, or with the reason why the link cannot be
/// followed ([`Failure::Malformed`] for a link elsewhere).
#[must_use]
pub fn rests(row: &Value, id: i64, root: Option<&str>) -> Vec<(String, Result<String, Failure>)> {
    let members = row.as_object().into_iter().flatten();
    let rests = members.filter_map(|(place, link)| {
        let list = place.strip_suffix(NEXT)?;
        let path = match link {
            Value::Null => return None,
            Value::String(link) => link::below(link, root, &list_paths(id, list), place),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(malformed(place, "a link", kind(link)))
            }
        };
        Some((list.to_owned(), path))
    });
    rests.collect()
}

/// Whether a list of the register file is truncated.
#[must_use]
pub fn is_cut(row: &Value) -> bool {
    let links = row.as_object().into_iter().flatten();
    links
        .filter(|(name, link)| name.ends_with(NEXT) && !link.is_null())
        .count()
        > 0
}

/// The spellings of a register file's list in a path.
#[must_use]
pub fn list_paths(id: i64, list: &str) -> Vec<String> {
    vec![
        format!("{FILES}({id})/{list}"),
        format!("{FILES}/{id}/{list}"),
    ]
}

fn root(answer: &Map<String, Value>) -> Option<String> {
    let context = answer.get(CONTEXT)?.as_str()?;
    link::root_of(context).map(str::to_owned)
}
