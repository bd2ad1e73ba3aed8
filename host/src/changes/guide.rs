//! Reads titles, enumerated values and derivations from a schema along the path to a value.
//!
//! [`Shape`](super::Shape) is built for every comparison and contains only what comparing needs. A guide is
//! walked only where something changed.

use std::collections::HashSet;

use serde_json::Value;

use super::shape::{IDENTITY, referred};
use crate::connectors::manifest::VOLATILE;
use crate::language::Language;

/// Names the members of the same object from which a member is calculated: a count, a sum, a verdict. If one of
/// them changes too, the calculated member's change raises no event of its own.
pub const DERIVED: &str = "x-lustra-derived";

/// Marks a list that contains only the newest items. An item that drops off its end because another one was
/// added has not ended.
pub const NEWEST: &str = "x-lustra-newest";

/// The sources that a verdict depends on; an empty list means that the member is not a verdict.
const VERDICT: &str = "x-lustra-verdict";

pub const TITLE_SK: &str = "x-lustra-title-sk";

/// Texts of a member's values: an object from value to text, in English and in Slovak.
const WORDS: &str = "x-lustra-words";
const WORDS_SK: &str = "x-lustra-words-sk";

/// Maximum depth of nested references; stops at self-referencing schemas.
const MAX_DEPTH: usize = 24;

/// Maximum number of alternative schemas for one place.
const MAX_ALTERNATIVES: usize = 64;

/// A place in a document and the schemas that describe it.
#[derive(Debug, Clone)]
pub struct Guide<'a> {
    root: &'a Value,
    /// The place's own schema first, then its references and alternatives.
    schemas: Vec<&'a Value>,
}

impl<'a> Guide<'a> {
    /// The root of the document.
    #[must_use]
    pub fn of(schema: &'a Value) -> Self {
        let mut schemas = Vec::new();
        expand(schema, schema, 0, &mut schemas);
        Self {
            root: schema,
            schemas,
        }
    }

    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        self.below(|schema| schema.get("properties")?.get(name))
    }

    /// The names of the members that the schema lists, in its order.
    #[must_use]
    pub fn member_names(&self) -> Vec<&'a str> {
        let listed = self
            .schemas
            .iter()
            .filter_map(|schema| schema.get("properties"));
        let mut seen = HashSet::new();
        let names = listed
            .filter_map(Value::as_object)
            .flat_map(|members| members.keys());
        names
            .map(String::as_str)
            .filter(|name| seen.insert(*name))
            .collect()
    }

    #[must_use]
    pub fn items(&self) -> Self {
        self.below(|schema| schema.get("items").filter(|items| items.is_object()))
    }

    fn below(&self, step: impl Fn(&'a Value) -> Option<&'a Value>) -> Self {
        let mut schemas = Vec::new();
        for schema in self.schemas.iter().filter_map(|schema| step(schema)) {
            expand(schema, self.root, 0, &mut schemas);
        }
        Self {
            root: self.root,
            schemas,
        }
    }

    /// The place's title in a language. `None` if the schema has none.
    #[must_use]
    pub fn title(&self, language: Language) -> Option<&'a str> {
        let key = match language {
            Language::Slovak => TITLE_SK,
            Language::English => "title",
        };
        self.first(key)?.as_str()
    }

    /// The text of a value in a language. `None` if the schema has none.
    #[must_use]
    pub fn word(&self, value: &str, language: Language) -> Option<&'a str> {
        let key = match language {
            Language::Slovak => WORDS_SK,
            Language::English => WORDS,
        };
        self.first(key)?.get(value)?.as_str()
    }

    /// The text of a member whose name is an enumerated value, as in an object from value to something.
    #[must_use]
    pub fn name_word(&self, name: &str, language: Language) -> Option<&'a str> {
        let names = self.below(|schema| schema.get("propertyNames"));
        names.word(name, language)
    }

    /// Whether the schema enumerates the value.
    #[must_use]
    pub fn is_enumerated(&self, value: &str) -> bool {
        let listed = self.schemas.iter().filter_map(|schema| schema.get("enum"));
        let mut listed = listed.filter_map(Value::as_array).flatten();
        listed.any(|one| one.as_str() == Some(value))
    }

    /// The members that identify an item of this list.
    #[must_use]
    pub fn identity(&self) -> Vec<&'a str> {
        self.names(IDENTITY)
    }

    /// The members of the same object from which this one is calculated.
    #[must_use]
    pub fn derived_from(&self) -> Vec<&'a str> {
        self.names(DERIVED)
    }

    /// Whether the list contains only the newest items.
    pub(super) fn is_newest(&self) -> bool {
        self.first(NEWEST) == Some(&Value::Bool(true))
    }

    /// Whether the member describes the reading and not the company.
    #[must_use]
    pub fn is_volatile(&self) -> bool {
        self.first(VOLATILE) == Some(&Value::Bool(true))
    }

    /// Whether the place is a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        let types = self.schemas.iter().filter_map(|schema| schema.get("type"));
        types.into_iter().any(|of| match of {
            Value::String(one) => one == "array",
            Value::Array(several) => several.iter().any(|one| one == "array"),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
        })
    }

    /// Whether the member of this object with this name is a verdict: true, false, or null while a source that it
    /// depends on could not be read.
    #[must_use]
    pub fn has_verdict(&self, name: &str) -> bool {
        let member = self.member(name);
        let is_named = name == "listed" || name.starts_with("is_") || name.starts_with("has_");
        let is_denied = member
            .first(VERDICT)
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty);
        is_named && !is_denied
    }

    fn names(&self, key: &str) -> Vec<&'a str> {
        let names = self.first(key).and_then(Value::as_array);
        let names = names.into_iter().flatten().filter_map(Value::as_str);
        names.collect()
    }

    fn first(&self, key: &str) -> Option<&'a Value> {
        self.schemas.iter().find_map(|schema| schema.get(key))
    }
}

fn expand<'a>(schema: &'a Value, root: &'a Value, depth: usize, into: &mut Vec<&'a Value>) {
    if depth > MAX_DEPTH || into.len() >= MAX_ALTERNATIVES {
        return;
    }
    into.push(schema);
    if let Some(target) = referred(schema, root) {
        expand(target, root, depth + 1, into);
    }
    for choices in ["allOf", "anyOf", "oneOf"] {
        let choices = schema.get(choices).and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            expand(choice, root, depth + 1, into);
        }
    }
}
