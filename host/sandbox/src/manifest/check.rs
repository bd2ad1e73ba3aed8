//! Checks that the parts of a manifest agree: names of scopes, keys and datasets, and the conditions of events.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{BASE_FIELDS, DatasetKind, Manifest, ManifestError, Target, When};

/// Stands for every scope.
const ALL: &str = "all";
/// Clients take this scope for the details of a company, so its section must extend them.
const DETAILS: &str = "orsr";

impl Manifest {
    /// Refuses parts that contradict each other.
    pub(super) fn check(&self) -> Result<(), ManifestError> {
        let inconsistent = |why: String| Err(ManifestError::Inconsistent(why));
        let mut seen = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for scope in &self.scopes {
            if !seen.insert(&scope.scope) {
                return inconsistent(format!("the scope {} is named twice", scope.scope));
            }
            if scope.scope.as_str() == ALL
                || (scope.scope.as_str() == DETAILS && !scope.extends_details)
            {
                return inconsistent(format!("no scope may be named {}", scope.scope));
            }
            if let Some(field) = scope
                .members()
                .find(|field| scope.extends_details && BASE_FIELDS.contains(&field.as_str()))
            {
                return inconsistent(format!(
                    "the scope {} would replace the base field {field}",
                    scope.scope
                ));
            }
            if BASE_FIELDS.contains(&scope.key.as_str()) {
                return inconsistent(format!("the key {} is a base field", scope.key));
            }
            if scope.extends_details && !is_closed(&scope.schema) {
                return inconsistent(format!(
                    "the scope {} extends the details, so its schema must refuse other members",
                    scope.scope
                ));
            }
            for key in scope.keys() {
                let is_detail = || self.details_fields().any(|field| field == key);
                if !keys.insert(key) || (!scope.extends_details && is_detail()) {
                    return inconsistent(format!("the key {key} is used twice"));
                }
            }
            for dataset in &scope.datasets {
                if self.dataset(dataset).is_none() {
                    return inconsistent(format!(
                        "the scope {} names the unknown dataset {dataset}",
                        scope.scope
                    ));
                }
            }
            if !scope.live && scope.datasets.is_empty() {
                return inconsistent(format!(
                    "the scope {} is neither live nor made from a dataset",
                    scope.scope
                ));
            }
        }
        let sources = self
            .company_source
            .iter()
            .map(|source| (&source.events, source.schema.as_ref()));
        let scopes = self
            .scopes
            .iter()
            .map(|scope| (&scope.events, Some(&scope.schema)));
        for (rules, schema) in sources.chain(scopes) {
            for rule in rules {
                let Some(when) = When::parse(&rule.when) else {
                    return inconsistent(format!("the event condition {:?} is invalid", rule.when));
                };
                let pointer = when.pointer();
                if schema.is_some_and(|schema| !may_have(schema, schema, pointer)) {
                    return inconsistent(format!(
                        "the event {} watches {pointer}, which its schema does not have",
                        rule.kind
                    ));
                }
            }
        }
        for dataset in &self.datasets {
            let Some(upstream) = &dataset.operator_file else {
                continue;
            };
            let id = &dataset.id;
            if !self.upstreams.contains_key(upstream) {
                return inconsistent(format!(
                    "the dataset {id} names the unknown upstream {upstream}"
                ));
            }
            if dataset.kind != DatasetKind::Snapshot || dataset.target != Target::Records {
                return inconsistent(format!(
                    "the dataset {id} has an operator_file, so it must be a snapshot of records"
                ));
            }
        }
        self.check_collections()
            .map_err(ManifestError::Inconsistent)
    }
}

/// Whether the schema of an object names every member that it may have.
fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && schema.get("patternProperties").is_none()
}

/// Whether a value that fits a schema may have a member at a JSON pointer. Follows only `properties`, `items` and
/// references within the schema; other keywords count as allowing it. Each step descends one level of the schema, whose
/// number [`super::schemas::Schemas::of`] limits.
fn may_have(root: &Value, schema: &Value, pointer: &str) -> bool {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(target) = reference.and_then(|reference| reference.strip_prefix('#')) {
        return root
            .pointer(target)
            .is_none_or(|schema| may_have(root, schema, pointer));
    }
    let Some(path) = pointer.strip_prefix('/') else {
        return true;
    };
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    let rest = if rest.is_empty() {
        String::new()
    } else {
        format!("/{rest}")
    };
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let properties = schema.get("properties").and_then(Value::as_object);
    match properties.map(|properties| properties.get(name)) {
        Some(Some(member)) => may_have(root, member, &rest),
        Some(None) => !is_closed,
        None => schema
            .get("items")
            .is_none_or(|items| may_have(root, items, &rest)),
    }
}
