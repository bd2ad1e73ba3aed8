//! Persons and companies named in an extract, with function and dates.

use lustra_sdk::{date, ico, text};

use crate::address::Printed;
use crate::extract::{Entry, Line, Piece, line_text};

/// A person or company in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// With titles as printed.
    pub name: String,
    /// True for a natural person: those are linked to the search by person.
    pub is_natural: bool,
    /// IČO of a company, if printed.
    pub ico: Option<String>,
    /// The function behind the name, without its dash, or the line that says it below the address.
    pub function: Option<String>,
    /// The address in one line.
    pub address: Option<String>,
    /// The day the function began (Vznik funkcie).
    pub appointed_at: Option<String>,
    /// The day the function ended (Skončenie funkcie).
    pub ended_at: Option<String>,
    /// A line before the name, as legal predecessors have: how it came about.
    pub reason: Option<String>,
}

/// The content of an entry in a section of persons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named {
    /// A person or a company.
    Person(Box<Person>),
    /// A single line: the name of a body, a rule for acting, or only the name of a company.
    Line(String),
}

const APPOINTED: &str = "Vznik funkcie:";
const ENDED: &str = "Skončenie funkcie:";

/// Folded prefix of the line of a partner who represents the co-owners of a share. It is printed in the place
/// of a country.
const REPRESENTATIVE: &str = "spolocny zastupca";

/// Reads an entry of a section that lists persons.
#[must_use]
pub fn read(entry: &Entry) -> Named {
    let linked_at = entry
        .lines
        .iter()
        .position(|line| line.iter().any(|piece| piece.linked));
    let ico = entry.lines.iter().flatten().find_map(printed_ico);
    if linked_at.is_none() && ico.is_none() && entry.lines.len() < 2 {
        return Named::Line(tidy(&entry.text()));
    }
    // Entries of legal predecessors start with the kind of succession.
    let name_at = linked_at
        .unwrap_or_else(|| usize::from(entry.lines.len() > 1 && is_reason(&entry.lines[0])));
    let mut person = Person {
        name: String::new(),
        is_natural: linked_at.is_some(),
        ico,
        function: None,
        address: None,
        appointed_at: None,
        ended_at: None,
        reason: (name_at > 0).then(|| line_text(&entry.lines[0])),
    };
    let mut names = Vec::new();
    for piece in &entry.lines[name_at] {
        match function(piece) {
            Some(function) => person.function = Some(function),
            None if label(piece).is_none() => names.push(piece.text.as_str()),
            None => {}
        }
    }
    person.name = tidy(&names.join(" "));
    let mut address: Vec<&Line> = Vec::new();
    let mut abroad = true;
    for line in &entry.lines[name_at + 1..] {
        let whole = line_text(line);
        if whole.contains(APPOINTED) || whole.contains(ENDED) {
            person.appointed_at = date_after(&whole, APPOINTED);
            person.ended_at = date_after(&whole, ENDED);
        } else if let Some(function) = line.first().and_then(function) {
            person.function.get_or_insert(function);
        } else if text::fold(&whole).starts_with(REPRESENTATIVE) {
            person.function.get_or_insert(whole);
        } else if text::fold(&whole).contains("pobyt na uzemi") {
            // A foreigner's second address follows; keep the first one.
            abroad = address.is_empty();
        } else if abroad && line.first().is_none_or(|piece| label(piece).is_none()) {
            address.push(line);
        }
    }
    if let Some((function, date)) = person.function.as_deref().and_then(appointment) {
        person.function = function;
        person.appointed_at.get_or_insert(date);
    }
    person.address = Printed::of(&address).map(|printed| printed.in_one_line());
    Named::Person(Box::new(person))
}

/// The person or company of an entry.
///
/// # Errors
/// The text of the line, if the entry is a single line.
pub fn named_person(entry: &Entry) -> Result<Person, String> {
    match read(entry) {
        Named::Person(person) => Ok(*person),
        Named::Line(line) => Err(line),
    }
}

/// A company of which only the name is printed.
#[must_use]
pub fn name_only(name: String) -> Person {
    Person {
        name,
        is_natural: false,
        ico: None,
        function: None,
        address: None,
        appointed_at: None,
        ended_at: None,
        reason: None,
    }
}

/// Keeps the earlier of two dates for a person printed twice.
pub fn keep_earlier(from: &mut Option<String>, entry: &Entry) {
    if let Some(other) = &entry.from
        && from.as_ref().is_none_or(|from| other < from)
    {
        *from = Some(other.clone());
    }
}

/// Joins texts; `None` if there are none.
pub fn joined(texts: impl Iterator<Item = String>) -> Option<String> {
    text::present(&texts.collect::<Vec<_>>().join(" "))
}

/// A piece after a name that starts with a dash is the function. Inside the link it belongs to the name.
fn function(piece: &Piece) -> Option<String> {
    let rest = piece.text.strip_prefix(['-', '–'])?;
    (!piece.linked).then(|| text::present(rest)).flatten()
}

/// Reads `deň vzniku funkcie podpredsedu predstavenstva: 19.07.2001`, which stands in the place of a function: the
/// function, if it is named, and the date.
fn appointment(text: &str) -> Option<(Option<String>, String)> {
    let (before, date) = text.rsplit_once(':')?;
    let before = before.to_lowercase();
    let (_, function) = before.split_once("vznik")?.1.split_once("funkcie")?;
    let mut words: Vec<&str> = function.split_whitespace().collect();
    if let Some(first) = words.first_mut() {
        *first = match *first {
            "predsedu" => "predseda",
            "podpredsedu" => "podpredseda",
            "člena" => "člen",
            other => other,
        };
    }
    Some((text::present(&words.join(" ")), date::parse(date)?))
}

/// The label of a piece such as `IČO: 99 999 901` or `Dátum narodenia: …`, which is part of neither name nor address.
fn label(piece: &Piece) -> Option<&str> {
    let (label, _) = piece.text.split_once(':')?;
    (!piece.linked && label.chars().count() <= 40).then_some(label)
}

fn printed_ico(piece: &Piece) -> Option<String> {
    let (label, value) = piece.text.split_once(':')?;
    (label.trim() == "IČO").then(|| ico::parse(value)).flatten()
}

fn is_reason(line: &Line) -> bool {
    line.len() == 1 && text::fold(&line[0].text).contains(" v dosledku ")
}

fn date_after(line: &str, mark: &str) -> Option<String> {
    let rest = &line[line.find(mark)? + mark.len()..];
    let end = rest.find(|c: char| c.is_alphabetic()).unwrap_or(rest.len());
    date::parse(&rest[..end])
}

/// Joins titles after a name, which are a separate piece that starts with a comma.
pub fn tidy(name: &str) -> String {
    text::squeeze(&name.replace(" ,", ","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_in_the_place_of_a_function_is_read() {
        for (text, expected) in [
            (
                "deň vzniku funkcie podpredsedu predstavenstva: 19.07.2001",
                Some((Some("podpredseda predstavenstva"), "2001-07-19")),
            ),
            ("Vznik funkcie: 17.01.2002", Some((None, "2002-01-17"))),
            ("vznik funkcie: neuvedený", None),
            ("predseda predstavenstva", None),
        ] {
            let read = appointment(text);
            let read = read
                .as_ref()
                .map(|(role, date)| (role.as_deref(), date.as_str()));
            assert_eq!(read, expected, "{text}");
        }
    }
}
