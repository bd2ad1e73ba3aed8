//! The manifest of a connector: read from the component's custom section and checked against its schema.

mod when;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::schemas::{self, Schemas};
use super::strict_json::{self, NotAccepted};
use crate::plain_text;

pub use when::When;

/// The name of the custom section that holds the manifest.
pub const SECTION: &str = "lustra:manifest";

/// Schema keyword for a member that describes the reading and not the company, such as the date of a list. It is
/// ignored in comparisons.
pub const VOLATILE: &str = "x-lustra-volatile";

/// Names of the base fields, which details and sections must not use.
pub const BASE_FIELDS: [&str; 12] = [
    "id",
    "ico",
    "name",
    "legal_form",
    "legal_form_code",
    "address",
    "established_date",
    "terminated_date",
    "source_register",
    "status",
    "nace_code",
    "nace_description",
];

/// Largest manifest in bytes.
const MAX_MANIFEST_BYTES: usize = 1 << 20;

/// Most characters of a text for people.
const MAX_TEXT_CHARS: usize = 4_000;

/// Scope names with a special meaning, which connectors must not use.
const RESERVED_SCOPES: [&str; 2] = ["all", "orsr"];

/// The manifest; `wit/manifest.schema.json` describes each member.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name of the connector in configuration, tables and logs.
    pub id: String,
    pub version: String,
    /// Display name of the connector.
    pub title: String,
    /// Display name of the register.
    pub register: String,
    /// Origin and licence of the data.
    #[serde(default)]
    pub about: String,
    /// Upstreams by their names.
    pub upstreams: BTreeMap<String, UpstreamManifest>,
    /// A JSON Schema of the settings.
    #[serde(default)]
    pub settings: Option<Value>,
    /// The connector's company source, if it has one.
    #[serde(default)]
    pub company_source: Option<CompanySourceManifest>,
    /// Scopes that the connector has sections for.
    #[serde(default)]
    pub scopes: Vec<ScopeManifest>,
    /// Datasets that the connector imports.
    #[serde(default)]
    pub datasets: Vec<DatasetManifest>,
    /// The compiled schemas of this manifest.
    #[serde(skip)]
    pub schemas: Arc<Schemas>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamManifest {
    /// Public address; if missing, the operator must set one.
    #[serde(default)]
    pub address: Option<String>,
    /// What the connector requests there.
    pub about: String,
    /// Rate limit that the register asks for.
    #[serde(default = "one")]
    pub requests_per_second: f64,
    /// Most concurrent requests to this upstream.
    #[serde(default = "one_request")]
    pub concurrent: usize,
    /// Seconds until the first byte of a response.
    #[serde(default = "fifteen")]
    pub timeout_seconds: u64,
}

/// What a company source returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provides {
    Base,
    /// Details that are added to a base record.
    Details,
}

/// Keys that a company can be looked up by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// Slovak registration number (IČO).
    Ico,
    /// The register's own id.
    RegisterId,
}

/// The company source of a connector.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanySourceManifest {
    /// Base records or details.
    pub provides: Provides,
    pub keys: Vec<KeyKind>,
    /// Maximum age in days; older data are refreshed.
    #[serde(default = "thirty_days")]
    pub max_age_days: f64,
    /// The companies that it is used for.
    #[serde(default)]
    pub applies_to: AppliesTo,
    /// JSON Schema of `details`.
    #[serde(default)]
    pub schema: Option<Value>,
    /// Events that changes of the details raise.
    #[serde(default)]
    pub events: Vec<EventRule>,
}

/// A filter of companies. An empty filter includes all.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliesTo {
    /// Prefixes of the NACE code, one of which must match.
    #[serde(default)]
    pub nace_prefixes: Option<Vec<String>>,
    /// Allowed values of facts in the base record.
    #[serde(default)]
    pub facts: BTreeMap<String, Vec<String>>,
}

impl AppliesTo {
    /// Whether a company with this activity and these facts is included. Unknown facts do not exclude it. An unknown
    /// activity does, because registers of licensed trades apply only where the trade is known.
    #[must_use]
    pub fn includes(&self, nace_code: Option<&str>, facts: &BTreeMap<String, String>) -> bool {
        if let Some(prefixes) = &self.nace_prefixes {
            let Some(code) = nace_code else { return false };
            if !prefixes
                .iter()
                .any(|prefix| code.starts_with(prefix.as_str()))
            {
                return false;
            }
        }
        self.facts
            .iter()
            .all(|(name, values)| facts.get(name).is_none_or(|value| values.contains(value)))
    }
}

/// A scope with its section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeManifest {
    /// Name of the scope in requests.
    pub scope: String,
    /// Key of the section in `data`.
    pub key: String,
    pub title: String,
    /// Description of the content.
    #[serde(default)]
    pub about: String,
    /// JSON Schema of the section.
    pub schema: Value,
    /// Maximum age in days; 0 fetches the section for each answer.
    #[serde(default = "ten_days")]
    pub max_age_days: f64,
    /// The companies that it is used for.
    #[serde(default)]
    pub applies_to: AppliesTo,
    /// Datasets that the section is made from.
    #[serde(default)]
    pub datasets: Vec<String>,
    /// Whether the section needs live requests; false if it is made from imported records only.
    #[serde(default = "yes")]
    pub live: bool,
    /// What the operator must supply before the scope works.
    #[serde(default)]
    pub needs: Option<ScopeNeeds>,
    /// Events that changes of the section raise.
    #[serde(default)]
    pub events: Vec<EventRule>,
}

/// What a scope needs from the operator.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeNeeds {
    /// JSON pointer to the required setting. The need is met once the value is neither null nor empty.
    pub setting: String,
    /// Description of the need for people.
    pub what: String,
}

/// A rule for raising an event when a section or details change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRule {
    /// Kind of the event, such as `debtor.added`.
    pub kind: String,
    /// Group of the event, such as `risk`.
    pub group: String,
    /// `changed`, `field:<JSON pointer>`, `added:<JSON pointer>`, `first-hit` or `first-hit:<JSON pointer>`.
    pub when: String,
}

/// Where a dataset's rows are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// As the connector's own records.
    #[default]
    Records,
    /// As companies of the base table.
    Companies,
}

/// How a dataset is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// The complete list in each run.
    Snapshot,
    /// Only changes since the last run.
    Delta,
}

/// A list that is imported in bulk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetManifest {
    /// Name, unique within the connector.
    pub id: String,
    pub title: String,
    /// Description of the content.
    #[serde(default)]
    pub about: String,
    /// Where its rows are stored.
    #[serde(default)]
    pub target: Target,
    /// How it is read.
    pub kind: DatasetKind,
    /// Schedule of the import, in UTC.
    #[serde(default = "daily")]
    pub schedule: String,
    /// Whether an empty list is valid.
    #[serde(default)]
    pub may_be_empty: bool,
    /// Largest accepted shrinkage in percent; a list that shrinks by more is not published.
    #[serde(default = "twenty")]
    pub max_shrink_percent: f64,
    /// Whether it is enabled by default; false if the operator must enable it.
    #[serde(default = "yes")]
    pub on: bool,
    /// What the operator must supply before it can be enabled.
    #[serde(default)]
    pub needs: Option<String>,
}

/// Why a manifest is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The component has no manifest section.
    #[error("the component has no custom section {SECTION}")]
    Missing,
    /// It is not JSON, or an object has a duplicate member.
    #[error("the manifest at {:?}: {}", .0.pointer, .0.why)]
    Json(#[from] NotAccepted),
    /// Its structure is wrong.
    #[error("the manifest is not of the form: {0}")]
    Form(#[from] serde_json::Error),
    /// It violates the schema of manifests.
    #[error("the manifest at {pointer:?}: {why}")]
    Schema {
        /// JSON pointer into the manifest.
        pointer: String,
        why: String,
    },
    /// A schema in it is not a valid JSON Schema, or its parts contradict each other.
    #[error("{0}")]
    Inconsistent(String),
}

impl Manifest {
    /// Parses and checks a manifest.
    ///
    /// # Errors
    /// [`ManifestError`] with the location.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        if text.len() > MAX_MANIFEST_BYTES {
            return Err(ManifestError::Inconsistent(format!(
                "it has {} bytes; {MAX_MANIFEST_BYTES} is the most",
                text.len()
            )));
        }
        let value = strict_json::parse(text)?;
        schemas::check_manifest(&value)?;
        let mut manifest: Self = serde_json::from_value(value)?;
        manifest.check()?;
        manifest.clean();
        manifest.schemas = Arc::new(Schemas::of(&manifest)?);
        Ok(manifest)
    }

    /// The scope with this name.
    #[must_use]
    pub fn scope(&self, scope: &str) -> Option<&ScopeManifest> {
        self.scopes.iter().find(|known| known.scope == scope)
    }

    /// The dataset with this name.
    #[must_use]
    pub fn dataset(&self, dataset: &str) -> Option<&DatasetManifest> {
        self.datasets.iter().find(|known| known.id == dataset)
    }

    /// The names of the declared details.
    pub fn details_fields(&self) -> impl Iterator<Item = &String> {
        let schema = self
            .company_source
            .as_ref()
            .and_then(|source| source.schema.as_ref());
        let properties = schema
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object);
        properties.into_iter().flat_map(serde_json::Map::keys)
    }

    /// Cleans the author's texts for people, which go to logs and lists.
    fn clean(&mut self) {
        let names = [&mut self.title, &mut self.register, &mut self.version];
        let scopes = self.scopes.iter_mut();
        let of_scopes = scopes.flat_map(|scope| [&mut scope.title, &mut scope.about]);
        let datasets = self.datasets.iter_mut();
        let of_datasets = datasets.flat_map(|dataset| {
            let texts = [&mut dataset.title, &mut dataset.about];
            texts.into_iter().chain(&mut dataset.needs)
        });
        names
            .into_iter()
            .chain([&mut self.about])
            .chain(of_scopes)
            .chain(of_datasets)
            .for_each(|text| plain_text::clean(text, MAX_TEXT_CHARS));
    }

    fn check(&self) -> Result<(), ManifestError> {
        let inconsistent = |why: String| Err(ManifestError::Inconsistent(why));
        let mut seen = std::collections::BTreeSet::new();
        for scope in &self.scopes {
            if !seen.insert(&scope.scope) {
                return inconsistent(format!("the scope {} is named twice", scope.scope));
            }
            if RESERVED_SCOPES.contains(&scope.scope.as_str()) {
                return inconsistent(format!("no scope may be named {}", scope.scope));
            }
            if BASE_FIELDS.contains(&scope.key.as_str()) {
                return inconsistent(format!("the key {} is a base field", scope.key));
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
                    return inconsistent(format!("an event's {:?} is no condition", rule.when));
                };
                let pointer = when.pointer();
                if schema.is_some_and(|schema| !may_have(schema, schema, pointer)) {
                    return inconsistent(format!(
                        "the event {} waits for {pointer}, which its schema does not have",
                        rule.kind
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Whether a value that fits a schema may have a member at a JSON pointer. Follows only `properties`, `items` and
/// references within the schema; other keywords count as allowing it.
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

fn one() -> f64 {
    1.0
}

fn one_request() -> usize {
    1
}

fn fifteen() -> u64 {
    15
}

fn ten_days() -> f64 {
    10.0
}

fn thirty_days() -> f64 {
    30.0
}

fn twenty() -> f64 {
    20.0
}

fn yes() -> bool {
    true
}

fn daily() -> String {
    "daily 06:00".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"{"id":"x","version":"1.0.0","title":"X","register":"X","upstreams":{}}"#;

    #[test]
    fn minimal_manifest_is_accepted() {
        let manifest = Manifest::parse(LEAST).expect("it is of the form");
        assert_eq!(manifest.id, "x");
        assert!(manifest.scopes.is_empty());
    }

    #[test]
    fn errors_in_manifest_are_named() {
        let unknown = LEAST.replace("\"id\":\"x\"", "\"id\":\"X y\"");
        assert!(
            matches!(Manifest::parse(&unknown), Err(ManifestError::Schema { pointer, .. }) if pointer == "/id")
        );
        let more = LEAST.replace("{\"id\"", "{\"extra\":1,\"id\"");
        assert!(matches!(
            Manifest::parse(&more),
            Err(ManifestError::Schema { .. })
        ));
        assert!(matches!(Manifest::parse("{"), Err(ManifestError::Json(_))));
    }

    #[test]
    fn event_rule_for_unknown_member_is_refused() {
        let with_rule = |when: &str| {
            let scope = serde_json::json!([{
                "scope": "x", "key": "x", "title": "X",
                "schema": {
                    "type": "object", "additionalProperties": false,
                    "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/item"}}},
                    "$defs": {"item": {"type": "object", "additionalProperties": false, "properties": {"name": {"type": "string"}}}},
                },
                "events": [{"kind": "x.updated", "group": "x", "when": when}],
            }]);
            let text = LEAST.replace(
                "\"upstreams\"",
                &format!("\"scopes\":{scope},\"upstreams\""),
            );
            Manifest::parse(&text)
        };
        for known in [
            "changed",
            "added:/list",
            "field:/list/0/name",
            "first-hit:/list",
        ] {
            assert!(with_rule(known).is_ok(), "{known}");
        }
        for unknown in ["added:/lists", "field:/list/0/age", "first-hit:/other"] {
            let refused = with_rule(unknown);
            assert!(
                matches!(refused, Err(ManifestError::Inconsistent(_))),
                "{unknown}"
            );
        }
    }

    #[test]
    fn unknown_fact_includes_company_but_unknown_trade_does_not() {
        let applies = AppliesTo {
            nace_prefixes: None,
            facts: BTreeMap::from([("commercial_register".to_owned(), vec!["true".to_owned()])]),
        };
        let fact =
            |value: &str| BTreeMap::from([("commercial_register".to_owned(), value.to_owned())]);
        assert!(applies.includes(None, &BTreeMap::new()));
        assert!(applies.includes(None, &fact("true")));
        assert!(!applies.includes(None, &fact("false")));
        let trade = AppliesTo {
            nace_prefixes: Some(vec!["80".to_owned()]),
            facts: BTreeMap::new(),
        };
        assert!(trade.includes(Some("80100"), &BTreeMap::new()));
        assert!(!trade.includes(None, &BTreeMap::new()));
    }
}
