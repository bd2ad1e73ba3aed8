//! The scope `court_decisions`: decisions that name the company by its number, and how many of them were examined.

use std::cmp::Reverse;

use lustra_sdk::http::encode;
use lustra_sdk::unread::{Gap, Unread};
use lustra_sdk::{Failure, malformed};
use serde::Serialize;

use crate::ask::{LeftOut, Read};
use crate::page::{Decision, Odd};
use crate::settings::Settings;
use crate::{highlight, number, role};

/// The name in `unread` of the decisions that were not examined.
const OLDER: &str = "older-decisions";
/// The name in `unread` of the decisions that could not be read, or not as a whole.
const DECISIONS: &str = "decisions";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// Number of decisions that show the number; a lower bound if some were not examined.
    pub total: usize,
    /// The number of those decisions in the last five years; also a lower bound then, and if a day could not be read.
    pub last_5_years: usize,
    /// The newest of those decisions, newest first.
    pub recent: Vec<Shown>,
    /// Whether all hits were examined.
    pub complete: bool,
    /// The number of hits, as the register reports it.
    pub found: u64,
    /// Found decisions that do not show the number as a whole.
    pub unproven: usize,
    /// The day of the oldest decision that was examined, if older ones were not.
    pub read_since: Option<String>,
    /// Sources that were not read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// A decision as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shown {
    id: String,
    decision_date: Option<String>,
    court: Option<String>,
    case_number: Option<String>,
    role: Option<&'static str>,
    ruling: Option<String>,
    decision_type: Option<String>,
    pdf_url: Option<String>,
    url: String,
}

/// Builds the section of a company from the result of a search, as of a day (`YYYY-MM-DD`).
///
/// # Errors
/// [`Failure::Malformed`] if the day is invalid.
pub fn content(
    read: &Read,
    ico: &str,
    today: &str,
    settings: &Settings,
) -> Result<Decisions, Failure> {
    let proven = read.decisions.iter();
    let mut proven: Vec<(&Decision, Option<&'static str>)> = proven
        .filter_map(|decision| Some((decision, proof(decision, ico)?)))
        .collect();
    proven.sort_by_key(|(decision, _)| Reverse((decision.date.clone(), decision.id.clone())));
    let Some(five_years_ago) = five_years_before(today) else {
        return Err(malformed("the clock", "a day", today));
    };
    let is_late = |decision: &Decision| {
        let date = decision.date.as_deref();
        date.is_some_and(|date| date >= five_years_ago.as_str())
    };
    let shown = proven.iter().take(settings.recent);
    let oldest = read.decisions.iter().filter_map(|one| one.date.as_ref());
    Ok(Decisions {
        total: proven.len(),
        last_5_years: proven.iter().filter(|(one, _)| is_late(one)).count(),
        recent: shown
            .map(|(one, role)| shown_as(one, *role, settings))
            .collect(),
        complete: read.left_out.is_none() && read.odd.left_out == 0,
        found: read.found,
        unproven: read.decisions.len() - proven.len(),
        read_since: read.left_out.and_then(|_| oldest.min().cloned()),
        unread: read
            .left_out
            .map(left_out)
            .into_iter()
            .chain(odd(&read.odd))
            .collect(),
    })
}

/// `None` if no passage contains the number as a whole. Otherwise the company's role, if the passages name one and
/// agree.
fn proof(decision: &Decision, ico: &str) -> Option<Option<&'static str>> {
    let (mut is_shown, mut roles) = (false, Vec::new());
    for passage in &decision.highlights {
        let passage = highlight::plain(passage);
        for before in number::mentions(&passage, ico) {
            is_shown = true;
            roles.extend(role::before(before));
        }
    }
    roles.dedup();
    let role = match roles.as_slice() {
        [role] => Some(*role),
        _ => None,
    };
    is_shown.then_some(role)
}

/// The day five years earlier. The 29th of February compares as the 28th does.
fn five_years_before(today: &str) -> Option<String> {
    let (year, rest) = today.split_once('-')?;
    let year: u16 = year.parse().ok()?;
    Some(format!("{:04}-{rest}", year.checked_sub(5)?))
}

fn left_out(why: LeftOut) -> Unread {
    let why = match why {
        LeftOut::BySetting => Gap::Truncated(
            "more were found than are looked through, see the setting most_pages; counts are at least so many"
                .to_owned(),
        ),
        LeftOut::ForTime => Gap::Failed(Failure::Unavailable(
            "there was no time to look through all that were found; counts are at least so many"
                .to_owned(),
        )),
    };
    Unread {
        source: OLDER.to_owned(),
        since: None,
        why,
    }
}

/// The entry of rows that could not be read, or not as a whole. `None` if there are none.
fn odd(odd: &Odd) -> Option<Unread> {
    let left_out = "without a readable id or passage are left out; counts are at least so many";
    let in_part = "have a member that could not be read and is omitted";
    let parts = [(odd.left_out, left_out), (odd.in_part, in_part)];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!("{count} decisions {what}"))
        .collect();
    (!parts.is_empty()).then(|| Gap::InPart(parts.join("; ")).unread(DECISIONS, None))
}

fn shown_as(decision: &Decision, role: Option<&'static str>, settings: &Settings) -> Shown {
    let natures = &decision.natures;
    Shown {
        id: decision.id.clone(),
        decision_date: decision.date.clone(),
        court: decision.court.clone(),
        case_number: decision.case_number.clone(),
        role,
        ruling: (!natures.is_empty()).then(|| natures.join(", ")),
        decision_type: decision.form.clone(),
        pdf_url: document(&decision.id).map(|id| settings.document_url.replace("{id}", id)),
        url: settings.decision_url.replace("{id}", &encode(&decision.id)),
    }
}

/// The id of the document: the second UUID of a decision's id.
fn document(id: &str) -> Option<&str> {
    let is_uuid =
        |part: &str| part.len() == 36 && part.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    let (decision, document) = id.split_once(':')?;
    (is_uuid(decision) && is_uuid(document)).then_some(document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_years_are_counted_from_the_day() {
        for (today, before) in [
            ("2026-01-15", Some("2021-01-15")),
            ("2028-02-29", Some("2023-02-29")),
            ("today", None),
        ] {
            assert_eq!(five_years_before(today).as_deref(), before);
        }
        assert!("2023-02-28" < "2023-02-29" && "2023-03-01" > "2023-02-29");
    }

    #[test]
    fn a_document_is_named_by_the_second_half_of_an_id() {
        let uuid = "00000000-0000-4000-8000-00000000000a";
        assert_eq!(document(&format!("{uuid}:{uuid}")), Some(uuid));
        for other in [uuid, "a:b", &format!("{uuid}:x"), ""] {
            assert_eq!(document(other), None, "{other}");
        }
    }
}
