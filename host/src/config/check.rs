//! Compares the settings with the components in the directory and reports settings that have no effect or are
//! dangerous.
//!
//! Parsing has already checked the form of the settings. The findings here need the manifests: for example, a setting
//! may name a connector that no component has. Nothing is compiled or executed.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::Path;

use super::Config;
use crate::connectors::configured::Configured;
use crate::connectors::limits::Limits;
use crate::connectors::manifest::{Manifest, Provides};
use crate::connectors::reload::{components, read};
use crate::store::ConnectorId;

/// Minimum Jaro-Winkler similarity of a suggested name.
const SIMILAR: f64 = 0.85;

/// Something in the settings that the operator should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The setting, as in `plans.free.scopes`.
    pub setting: String,
    /// Description of the problem.
    pub problem: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.setting, self.problem)
    }
}

/// Compares the settings with the components in their directory.
///
/// # Errors
/// The directory cannot be read.
pub fn findings(config: &Config) -> io::Result<Vec<Finding>> {
    let (manifests, unreadable) = manifests(&config.components)?;
    let mut found = Findings(unreadable);
    found.connectors(config, &manifests);
    found.plans(config, &manifests);
    found.base_registers(config, &manifests);
    found.operator(config);
    found.proxies(config);
    Ok(found.0)
}

/// The manifests of the components in a directory by their ids, and a finding for each component that cannot be read.
///
/// # Errors
/// The directory cannot be read.
pub fn manifests(directory: &Path) -> io::Result<(BTreeMap<ConnectorId, Manifest>, Vec<Finding>)> {
    let mut manifests = BTreeMap::new();
    let mut unreadable = Findings(Vec::new());
    for file in components(directory)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        match read(&file) {
            Ok(candidate) => {
                manifests.insert(candidate.manifest.id.clone(), candidate.manifest);
            }
            Err(refusal) => unreadable.add(format!("components/{name}.wasm"), refusal.to_string()),
        }
    }
    Ok((manifests, unreadable.0))
}

struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, setting: impl Into<String>, problem: impl Into<String>) {
        self.0.push(Finding {
            setting: setting.into(),
            problem: problem.into(),
        });
    }

    fn connectors(&mut self, config: &Config, manifests: &BTreeMap<ConnectorId, Manifest>) {
        for (id, own) in &config.connector {
            let place = format!("connector.{id}");
            if !own.enabled.unwrap_or(true) {
                continue;
            }
            let Some(manifest) = manifests.get(id) else {
                let similar = suggestion(id.as_str(), manifests.keys().map(ConnectorId::as_str));
                self.add(place, format!("no component has this id{similar}"));
                continue;
            };
            if let Err(refusal) = Configured::of(manifest.clone(), own) {
                self.add(place.clone(), refusal.to_string());
            }
            let pool = config.pool.memory_mib;
            for (limits, set, default) in [
                ("limits", &own.limits, Limits::lookup()),
                ("import_limits", &own.import_limits, Limits::import()),
            ] {
                let memory = set.apply(default).memory >> 20;
                if memory > pool {
                    let setting = format!("{place}.{limits}.memory_mib");
                    let problem = format!(
                        "{memory} MiB exceeds the maximum of an instance: pool.memory_mib is {pool}"
                    );
                    self.add(setting, problem);
                }
            }
        }
    }

    fn plans(&mut self, config: &Config, manifests: &BTreeMap<ConnectorId, Manifest>) {
        let scopes: Vec<&str> = manifests
            .values()
            .flat_map(|manifest| manifest.scopes.iter().map(|scope| scope.scope.as_str()))
            .collect();
        let features: Vec<&str> = manifests
            .values()
            .flat_map(|manifest| manifest.collections.iter().map(|one| one.feature.as_str()))
            .collect();
        for (name, plan) in &config.plans {
            let unknown = plan.features.iter().flatten();
            for feature in unknown.filter(|feature| *feature != "all") {
                if !features.contains(&feature.as_str()) {
                    let similar = suggestion(feature, features.iter().copied());
                    self.add(
                        format!("plans.{name}.features"),
                        format!(
                            "no component has a collection with the feature {feature}{similar}"
                        ),
                    );
                }
            }
            let unknown = plan
                .scopes
                .iter()
                .filter(|scope| !["all", "orsr"].contains(&scope.as_str()))
                .filter(|scope| !scopes.contains(&scope.as_str()));
            for scope in unknown {
                let similar = suggestion(scope, scopes.iter().copied());
                self.add(
                    format!("plans.{name}.scopes"),
                    format!("no component provides the scope {scope}{similar}"),
                );
            }
        }
    }

    fn base_registers(&mut self, config: &Config, manifests: &BTreeMap<ConnectorId, Manifest>) {
        let provides_base = |manifest: &&Manifest| {
            let source = manifest.company_source.as_ref();
            source.is_some_and(|source| source.provides == Provides::Base)
        };
        let ids: Vec<&str> = manifests
            .values()
            .filter(provides_base)
            .map(|manifest| manifest.id.as_str())
            .collect();
        for name in config
            .base_registers
            .iter()
            .filter(|name| !ids.contains(&name.as_str()))
        {
            let similar = suggestion(name.as_str(), ids.iter().copied());
            let problem = format!("no component {name} provides base records{similar}");
            self.add("base_registers", problem);
        }
    }

    fn proxies(&mut self, config: &Config) {
        let everyone = ["0.0.0.0/0", "::/0"];
        let proxies = config.connections.proxies.iter();
        for network in proxies.filter(|network| everyone.contains(&network.as_str())) {
            let problem = format!("{network} lets every client choose the address that counts");
            self.add("connections.proxies", problem);
        }
    }

    fn operator(&mut self, config: &Config) {
        let address = config.operator.listen;
        if config.operator.on && !address.ip().is_loopback() {
            let problem = format!(
                "{address} can be reached from other machines and requires no key; protect it with a firewall"
            );
            self.add("operator.listen", problem);
        }
    }
}

/// `; did you mean x?`, or an empty text if no name is similar.
fn suggestion<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let similarity = |other: &&str| strsim::jaro_winkler(name, other);
    let similar = names
        .into_iter()
        .filter(|other| similarity(other) >= SIMILAR)
        .max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    similar.map_or_else(String::new, |other| format!("; did you mean {other}?"))
}
