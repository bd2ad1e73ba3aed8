//! Parameters of listings, as the manifest of a collection declares them: read, checked and documented.

use serde_json::{Value, json};

use crate::api::error::ApiError;
use crate::api::query::ParameterReader;
use crate::collections::{Question, Sought};
use crate::companies::{Ico, InvalidIco};
use crate::connectors::manifest::{
    CollectionManifest, FilterKind, FilterManifest, Member, OfCompanyManifest,
};

const DEFAULT_LIMIT: u64 = 25;
const MAX_ITEMS: u64 = 100;
/// The maximum of the signed 64-bit integer that the OpenAPI document declares.
const MAX_OFFSET: u64 = i64::MAX.unsigned_abs();

/// The query of a look-up, which has no parameters.
pub(super) struct NotPaged;

impl NotPaged {
    pub(super) fn read(query: Option<&str>) -> Result<Self, ApiError> {
        ParameterReader::of_query(query, &[], 0).finish(Some(Self))
    }
}

/// The page of a list. `longest` is the maximum length of a searched text, in characters.
///
/// # Errors
/// A 422 that names every wrong parameter.
pub(super) fn of_list(
    query: Option<&str>,
    manifest: &CollectionManifest,
    longest: usize,
) -> Result<Question, ApiError> {
    let filters: Vec<&FilterManifest> = manifest.filters.iter().collect();
    let mut given = ParameterReader::of_query(query, &names(&filters), longest);
    let question = read(&mut given, manifest, &filters);
    given.finish(question)
}

/// The page of the list of a company's items.
///
/// # Errors
/// A 422 that names every wrong parameter.
pub(super) fn of_company(
    query: Option<&str>,
    manifest: &CollectionManifest,
    listing: &OfCompanyManifest,
    ico: &str,
    longest: usize,
) -> Result<Question, ApiError> {
    let filters = of_listing(manifest, listing);
    let mut given = ParameterReader::of_query(query, &names(&filters), longest);
    if Ico::parse(ico).is_err() {
        given.refuse("ico", InvalidIco.to_string());
    }
    let own = manifest
        .filters
        .iter()
        .position(|filter| filter.name == listing.filter);
    let question = read(&mut given, manifest, &filters);
    let question = question.zip(own).map(|(mut question, own)| {
        question.filters.retain(|(filter, _)| *filter != own);
        question
            .filters
            .push((own, Sought::of(FilterKind::Ico, ico)));
        question
    });
    given.finish(question)
}

/// The filters that are parameters of a listing of a company, in the manifest's order.
pub(in crate::api) fn of_listing<'a>(
    manifest: &'a CollectionManifest,
    listing: &OfCompanyManifest,
) -> Vec<&'a FilterManifest> {
    let filters = manifest.filters.iter();
    filters
        .filter(|filter| listing.parameters.contains(&filter.name))
        .collect()
}

fn names<'a>(filters: &[&'a FilterManifest]) -> Vec<&'a str> {
    let names = filters.iter().map(|filter| filter.name.as_str());
    names.chain(["limit", "offset"]).collect()
}

fn read(
    given: &mut ParameterReader,
    manifest: &CollectionManifest,
    filters: &[&FilterManifest],
) -> Option<Question> {
    let limit = given.number("limit", 1..=MAX_ITEMS, DEFAULT_LIMIT);
    let offset = given.number("offset", 0..=MAX_OFFSET, 0);
    let mut sought = Vec::new();
    let mut is_right = true;
    for (place, filter) in manifest.filters.iter().enumerate() {
        let is_parameter = filters.iter().any(|known| known.name == filter.name);
        if is_parameter && given.is_given(&filter.name) {
            match value(given, filter) {
                Some(value) => sought.push((place, value)),
                None => is_right = false,
            }
        } else if let Some(default) = default(filter) {
            sought.push((place, default));
        }
    }
    let (limit, offset) = (limit?, offset?);
    is_right.then_some(Question {
        filters: sought,
        limit,
        offset,
    })
}

/// What a request without the parameter seeks.
fn default(filter: &FilterManifest) -> Option<Sought> {
    let condition = filter.choices.get(filter.default.as_ref()?)?;
    Some(Sought::of_choice(filter.kind, condition))
}

/// Reads a parameter that is given. `None` after recording a mistake.
fn value(given: &mut ParameterReader, filter: &FilterManifest) -> Option<Sought> {
    let (name, kind) = (filter.name.as_str(), filter.kind);
    let text = given.text(name).unwrap_or_default().to_owned();
    let mistake = match kind {
        FilterKind::Words | FilterKind::Label => {
            return Some(Sought::of(kind, &given.searched(name, 1)?));
        }
        FilterKind::Ico if Ico::parse(&text).is_err() => InvalidIco.to_string(),
        FilterKind::Id if text.is_empty() => "it must not be empty".to_owned(),
        FilterKind::Ico | FilterKind::Id => return Some(Sought::of(kind, &text)),
        FilterKind::Boolean => match text.as_str() {
            "true" | "1" => return Some(Sought::of(kind, "true")),
            "false" | "0" => return Some(Sought::of(kind, "false")),
            _ => "one of true, false, 1, 0".to_owned(),
        },
        FilterKind::Code | FilterKind::Choice => {
            if let Some(condition) = filter.choices.get(&text) {
                return Some(Sought::of_choice(kind, condition));
            }
            let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
            if is_code && kind == FilterKind::Code {
                return Some(Sought::of(kind, &text));
            }
            accepted(filter)
        }
    };
    given.refuse(name, mistake);
    None
}

fn accepted(filter: &FilterManifest) -> String {
    let choices: Vec<&str> = filter.choices.keys().map(String::as_str).collect();
    let choices = choices.join(", ");
    if filter.kind == FilterKind::Choice {
        format!("one of {choices}")
    } else if choices.is_empty() {
        "two letters".to_owned()
    } else {
        format!("two letters, or one of {choices}")
    }
}

/// The parameters of the OpenAPI document.
pub(in crate::api) fn documented(filters: &[&FilterManifest]) -> Vec<Value> {
    let paging = [
        json!({
            "name": "limit", "in": "query", "required": false,
            "description": format!("Maximum number of items, 1 to {MAX_ITEMS}. Default {DEFAULT_LIMIT}."),
            "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_ITEMS, "default": DEFAULT_LIMIT},
        }),
        json!({
            "name": "offset", "in": "query", "required": false,
            "description": "Number of items to skip. Default 0.",
            "schema": {"type": "integer", "format": "int64", "minimum": 0, "maximum": MAX_OFFSET, "default": 0},
        }),
    ];
    let filters = filters.iter().map(|filter| {
        let about = if filter.about.is_empty() {
            meaning(filter)
        } else {
            filter.about.clone()
        };
        json!({
            "name": filter.name, "in": "query", "required": false, "description": about, "schema": schema(filter),
        })
    });
    filters.chain(paging).collect()
}

fn schema(filter: &FilterManifest) -> Value {
    let choices: Vec<&str> = filter.choices.keys().map(String::as_str).collect();
    let mut schema = match filter.kind {
        FilterKind::Words | FilterKind::Label | FilterKind::Id => {
            json!({"type": "string", "minLength": 1})
        }
        FilterKind::Ico => json!({"type": "string", "pattern": "^[0-9]{8}$"}),
        FilterKind::Boolean => json!({"type": "string", "enum": ["true", "false", "1", "0"]}),
        FilterKind::Choice => json!({"type": "string", "enum": choices}),
        FilterKind::Code => {
            let codes = ["[A-Za-z]{2}"].into_iter().chain(choices);
            let codes: Vec<&str> = codes.collect();
            json!({"type": "string", "pattern": format!("^({})$", codes.join("|"))})
        }
    };
    if let Some(default) = &filter.default {
        schema["default"] = json!(default);
    }
    schema
}

fn meaning(filter: &FilterManifest) -> String {
    let what = match filter.kind {
        FilterKind::Words => "The beginnings of words",
        FilterKind::Label => "The label, whatever its case and diacritics",
        FilterKind::Ico => "The registration number (IČO), 8 digits",
        FilterKind::Id => "The id",
        FilterKind::Code => "The code",
        FilterKind::Boolean => "Whether it holds",
        FilterKind::Choice => "The choice",
    };
    let members: Vec<&str> = filter.members.iter().map(Member::as_str).collect();
    format!("{what} in `{}`.", members.join("`, `"))
}
