//! Compares the settings with the manifests of the components.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use url::{Host, Url};

use super::super::suggestion::similar;
use super::{Config, Finding, Findings, Problem};
use crate::connectors::configured::Configured;
use crate::connectors::egress::{Grant, special_name};
use crate::connectors::limits::Limits;
use crate::connectors::manifest::{Manifest, Provides};
use crate::connectors::reload::{components, read};
use crate::connectors::settings::ConnectorConfig;
use crate::store::ConnectorId;

type Manifests = BTreeMap<ConnectorId, Manifest>;

/// The manifests of the components in a directory by their ids, and a finding for each component that cannot be read.
///
/// # Errors
/// The directory cannot be read.
pub fn manifests(directory: &Path) -> io::Result<(Manifests, Vec<Finding>)> {
    let mut manifests = BTreeMap::new();
    let mut unreadable = Findings(Vec::new());
    for file in components(directory)? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        match read(&file) {
            Ok(candidate) => {
                manifests.insert(candidate.manifest.id.clone(), candidate.manifest);
            }
            Err(refusal) => unreadable.add(
                format!("components/{name}.wasm"),
                Problem::UnreadableComponent(refusal.reason()),
            ),
        }
    }
    Ok((manifests, unreadable.0))
}

pub(super) fn check(config: &Config, found: &mut Findings) {
    let directory = config.components.clone();
    let manifests = match manifests(&directory) {
        Ok((manifests, unreadable)) => {
            found.0.extend(unreadable);
            manifests
        }
        Err(error) => {
            let reason = error.to_string();
            found.add("components", Problem::NoComponents { directory, reason });
            return;
        }
    };
    if manifests.is_empty() {
        // Otherwise every name of a connector or scope would be a finding of its own.
        if !config.connector.is_empty() {
            found.add("components", Problem::NoComponent { directory });
        }
        return;
    }
    for (id, own) in &config.connector {
        if own.is_enabled() {
            connector(config, id, own, &manifests, found);
        }
    }
    // The built-in plans name the scopes of all shipped connectors. The operator did not write them.
    if config.plans != Config::default().plans {
        plans(config, &manifests, found);
    }
    base_registers(config, &manifests, found);
}

fn connector(
    config: &Config,
    id: &ConnectorId,
    own: &ConnectorConfig,
    manifests: &Manifests,
    found: &mut Findings,
) {
    let place = format!("connector.{id}");
    let Some(manifest) = manifests.get(id) else {
        let similar = similar(id.as_str(), manifests.keys().map(ConnectorId::as_str));
        found.add(place, Problem::NoSuchConnector { similar });
        return;
    };
    let before = found.0.len();
    parts(&place, manifest, own, found);
    grants(&place, &own.grants, found);
    if found.0.len() == before
        && let Err(refusal) = Configured::of(manifest.clone(), own)
    {
        found.add(place.clone(), Problem::Refused(refusal.reason()));
    }
    let pool_mib = config.pool.memory_mib;
    for (limits, set, default) in [
        ("limits", &own.limits, Limits::lookup()),
        ("import_limits", &own.import_limits, Limits::import()),
    ] {
        let memory_mib = set.apply(default).memory >> 20;
        if memory_mib > pool_mib {
            let setting = format!("{place}.{limits}.memory_mib");
            let problem = Problem::MemoryAbovePool {
                memory_mib,
                pool_mib,
            };
            found.add(setting, problem);
        }
    }
}

/// Compares the names of scopes, datasets, upstreams and settings with the manifest.
fn parts(place: &str, manifest: &Manifest, own: &ConnectorConfig, found: &mut Findings) {
    let scopes = manifest.scopes.iter().map(|scope| scope.scope.as_str());
    let datasets = manifest.datasets.iter().map(|dataset| dataset.id.as_str());
    let upstreams = manifest.upstreams.keys().map(String::as_str);
    let settings = manifest.settings.as_ref();
    let settings = settings.and_then(|schema| schema["properties"].as_object());
    let settings = settings
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str());
    let known: [(&str, &'static str, Vec<&str>, Vec<&String>); 4] = [
        (
            "scopes",
            "scope",
            scopes.collect(),
            own.scopes.keys().collect(),
        ),
        (
            "datasets",
            "dataset",
            datasets.collect(),
            own.datasets.keys().collect(),
        ),
        (
            "upstreams",
            "upstream",
            upstreams.collect(),
            own.upstreams.keys().collect(),
        ),
        (
            "settings",
            "setting",
            settings.collect(),
            own.settings.reveal().keys().collect(),
        ),
    ];
    for (table, kind, known, named) in known {
        for name in named {
            if !known.contains(&name.as_str()) {
                let similar = similar(name, known.iter().copied());
                let setting = format!("{place}.{table}.{name}");
                found.add(setting, Problem::NoSuchPart { kind, similar });
            }
        }
    }
}

fn grants(place: &str, grants: &[String], found: &mut Findings) {
    let setting = format!("{place}.grants");
    let mut seen = BTreeSet::new();
    for grant in grants {
        if let Err(error) = Grant::parse(grant) {
            let problem = Problem::InvalidGrant {
                grant: grant.clone(),
                reason: error.to_string(),
            };
            found.add(setting.clone(), problem);
        } else if !seen.insert(grant) {
            found.add(setting.clone(), Problem::Duplicate(grant.clone()));
        } else if is_unencrypted(grant) {
            found.add(setting.clone(), Problem::UnencryptedGrant(grant.clone()));
        }
    }
}

/// Whether a grant allows unencrypted requests to a host with a public name.
fn is_unencrypted(grant: &str) -> bool {
    let url = grant.trim().replacen("://*.", "://", 1).parse::<Url>();
    url.is_ok_and(|url| {
        let is_public = match url.host() {
            Some(Host::Domain(name)) => !special_name(name),
            Some(Host::Ipv4(_) | Host::Ipv6(_)) | None => false,
        };
        url.scheme() == "http" && is_public
    })
}

fn plans(config: &Config, manifests: &Manifests, found: &mut Findings) {
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
                let problem = Problem::NoSuchFeature {
                    feature: feature.clone(),
                    similar: similar(feature, features.iter().copied()),
                };
                found.add(format!("plans.{name}.features"), problem);
            }
        }
        let unknown = plan
            .scopes
            .iter()
            .filter(|scope| !["all", "orsr"].contains(&scope.as_str()))
            .filter(|scope| !scopes.contains(&scope.as_str()));
        for scope in unknown {
            let problem = Problem::NoSuchScope {
                scope: scope.clone(),
                similar: similar(scope, scopes.iter().copied()),
            };
            found.add(format!("plans.{name}.scopes"), problem);
        }
    }
}

fn base_registers(config: &Config, manifests: &Manifests, found: &mut Findings) {
    let provides_base = |manifest: &&Manifest| {
        let source = manifest.company_source.as_ref();
        source.is_some_and(|source| source.provides == Provides::Base)
    };
    let ids: Vec<&str> = manifests
        .values()
        .filter(provides_base)
        .map(|manifest| manifest.id.as_str())
        .collect();
    let mut seen = BTreeSet::new();
    for name in &config.base_registers {
        if !ids.contains(&name.as_str()) {
            let problem = Problem::NoBaseRegister {
                connector: name.to_string(),
                similar: similar(name.as_str(), ids.iter().copied()),
            };
            found.add("base_registers", problem);
        } else if !seen.insert(name) {
            found.add("base_registers", Problem::Duplicate(name.to_string()));
        }
    }
}
