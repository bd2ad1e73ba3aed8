//! Paths of members within items and their schemas.

use std::cell::Cell;

use serde::Deserialize;
use serde_json::Value;

/// Most steps that the checks of one manifest take in its schemas. The bundled connectors need at most 10,000.
const MAX_STEPS: usize = 1_000_000;

/// Steps that are left to walks over schemas. A walk takes at most one step for each part of the schema, but a manifest
/// can name thousands of members.
#[derive(Debug)]
pub(super) struct Steps(Cell<usize>);

impl Steps {
    /// The steps for all checks of one manifest.
    pub(super) fn of_manifest() -> Self {
        Self(Cell::new(MAX_STEPS))
    }

    /// Steps for any walk over a schema that was checked.
    fn unlimited() -> Self {
        Self(Cell::new(usize::MAX))
    }

    /// Why the manifest is refused, once no step is left.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.0.get() > 0 {
            return Ok(());
        }
        Err(format!(
            "looking up the members that it names takes more than {MAX_STEPS} steps in its schema"
        ))
    }

    /// Takes one step, if one is left.
    fn take(&self) -> bool {
        let left = self.0.get().saturating_sub(1);
        self.0.set(left);
        left > 0
    }
}

/// A dotted path of a member within an item, such as `licences.parent.ico`. It continues in each element of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Member(String);

impl Member {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first name and the path after it; `None` for a single name.
    #[must_use]
    pub fn split(&self) -> Option<(&str, Member)> {
        let (first, rest) = self.0.split_once('.')?;
        Some((first, Self(rest.to_owned())))
    }
}

impl From<&str> for Member {
    fn from(path: &str) -> Self {
        Self(path.to_owned())
    }
}

/// The values of a member, as text: of texts, numbers and booleans. Null and missing members have none.
#[must_use]
pub fn values(item: &Value, member: &Member) -> Vec<String> {
    let mut found = Vec::new();
    collect(item, &member.0, &mut found);
    found
}

fn collect(value: &Value, path: &str, found: &mut Vec<String>) {
    if let Value::Array(elements) = value {
        elements
            .iter()
            .for_each(|element| collect(element, path, found));
        return;
    }
    if path.is_empty() {
        found.extend(text(value));
        return;
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    if let Some(inner) = value.get(name) {
        collect(inner, rest, found);
    }
}

/// A scalar as text; `None` for null, lists and objects.
#[must_use]
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whether a schema describes the member at this path; false if no step is left.
pub(super) fn is_described(root: &Value, path: &str, steps: &Steps) -> bool {
    !described(root, root, path, steps).is_empty()
}

/// Whether a schema describes the member at this path as a list.
pub(super) fn is_list(root: &Value, path: &str) -> bool {
    let found = described(root, root, path, &Steps::unlimited());
    found.iter().any(|schema| {
        let of_type = schema.get("type");
        let is_array = |value: &Value| value == "array";
        schema.get("items").is_some()
            || of_type.is_some_and(is_array)
            || of_type
                .and_then(Value::as_array)
                .is_some_and(|types| types.iter().any(is_array))
    })
}

/// The schemas of the member at this path: several where the schema has alternatives. The
/// recursion ends because a manifest's schema has no cycle.
fn described<'a>(root: &'a Value, schema: &'a Value, path: &str, steps: &Steps) -> Vec<&'a Value> {
    if !steps.take() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let reference = schema.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    let alternatives = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|keyword| {
        let alternatives = schema.get(keyword).and_then(Value::as_array);
        alternatives.into_iter().flatten()
    });
    for same in target.into_iter().chain(alternatives) {
        found.extend(described(root, same, path, steps));
    }
    if path.is_empty() {
        if target.is_none() {
            found.push(schema);
        }
        return found;
    }
    if let Some(items) = schema.get("items") {
        found.extend(described(root, items, path, steps));
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let property = schema.get("properties").and_then(|all| all.get(name));
    if let Some(property) = property {
        found.extend(described(root, property, rest, steps));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn member_goes_through_lists_and_nulls() {
        let item = json!({"licences": [
            {"sector": "úvery", "parent": {"ico": "35000001"}}, {"sector": null, "parent": null}, {"sector": "vklady"},
        ], "is_current": true, "categories": ["banka", "poisťovňa"]});
        assert_eq!(
            values(&item, &"licences.sector".into()),
            ["úvery", "vklady"]
        );
        assert_eq!(values(&item, &"licences.parent.ico".into()), ["35000001"]);
        assert_eq!(values(&item, &"is_current".into()), ["true"]);
        assert_eq!(values(&item, &"categories".into()), ["banka", "poisťovňa"]);
        assert!(values(&item, &"licences".into()).is_empty());
        assert!(values(&item, &"missing.member".into()).is_empty());
    }

    #[test]
    fn schema_describes_members_behind_references() {
        let schema = json!({
            "properties": {
                "parent": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/parent"}]},
                "list": {"type": ["array", "null"], "items": {"$ref": "#/$defs/parent"}},
            },
            "$defs": {"parent": {"properties": {"ico": {"type": "string"}}}},
        });
        assert!(is_described(&schema, "parent.ico", &Steps::unlimited()));
        assert!(is_described(&schema, "list.ico", &Steps::unlimited()));
        assert!(!is_described(&schema, "list.name", &Steps::unlimited()));
        assert!(!is_described(&schema, "ico", &Steps::unlimited()));
        assert!(is_list(&schema, "list"));
        assert!(!is_list(&schema, "parent"));
    }
}
