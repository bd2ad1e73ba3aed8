//! The authority's own API, used only for a company's VAT registration if the list was never imported.
//!
//! Its rows equal those of the files, with names in lower case and all values as texts. A search without
//! results returns 404. It is unknown whether a search compares whole values, so the connector compares the
//! rows again. The searchable columns differ by list and over time, so the connector requests them first: the
//! list of VAT payers has been observed to support only IČ DPH. An empty result is accepted only for a search
//! by IČO.

use lustra_sdk::http::{self, Request};
use lustra_sdk::serde_json::{Map, Value};
use lustra_sdk::tax_lists::Cells;
use lustra_sdk::xml::Row;
use lustra_sdk::{Evidence, Failure, Notes, malformed};

use crate::lists::vat_payers::{self, VatPayer};
use crate::settings::ListSettings;
use lustra_sdk::unread;

/// The upstream of the API.
pub const UPSTREAM: &str = "fs-api";
/// Maximum number of pages. A company has few registrations, so even a second page of a thousand rows is
/// unexpected.
const MAX_PAGES: u64 = 5;

/// One page of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub pages: u64,
    /// The rows, with column names in upper case as in the files.
    pub rows: Vec<Row>,
}

/// The company whose registration is searched.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub ico: &'a str,
    /// Ten digits, if an imported list has them. The IČ DPH of an ordinary payer is `SK` followed by the DIČ.
    pub dic: Option<&'a str>,
}

/// The registrations of a company, with the answers as evidence. Empty if it is not registered.
///
/// # Errors
/// The API's failure; [`Failure::Misconfigured`] if the API rejects the key or the list;
/// [`Failure::Unavailable`] if the API cannot be searched by IČO and a search by number finds nothing, because
/// a member of a VAT group is registered under another number.
pub fn vat_payers(
    wanted: Wanted<'_>,
    key: &str,
    list: &ListSettings,
) -> Result<(Vec<VatPayer>, Vec<Evidence>), Failure> {
    let mut evidence = Vec::new();
    let columns = ask(&format!("/lists/{}", list.slug), key, &mut evidence)?;
    let columns = match columns {
        Some(text) => read_searchable(&text)?,
        None => {
            return Err(Failure::Misconfigured(format!(
                "{UPSTREAM} knows no list {}",
                list.slug
            )));
        }
    };
    let is_searched = |column: &str| columns.contains(&column.to_lowercase());
    let (by_ico, by_number) = (list.columns.of("ico"), list.columns.of("ic_dph"));
    if is_searched(by_ico) {
        let payers = search(by_ico, wanted.ico, wanted.ico, key, list, &mut evidence)?;
        return Ok((payers, evidence));
    }
    let Some(dic) = wanted.dic.filter(|_| is_searched(by_number)) else {
        return Err(Failure::Unavailable(format!(
            "{} is searched by {} only, and the company's DIČ is not known",
            list.slug,
            columns.join(", ")
        )));
    };
    let number = format!("SK{dic}");
    let payers = search(by_number, &number, wanted.ico, key, list, &mut evidence)?;
    if payers.is_empty() {
        return Err(Failure::Unavailable(format!(
            "{} is not searched by IČO, and {number} is not registered; a member of a VAT group has another number",
            list.slug
        )));
    }
    Ok((payers, evidence))
}

/// Requests a path. `None` if the API reports no result.
fn ask(path: &str, key: &str, evidence: &mut Vec<Evidence>) -> Result<Option<String>, Failure> {
    let response = Request::get(UPSTREAM, path)
        .header("key", key)
        .header("accept", "application/json")
        .send()?;
    let status = response.status;
    let status_failure = response.status_failure();
    let text = response.body.text(None)?;
    evidence.push(response.body.evidence());
    match status {
        200..300 => Ok(Some(text)),
        401 | 403 => Err(Failure::Misconfigured(format!(
            "{UPSTREAM} rejected the key of the setting api_key (status {status})"
        ))),
        404 => read_miss(&text, path).map(|()| None),
        _ => Err(status_failure),
    }
}

/// The rows of the company from all pages of a search.
fn search(
    column: &str,
    value: &str,
    ico: &str,
    key: &str,
    list: &ListSettings,
    evidence: &mut Vec<Evidence>,
) -> Result<Vec<VatPayer>, Failure> {
    let mut payers = Vec::new();
    for number in 1..=MAX_PAGES {
        let path = format!(
            "/data/{}/search?column={}&search={}&page={number}",
            list.slug,
            http::encode(&column.to_lowercase()),
            http::encode(value),
        );
        let Some(text) = ask(&path, key, evidence)? else {
            if number == 1 {
                break;
            }
            return Err(malformed(
                format!("answer of {UPSTREAM}: pages"),
                "each page that the first one counts",
                format!("no page {number}"),
            ));
        };
        let page = read_page(&text, column)?;
        let found = of_company(&page, ico, list);
        // An API that ignores the search returns rows of others, which say nothing of the company.
        if found.is_empty() && number == 1 {
            return Err(malformed(
                format!("answer of {UPSTREAM}: /data"),
                "a row of the company; a search without results is a 404",
                format!("{} rows of others", page.rows.len()),
            ));
        }
        payers.extend(found);
        if number >= page.pages {
            return Ok(payers);
        }
        if number == MAX_PAGES {
            return Err(malformed(
                format!("answer of {UPSTREAM}: pages"),
                "a few",
                page.pages.to_string(),
            ));
        }
    }
    Ok(payers)
}

/// Reads the searchable columns of a list: an array in older answers, a comma-separated text in newer ones.
///
/// # Errors
/// [`Failure::Malformed`] for anything else, [`Failure::Unavailable`] for HTML.
pub fn read_searchable(text: &str) -> Result<Vec<String>, Failure> {
    let answer: Map<String, Value> = http::read_json(UPSTREAM, text)?;
    let columns: Vec<&str> = match answer.get("searchable") {
        Some(Value::String(columns)) => columns.split(',').collect(),
        Some(Value::Array(columns)) => columns.iter().filter_map(Value::as_str).collect(),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {
            Vec::new()
        }
    };
    let columns: Vec<String> = columns
        .iter()
        .map(|column| column.trim().to_lowercase())
        .filter(|column| !column.is_empty())
        .collect();
    if columns.is_empty() {
        return Err(malformed(
            format!("answer of {UPSTREAM}: /searchable"),
            "the columns by which the list is searched",
            text,
        ));
    }
    Ok(columns)
}

fn of_company(page: &Page, ico: &str, list: &ListSettings) -> Vec<VatPayer> {
    let mut notes = Notes::default();
    page.rows
        .iter()
        .filter_map(|row| vat_payers::read(&mut Cells::new(row, &list.columns, &mut notes)))
        .filter(|(found, _)| found.as_deref() == Some(ico))
        .map(|(_, payer)| payer)
        .collect()
}

/// Reads one page. Every row must have the searched column.
///
/// # Errors
/// [`Failure::Malformed`] with the name of the invalid member, [`Failure::Unavailable`] for HTML.
pub fn read_page(text: &str, searched: &str) -> Result<Page, Failure> {
    let answer: Map<String, Value> = http::read_json(UPSTREAM, text)?;
    let wrong = |member: &str, expected: &str| {
        malformed(format!("answer of {UPSTREAM}: {member}"), expected, text)
    };
    let pages = answer
        .get("pages")
        .and_then(Value::as_u64)
        .ok_or_else(|| wrong("/pages", "a number"))?;
    let data = answer
        .get("data")
        .and_then(Value::as_array)
        .ok_or_else(|| wrong("/data", "an array"))?;
    let mut rows = Vec::with_capacity(data.len());
    for (index, item) in data.iter().enumerate() {
        let members = item
            .as_object()
            .ok_or_else(|| wrong(&format!("/data/{index}"), "an object"))?;
        let mut has_searched = false;
        let mut row = Row::new();
        for (name, value) in members {
            let column = name.to_uppercase();
            has_searched |= column == searched.to_uppercase();
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    return Err(wrong(&format!("/data/{index}/{name}"), "a text or null"));
                }
            };
            row.insert(column, text);
        }
        if !has_searched {
            return Err(wrong(
                &format!("/data/{index}/{}", searched.to_lowercase()),
                "the column that was searched",
            ));
        }
        rows.push(row);
    }
    Ok(Page { pages, rows })
}

/// Reads the body of a 404. Only the API's own body means *nothing found*.
///
/// # Errors
/// [`Failure::Misconfigured`] if the list is unknown, [`Failure::Unavailable`] for a 404 from another server.
pub fn read_miss(text: &str, path: &str) -> Result<(), Failure> {
    let not_the_api = |why: &str| {
        Failure::Unavailable(format!(
            "{UPSTREAM} answered with status 404 without its own message: {why}"
        ))
    };
    let answer: Map<String, Value> =
        http::read_json(UPSTREAM, text).map_err(|failure| not_the_api(&unread::why(&failure)))?;
    let Some(message) = answer.get("message").and_then(Value::as_str) else {
        return Err(not_the_api("it has no message"));
    };
    if message.to_lowercase().contains("list") {
        return Err(Failure::Misconfigured(format!(
            "{UPSTREAM} knows no list {path}"
        )));
    }
    Ok(())
}
