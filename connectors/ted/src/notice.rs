//! One notice as far as the section needs it.

use lustra_sdk::{Failure, date, malformed, text};
use serde_json::Value;

use crate::money::{self, Money};
use crate::page::{Members, kind, texts};
use crate::settings::Settings;

/// Languages of a title, the best first. Where there is none of them any will do.
const LANGUAGES: [&str; 2] = ["slk", "eng"];

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Such as `123456-2026`.
    pub number: String,
    /// In Slovak where it can be had.
    pub title: Option<String>,
    /// `YYYY-MM-DD`.
    pub date: Option<String>,
    /// TED's code, such as `can-standard`.
    pub kind: Option<String>,
    /// What was awarded.
    pub value: Option<Money>,
    /// What was estimated.
    pub estimate: Option<Money>,
}

impl Notice {
    /// Newest first: the day, the year of the number, the number.
    #[must_use]
    pub fn age(&self) -> (Option<&str>, Option<u32>, Option<u64>) {
        let (number, year) = self.number.split_once('-').unwrap_or_default();
        (self.date.as_deref(), year.parse().ok(), number.parse().ok())
    }
}

/// The number of a notice.
///
/// # Errors
/// [`Failure::Malformed`] for a notice without one.
pub fn number(members: &Members) -> Result<String, Failure> {
    let told = members.get("publication-number").and_then(Value::as_str);
    let is_one = |number: &&str| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        number
            .split_once('-')
            .is_some_and(|(number, year)| digits(number) && year.len() == 4 && digits(year))
    };
    let number = told.filter(is_one).map(str::to_owned);
    let what = "notices/publication-number";
    number.ok_or_else(|| malformed(what, "a number such as 123456-2026", told.unwrap_or("none")))
}

/// Reads a notice.
///
/// # Errors
/// [`Failure::Malformed`] for a member of another form; one that is missing is none.
pub fn read(members: &Members, settings: &Settings) -> Result<Notice, Failure> {
    Ok(Notice {
        number: number(members)?,
        title: title(members)?,
        date: day(members)?,
        kind: texts(members, "notice-type")?
            .into_iter()
            .find_map(text::present),
        value: money::first(members, &settings.values)?,
        estimate: money::at(members, &settings.estimate)?,
    })
}

fn title(members: &Members) -> Result<Option<String>, Failure> {
    let name = "notice-title";
    let found = members.get(name);
    let languages = match found {
        None => return Ok(None),
        Some(Value::Object(languages)) => languages,
        Some(_) => {
            let what = format!("notices/{name}");
            return Err(malformed(what, "texts by language", kind(found)));
        }
    };
    let mut first = LANGUAGES
        .into_iter()
        .chain(languages.keys().map(String::as_str));
    let told = first.find_map(|language| {
        let texts = texts(languages, language).ok()?;
        texts.into_iter().find_map(text::present)
    });
    Ok(told)
}

/// The day; what stands behind it is the zone, in which it is meant.
fn day(members: &Members) -> Result<Option<String>, Failure> {
    let name = "publication-date";
    let texts = texts(members, name)?;
    let Some(raw) = texts.first() else {
        return Ok(None);
    };
    let what = format!("notices/{name}");
    let read = date::parse(raw).ok_or_else(|| malformed(what, "a date such as 2026-01-25Z", raw));
    read.map(Some)
}
