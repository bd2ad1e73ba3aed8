//! Reads from a schema how to compare documents: which members to ignore, and which members identify the items
//! of a list.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::connectors::manifest::VOLATILE;

/// Names the members that identify an item of a list across readings.
pub const IDENTITY: &str = "x-lustra-identity";

/// Maximum depth of nested references; stops at self-referencing schemas.
const MAX_DEPTH: usize = 24;

/// How a document is compared, member by member.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    pub(super) volatile: bool,
    /// The value must be a number. A text is converted, because earlier connector versions stored amounts as
    /// texts.
    pub(super) numeric: bool,
    pub(super) identity: Vec<String>,
    members: BTreeMap<String, Shape>,
    items: Option<Box<Shape>>,
}

static PLAIN: Shape = Shape {
    volatile: false,
    numeric: false,
    identity: Vec::new(),
    members: BTreeMap::new(),
    items: None,
};

impl Shape {
    /// Reads the marks of a JSON Schema. References resolve within the schema.
    #[must_use]
    pub fn of_schema(schema: &Value) -> Self {
        Self::read(schema, schema, 0)
    }

    fn read(schema: &Value, root: &Value, depth: usize) -> Self {
        if depth > MAX_DEPTH {
            return Self::default();
        }
        let mut shape = Self {
            volatile: schema.get(VOLATILE) == Some(&Value::Bool(true)),
            numeric: is_numeric(schema),
            ..Self::default()
        };
        if let Some(target) = referred(schema, root) {
            shape.merge(Self::read(target, root, depth + 1));
        }
        for choices in ["allOf", "anyOf", "oneOf"] {
            for choice in schema
                .get(choices)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                shape.merge(Self::read(choice, root, depth + 1));
            }
        }
        if let Some(names) = schema.get(IDENTITY).and_then(Value::as_array) {
            let names = names.iter().filter_map(Value::as_str);
            shape.identity = names.map(str::to_owned).collect();
        }
        if let Some(members) = schema.get("properties").and_then(Value::as_object) {
            for (name, member) in members {
                let member = Self::read(member, root, depth + 1);
                shape.members.entry(name.clone()).or_default().merge(member);
            }
        }
        if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
            let items = Self::read(items, root, depth + 1);
            shape.items.get_or_insert_default().merge(items);
        }
        shape
    }

    fn merge(&mut self, other: Self) {
        self.volatile |= other.volatile;
        self.numeric |= other.numeric;
        if self.identity.is_empty() {
            self.identity = other.identity;
        }
        for (name, member) in other.members {
            self.members.entry(name).or_default().merge(member);
        }
        if let Some(items) = other.items {
            self.items.get_or_insert_default().merge(*items);
        }
    }

    pub(super) fn member(&self, name: &str) -> &Self {
        self.members.get(name).unwrap_or(&PLAIN)
    }

    pub(super) fn items(&self) -> &Self {
        self.items.as_deref().unwrap_or(&PLAIN)
    }
}

/// Whether a schema allows only numbers, or numbers and null.
fn is_numeric(schema: &Value) -> bool {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(_) | None => Vec::new(),
    };
    let is_number = |name: &&str| matches!(*name, "number" | "integer");
    types.iter().any(is_number) && types.iter().all(|name| is_number(name) || *name == "null")
}

/// The target of a schema's `$ref`, if it is within the same schema.
pub(super) fn referred<'a>(schema: &Value, root: &'a Value) -> Option<&'a Value> {
    let reference = schema.get("$ref")?.as_str()?;
    root.pointer(reference.strip_prefix('#')?)
}
