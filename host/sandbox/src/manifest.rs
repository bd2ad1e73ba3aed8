//! The manifest of a connector: read from the component's custom section and checked against its schema.

mod applies_to;
mod check;
mod collection;
pub mod schemas;
#[cfg(test)]
mod tests;
mod upstream;
mod when;

use std::collections::BTreeMap;
use std::sync::Arc;

use lustra_store::{ConnectorId, ScopeName};
use serde::Deserialize;
use serde_json::Value;

use self::schemas::Schemas;
use super::strict_json::{self, NotAccepted};
use crate::plain_text;

pub use applies_to::AppliesTo;
pub use collection::{
    CollectionManifest, Condition, FilterKind, FilterManifest, Member, OWN_PATHS,
    OfCompanyManifest, is_unreadable_row, text_of, values,
};
pub use upstream::UpstreamManifest;
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

/// The manifest; `wit/manifest.schema.json` describes each member.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Name of the connector in configuration, tables and logs.
    pub id: ConnectorId,
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
    /// Datasets that are offered for listing and look-up.
    #[serde(default)]
    pub collections: Vec<CollectionManifest>,
    /// The compiled schemas of this manifest.
    #[serde(skip)]
    pub schemas: Arc<Schemas>,
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

/// A scope with its section.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScopeManifest {
    /// Name of the scope in requests.
    pub scope: ScopeName,
    /// Key of the section in `data`.
    pub key: String,
    pub title: String,
    /// Description of the content.
    #[serde(default)]
    pub about: String,
    /// JSON Schema of the section.
    pub schema: Value,
    /// Whether the members of the section stand in `data` itself, in place of details with the same name.
    #[serde(default)]
    pub extends_details: bool,
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

impl ScopeManifest {
    /// The keys in `data` that the section uses.
    #[must_use]
    pub fn keys(&self) -> Vec<&String> {
        if self.extends_details {
            self.members().collect()
        } else {
            vec![&self.key]
        }
    }

    /// The names of the section's members.
    pub fn members(&self) -> impl Iterator<Item = &String> {
        members(Some(&self.schema))
    }
}

fn members(schema: Option<&Value>) -> impl Iterator<Item = &String> {
    let properties = schema
        .and_then(|schema| schema.get("properties"))
        .and_then(Value::as_object);
    properties.into_iter().flat_map(serde_json::Map::keys)
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
    /// The upstream through which the operator supplies the list as a file.
    #[serde(default)]
    pub operator_file: Option<String>,
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
    #[error("the manifest has a wrong structure: {0}")]
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
        // First, because the checks walk the schemas, which this bounds.
        manifest.schemas = Arc::new(Schemas::of(&manifest)?);
        manifest.check()?;
        manifest.clean();
        Ok(manifest)
    }

    /// The scope with this name.
    #[must_use]
    pub fn scope(&self, scope: &str) -> Option<&ScopeManifest> {
        self.scopes.iter().find(|known| known.scope == *scope)
    }

    /// Names of the scopes whose sections are made from a dataset.
    #[must_use]
    pub fn scopes_from(&self, dataset: &str) -> Vec<ScopeName> {
        let is_source = |scope: &&ScopeManifest| scope.datasets.iter().any(|of| of == dataset);
        let scopes = self.scopes.iter().filter(is_source);
        scopes.map(|scope| scope.scope.clone()).collect()
    }

    /// The dataset with this name.
    #[must_use]
    pub fn dataset(&self, dataset: &str) -> Option<&DatasetManifest> {
        self.datasets.iter().find(|known| known.id == dataset)
    }

    /// The collection with this name.
    #[must_use]
    pub fn collection(&self, collection: &str) -> Option<&CollectionManifest> {
        let mut collections = self.collections.iter();
        collections.find(|known| known.collection == collection)
    }

    /// The names of the declared details.
    pub fn details_fields(&self) -> impl Iterator<Item = &String> {
        let schema = self
            .company_source
            .as_ref()
            .and_then(|source| source.schema.as_ref());
        members(schema)
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
        let collections = self.collections.iter_mut();
        let of_collections = collections.flat_map(CollectionManifest::texts);
        names
            .into_iter()
            .chain([&mut self.about])
            .chain(of_scopes)
            .chain(of_datasets)
            .chain(of_collections)
            .for_each(|text| plain_text::clean(text, MAX_TEXT_CHARS));
    }
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
