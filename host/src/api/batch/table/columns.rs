//! The columns of a table, from the schemas of the base data, the details and the sections.

use std::collections::BTreeMap;

use serde_json::Value;

use super::cells::{Items, UNREAD};
use crate::api::error::ApiError;
use crate::changes::{Guide, base_schema};
use crate::connectors::catalogue::Catalogue;
use crate::language::Language;
use crate::store::{BatchKind, ScopeName};

/// Maximum levels of objects within objects that become columns.
const MAX_DEPTH: usize = 4;

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
const SECTION: [(&str, &str, &str); 3] = [
    ("state", "stav", "state"),
    ("as_of", "prečítané", "read at"),
    (UNREAD, "neprečítané", "not read"),
];

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Stable name, such as `address.city`.
    pub(super) name: String,
    pub(super) title: String,
    /// JSON pointers into an entry; the first one with a value counts.
    pub(super) pointers: Vec<String>,
    /// What its cells show of objects in a list.
    pub(super) items: Items,
}

impl Column {
    pub(super) fn new(name: &str, title: &str, pointer: String) -> Self {
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            pointers: vec![pointer],
            items: Items::Unknown,
        }
    }
}

/// The columns that say what was requested and whether it was found.
pub(super) fn of_item(kind: BatchKind, language: Language) -> Vec<Column> {
    let mut columns = vec![
        (
            "requested",
            kind.member(),
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
        items: Items::Companies,
        ..Column::new(name, title, format!("/{member}"))
    });
    columns.collect()
}

/// The columns of a company without scopes.
pub(super) fn of_company(catalogue: &Catalogue, language: Language) -> Vec<Column> {
    let mut columns = Vec::new();
    for (name, title) in [("id", "ID"), ("ico", "IČO")] {
        columns.push(Column::new(name, title, format!("/data/{name}")));
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
        let pointer = format!("/data/{}", name.replace('.', "/"));
        columns.push(Column::new(name, language.pick(slovak, english), pointer));
    }
    without_repeats(&mut columns);
    columns
}

/// Adds the columns of sections: whether and when each was read, what could not be read, and its members.
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
            let mut pointers = vec![format!("/meta/scopes/{scope}/{member}")];
            if member == UNREAD {
                // The metadata has it only for sections that have no place for it.
                pointers.push(format!("/data/{}/{member}", manifest.key));
            }
            columns.push(Column {
                name: format!("meta.scopes.{scope}.{member}"),
                title: format!("{title} – {}", language.pick(slovak, english)),
                pointers,
                items: Items::Member("source"),
            });
        }
        let mut walk = Walk { columns, language };
        let is_list = guide.is_list() || guide.member_names().is_empty();
        match (manifest.extends_details, is_list) {
            // Its members stand in the data itself.
            (true, _) => walk.members(&guide, "", "", 0),
            (false, false) => walk.members(&guide, &manifest.key, &title, 0),
            (false, true) => walk.columns.push(Column {
                items: Items::of(&manifest.key, &guide),
                ..Column::new(&manifest.key, &title, format!("/data/{}", manifest.key))
            }),
        }
    }
    without_repeats(columns);
}

/// Keeps the first column of each name. A later one may say what its list has: a scope that extends the details makes
/// objects of their texts.
fn without_repeats(columns: &mut Vec<Column>) {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<Column> = Vec::with_capacity(columns.len());
    for column in columns.drain(..) {
        match places.get(&column.name) {
            None => {
                places.insert(column.name.clone(), kept.len());
                kept.push(column);
            }
            Some(place) if kept[*place].items == Items::Unknown => {
                kept[*place].items = column.items;
            }
            Some(_) => {}
        }
    }
    *columns = kept;
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
            let pointer = format!("/data/{}", path.replace('.', "/"));
            self.columns.push(Column {
                items: Items::of(&path, &member),
                ..Column::new(&path, &title, pointer)
            });
        }
    }
}

/// The columns with these names, comma-separated, in their order. The name of an object means all columns in it. Names
/// of `fixed` columns, which every table has, are accepted and choose nothing.
pub(super) fn chosen(
    columns: &[Column],
    fixed: &[Column],
    wanted: &str,
) -> Result<Vec<Column>, ApiError> {
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    let mut is_any = false;
    for name in wanted
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        is_any = true;
        if fixed.iter().any(|column| column.name == name) {
            continue;
        }
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
            unknown.push(format!("{name:?} is not a column of this host"));
        }
    }
    if !is_any {
        unknown.push("expected at least one column".to_owned());
    }
    if unknown.is_empty() {
        return Ok(found);
    }
    let errors = BTreeMap::from([("columns".to_owned(), unknown)]);
    Err(ApiError::all_invalid(errors))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str) -> Column {
        Column::new(name, name, format!("/data/{}", name.replace('.', "/")))
    }

    #[test]
    fn chosen_columns_come_in_the_wanted_order() {
        let columns = || {
            ["ico", "address.city", "address.street", "name"]
                .map(column)
                .to_vec()
        };
        let names = |wanted: &str| {
            let found = chosen(&columns(), &[column("requested")], wanted).ok()?;
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
        assert_eq!(names("requested,name").as_deref(), Some("name"));
        assert_eq!(names("requested").as_deref(), Some(""));
        for wrong in ["addr", "name,x", "requested,x", "", ","] {
            assert_eq!(names(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn repeated_column_learns_what_its_list_has() {
        let of = |name: &str, items: Items| Column {
            items,
            ..column(name)
        };
        let activity = Items::Member("activity");
        let mut columns = vec![
            of("activities", Items::Unknown),
            of("owners", Items::Member("name")),
            of("activities", activity),
            of("owners", Items::Count),
        ];
        without_repeats(&mut columns);
        let expected = [
            of("activities", activity),
            of("owners", Items::Member("name")),
        ];
        assert_eq!(columns, expected);
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
        assert_eq!(city.pointers, ["/data/address/city"]);
        assert!(city.title.contains(" – "), "{}", city.title);
    }
}
