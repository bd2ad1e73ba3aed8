//! Finds lists with an unknown slug in the authority's list of lists, by the words of their names.
//!
//! A list is used only if exactly one fits. Otherwise the operator must name it, because the rows of a wrong list would
//! appear in sections of companies to which they do not belong.

use lustra_sdk::http::{self, Request};
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::tax_lists::{ListKind, api_key};
use lustra_sdk::{Failure, malformed, text};
use serde_json::Value;

use crate::dataset::Dataset;
use crate::settings;

/// The upstream of the API.
const UPSTREAM: &str = "fs-api";
/// The most names that a failure quotes.
const MOST_QUOTED: usize = 40;

/// An entry of the list of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The list's name for people.
    pub name: String,
    /// The name of the list's file.
    pub slug: String,
}

/// Requests the slug of a list.
///
/// # Errors
/// [`Failure::Misconfigured`] without a key or with a rejected one, and as [`chosen`]; the API's failure.
pub fn slug(dataset: Dataset) -> Result<String, Failure> {
    let id = dataset.id();
    let Some(key) = api_key()? else {
        return Err(Failure::Misconfigured(format!(
            "the list {id} needs the setting api_key to be found, or its slug in the setting lists"
        )));
    };
    let response = Request::get(UPSTREAM, "/lists")
        .header("key", key)
        .header("accept", "application/json")
        .send()?;
    match response.status {
        200..300 => {}
        401 | 403 => {
            return Err(Failure::Misconfigured(format!(
                "{UPSTREAM} rejected the key of the setting api_key (status {})",
                response.status
            )));
        }
        _ => return Err(response.status_failure()),
    }
    let lists = read(&response.body.text(None)?)?;
    let slug = chosen(dataset, &settings::names(dataset)?, &lists)?;
    runtime::log(
        Level::Info,
        &format!("found the list {id} under the slug {slug}"),
    );
    Ok(slug)
}

/// Reads the list of lists: an array of lists, or an object of lists by slug.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else, including an empty list.
pub fn read(text: &str) -> Result<Vec<Listed>, Failure> {
    let answer: Value = http::read_json(UPSTREAM, text)?;
    let lists: Vec<Listed> = match &answer {
        Value::Array(lists) => lists
            .iter()
            .enumerate()
            .map(|(place, list)| listed(&place.to_string(), list, None))
            .collect::<Result<_, _>>()?,
        Value::Object(lists) => lists
            .iter()
            .map(|(slug, list)| listed(slug, list, Some(slug)))
            .collect::<Result<_, _>>()?,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    if lists.is_empty() {
        return Err(malformed(
            format!("answer of {UPSTREAM}: lists"),
            "some lists",
            text,
        ));
    }
    Ok(lists)
}

fn listed(place: &str, list: &Value, slug: Option<&str>) -> Result<Listed, Failure> {
    let member = |name: &str| list[name].as_str().and_then(text::present);
    let wrong = |name: &str| {
        let place = format!("answer of {UPSTREAM}: /{place}/{name}");
        malformed(place, "a text", list.to_string())
    };
    Ok(Listed {
        name: member("name").ok_or_else(|| wrong("name"))?,
        slug: member("slug")
            .or_else(|| slug.map(str::to_owned))
            .ok_or_else(|| wrong("slug"))?,
    })
}

/// The slug of the only list whose name fits.
///
/// # Errors
/// [`Failure::Misconfigured`] if no list fits, or several. It says which words were searched and which lists exist.
pub fn chosen(dataset: Dataset, wanted: &[String], lists: &[Listed]) -> Result<String, Failure> {
    let fitting: Vec<&Listed> = lists
        .iter()
        .filter(|list| wanted.iter().any(|words| fits(&list.name, words)))
        .collect();
    let (found, which) = match fitting.as_slice() {
        [only] => return Ok(only.slug.clone()),
        [] => ("no list is called so; there are", quoted(lists.iter())),
        _ => (
            "several lists are called so",
            quoted(fitting.iter().copied()),
        ),
    };
    Err(Failure::Misconfigured(format!(
        "the list {} was looked for as {}: {found}: {which}. Its slug can be set in the setting lists",
        dataset.id(),
        wanted.join(" / "),
    )))
}

/// Whether each of the words begins a word of the name, without regard to case and diacritics.
fn fits(name: &str, words: &str) -> bool {
    let (name, words) = (text::fold(name), text::fold(words));
    let has = |stem: &str| name.split(' ').any(|word| word.starts_with(stem));
    !words.is_empty() && words.split(' ').all(has)
}

fn quoted<'a>(lists: impl Iterator<Item = &'a Listed>) -> String {
    let names: Vec<&str> = lists
        .map(|list| list.name.as_str())
        .take(MOST_QUOTED)
        .collect();
    names.join("; ")
}
