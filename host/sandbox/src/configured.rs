//! A manifest with the operator's settings applied: upstream addresses within the grants, settings with defaults,
//! enabled datasets. Settings that the manifest does not declare are refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::egress::{Address, Grant, Upstream, special_name};
use super::manifest::{self, Manifest};
use super::refusal::Refusal;
use crate::settings::{ConnectorConfig, UpstreamConfig};

/// Idle timeout between two chunks of a body.
const IDLE: Duration = Duration::from_secs(30);
/// Pauses before the first and the second repetition of a request, in milliseconds.
const RETRY_PAUSES_MS: [u64; 2] = [200, 800];

/// Settings of a connector. Some are secret, so `Debug` shows only their names.
#[derive(Clone, Default)]
pub struct SettingValues(Map<String, Value>);

impl SettingValues {
    /// Settings from a JSON object, with the manifest's defaults for missing values.
    #[must_use]
    pub fn with_defaults(manifest: &Manifest, mut values: Map<String, Value>) -> Self {
        let schema = manifest.settings.as_ref();
        let properties = schema
            .and_then(|schema| schema.get("properties"))
            .and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if let Some(default) = property.get("default")
                && !values.contains_key(name)
            {
                values.insert(name.clone(), default.clone());
            }
        }
        Self(values)
    }

    /// The value of one setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Whether the setting at a JSON pointer has a value that is neither null nor empty.
    #[must_use]
    pub fn is_given(&self, pointer: &str) -> bool {
        let mut names = pointer.split('/').skip(1);
        let first = names.next().and_then(|name| self.0.get(name));
        let value = names.try_fold(first, |value, name| value.map(|value| value.get(name)));
        match value.flatten() {
            None | Some(Value::Null) => false,
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(members)) => !members.is_empty(),
            Some(Value::Bool(_) | Value::Number(_)) => true,
        }
    }
}

impl fmt::Debug for SettingValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The grant that an address needs: scheme, host and port of a URL, or the full path of a file.
#[must_use]
pub fn grant_of(address: &str) -> Option<String> {
    match Address::parse(address).ok()? {
        Address::Http(url) => Some(url.origin().ascii_serialization()),
        Address::File(path) => Some(format!("file:{}", path.display())),
        Address::Unset => None,
    }
}

/// Whether an address is a URL with a name of the public internet: no file, no IP address and no name of a local network.
#[must_use]
pub fn is_public(address: &str) -> bool {
    let Ok(Address::Http(url)) = Address::parse(address) else {
        return false;
    };
    // DNS may resolve a public name to a private address, which a grant of the name does not reach.
    url.domain().is_some_and(|name| !special_name(name))
}

/// A manifest with its settings, as far as they can be checked without the component's code.
pub struct Configured {
    pub manifest: Manifest,
    /// Upstreams with the operator's settings applied.
    pub upstreams: BTreeMap<String, Upstream>,
    /// Settings with defaults filled in.
    pub settings: SettingValues,
    /// Names of the enabled datasets.
    pub datasets_on: BTreeSet<String>,
}

impl Configured {
    /// # Errors
    /// An address is not granted, or the configuration does not fit the manifest.
    pub fn of(manifest: Manifest, config: &ConnectorConfig) -> Result<Self, Refusal> {
        for scope in config.scopes.keys() {
            if manifest.scope(scope).is_none() {
                return Err(Refusal::Configuration(format!(
                    "scopes.{scope}: it has no such scope"
                )));
            }
        }
        Ok(Self {
            upstreams: upstreams(&manifest, config)?,
            settings: settings(&manifest, config)?,
            datasets_on: datasets_on(&manifest, config)?,
            manifest,
        })
    }
}

fn upstreams(
    manifest: &Manifest,
    config: &ConnectorConfig,
) -> Result<BTreeMap<String, Upstream>, Refusal> {
    for name in config.upstreams.keys() {
        if !manifest.upstreams.contains_key(name) {
            return Err(Refusal::Configuration(format!(
                "upstreams.{name}: it has no such upstream"
            )));
        }
    }
    let grants = config.grants.iter().map(|text| {
        Grant::parse(text).map_err(|error| {
            Refusal::Configuration(format!("grants: {text:?} is not a grant: {error}"))
        })
    });
    let grants: Arc<[Grant]> = grants.collect::<Result<_, _>>()?;
    let mut upstreams = BTreeMap::new();
    let mut wanted = BTreeSet::new();
    let mut first_missing = None;
    let unset = UpstreamConfig::default();
    for (name, of_manifest) in &manifest.upstreams {
        let set = config.upstreams.get(name).unwrap_or(&unset);
        let text = set.address.as_deref();
        let text = text.or(of_manifest.address.as_deref());
        let address = match text {
            Some(text) => Address::parse(text).map_err(|error| {
                Refusal::Configuration(format!("upstreams.{name}: {text:?}: {error}"))
            })?,
            None => Address::Unset,
        };
        let granted = match &address {
            Address::Http(url) => grants.iter().any(|grant| grant.allows_url(url)),
            Address::File(path) => grants.iter().any(|grant| grant.allows_file(path)),
            Address::Unset => true,
        };
        if let Some(grant) = text.and_then(grant_of) {
            wanted.insert(format!("{grant:?}"));
            if !granted {
                first_missing.get_or_insert_with(|| format!("{grant} (upstream {name})"));
            }
        }
        let seconds = set.timeout_seconds.unwrap_or(of_manifest.timeout_seconds);
        let pauses = set.retry_pauses_ms.as_deref().unwrap_or(&RETRY_PAUSES_MS);
        upstreams.insert(
            name.clone(),
            Upstream {
                name: name.clone(),
                address,
                grants: Arc::clone(&grants),
                requests_per_second: set
                    .requests_per_second
                    .unwrap_or(of_manifest.requests_per_second),
                concurrent: set.concurrent.unwrap_or(of_manifest.concurrent),
                timeout: Duration::from_secs(seconds),
                idle: IDLE,
                retry_pauses: pauses.iter().copied().map(Duration::from_millis).collect(),
            },
        );
    }
    match first_missing {
        None => Ok(upstreams),
        Some(address) => Err(Refusal::NotGranted {
            connector: manifest.id.clone(),
            address,
            line: wanted.into_iter().collect::<Vec<_>>().join(", "),
        }),
    }
}

fn settings(manifest: &Manifest, config: &ConnectorConfig) -> Result<SettingValues, Refusal> {
    let given = Value::Object(config.settings.reveal().clone());
    let Some(validator) = &manifest.schemas.settings else {
        return match config.settings.reveal().keys().next() {
            None => Ok(SettingValues::default()),
            Some(name) => Err(Refusal::Configuration(format!(
                "settings.{name}: it has no settings"
            ))),
        };
    };
    if let Err(error) = validator.validate(&given) {
        // The message of a schema error quotes the value, which may be a secret; report the location and keyword only.
        let place = format!(
            "settings{}",
            error.instance_path().to_string().replace('/', ".")
        );
        let keyword = error.schema_path().to_string();
        let unknown = if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind()
        {
            Some(unexpected.join(", "))
        } else {
            None
        };
        let names = match unknown {
            Some(names) => format!(": it has no setting {names}"),
            None => format!(" does not fit its schema at {keyword}"),
        };
        return Err(Refusal::Configuration(format!("{place}{names}")));
    }
    let values = config.settings.reveal().clone();
    Ok(SettingValues::with_defaults(manifest, values))
}

fn datasets_on(manifest: &Manifest, config: &ConnectorConfig) -> Result<BTreeSet<String>, Refusal> {
    for name in config.datasets.keys() {
        if manifest.dataset(name).is_none() {
            return Err(Refusal::Configuration(format!(
                "datasets.{name}: it has no such dataset"
            )));
        }
    }
    let on = |dataset: &&manifest::DatasetManifest| {
        config
            .datasets
            .get(&dataset.id)
            .and_then(|configured| configured.on)
            .unwrap_or(dataset.on)
    };
    Ok(manifest
        .datasets
        .iter()
        .filter(on)
        .map(|dataset| dataset.id.clone())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_local_addresses_are_not_public() {
        assert!(is_public("https://register.example/api"));
        for address in [
            "file:/etc/passwd",
            "http://127.0.0.1:4545",
            "http://169.254.169.254",
            "http://[::1]",
            "http://localhost:8080",
            "http://intranet",
            "http://printer.local",
            "gopher://register.example",
        ] {
            assert!(!is_public(address), "{address}");
        }
    }
}
