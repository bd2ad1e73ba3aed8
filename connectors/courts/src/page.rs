//! Reads one page of the service's answer. It never reads the names of judges.

use lustra_sdk::text::present;
use lustra_sdk::{Failure, date, http, malformed};
use serde_json::{Map, Value};

/// The upstream, as failures name it.
pub const UPSTREAM: &str = "obcan-justice";

#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// How many decisions the search found, as the register reports it.
    pub found: u64,
    /// The page's decisions, in the register's order.
    pub decisions: Vec<Decision>,
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
/// [`Failure::Malformed`] for JSON of another form, [`Failure::Unavailable`] for an HTML page.
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
    let place = |at: usize| format!("answer of {UPSTREAM}: /rozhodnutieList/{at}");
    let decisions = rows.iter().enumerate();
    let decisions = decisions.map(|(at, row)| decision(&Part::of(row, place(at))?));
    Ok(Page {
        found,
        decisions: decisions.collect::<Result<_, _>>()?,
    })
}

fn decision(row: &Part<'_>) -> Result<Decision, Failure> {
    let Some(id) = row.text("guid")? else {
        return Err(row.unfit("guid", "the id of a decision"));
    };
    let date = match row.text("datumVydania")? {
        None => None,
        Some(raw) => match date::parse(&raw) {
            Some(day) => Some(day),
            None => return Err(row.unfit("datumVydania", "a day")),
        },
    };
    let court = match row.get("sud") {
        None => None,
        Some(court) => Part::of(court, row.place_of("sud"))?.text("nazov")?,
    };
    let natures = row.texts("povaha")?.into_iter();
    Ok(Decision {
        id,
        date,
        court,
        case_number: row.text("spisovaZnacka")?,
        natures: natures.filter_map(present).collect(),
        form: row.text("formaRozhodnutia")?,
        highlights: row
            .texts("zvyraznenie")?
            .into_iter()
            .map(str::to_owned)
            .collect(),
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

    /// The texts of a list, unchanged. An omitted list is empty.
    fn texts(&self, name: &str) -> Result<Vec<&'a str>, Failure> {
        let items = match self.get(name) {
            None => return Ok(Vec::new()),
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
