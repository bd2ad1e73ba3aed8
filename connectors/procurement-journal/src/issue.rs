//! The file of one issue: a JSON envelope whose items hold notices as texts, some of them XML.
//!
//! The envelope is read without unpacking its items, so that only one notice at a time is in memory beside the file.

use std::borrow::Cow;
use std::io::Read;

use lustra_sdk::http::{Request, of_io};
use lustra_sdk::{Failure, date, malformed};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cursor::IssueNumber;
use crate::listing::Listed;
use crate::names::UPSTREAM;

/// The largest accepted file in bytes. Known files have about 10 MB. A file is in memory twice while it grows.
const MAX_BYTES: u64 = 48 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug)]
pub struct Issue<'a> {
    pub issue: IssueNumber,
    /// The published date of the issue: `YYYY-MM-DD`.
    pub published_at: String,
    /// The items as written.
    pub items: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire<'a> {
    bulletin_publish_date: String,
    year: u32,
    number: u32,
    #[serde(borrow)]
    bulletin_item_list: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(borrow)]
    item_data: Cow<'a, str>,
}

/// What an item holds.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// A notice as JSON.
    Notice(String),
    /// Another format, which is not read.
    Xml(String),
}

/// Downloads an issue's file as text.
///
/// # Errors
/// The portal is unreachable; else as [`text_of`].
pub fn download(listed: &Listed) -> Result<String, Failure> {
    let response = Request::get(UPSTREAM, listed.path.as_str()).fetch()?;
    let place = format!("issue {}", listed.issue);
    let mut bytes = Vec::new();
    let mut reader = response.body.reader().take(MAX_BYTES + 1);
    reader
        .read_to_end(&mut bytes)
        .map_err(|error| of_io(&place, &error))?;
    if bytes.len() as u64 > MAX_BYTES {
        let expected = format!("at most {MAX_BYTES} bytes");
        return Err(malformed(place, expected, "more"));
    }
    text_of(listed.issue, bytes)
}

/// The text of a file, without a byte order mark. The portal wrongly declares the file as CSV.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for bytes that are not UTF-8.
pub fn text_of(issue: IssueNumber, mut bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let found = error.utf8_error().to_string();
        malformed(format!("issue {issue}"), "text in UTF-8", found)
    })?;
    if text.trim_start().starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page of HTML instead of the issue {issue}"
        )));
    }
    Ok(text)
}

/// Reads the envelope of an issue.
///
/// # Errors
/// [`Failure::Malformed`] for a text that is not an envelope, or another issue's.
pub fn read(expected: IssueNumber, text: &str) -> Result<Issue<'_>, Failure> {
    let place = format!("issue {expected}");
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| {
        let found = format!("{error}: {}", text.chars().take(60).collect::<String>());
        malformed(
            &place,
            "bulletinPublishDate, year, number and bulletinItemList",
            found,
        )
    })?;
    let issue = IssueNumber {
        year: wire.year,
        number: wire.number,
    };
    if issue != expected {
        return Err(malformed(
            place,
            "the issue that the catalogue names",
            issue.to_string(),
        ));
    }
    let Some(published_at) = date::parse(&wire.bulletin_publish_date) else {
        return Err(malformed(
            format!("{place}: bulletinPublishDate"),
            "a date",
            wire.bulletin_publish_date,
        ));
    };
    Ok(Issue {
        issue,
        published_at,
        items: wire.bulletin_item_list,
    })
}

/// Unpacks an item. Failures name it as `place`.
///
/// # Errors
/// [`Failure::Malformed`] for an item without a text.
pub fn content(place: &str, item: &RawValue) -> Result<Content, Failure> {
    let item: Item<'_> = serde_json::from_str(item.get())
        .map_err(|error| malformed(place, "itemData with a text", error.to_string()))?;
    let text = item.item_data.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('<') {
        return Ok(Content::Xml(text.to_owned()));
    }
    Ok(Content::Notice(text.to_owned()))
}
