//! The authority's own API, for one thing: a VAT payer by IČO where the list was never imported.
//!
//! Its rows are those of the files with names in lower case and all texts. It answers a search without a hit with
//! 404, and does not say whether a search compares whole values, so rows are compared again.

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
/// A company has one registration or a few, so a second page of a thousand rows is already strange.
const MOST_PAGES: u64 = 5;

/// One page of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// How many pages there are.
    pub pages: u64,
    /// The rows, with column names in upper case as in the files.
    pub rows: Vec<Row>,
}

/// The registrations of a company, with the answers that say so.
///
/// # Errors
/// What the API failed with; [`Failure::Misconfigured`] for a key or a list that it does not take.
pub fn vat_payers(
    ico: &str,
    key: &str,
    list: &ListSettings,
) -> Result<(Vec<VatPayer>, Vec<Evidence>), Failure> {
    let column = list.columns.of("ico");
    let (mut payers, mut evidence) = (Vec::new(), Vec::new());
    for number in 1..=MOST_PAGES {
        let path = format!(
            "/data/{}/search?column={}&search={}&page={number}",
            list.slug,
            http::encode(&column.to_lowercase()),
            http::encode(ico),
        );
        let response = Request::get(UPSTREAM, path)
            .header("key", key)
            .header("accept", "application/json")
            .send()?;
        let status = response.status;
        let status_failure = response.status_failure();
        let text = response.body.text(None)?;
        evidence.push(response.body.evidence());
        let page = match status {
            200..300 => read_page(&text, column)?,
            401 | 403 => {
                let why = format!(
                    "{UPSTREAM} does not take the key of the setting api_key (status {status})"
                );
                return Err(Failure::Misconfigured(why));
            }
            404 => {
                read_miss(&text, &list.slug)?;
                break;
            }
            _ => return Err(status_failure),
        };
        payers.extend(of_company(&page, ico, list));
        if number >= page.pages {
            return Ok((payers, evidence));
        }
        if number == MOST_PAGES {
            return Err(malformed(
                format!("answer of {UPSTREAM}: pages"),
                "a few",
                page.pages.to_string(),
            ));
        }
    }
    Ok((payers, evidence))
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

/// Reads one page; every row must have the column that was searched.
///
/// # Errors
/// [`Failure::Malformed`] naming the member that is not as it should be, [`Failure::Unavailable`] for HTML.
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

/// Reads the body of a 404: only the API's own says that nothing was found.
///
/// # Errors
/// [`Failure::Misconfigured`] where it is the list that is not known, [`Failure::Unavailable`] for anybody else's 404.
pub fn read_miss(text: &str, slug: &str) -> Result<(), Failure> {
    let not_the_api = |why: &str| {
        Failure::Unavailable(format!(
            "{UPSTREAM} answered with status 404, not in its own words: {why}"
        ))
    };
    let answer: Map<String, Value> =
        http::read_json(UPSTREAM, text).map_err(|failure| not_the_api(&unread::why(&failure)))?;
    let Some(message) = answer.get("message").and_then(Value::as_str) else {
        return Err(not_the_api("it has no message"));
    };
    if message.to_lowercase().contains("list") {
        return Err(Failure::Misconfigured(format!(
            "{UPSTREAM} knows no list {slug}"
        )));
    }
    Ok(())
}
