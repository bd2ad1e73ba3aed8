//! The cells of an item: values of JSON with the types of a spreadsheet.

use serde_json::{Map, Value};
use time::Date;

use crate::changes::Guide;
use crate::clock::parse_iso_date;
use crate::tables::csv::Cell;

/// The member of a section with the sources that could not be read.
pub(super) const UNREAD: &str = "unread";

/// What a cell shows of the objects in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Items {
    /// The texts of this member, joined.
    Member(&'static str),
    /// Names with registration numbers, joined.
    Companies,
    /// Their number.
    Count,
    /// The schema says nothing: their names if all have one, otherwise their number.
    Unknown,
}

impl Items {
    /// What a column with this name shows of its list. `of_list` describes the list.
    pub(super) fn of(name: &str, of_list: &Guide<'_>) -> Self {
        let members = of_list.items().member_names();
        if name.rsplit('.').next() == Some(UNREAD) {
            Self::Member("source")
        } else if members.contains(&"name") {
            Self::Member("name")
        } else if members.first() == Some(&"activity") {
            Self::Member("activity")
        } else if members.is_empty() {
            Self::Unknown
        } else {
            Self::Count
        }
    }

    fn text(self, object: &Map<String, Value>) -> Option<String> {
        let text = |member: &str| object.get(member)?.as_str();
        match self {
            Self::Member(member) => text(member).map(str::to_owned),
            Self::Companies => Some(format!("{} ({})", text("name")?, text("ico")?)),
            Self::Unknown => text("name").map(str::to_owned),
            Self::Count => None,
        }
    }
}

/// A value as it stands in a cell.
pub(super) enum Shown {
    Empty,
    Number(i64),
    Decimal(f64),
    Truth(bool),
    Day(Date),
    Text(String),
}

impl Shown {
    pub(super) fn cell(&self) -> Cell<'_> {
        match self {
            Self::Empty => Cell::Empty,
            Self::Number(number) => Cell::Number(*number),
            Self::Decimal(number) => Cell::Decimal(*number),
            Self::Truth(value) => Cell::Truth(*value),
            Self::Day(day) => Cell::Day(*day),
            Self::Text(text) => Cell::Text(text),
        }
    }
}

/// The cell of an entry: the first of these JSON pointers with a value counts. `items` says what a list of objects shows.
pub(super) fn cell(entry: &Value, pointers: &[String], items: Items) -> Shown {
    let mut places = pointers.iter();
    let value = places.find_map(|place| entry.pointer(place).filter(|value| !value.is_null()));
    match value {
        None | Some(Value::Null | Value::Object(_)) => Shown::Empty,
        Some(Value::Bool(value)) => Shown::Truth(*value),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Shown::Number(whole),
            (None, Some(decimal)) => Shown::Decimal(decimal),
            (None, None) => Shown::Text(number.to_string()),
        },
        Some(Value::String(text)) => {
            parse_iso_date(text).map_or_else(|| Shown::Text(text.clone()), Shown::Day)
        }
        Some(Value::Array(list)) => of_list(list, items),
    }
}

/// A list as a cell: texts, and the texts of objects, are joined; other objects are counted. Former ones are left out,
/// because a cell has no place for the dates that would tell them from present ones.
fn of_list(items: &[Value], shown: Items) -> Shown {
    let present: Vec<&Value> = items.iter().filter(|item| !is_former(item)).collect();
    let texts: Option<Vec<String>> = present
        .iter()
        .map(|item| match item {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => Some(item.to_string()),
            Value::Object(members) => shown.text(members),
            Value::Null | Value::Array(_) => None,
        })
        .collect();
    match texts {
        Some(texts) if shown != Items::Count => Shown::Text(texts.join("; ")),
        Some(_) | None => Shown::Number(i64::try_from(present.len()).unwrap_or(i64::MAX)),
    }
}

/// Whether an item of a list is history, such as an officer who left or a licence that ended.
fn is_former(item: &Value) -> bool {
    item.get("current") == Some(&Value::Bool(false))
        || item.get("status").and_then(Value::as_str) == Some("ended")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The cell of a member of the data, as CSV, and whether it is a text.
    fn shown(entry: &Value, name: &str, items: Items) -> (bool, String) {
        let pointer = format!("/data/{}", name.replace('.', "/"));
        let shown = cell(entry, &[pointer], items);
        let mut row = String::new();
        crate::tables::csv::append_row(&mut row, [shown.cell()]);
        (
            matches!(shown, Shown::Text(_)),
            row.trim_end().trim_matches('"').to_owned(),
        )
    }

    #[test]
    fn values_become_typed_cells() {
        let entry = json!({"data": {
            "n": 5, "d": 1.5, "b": true, "day": "2020-01-31", "no_day": "2020-02-31", "ico": "00000124",
            "tax": {"dic": "2020"}, "texts": ["a", "b"], "named": [{"name": "A"}, {"name": "B"}],
            "counted": [{"x": 1}, {"name": "B"}], "none": [], "null": null,
        }});
        for (name, is_text, expected) in [
            ("n", false, "5"),
            ("d", false, "1.5"),
            ("b", false, "true"),
            ("day", false, "2020-01-31"),
            ("no_day", true, "2020-02-31"),
            ("ico", true, "00000124"),
            ("tax.dic", true, "2020"),
            ("tax", false, ""),
            ("texts", true, "a; b"),
            ("named", true, "A; B"),
            ("counted", false, "2"),
            ("none", true, ""),
            ("null", false, ""),
            ("missing", false, ""),
        ] {
            let found = shown(&entry, name, Items::Unknown);
            assert_eq!(found, (is_text, expected.to_owned()), "{name}");
        }
    }

    #[test]
    fn lists_show_what_their_schema_has() {
        let object = |members: Value| json!({"type": "array", "items": {"properties": members}});
        let named = object(json!({"ico": {}, "name": {}}));
        let trades = object(json!({"activity": {}, "status": {}}));
        let segments = object(json!({"licence_number": {}, "activity": {}}));
        let texts = json!({"type": "array", "items": {"type": "string"}});
        for (name, schema, expected) in [
            ("officers", &named, Items::Member("name")),
            ("trades", &trades, Items::Member("activity")),
            ("segments", &segments, Items::Count),
            ("tax.unread", &segments, Items::Member("source")),
            ("texts", &texts, Items::Unknown),
        ] {
            assert_eq!(Items::of(name, &Guide::of(schema)), expected, "{name}");
        }
    }

    #[test]
    fn former_items_of_lists_are_left_out() {
        let entry = json!({"data": {
            "officers": [
                {"name": "A", "current": true, "effective_to": null},
                {"name": "B", "current": false, "effective_to": "2026-11-30"},
                {"name": "C"},
            ],
            "trades": [{"activity": "x", "status": "active"}, {"activity": "y", "status": "ended"}],
            "former": [{"name": "B", "current": false}],
            "shares": [{"count": "1", "current": true}, {"count": "2", "current": false}],
            "none": [],
            "unread": [{"source": "vat", "why": "off"}, {"source": "debts", "why": "off"}],
            "candidates": [{"ico": "99999994", "name": "A"}, {"ico": "99999901", "name": "A"}],
        }});
        for (name, items, expected) in [
            ("officers", Items::Member("name"), "A; C"),
            ("trades", Items::Member("activity"), "x"),
            ("former", Items::Member("name"), ""),
            ("shares", Items::Count, "1"),
            ("none", Items::Count, "0"),
            ("unread", Items::Member("source"), "vat; debts"),
            ("candidates", Items::Companies, "A (99999994); A (99999901)"),
        ] {
            assert_eq!(shown(&entry, name, items).1, expected, "{name}");
        }
    }
}
