//! What a schema says about a place in a document, read on the way to it.
//!
//! [`Shape`](super::Shape) is made for every comparison and holds what comparing needs; a guide is walked only where
//! something changed, for titles, the words of enumerated values, and what is derived from what.

use serde_json::Value;

use super::language::Language;
use super::shape::{IDENTITY, referred};
use crate::connectors::manifest::VOLATILE;

/// Names the members of the same object that a member is calculated from: a count, a sum, a verdict. Its change is not
/// announced beside a change of one of these.
pub const DERIVED: &str = "x-lustra-derived";

/// Marks a list of the newest items only: an item that leaves it as another one enters has not ended.
pub const NEWEST: &str = "x-lustra-newest";

/// The Slovak title of a member; `title` is the English one.
pub const TITLE_SK: &str = "x-lustra-title-sk";

/// What the values of a member are called: an object from value to text, in English and in Slovak.
const WORDS: &str = "x-lustra-words";
const WORDS_SK: &str = "x-lustra-words-sk";

/// Nested references that are followed; a schema that refers to itself ends here.
const DEEPEST: usize = 24;

/// Alternatives of one place that are looked at.
const MOST: usize = 64;

/// A place in a document, as its schema describes it.
#[derive(Debug, Clone)]
pub struct Guide<'a> {
    root: &'a Value,
    /// The schema of the place, what it refers to and its alternatives, the nearest first.
    schemas: Vec<&'a Value>,
}

impl<'a> Guide<'a> {
    /// The whole document.
    #[must_use]
    pub fn of(schema: &'a Value) -> Self {
        let mut schemas = Vec::new();
        expand(schema, schema, 0, &mut schemas);
        Self {
            root: schema,
            schemas,
        }
    }

    /// A member of an object.
    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        self.below(|schema| schema.get("properties")?.get(name))
    }

    /// An item of a list.
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

    /// What the place is called in a language. None: the schema does not say.
    #[must_use]
    pub fn title(&self, language: Language) -> Option<&'a str> {
        let key = match language {
            Language::Slovak => TITLE_SK,
            Language::English => "title",
        };
        self.first(key)?.as_str()
    }

    /// What a value is called in a language. None: the schema does not say.
    pub(super) fn word(&self, value: &str, language: Language) -> Option<&'a str> {
        let key = match language {
            Language::Slovak => WORDS_SK,
            Language::English => WORDS,
        };
        self.first(key)?.get(value)?.as_str()
    }

    /// Whether the schema lists the value as one of a few.
    pub(super) fn is_enumerated(&self, value: &str) -> bool {
        let listed = self.schemas.iter().filter_map(|schema| schema.get("enum"));
        let mut listed = listed.filter_map(Value::as_array).flatten();
        listed.any(|one| one.as_str() == Some(value))
    }

    /// The members that recognise an item of this list.
    pub(super) fn identity(&self) -> Vec<&'a str> {
        self.names(IDENTITY)
    }

    /// The members of the same object that this one is calculated from.
    pub(super) fn derived_from(&self) -> Vec<&'a str> {
        self.names(DERIVED)
    }

    /// Whether the list has the newest items only.
    pub(super) fn is_newest(&self) -> bool {
        self.first(NEWEST) == Some(&Value::Bool(true))
    }

    /// Whether the place tells of the reading and not of the company.
    pub(super) fn is_volatile(&self) -> bool {
        self.first(VOLATILE) == Some(&Value::Bool(true))
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
    if depth > DEEPEST || into.len() >= MOST {
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
