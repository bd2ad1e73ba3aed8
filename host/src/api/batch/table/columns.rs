//! The columns of a table, from the schemas of the base data and the details, and the cells of an item.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use time::Date;
use time::format_description::BorrowedFormatItem;
use time::macros::format_description;

use super::key_of;
use crate::api::error::ApiError;
use crate::changes::{Guide, base_schema};
use crate::connectors::catalogue::Catalogue;
use crate::language::Language;
use crate::store::{BatchKind, ScopeName};
use crate::tables::csv::Cell;

/// Maximum levels of objects within objects that become columns.
const MAX_DEPTH: usize = 4;

const DAY: &[BorrowedFormatItem<'_>] = format_description!("[year]-[month]-[day]");

/// Members of the base data that raise no events, and so have no schema.
const OTHERS: [(&str, &str, &str); 4] = [
    (
        "legal_form_code",
        "Kód právnej formy",
        "Code of the legal form",
    ),
    (
        "address.country_code",
        "Sídlo – kód štátu",
        "Registered seat – country code",
    ),
    (
        "nace_description",
        "Hlavná činnosť slovom",
        "Main activity in words",
    ),
    ("source_register", "Zdrojový register", "Source register"),
];

/// What the metadata of an answer says about a section.
const SECTION: [(&str, &str, &str); 2] = [
    ("state", "stav", "state"),
    ("as_of", "prečítané", "read at"),
];

/// The member of a section with the sources that could not be read.
const UNREAD: &str = "unread";

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Stable name, such as `address.city`.
    pub(super) name: String,
    pub(super) title: String,
    /// JSON pointer into an entry.
    pointer: String,
}

/// The columns that say what was requested and whether it was found.
pub(super) fn of_item(kind: BatchKind, language: Language) -> Vec<Column> {
    let mut columns = vec![
        (
            "requested",
            key_of(kind),
            language.pick("Požadované", "Requested"),
        ),
        ("found", "found", language.pick("Nájdené", "Found")),
    ];
    if kind == BatchKind::Names {
        columns.push((
            "confidence",
            "confidence",
            language.pick("Zhoda", "Confidence"),
        ));
        columns.push((
            "candidates",
            "candidates",
            language.pick("Možné spoločnosti", "Candidates"),
        ));
    }
    columns.push(("error", "error", language.pick("Chyba", "Error")));
    columns.push(("message", "message", language.pick("Správa", "Message")));
    let columns = columns.into_iter().map(|(name, member, title)| Column {
        name: name.to_owned(),
        title: title.to_owned(),
        pointer: format!("/{member}"),
    });
    columns.collect()
}

/// The columns of a company without scopes.
pub(super) fn of_company(catalogue: &Catalogue, language: Language) -> Vec<Column> {
    let mut columns = Vec::new();
    for (name, title) in [("id", "ID"), ("ico", "IČO")] {
        columns.push(Column {
            name: name.to_owned(),
            title: title.to_owned(),
            pointer: format!("/data/{name}"),
        });
    }
    let details = catalogue.details_registers().filter_map(|loaded| {
        let source = loaded.manifest.company_source.as_ref();
        source.and_then(|source| source.schema.clone())
    });
    let details: Vec<Value> = details.collect();
    for schema in std::iter::once(base_schema()).chain(&details) {
        let mut walk = Walk {
            columns: &mut columns,
            language,
        };
        walk.members(&Guide::of(schema), "", "", 0);
    }
    for (name, slovak, english) in OTHERS {
        columns.push(Column {
            name: name.to_owned(),
            title: language.pick(slovak, english).to_owned(),
            pointer: format!("/data/{}", name.replace('.', "/")),
        });
    }
    let mut seen = BTreeSet::new();
    columns.retain(|column| seen.insert(column.name.clone()));
    columns
}

/// Adds the columns of sections: whether and when each was read, and its members.
pub(super) fn add_sections(
    columns: &mut Vec<Column>,
    scopes: &[ScopeName],
    catalogue: &Catalogue,
    language: Language,
) {
    for scope in scopes {
        let Some((_, manifest)) = catalogue.scope(scope.as_str()) else {
            continue;
        };
        let guide = Guide::of(&manifest.schema);
        let title = guide.title(language).unwrap_or(&manifest.title).to_owned();
        for (member, slovak, english) in SECTION {
            columns.push(Column {
                name: format!("meta.scopes.{scope}.{member}"),
                title: format!("{title} – {}", language.pick(slovak, english)),
                pointer: format!("/meta/scopes/{scope}/{member}"),
            });
        }
        let mut walk = Walk { columns, language };
        let is_list = guide.is_list() || guide.member_names().is_empty();
        match (manifest.extends_details, is_list) {
            // Its members stand in the data itself.
            (true, _) => walk.members(&guide, "", "", 0),
            (false, false) => walk.members(&guide, &manifest.key, &title, 0),
            (false, true) => walk.columns.push(Column {
                name: manifest.key.clone(),
                pointer: format!("/data/{}", manifest.key),
                title,
            }),
        }
    }
    let mut seen = BTreeSet::new();
    columns.retain(|column| seen.insert(column.name.clone()));
}

struct Walk<'a> {
    columns: &'a mut Vec<Column>,
    language: Language,
}

impl Walk<'_> {
    fn members(&mut self, guide: &Guide<'_>, path: &str, above: &str, depth: usize) {
        for name in guide.member_names() {
            let member = guide.member(name);
            let path = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            };
            let own = member.title(self.language);
            let own = own.map_or_else(|| name.replace('_', " "), str::to_owned);
            let title = if above.is_empty() {
                own
            } else {
                format!("{above} – {own}")
            };
            let is_object = !member.is_list() && !member.member_names().is_empty();
            if is_object && depth < MAX_DEPTH {
                self.members(&member, &path, &title, depth + 1);
                continue;
            }
            self.columns.push(Column {
                pointer: format!("/data/{}", path.replace('.', "/")),
                name: path,
                title,
            });
        }
    }
}

/// The columns with these names, comma-separated, in their order. The name of an object means all columns in it.
pub(super) fn chosen(columns: &[Column], wanted: &str) -> Result<Vec<Column>, ApiError> {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for name in wanted
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let before = found.len();
        let inside = format!("{name}.");
        let fits = |column: &&Column| column.name == name || column.name.starts_with(&inside);
        for column in columns.iter().filter(fits) {
            if !found.contains(column) {
                found.push(column.clone());
            }
        }
        let is_known = found.len() > before || columns.iter().any(|column| fits(&column));
        if !is_known {
            let name: String = name.chars().take(60).collect();
            unknown.push(format!("{name:?} is no column of this host"));
        }
    }
    if found.is_empty() && unknown.is_empty() {
        unknown.push("at least one column is wanted".to_owned());
    }
    if unknown.is_empty() {
        return Ok(found);
    }
    let errors = BTreeMap::from([("columns".to_owned(), unknown)]);
    Err(ApiError::all_invalid(errors))
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

/// The cell of an entry in a column.
pub(super) fn cell(entry: &Value, column: &Column) -> Shown {
    match entry.pointer(&column.pointer) {
        None | Some(Value::Null | Value::Object(_)) => Shown::Empty,
        Some(Value::Bool(value)) => Shown::Truth(*value),
        Some(Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Shown::Number(whole),
            (None, Some(decimal)) => Shown::Decimal(decimal),
            (None, None) => Shown::Text(number.to_string()),
        },
        Some(Value::String(text)) => match Date::parse(text, DAY) {
            Ok(day) if text.len() == 10 => Shown::Day(day),
            Ok(_) | Err(_) => Shown::Text(text.clone()),
        },
        // The sources say more than their number.
        Some(Value::Array(items)) if column.name.rsplit('.').next() == Some(UNREAD) => {
            list(items, "source")
        }
        Some(Value::Array(items)) => list(items, "name"),
    }
}

/// A list as a cell: texts, and the texts of objects in `member`, are joined; other objects are counted.
fn list(items: &[Value], member: &str) -> Shown {
    let texts: Option<Vec<String>> = items
        .iter()
        .map(|item| match item {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => Some(item.to_string()),
            Value::Object(members) => Some(members.get(member)?.as_str()?.to_owned()),
            Value::Null | Value::Array(_) => None,
        })
        .collect();
    match texts {
        Some(texts) => Shown::Text(texts.join("; ")),
        None => Shown::Number(i64::try_from(items.len()).unwrap_or(i64::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn column(name: &str) -> Column {
        Column {
            name: name.to_owned(),
            title: name.to_owned(),
            pointer: format!("/data/{}", name.replace('.', "/")),
        }
    }

    #[test]
    fn values_become_typed_cells() {
        let entry = json!({"data": {
            "n": 5, "d": 1.5, "b": true, "day": "2020-01-31", "no_day": "2020-02-31", "ico": "00000124",
            "tax": {"dic": "2020", "unread": [{"source": "vat"}, {"source": "debts"}]}, "texts": ["a", "b"], "named": [{"name": "A"}, {"name": "B"}],
            "counted": [{"x": 1}, {"name": "B"}], "none": [], "null": null,
        }});
        let shown = |name: &str| {
            let shown = cell(&entry, &column(name));
            let mut row = String::new();
            crate::tables::csv::append_row(&mut row, [shown.cell()]);
            (matches!(shown, Shown::Text(_)), row.trim_end().to_owned())
        };
        for (name, is_text, expected) in [
            ("n", false, "5"),
            ("d", false, "1.5"),
            ("b", false, "true"),
            ("day", false, "2020-01-31"),
            ("no_day", true, "2020-02-31"),
            ("ico", true, "00000124"),
            ("tax.dic", true, "2020"),
            ("tax", false, ""),
            ("texts", true, "\"a; b\""),
            ("named", true, "\"A; B\""),
            ("counted", false, "2"),
            ("none", true, ""),
            ("null", false, ""),
            ("missing", false, ""),
            ("tax.unread", true, "\"vat; debts\""),
        ] {
            assert_eq!(shown(name), (is_text, expected.to_owned()), "{name}");
        }
    }

    #[test]
    fn chosen_columns_come_in_the_wanted_order() {
        let columns = || {
            ["ico", "address.city", "address.street", "name"]
                .map(column)
                .to_vec()
        };
        let names = |wanted: &str| {
            let found = chosen(&columns(), wanted).ok()?;
            Some(
                found
                    .into_iter()
                    .map(|one| one.name)
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        assert_eq!(names("name, ico").as_deref(), Some("name ico"));
        assert_eq!(
            names("address,name,address.city").as_deref(),
            Some("address.city address.street name")
        );
        for wrong in ["addr", "name,x", "", ","] {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn base_data_have_a_column_for_each_member() {
        let mut columns = Vec::new();
        let mut walk = Walk {
            columns: &mut columns,
            language: Language::Slovak,
        };
        walk.members(&Guide::of(base_schema()), "", "", 0);
        let city = columns.iter().find(|column| column.name == "address.city");
        let city = city.expect("an address has a city");
        assert_eq!(city.pointer, "/data/address/city");
        assert!(city.title.contains(" – "), "{}", city.title);
    }
}
