//! Reads one page of the service's answer, row by row. It never reads the names of judges.
//!
//! Invariant: an odd row costs no other row, and is counted.

use lustra_sdk::text::present;
use lustra_sdk::{Failure, date, http, malformed};
use serde_json::{Map, Value};

/// The upstream, as failures name it.
pub const UPSTREAM: &str = "obcan-justice";

#[derive(Debug, Default)]
pub struct Page {
    /// How many decisions the search found, as the register reports it.
    pub found: u64,
    /// The page's readable decisions, in the register's order.
    pub decisions: Vec<Decision>,
    pub odd: Odd,
}

/// Rows of the list that could not be read, or not as a whole.
#[derive(Debug, Default)]
pub struct Odd {
    /// Rows without a readable id or readable passages. They are no decisions of the page.
    pub left_out: u64,
    /// Decisions with another member that could not be read. The member counts as omitted.
    pub in_part: u64,
    /// What was wrong with the first of them.
    pub first: Option<Failure>,
}

impl Odd {
    /// Adds the rows of a further page.
    pub fn add(&mut self, further: Self) {
        self.left_out += further.left_out;
        self.in_part += further.in_part;
        self.first = self.first.take().or(further.first);
    }
}

/// A decision as the list has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The register's id: two UUIDs joined by a colon.
    pub id: String,
    /// The day of the decision: `YYYY-MM-DD`.
    pub date: Option<String>,
    pub court: Option<String>,
    /// The court's file mark.
    pub case_number: Option<String>,
    /// What became of the matter, such as `Potvrdzujúce`.
    pub natures: Vec<String>,
    /// What kind of decision it is, such as `Rozsudok`.
    pub form: Option<String>,
    /// Passages of the text that match the search, in HTML.
    pub highlights: Vec<String>,
}

/// Reads a page.
///
/// # Errors
/// [`Failure::Malformed`] for JSON without the members of a page, [`Failure::Unavailable`] for an HTML page.
pub fn read(text: &str) -> Result<Page, Failure> {
    let answer: Value = http::read_json(UPSTREAM, text)?;
    let place = format!("answer of {UPSTREAM}: ");
    let envelope = Part::of(&answer, place)?;
    let Some(found) = envelope.get("numFound").and_then(Value::as_u64) else {
        return Err(envelope.unfit("numFound", "how many decisions were found"));
    };
    let rows = match envelope.get("rozhodnutieList") {
        Some(Value::Array(rows)) => rows.as_slice(),
        // The service omits members without a value.
        None if found == 0 => &[],
        Some(_) | None => return Err(envelope.unfit("rozhodnutieList", "the list of decisions")),
    };
    let mut page = Page {
        found,
        ..Page::default()
    };
    for (at, row) in rows.iter().enumerate() {
        let place = format!("answer of {UPSTREAM}: /rozhodnutieList/{at}");
        let mut wrong = None;
        match Part::of(row, place).and_then(|row| decision(&row, &mut wrong)) {
            Ok(decision) => {
                page.odd.in_part += u64::from(wrong.is_some());
                page.decisions.push(decision);
            }
            Err(failure) => {
                page.odd.left_out += 1;
                wrong = Some(failure);
            }
        }
        page.odd.first = page.odd.first.take().or(wrong);
    }
    Ok(page)
}

/// Reads a row. `wrong` gets the failure of a member that counts as omitted.
fn decision(row: &Part<'_>, wrong: &mut Option<Failure>) -> Result<Decision, Failure> {
    let Some(id) = row.text("guid")? else {
        return Err(row.unfit("guid", "the id of a decision"));
    };
    // Without its passages, a hit neither proves anything nor is it unproven.
    let highlights = row.texts("zvyraznenie")?.into_iter();
    let highlights = highlights.map(str::to_owned).collect();
    let day = row.text("datumVydania").and_then(|raw| match raw {
        None => Ok(None),
        Some(raw) => match date::parse(&raw) {
            Some(day) => Ok(Some(day)),
            None => Err(row.unfit("datumVydania", "a day")),
        },
    });
    let court = match row.get("sud") {
        None => Ok(None),
        Some(court) => Part::of(court, row.place_of("sud")).and_then(|court| court.text("nazov")),
    };
    let natures = or_omitted(row.texts("povaha"), wrong).into_iter();
    Ok(Decision {
        id,
        date: or_omitted(day, wrong),
        court: or_omitted(court, wrong),
        case_number: or_omitted(row.text("spisovaZnacka"), wrong),
        natures: natures.filter_map(present).collect(),
        form: or_omitted(row.text("formaRozhodnutia"), wrong),
        highlights,
    })
}

/// The value of a member, or that of an omitted one if it could not be read.
fn or_omitted<T: Default>(value: Result<T, Failure>, wrong: &mut Option<Failure>) -> T {
    value.unwrap_or_else(|failure| {
        wrong.get_or_insert(failure);
        T::default()
    })
}

/// An object of the answer and its place. Failures quote only the type of a value.
struct Part<'a> {
    members: &'a Map<String, Value>,
    place: String,
}

impl<'a> Part<'a> {
    fn of(value: &'a Value, place: String) -> Result<Self, Failure> {
        match value.as_object() {
            Some(members) => Ok(Self { members, place }),
            None => Err(malformed(
                place.trim_end_matches([':', ' ']),
                "an object",
                kind(Some(value)),
            )),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn place_of(&self, name: &str) -> String {
        format!("{}/{name}", self.place)
    }

    fn unfit(&self, name: &str, expected: &str) -> Failure {
        malformed(self.place_of(name), expected, kind(self.get(name)))
    }

    /// The member's text in one line.
    fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(present(text)),
            Some(_) => Err(self.unfit(name, "a text")),
        }
    }

    /// The texts of a list, unchanged. An omitted list is empty, and so is an empty text in its place.
    fn texts(&self, name: &str) -> Result<Vec<&'a str>, Failure> {
        let items = match self.get(name) {
            None => return Ok(Vec::new()),
            Some(Value::String(text)) if present(text).is_none() => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(self.unfit(name, "a list of texts")),
        };
        let text = |item: &'a Value| {
            let text = item.as_str();
            text.ok_or_else(|| malformed(self.place_of(name), "a text", kind(Some(item))))
        };
        items.iter().map(text).collect()
    }
}

fn kind(value: Option<&Value>) -> &'static str {
    match value {
        None => "nothing",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::String(_)) => "another text",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    }
}
