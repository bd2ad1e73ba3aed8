//! Reads the parts of a notice that the section needs.

use lustra_sdk::{Failure, date, malformed, text};
use serde_json::Value;

use crate::money::{self, Money};
use crate::page::{Members, kind, texts};
use crate::settings::Settings;

/// Preferred languages of a title. If the notice has neither, any language is used.
const LANGUAGES: [&str; 2] = ["slk", "eng"];

/// The relevant part of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The publication number, such as `123456-2026`.
    pub number: String,
    /// The title, in Slovak if available.
    pub title: Option<String>,
    /// The date of publication: `YYYY-MM-DD`.
    pub date: Option<String>,
    /// TED's code, such as `can-standard`.
    pub kind: Option<String>,
    /// The stage of the procurement.
    pub stage: Stage,
    /// The procedure that it belongs to.
    pub procedure: Option<String>,
    /// The notices that a modification changes, by number or by other identifiers.
    pub modifies: Vec<String>,
    pub value: Option<Money>,
    pub estimate: Option<Money>,
}

/// The stage of a procurement that a notice documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// A result: a contract was awarded.
    Award,
    /// A change of a contract that was awarded before.
    Modification,
    /// Any other notice, such as a competition; its values are estimates.
    Other,
}

impl Stage {
    /// Derives the stage from the types of the notice and its form. A notice is an award only if neither
    /// contradicts it.
    fn of(notice_type: Option<&str>, form_type: Option<&str>) -> Self {
        if notice_type == Some("can-modif") || form_type == Some("cont-modif") {
            return Self::Modification;
        }
        let is_result = notice_type.map(|kind| kind.starts_with("can-") || kind == "veat");
        // A `veat` has the form of a direct award, but its contract is not concluded yet.
        let is_of_results = form_type.map(|form| matches!(form, "result" | "dir-awa-pre"));
        match (is_result, is_of_results) {
            (Some(true), Some(true) | None) => Self::Award,
            (None, Some(true)) if form_type == Some("result") => Self::Award,
            (Some(_) | None, Some(_) | None) => Self::Other,
        }
    }
}

impl Notice {
    /// True if it has an awarded amount in a named currency.
    #[must_use]
    pub fn has_value(&self) -> bool {
        let value = self.value.as_ref();
        value.is_some_and(|money| money.currency.is_some())
    }

    /// Sort key for newest first: day, year of the number, number.
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
    let raw = members.get("publication-number").and_then(Value::as_str);
    let number = raw.filter(|number| is_number(number)).map(str::to_owned);
    let what = "notices/publication-number";
    number.ok_or_else(|| malformed(what, "a number such as 123456-2026", raw.unwrap_or("none")))
}

/// Whether a text is the number of a notice, such as `123456-2026`.
#[must_use]
pub fn is_number(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-')
        .is_some_and(|(number, year)| digits(number) && year.len() == 4 && digits(year))
}

/// Reads a notice.
///
/// # Errors
/// [`Failure::Malformed`] for a member with an unexpected type. A missing member is `None`.
pub fn read(members: &Members, settings: &Settings) -> Result<Notice, Failure> {
    let kind = first(members, "notice-type")?;
    let form = first(members, "form-type")?;
    let stage = Stage::of(kind.as_deref(), form.as_deref());
    let value = money::first(members, &settings.values)?;
    let estimate = money::at(members, &settings.estimate)?;
    let (value, estimate) = match stage {
        Stage::Award | Stage::Modification => (value, estimate),
        Stage::Other => (None, estimate.or(value)),
    };
    let modifies = texts(members, &settings.modifies)?.into_iter();
    Ok(Notice {
        number: number(members)?,
        title: title(members)?,
        date: day(members)?,
        kind,
        stage,
        procedure: first(members, "procedure-identifier")?,
        modifies: modifies.filter_map(text::present).collect(),
        value,
        estimate,
    })
}

/// The first text of a member.
fn first(members: &Members, name: &str) -> Result<Option<String>, Failure> {
    Ok(texts(members, name)?.into_iter().find_map(text::present))
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
    let chosen = first.find_map(|language| {
        let texts = texts(languages, language).ok()?;
        texts.into_iter().find_map(text::present)
    });
    Ok(chosen)
}

/// The day. The text after it is the time zone in which it is meant.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_results_award() {
        use Stage::{Award, Modification, Other};
        for (kind, form, stage) in [
            (Some("can-standard"), Some("result"), Award),
            (Some("can-social"), None, Award),
            (None, Some("result"), Award),
            (Some("veat"), Some("dir-awa-pre"), Award),
            (Some("veat"), None, Award),
            (Some("can-modif"), Some("cont-modif"), Modification),
            (Some("can-modif"), Some("result"), Modification),
            (None, Some("cont-modif"), Modification),
            (Some("cn-standard"), Some("competition"), Other),
            (Some("cn-standard"), Some("result"), Other),
            (Some("can-standard"), Some("competition"), Other),
            (Some("pin-only"), Some("planning"), Other),
            (None, Some("dir-awa-pre"), Other),
            (None, None, Other),
        ] {
            assert_eq!(Stage::of(kind, form), stage, "{kind:?} {form:?}");
        }
    }
}
