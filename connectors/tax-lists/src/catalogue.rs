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
const MAX_QUOTED: usize = 40;

/// An entry of the list of lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The list's name for people.
    pub name: String,
    /// The name of the list's file.
    pub slug: String,
}

/// The authority's list of lists.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// The entries that have a name and a slug.
    pub lists: Vec<Listed>,
    /// The number of entries without a name or a slug.
    pub unreadable: usize,
}

/// Requests the slug of a list.
///
/// # Errors
/// [`Failure::Misconfigured`] without a key or with a rejected one, and as [`chosen`]; [`Failure::Malformed`] if no
/// readable entry fits and an entry is unreadable; the API's failure.
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
    let catalogue = read(&response.body.text(None)?)?;
    let wanted = settings::names(dataset)?;
    if catalogue.unreadable > 0 {
        let left_out = format!(
            "{} entries of {UPSTREAM} /lists left out: no name or slug",
            catalogue.unreadable
        );
        runtime::log(Level::Warn, &left_out);
        if !catalogue.lists.iter().any(|list| is_wanted(list, &wanted)) {
            return Err(malformed(
                format!("answer of {UPSTREAM}: lists"),
                format!("a list called {}", wanted.join(" / ")),
                left_out,
            ));
        }
    }
    let slug = chosen(dataset, &wanted, &catalogue.lists)?;
    runtime::log(
        Level::Info,
        &format!("found the list {id} under the slug {slug}"),
    );
    Ok(slug)
}

/// Reads the list of lists: an array of lists, or an object of lists by slug. An entry without a name or a slug is left
/// out and counted.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else, and if no entry is readable.
pub fn read(text: &str) -> Result<Catalogue, Failure> {
    let answer: Value = http::read_json(UPSTREAM, text)?;
    let entries: Vec<Option<Listed>> = match &answer {
        Value::Array(lists) => lists.iter().map(|list| listed(list, None)).collect(),
        Value::Object(lists) => lists
            .iter()
            .map(|(slug, list)| listed(list, Some(slug)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    let count = entries.len();
    let lists: Vec<Listed> = entries.into_iter().flatten().collect();
    if lists.is_empty() {
        return Err(malformed(
            format!("answer of {UPSTREAM}: lists"),
            "lists with a name and a slug",
            text,
        ));
    }
    Ok(Catalogue {
        unreadable: count - lists.len(),
        lists,
    })
}

fn listed(list: &Value, slug: Option<&str>) -> Option<Listed> {
    let member = |name: &str| list.get(name)?.as_str().and_then(text::present);
    Some(Listed {
        name: member("name")?,
        slug: member("slug").or_else(|| slug.map(str::to_owned))?,
    })
}

fn is_wanted(list: &Listed, wanted: &[String]) -> bool {
    wanted.iter().any(|words| fits(&list.name, words))
}

/// The slug of the only list whose name fits.
///
/// # Errors
/// [`Failure::Misconfigured`] if no list fits, or several. It says which words were searched and which lists exist.
pub fn chosen(dataset: Dataset, wanted: &[String], lists: &[Listed]) -> Result<String, Failure> {
    let fitting: Vec<&Listed> = lists
        .iter()
        .filter(|list| is_wanted(list, wanted))
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
        .take(MAX_QUOTED)
        .collect();
    names.join("; ")
}
