//! One answer of the search: a page of notices.

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A notice as received. Members without a value are missing, never null.
pub type Members = Map<String, Value>;

#[derive(Debug)]
pub struct Page {
    pub notices: Vec<Members>,
    /// Number of notices on all pages.
    pub total: u64,
    /// Requests the next page. The last page may have a token too.
    pub token: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    notices: Vec<Members>,
    total_notice_count: u64,
    iteration_next_token: Option<String>,
    timed_out: bool,
}

/// Reads a page.
///
/// # Errors
/// As [`http::read_json`]; [`Failure::Unavailable`] if the search reports a timeout; [`Failure::Malformed`] for
/// a page without notices of a search that has results.
pub fn read(text: &str, read_before: u64) -> Result<Page, Failure> {
    let answer: Answer = http::read_json("ted", text)?;
    if answer.timed_out {
        return Err(Failure::Unavailable(
            "ted did not search to the end within its time".to_owned(),
        ));
    }
    let total = answer.total_notice_count;
    if answer.notices.is_empty() && read_before < total {
        return Err(malformed(
            "notices",
            format!("{total} notices"),
            format!("{read_before} and no more"),
        ));
    }
    Ok(Page {
        notices: answer.notices,
        total,
        token: answer.iteration_next_token,
    })
}

/// The texts of a member with one or several values; empty if it is missing.
///
/// # Errors
/// [`Failure::Malformed`] for any other type.
pub fn texts<'a>(notice: &'a Members, name: &str) -> Result<Vec<&'a str>, Failure> {
    let found = notice.get(name);
    let texts = match found {
        None => Some(Vec::new()),
        Some(Value::String(text)) => Some(vec![text.as_str()]),
        Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
        Some(_) => None,
    };
    texts.ok_or_else(|| malformed(format!("notices/{name}"), "a text or texts", kind(found)))
}

/// The JSON type of a value, for messages.
#[must_use]
pub fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None | Some(Value::Null) => "null or nothing",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "a text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}
