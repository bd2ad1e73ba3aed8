//! The pages of the mirror, the same for each of its tables: rows, and the position of the next page.

use lustra_sdk::serde_json::{self, Value};
use lustra_sdk::{Failure, date, malformed};

use crate::row::{Position, Row};
use crate::table::Table;

pub const UPSTREAM: &str = "datahub";

#[derive(Debug)]
pub struct Page<T> {
    pub rows: Vec<Row<T>>,
    /// The ids of rows with another structure; `None` for a row without an id.
    pub odd: Vec<Option<u64>>,
    /// The position of the last row that has one, even if that row is odd.
    pub last: Option<Position>,
    /// True if the last row of the page has a position.
    pub has_last_position: bool,
}

/// Reads a page.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else that is not a list, and for
/// several rows none of which has an id and a time. The content is not quoted: notices name people.
pub fn read_page<T: Table>(text: &str) -> Result<Page<T>, Failure> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim_start().starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page of HTML instead of JSON"
        )));
    }
    match serde_json::from_str::<Vec<Row<T>>>(text) {
        Ok(rows) if rows.iter().all(|row| is_time(&row.updated_at)) => {
            let last = rows.last().map(|row| Position {
                since: row.updated_at.clone(),
                last_id: Some(row.id),
            });
            Ok(Page {
                has_last_position: last.is_some(),
                rows,
                odd: Vec::new(),
                last,
            })
        }
        Ok(_) => row_by_row(text).ok_or_else(|| without_positions::<T>()),
        Err(error) => row_by_row(text).ok_or_else(|| other_form::<T>(&error)),
    }
}

/// Reads a page that contains odd rows. `None` if it is not a list, or has several rows and no position.
fn row_by_row<T: Table>(text: &str) -> Option<Page<T>> {
    let values = serde_json::from_str::<Vec<Value>>(text).ok()?;
    let count = values.len();
    let mut page = Page {
        rows: Vec::new(),
        odd: Vec::new(),
        last: None,
        has_last_position: false,
    };
    for value in values {
        let position = position_of(&value);
        let id = value.get("id").and_then(Value::as_u64);
        page.has_last_position = position.is_some();
        match serde_json::from_value(value) {
            Ok(row) if position.is_some() => page.rows.push(row),
            Ok(_) | Err(_) => page.odd.push(id),
        }
        page.last = position.or(page.last);
    }
    (page.last.is_some() || count == 1).then_some(page)
}

/// The position of a row of any structure; `None` without an id or a readable time.
fn position_of(row: &Value) -> Option<Position> {
    let since = row.get("updated_at").and_then(Value::as_str)?;
    let last_id = Some(row.get("id").and_then(Value::as_u64)?);
    is_time(since).then(|| Position {
        since: since.to_owned(),
        last_id,
    })
}

fn is_time(text: &str) -> bool {
    date::parse(text).is_some()
}

fn without_positions<T: Table>() -> Failure {
    let what = format!("answer of {UPSTREAM}: updated_at in {}", T::PATH);
    malformed(what, "a time in some row", "none")
}

fn other_form<T: Table>(error: &serde_json::Error) -> Failure {
    let location = format!("line {} column {}", error.line(), error.column());
    let found = match error.classify() {
        serde_json::error::Category::Data => "JSON of another form",
        serde_json::error::Category::Eof => "a text that ends early",
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => "no JSON",
    };
    malformed(
        format!("answer of {UPSTREAM}: {location}"),
        format!(
            "a list of rows with id, {}, created_at, updated_at and bulletin_issue",
            T::MEMBERS
        ),
        found,
    )
}

/// The next page in a `Link` header, for the table at a path; `None` if the header has none.
///
/// Only the position is taken from it, never the address: the next request goes to the same upstream and path.
///
/// # Errors
/// [`Failure::Malformed`] for a link to another table, and for one without a position.
pub fn next_position(table: &str, link: Option<&str>) -> Result<Option<Position>, Failure> {
    let Some(target) = link.and_then(next_target) else {
        return Ok(None);
    };
    let wrong = |expected: &str| malformed("header Link", expected, target);
    let (address, query) = target
        .split_once('?')
        .ok_or_else(|| wrong("a query in the link to the next page"))?;
    let (address, query) = (address, query.split('#').next().unwrap_or_default());
    let is_here = address == table || (address.starts_with("http") && address.ends_with(table));
    if !is_here {
        return Err(wrong(table));
    }
    let member = |name: &str| {
        query.split('&').find_map(|pair| {
            let (key, value) = pair.split_once('=')?;
            (key == name).then(|| decoded(value)).flatten()
        })
    };
    let since = member("since").filter(|since| date::parse(since).is_some());
    let last_id = member("last_id").and_then(|id| id.parse().ok());
    match (since, last_id) {
        (Some(since), Some(last_id)) => Ok(Some(Position {
            since,
            last_id: Some(last_id),
        })),
        (_, None) | (None, _) => Err(wrong("since and last_id in the link to the next page")),
    }
}

/// The target of the link with the relation `next`, in single, double or no quotes.
fn next_target(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, behind) = after.split_once('>')?;
        let (parameters, following) = match behind.find('<') {
            Some(at) => behind.split_at(at),
            None => (behind, ""),
        };
        let is_next = parameters.split([';', ',']).any(|parameter| {
            let mut sides = parameter.splitn(2, '=').map(str::trim);
            sides.next() == Some("rel")
                && sides.next().map(|value| value.trim_matches(['\'', '"'])) == Some("next")
        });
        if is_next {
            return Some(target);
        }
        rest = following;
    }
    None
}

/// Percent-decodes a query value.
fn decoded(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, behind @ ..] = rest else {
            return None;
        };
        let digit = |byte: &u8| char::from(*byte).to_digit(16);
        bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "/api/data/ov/raw_issues/sync";

    #[test]
    fn link_leads_to_next_page_of_same_table() {
        let position = |since: &str, last_id| {
            Some(Position {
                since: since.to_owned(),
                last_id: Some(last_id),
            })
        };
        let stamp = "2025-06-05T04:26:22.998202Z";
        for (header, expected) in [
            (
                "<https://datahub.example/api/data/ov/raw_issues/sync?last_id=7&since=2025-06-05T04%3A26%3A22.998202Z>; rel='next'",
                position(stamp, 7),
            ),
            (
                "<https://x/api/data/ov/raw_issues/sync?a=b>; rel=\"first\", </api/data/ov/raw_issues/sync?since=2025-06-05T04:26:22.998202Z&last_id=8>; title=x; rel=next",
                position(stamp, 8),
            ),
            (
                "<https://x/api/data/ov/raw_issues/sync?last_id=7>; rel='prev'",
                None,
            ),
            ("", None),
        ] {
            assert_eq!(
                next_position(TABLE, Some(header)).ok(),
                Some(expected),
                "{header}"
            );
        }
        assert_eq!(next_position(TABLE, None).ok(), Some(None));
    }

    #[test]
    fn a_link_elsewhere_is_not_followed() {
        for header in [
            "<https://x/api/data/ov/raw_issues/other?last_id=7&since=2025-06-05>; rel='next'",
            "<https://x/api/data/ov/raw_issues/sync>; rel='next'",
            "<https://x/api/data/ov/raw_issues/sync?last_id=7>; rel='next'",
            "<https://x/api/data/ov/raw_issues/sync?last_id=x&since=2025-06-05>; rel='next'",
            "<https://x/api/data/ov/raw_issues/sync?last_id=7&since=%zz>; rel='next'",
            "<https://x/api/data/ov/or_podanie_issues/sync?last_id=7&since=2025-06-05>; rel='next'",
            "<ftp://x/api/data/ov/raw_issues/sync?last_id=7&since=2025-06-05>; rel='next'",
        ] {
            assert!(
                matches!(
                    next_position(TABLE, Some(header)),
                    Err(Failure::Malformed(_))
                ),
                "{header}"
            );
        }
    }
}
