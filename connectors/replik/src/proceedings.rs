//! Parses lists of proceedings (`KonanieInfo`).

use lustra_sdk::xml::Element;
use lustra_sdk::{Failure, date, ico, malformed, text};

use crate::soap::{self, Operation};

/// Prefixes of dates that mean *no date*.
const NO_DATE: [&str; 3] = ["0000-", "0001-01-01", "1800-01-01"];

/// The member with the state of a proceeding.
pub const STATE: &str = "StavKonania";

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The proceedings on it.
    pub rows: Vec<Row>,
    /// Number of proceedings on all pages.
    pub total: u64,
}

/// The debtor of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Debtor {
    /// A subject with this IČO, 8 digits.
    Ico(String),
    /// A natural person, or a subject whose IČO is left out.
    Unsaid,
}

/// A row of a list. Birth dates and names of debtors are not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The register's number of the proceeding, digits.
    pub id: String,
    pub debtor: Debtor,
    /// The court's file reference.
    pub case_number: Option<String>,
    /// The administrator's file reference, which ends with the mark.
    pub administrator_file: Option<String>,
    /// The code of the type as the register writes it.
    pub proceeding_type: Option<String>,
    /// The state as the register writes it; empty if there is none.
    pub state: String,
    /// When the proceeding began, `YYYY-MM-DD` like the other dates.
    pub started_at: Option<String>,
    /// When bankruptcy, restructuring or a similar process was declared.
    pub process_started_at: Option<String>,
    /// When that process ended.
    pub ended_at: Option<String>,
    /// The code of the reason of that end.
    pub end_reason: Option<String>,
    /// The last event, in the register's words.
    pub last_event: Option<String>,
    /// The day of the last event.
    pub last_event_at: Option<String>,
    pub court: Option<String>,
    /// The administrator's name, family name first.
    pub administrator: Option<String>,
    /// The code of the administrator's task.
    pub administrator_kind: Option<String>,
    /// Members that are missing or invalid.
    pub unreadable: Vec<&'static str>,
}

/// Reads the answer of `getKonaniePodlaICO`.
///
/// # Errors
/// As [`soap::answer`]; [`Failure::Malformed`] if the list, the total or a number is missing or invalid, or if the state
/// or a date is in every row. A total of 0 means that the register has no proceedings.
pub fn read_page(answer: &str) -> Result<Page, Failure> {
    page_of(&soap::answer(Operation::ProceedingsByIco, answer)?)
}

/// Like [`read_page`], for the answer's element.
///
/// # Errors
/// As [`read_page`].
pub fn page_of(response: &Element) -> Result<Page, Failure> {
    let place = Operation::ProceedingsByIco.name();
    let said = response.text_of("VysledkovCelkom").unwrap_or_default();
    let Ok(total) = said.parse::<u64>() else {
        return Err(malformed(
            format!("{place}: VysledkovCelkom"),
            "how many proceedings there are",
            said,
        ));
    };
    let list = response.child("KonanieInfoList");
    if list.is_none() && total > 0 {
        return Err(malformed(
            format!("{place}: KonanieInfoList"),
            format!("the list of {total} proceedings"),
            "none",
        ));
    }
    let elements = list
        .into_iter()
        .flat_map(|list| list.children_named("KonanieInfo"));
    let (mut rows, mut first) = (Vec::new(), None);
    for (element, number) in elements.zip(1..) {
        let mut wrong = Vec::new();
        rows.push(row(
            element,
            &format!("{place}: KonanieInfo {number}"),
            &mut wrong,
        )?);
        first = first.or_else(|| wrong.into_iter().next());
    }
    // A single row may be odd. If all of them are, the format has changed.
    if let Some(first) = first.filter(|_| rows.iter().all(|row| !row.unreadable.is_empty())) {
        return Err(first);
    }
    if total == 0 && !rows.is_empty() {
        return Err(malformed(
            format!("{place}: VysledkovCelkom"),
            format!("at least the {} proceedings of the list", rows.len()),
            said,
        ));
    }
    Ok(Page { rows, total })
}

/// Reads a row. Adds a failure to `wrong` for each member that is left out because it is missing or invalid.
fn row(element: &Element, place: &str, wrong: &mut Vec<Failure>) -> Result<Row, Failure> {
    let id = number(element, place)?;
    let mut unreadable = Vec::new();
    let state = element.child(STATE);
    if state.is_none() {
        unreadable.push(STATE);
        let expected = "the proceeding's state";
        wrong.push(malformed(format!("{place}: {STATE}"), expected, "none"));
    }
    let mut dated = |name: &'static str| {
        day(element, name, place).unwrap_or_else(|failure| {
            unreadable.push(name);
            wrong.push(failure);
            None
        })
    };
    let started_at = dated("DatumZacatiaKonania");
    let process_started_at = dated("DatumZacatiaProcesu");
    let ended_at = dated("DatumUkonceniaProcesu");
    let last_event_at = dated("DatumPoslednejUdalosti");
    let words = |name: &str| element.text_of(name).and_then(text::present);
    Ok(Row {
        id,
        // An invalid number counts as a missing one.
        debtor: match element.text_of("DlznikIco").and_then(ico::parse) {
            Some(ico) => Debtor::Ico(ico),
            None => Debtor::Unsaid,
        },
        case_number: words("SpisovaZnackaSudu"),
        administrator_file: words("SpisovaZnackaSpravcu"),
        proceeding_type: words("Typ"),
        state: state
            .map(|state| text::squeeze(&state.text))
            .unwrap_or_default(),
        started_at,
        process_started_at,
        ended_at,
        end_reason: words("DovodUkonceniaProcesu"),
        last_event: words("PoslednaUdalost"),
        last_event_at,
        court: words("SudNazov"),
        administrator: words("Spravca"),
        administrator_kind: words("TypSpravcu"),
        unreadable,
    })
}

/// The register's number of a proceeding.
///
/// # Errors
/// [`Failure::Malformed`] if it is invalid.
pub fn number(element: &Element, place: &str) -> Result<String, Failure> {
    let id = element.text_of("Id").unwrap_or_default();
    if is_number(id) {
        Ok(id.to_owned())
    } else {
        Err(malformed(
            format!("{place}: Id"),
            "the proceeding's number",
            id,
        ))
    }
}

/// True if a text can be a proceeding's number, a 64-bit integer.
#[must_use]
pub fn is_number(id: &str) -> bool {
    (1..=19).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit())
}

/// The date in a child element. Sentinels of old systems give `None`.
///
/// # Errors
/// [`Failure::Malformed`] for any other invalid date.
pub fn day(element: &Element, name: &str, place: &str) -> Result<Option<String>, Failure> {
    let Some(raw) = element.text_of(name) else {
        return Ok(None);
    };
    match date::parse(raw) {
        Some(date) => Ok(Some(date)),
        None if NO_DATE.iter().any(|none| raw.starts_with(none)) => Ok(None),
        None => Err(malformed(format!("{place}: {name}"), "a date", raw)),
    }
}

impl Row {
    /// The administrator's mark without spaces, from the end of the file reference.
    #[must_use]
    pub fn administrator_mark(&self) -> Option<String> {
        let file = self.administrator_file.as_deref()?;
        let (rest, last) = file.rsplit_once(' ')?;
        let is_mark = |mark: &str| {
            mark.strip_prefix('S').is_some_and(|digits| {
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        // Older references contain a space within the mark.
        let spaced = format!("S{last}");
        if is_mark(last) {
            Some(last.to_owned())
        } else if rest.ends_with(" S") && is_mark(&spaced) {
            Some(spaced)
        } else {
            None
        }
    }
}
