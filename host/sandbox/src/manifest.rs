//! What a connector says of itself: the manifest in the component's custom section, checked against its schema.

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

/// Marks a member of a schema that describes the reading and not the company, such as the date of a list. It is not
/// compared.
pub const VOLATILE: &str = "x-lustra-volatile";

/// The names of the base fields, which neither details nor sections may take.
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

/// The most bytes of a manifest.
const LARGEST: usize = 1 << 20;

/// The most characters of a text for people.
const LONGEST_TEXT: usize = 4_000;

/// Words that mean something else where a scope is named.
const RESERVED_SCOPES: [&str; 2] = ["all", "orsr"];

/// The manifest; `wit/manifest.schema.json` describes each member.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The connector's name in configuration, tables and logs.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its name for people.
    pub title: String,
    /// The register it speaks for, as people call it.
    pub register: String,
    /// Origin and licence of the data.
    #[serde(default)]
    pub about: String,
    /// The named upstreams.
    pub upstreams: BTreeMap<String, UpstreamManifest>,
    /// A JSON Schema of the settings.
    #[serde(default)]
    pub settings: Option<Value>,
    /// Whether and how it gives companies.
    #[serde(default)]
    pub company_source: Option<CompanySourceManifest>,
    /// The scopes it gives sections for.
    #[serde(default)]
    pub scopes: Vec<ScopeManifest>,
    /// The lists it imports.
    #[serde(default)]
    pub datasets: Vec<DatasetManifest>,
    /// Its schemas, compiled.
    #[serde(skip)]
    pub schemas: Arc<Schemas>,
}

/// A named upstream.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UpstreamManifest {
    /// The public address; none: the operator names one.
    #[serde(default)]
    pub address: Option<String>,
    /// What is asked there.
    pub about: String,
    /// The politeness that the register wants.
    #[serde(default = "one")]
    pub requests_per_second: f64,
    /// How many requests may be under way at once.
    #[serde(default = "one_request")]
    pub concurrent: usize,
    /// Seconds to the first byte.
    #[serde(default = "fifteen")]
    pub timeout_seconds: u64,
}

/// What a company source gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Provides {
    /// The base record.
    Base,
    /// Facts added to a base record.
    Details,
}

/// How a company may be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyKind {
    /// By registration number.
    Ico,
    /// By the register's own id.
    RegisterId,
}

/// A connector's ability to give companies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompanySourceManifest {
    /// Base record or details.
    pub provides: Provides,
    /// The keys it takes.
    pub keys: Vec<KeyKind>,
    /// Older data are refreshed.
    #[serde(default = "thirty_days")]
    pub max_age_days: f64,
    /// The companies it is asked about.
    #[serde(default)]
    pub applies_to: AppliesTo,
    /// JSON Schema of `details`.
    #[serde(default)]
    pub schema: Option<Value>,
    /// The events that changes of the details raise.
    #[serde(default)]
    pub events: Vec<EventRule>,
}

/// The companies that something is asked about.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliesTo {
    /// The economic activity begins with one of these.
    #[serde(default)]
    pub nace_prefixes: Option<Vec<String>>,
    /// Facts of the base record and the values of which each must have one.
    #[serde(default)]
    pub facts: BTreeMap<String, Vec<String>>,
}

impl AppliesTo {
    /// Whether a company with this activity and these facts is asked about. What is not known does not exclude,
    /// except an activity: registers of licensed trades are asked only where the trade is known.
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

/// A scope that the connector gives sections for.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeManifest {
    /// What a client asks for.
    pub scope: String,
    /// Where the section stands in `data`.
    pub key: String,
    /// Its name for people.
    pub title: String,
    /// What it holds.
    #[serde(default)]
    pub about: String,
    /// JSON Schema of the section.
    pub schema: Value,
    /// Older sections are refreshed; 0: asked anew for each answer.
    #[serde(default = "ten_days")]
    pub max_age_days: f64,
    /// The companies it is asked about.
    #[serde(default)]
    pub applies_to: AppliesTo,
    /// The datasets it is made from.
    #[serde(default)]
    pub datasets: Vec<String>,
    /// False: made from imported records alone.
    #[serde(default = "yes")]
    pub live: bool,
    /// What the operator has to supply before the scope can be answered.
    #[serde(default)]
    pub needs: Option<ScopeNeeds>,
    /// The events its changes raise.
    #[serde(default)]
    pub events: Vec<EventRule>,
}

/// What a scope lacks until the operator supplies it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeNeeds {
    /// JSON pointer to the setting that supplies it: nothing is needed once its value is neither null nor empty.
    pub setting: String,
    /// What is needed, for people.
    pub what: String,
}

/// When a change of a section or of details raises an event.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventRule {
    /// The event's kind, such as `debtor.added`.
    pub kind: String,
    /// The group it belongs to, such as `risk`.
    pub group: String,
    /// `changed`, `field:<JSON pointer>`, `added:<JSON pointer>`, `first-hit` or `first-hit:<JSON pointer>`.
    pub when: String,
}

/// Where a dataset's rows go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// The connector's own records.
    #[default]
    Records,
    /// Base companies.
    Companies,
}

/// How a dataset is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatasetKind {
    /// Whole lists.
    Snapshot,
    /// What is new since the last run.
    Delta,
}

/// A list that is imported in bulk.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetManifest {
    /// Its name within the connector.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What it holds.
    #[serde(default)]
    pub about: String,
    /// Where its rows go.
    #[serde(default)]
    pub target: Target,
    /// How it is read.
    pub kind: DatasetKind,
    /// When, in UTC.
    #[serde(default = "daily")]
    pub schedule: String,
    /// Whether a list without records is legitimate.
    #[serde(default)]
    pub may_be_empty: bool,
    /// A list that shrank by more is not published.
    #[serde(default = "twenty")]
    pub max_shrink_percent: f64,
    /// False: off until the operator switches it on.
    #[serde(default = "yes")]
    pub on: bool,
    /// What the operator has to supply before that.
    #[serde(default)]
    pub needs: Option<String>,
}

/// Why a manifest is not usable.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The component has no manifest section.
    #[error("the component has no custom section {SECTION}")]
    Missing,
    /// It is not JSON, or a member stands in it twice.
    #[error("the manifest at {:?}: {}", .0.pointer, .0.why)]
    Json(#[from] NotAccepted),
    /// It is not of the form.
    #[error("the manifest is not of the form: {0}")]
    Form(#[from] serde_json::Error),
    /// Its schema refuses it.
    #[error("the manifest at {pointer:?}: {why}")]
    Schema {
        /// JSON pointer into the manifest.
        pointer: String,
        /// What the schema wants.
        why: String,
    },
    /// A schema within it is no JSON Schema, or it contradicts itself.
    #[error("{0}")]
    Inconsistent(String),
}

impl Manifest {
    /// Reads and checks a manifest.
    ///
    /// # Errors
    /// [`ManifestError`] with the place that is wrong.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        if text.len() > LARGEST {
            return Err(ManifestError::Inconsistent(format!(
                "it has {} bytes; {LARGEST} is the most",
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

    /// The scope of this name.
    #[must_use]
    pub fn scope(&self, scope: &str) -> Option<&ScopeManifest> {
        self.scopes.iter().find(|known| known.scope == scope)
    }

    /// The dataset of this name.
    #[must_use]
    pub fn dataset(&self, dataset: &str) -> Option<&DatasetManifest> {
        self.datasets.iter().find(|known| known.id == dataset)
    }

    /// The names of the details that the connector says it gives.
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

    /// What the component's author wrote for people goes to logs and lists.
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
            .for_each(|text| plain_text::clean(text, LONGEST_TEXT));
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

/// Whether a value that fits a schema may have something at a JSON pointer. Only `properties`, `items` and references
/// within the schema are followed; whatever else a schema says may allow it.
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
    fn the_least_manifest_is_read() {
        let manifest = Manifest::parse(LEAST).expect("it is of the form");
        assert_eq!(manifest.id, "x");
        assert!(manifest.scopes.is_empty());
    }

    #[test]
    fn what_is_wrong_is_named() {
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
    fn a_company_with_an_unknown_fact_is_asked_about_but_not_one_of_unknown_trade() {
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
