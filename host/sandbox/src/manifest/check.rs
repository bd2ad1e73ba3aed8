//! Checks that the parts of a manifest agree: names of scopes, keys and datasets, and the conditions of events.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{BASE_FIELDS, DatasetKind, Manifest, ManifestError, ScopeManifest, Target, When};

/// Stands for every scope.
const ALL: &str = "all";
/// Clients take this scope for the details of a company, so its section must extend them.
const DETAILS: &str = "orsr";

impl Manifest {
    /// Refuses parts that contradict each other.
    pub(super) fn check(&self) -> Result<(), ManifestError> {
        self.check_scopes()
            .and_then(|()| self.check_events())
            .and_then(|()| self.check_operator_files())
            .and_then(|()| self.check_collections())
            .map_err(ManifestError::Inconsistent)
    }

    fn check_scopes(&self) -> Result<(), String> {
        let (mut names, mut keys) = (BTreeSet::new(), BTreeSet::new());
        for scope in &self.scopes {
            if !names.insert(&scope.scope) {
                return Err(format!("the scope {} is named twice", scope.scope));
            }
            self.check_scope(scope)?;
            for key in scope.keys() {
                let is_detail = || self.details_fields().any(|field| field == key);
                if !keys.insert(key) || (!scope.extends_details && is_detail()) {
                    return Err(format!("the key {key} is used twice"));
                }
            }
        }
        Ok(())
    }

    fn check_scope(&self, scope: &ScopeManifest) -> Result<(), String> {
        let name = &scope.scope;
        let is_base = |field: &&str| BASE_FIELDS.contains(field);
        if name.as_str() == ALL || (name.as_str() == DETAILS && !scope.extends_details) {
            return Err(format!("no scope may be named {name}"));
        }
        let mut members = scope.members();
        if scope.extends_details
            && let Some(field) = members.find(|field| is_base(&field.as_str()))
        {
            return Err(format!(
                "the scope {name} would replace the base field {field}"
            ));
        }
        if is_base(&scope.key.as_str()) {
            return Err(format!("the key {} is a base field", scope.key));
        }
        if scope.extends_details && !is_closed(&scope.schema) {
            return Err(format!(
                "the scope {name} extends the details, so its schema must refuse other members"
            ));
        }
        let mut datasets = scope.datasets.iter();
        if let Some(dataset) = datasets.find(|dataset| self.dataset(dataset).is_none()) {
            return Err(format!(
                "the scope {name} names the unknown dataset {dataset}"
            ));
        }
        if !scope.live && scope.datasets.is_empty() {
            return Err(format!(
                "the scope {name} is neither live nor made from a dataset"
            ));
        }
        Ok(())
    }

    fn check_events(&self) -> Result<(), String> {
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
                    return Err(format!("the event condition {:?} is invalid", rule.when));
                };
                let pointer = when.pointer();
                if schema.is_some_and(|schema| !may_have(schema, schema, pointer)) {
                    return Err(format!(
                        "the event {} watches {pointer}, which its schema does not have",
                        rule.kind
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_operator_files(&self) -> Result<(), String> {
        for dataset in &self.datasets {
            let Some(upstream) = &dataset.operator_file else {
                continue;
            };
            let id = &dataset.id;
            if !self.upstreams.contains_key(upstream) {
                return Err(format!(
                    "the dataset {id} names the unknown upstream {upstream}"
                ));
            }
            if dataset.kind != DatasetKind::Snapshot || dataset.target != Target::Records {
                return Err(format!(
                    "the dataset {id} has an operator_file, so it must be a snapshot of records"
                ));
            }
        }
        Ok(())
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
