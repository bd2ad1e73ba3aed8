//! Connectors that an author tries in the demo, in addition to the built-in ones.
//!
//! Each is enabled with grants for exactly what its manifest requests. Its upstreams keep the addresses of the manifest
//! unless they are mapped to a register of the simulator. Names are checked before anything is built.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use register_simulator::Register;

use super::{SHIPPED, connectors_target};
use lustra::config::{Config, ConnectorConfig, UpstreamConfig};
use lustra::store::ConnectorId;
use lustra_sandbox::build::{self, BuildError, Built};
use lustra_sandbox::grant_of;
use lustra_sandbox::manifest::{Manifest, ManifestError};

/// The crate of a connector that an author works on.
#[derive(Debug)]
pub struct Tried {
    pub directory: PathBuf,
    pub manifest: Manifest,
    /// Paths on the simulator, keyed by the mapped upstream.
    pointed: BTreeMap<String, String>,
}

/// Why a connector cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum TriedError {
    /// The directory contains no connector crate.
    #[error("{} is not a connector: a connector's directory has a Cargo.toml and a manifest.json", .0.display())]
    NoConnector(PathBuf),
    /// The manifest cannot be read.
    #[error("{}: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    /// The manifest is invalid.
    #[error("{}: {error}", .path.display())]
    Manifest {
        path: PathBuf,
        error: Box<ManifestError>,
    },
    /// The demo already has it, or it was given twice.
    #[error("the demo already has a connector {0}")]
    Known(ConnectorId),
    /// The mapping has not the form `NAME=PATH`.
    #[error(
        "{0:?} is not a mapping of an upstream: expected NAME=PATH or CONNECTOR.NAME=PATH, such as register=licences"
    )]
    Form(String),
    /// No tried connector has this id.
    #[error("{spec}: no connector {id} was given with --connector{}", given(.known))]
    NoSuchConnector {
        /// The mapping as given.
        spec: String,
        id: String,
        known: Vec<ConnectorId>,
    },
    /// No tried connector has an upstream with this name.
    #[error("{spec}: there is no upstream {name}{}", given(.known))]
    NoSuchUpstream {
        /// The mapping as given.
        spec: String,
        name: String,
        known: Vec<String>,
    },
    /// Several connectors have an upstream with this name.
    #[error("{spec}: {} all have an upstream {name}; name the connector, as in {first}.{spec}", listed(.ids), first = .ids[0])]
    Ambiguous {
        /// The mapping as given.
        spec: String,
        /// Name of the upstream.
        name: String,
        /// Ids of the connectors that have it.
        ids: Vec<ConnectorId>,
    },
    /// The simulator has no such register.
    #[error("{spec}: the simulator has no register {register:?}; it has {}", .known.join(", "))]
    NoSuchRegister {
        /// The mapping as given.
        spec: String,
        /// First segment of the path.
        register: String,
        known: Vec<&'static str>,
    },
}

fn given(known: &[impl ToString]) -> String {
    if known.is_empty() {
        String::new()
    } else {
        format!("; known: {}", listed(known))
    }
}

fn listed(names: &[impl ToString]) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(", ")
}

impl Tried {
    /// Reads the manifests of the crates and maps their upstreams: `NAME=PATH` or `CONNECTOR.NAME=PATH`.
    ///
    /// # Errors
    /// A [`TriedError`] that names what is unknown.
    pub fn all(directories: &[PathBuf], pointed: &[String]) -> Result<Vec<Self>, TriedError> {
        let mut tried: Vec<Self> = Vec::new();
        for directory in directories {
            let one = Self::read(directory)?;
            let id = &one.manifest.id;
            let is_shipped = SHIPPED.iter().any(|shipped| *id == *shipped.id);
            if is_shipped || tried.iter().any(|known| known.manifest.id == *id) {
                return Err(TriedError::Known(one.manifest.id));
            }
            tried.push(one);
        }
        for spec in pointed {
            point(&mut tried, spec)?;
        }
        Ok(tried)
    }

    fn read(directory: &Path) -> Result<Self, TriedError> {
        if !build::is_connector(directory) {
            return Err(TriedError::NoConnector(directory.to_owned()));
        }
        let path = directory.join("manifest.json");
        let of_file = |error| TriedError::File {
            path: path.clone(),
            error,
        };
        let text = std::fs::read_to_string(&path).map_err(of_file)?;
        let manifest = Manifest::parse(&text).map_err(|error| TriedError::Manifest {
            path: path.clone(),
            error: Box::new(error),
        })?;
        Ok(Self {
            directory: std::fs::canonicalize(directory).map_err(of_file)?,
            manifest,
            pointed: BTreeMap::new(),
        })
    }

    /// Builds it into a directory of components.
    ///
    /// # Errors
    /// A [`BuildError`].
    pub fn build(
        &self,
        components: &Path,
        say: &mut dyn FnMut(&str),
    ) -> Result<Vec<Built>, BuildError> {
        let crates = [self.directory.clone()];
        build::build(&crates, &connectors_target(), components, say)
    }

    /// Adds it to a host's settings, with grants for what it requests.
    pub fn enable(&self, config: &mut Config, simulator: &str) {
        let mut own = ConnectorConfig::default();
        let mut grants = BTreeSet::new();
        for (name, path) in &self.pointed {
            let upstream = UpstreamConfig {
                address: Some(format!("{simulator}/{path}")),
                // The simulator needs no rate limit.
                requests_per_second: Some(10_000.0),
                concurrent: Some(16),
                ..UpstreamConfig::default()
            };
            own.upstreams.insert(name.clone(), upstream);
            grants.insert(simulator.to_owned());
        }
        grants.extend(self.outside().into_iter().map(|(_, grant)| grant));
        own.grants = grants.into_iter().collect();
        config.connector.insert(self.manifest.id.clone(), own);
    }

    /// Upstreams that are not mapped to the simulator, with the grants for their own addresses.
    #[must_use]
    pub fn outside(&self) -> Vec<(&str, String)> {
        let own = self.manifest.upstreams.iter();
        own.filter(|(name, _)| !self.pointed.contains_key(*name))
            .filter_map(|(name, upstream)| {
                let grant = grant_of(upstream.address.as_deref()?)?;
                Some((name.as_str(), grant))
            })
            .collect()
    }
}

fn point(tried: &mut [Tried], spec: &str) -> Result<(), TriedError> {
    let form = || TriedError::Form(spec.to_owned());
    let (upstream, path) = spec.split_once('=').ok_or_else(form)?;
    let (id, name) = match upstream.split_once('.') {
        Some((id, name)) => (Some(id), name),
        None => (None, upstream),
    };
    let path = path.trim_matches('/');
    if name.is_empty() || path.is_empty() {
        return Err(form());
    }
    let register = path.split('/').next().unwrap_or_default();
    if Register::parse(register).is_none() {
        return Err(TriedError::NoSuchRegister {
            spec: spec.to_owned(),
            register: register.to_owned(),
            known: Register::ALL.map(Register::name).to_vec(),
        });
    }
    let ids: Vec<ConnectorId> = tried.iter().map(|one| one.manifest.id.clone()).collect();
    if let Some(id) = id.filter(|id| !ids.iter().any(|known| *known == **id)) {
        return Err(TriedError::NoSuchConnector {
            spec: spec.to_owned(),
            id: id.to_owned(),
            known: ids,
        });
    }
    let mut meant: Vec<&mut Tried> = tried
        .iter_mut()
        .filter(|one| id.is_none_or(|id| one.manifest.id == *id))
        .collect();
    let known = meant.iter().flat_map(|one| one.manifest.upstreams.keys());
    let known: BTreeSet<String> = known.cloned().collect();
    meant.retain(|one| one.manifest.upstreams.contains_key(name));
    match meant.as_mut_slice() {
        [one] => {
            one.pointed.insert(name.to_owned(), path.to_owned());
            Ok(())
        }
        [] => Err(TriedError::NoSuchUpstream {
            spec: spec.to_owned(),
            name: name.to_owned(),
            known: known.into_iter().collect(),
        }),
        several => Err(TriedError::Ambiguous {
            spec: spec.to_owned(),
            name: name.to_owned(),
            ids: several.iter().map(|one| one.manifest.id.clone()).collect(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(id: &str, upstreams: &[&str]) -> Tried {
        let upstreams: serde_json::Map<_, _> = upstreams
            .iter()
            .map(|name| {
                let address = format!("https://{name}.example/{id}");
                let upstream = serde_json::json!({ "address": address, "about": "" });
                ((*name).to_owned(), upstream)
            })
            .collect();
        let manifest = serde_json::json!({
            "id": id, "version": "1.0.0", "title": id, "register": id, "upstreams": upstreams,
        });
        Tried {
            directory: PathBuf::from(id),
            manifest: Manifest::parse(&manifest.to_string()).expect("it is of the form"),
            pointed: BTreeMap::new(),
        }
    }

    #[test]
    fn upstream_is_mapped_by_name_or_by_connector_and_name() {
        let mut all = [
            tried("first", &["list", "register"]),
            tried("second", &["register"]),
        ];
        point(&mut all, "list=operator-files/dovera.csv").expect("only one has it");
        point(&mut all, "second.register=/licences/").expect("it is named");
        assert_eq!(all[0].pointed["list"], "operator-files/dovera.csv");
        assert_eq!(all[1].pointed["register"], "licences");
        assert_eq!(
            all[0].outside(),
            [("register", "https://register.example".to_owned())]
        );
        let mut config = Config::default();
        all[0].enable(&mut config, "http://127.0.0.1:1");
        assert_eq!(
            config.connector["first"].grants,
            ["http://127.0.0.1:1", "https://register.example"]
        );
    }

    #[test]
    fn unknown_name_is_reported_with_known_names() {
        let mut all = [
            tried("first", &["register"]),
            tried("second", &["register"]),
        ];
        for (spec, said) in [
            ("register", "NAME=PATH"),
            ("=licences", "NAME=PATH"),
            ("register=", "NAME=PATH"),
            ("register=licences", "first.register=licences"),
            ("third.register=licences", "known: first, second"),
            ("first.list=licences", "known: register"),
            ("first.register=licenses", "operator-files, licences"),
        ] {
            let error = point(&mut all, spec).expect_err("it is wrong").to_string();
            assert!(
                error.contains(said) && error.contains(spec),
                "{spec}: {error}"
            );
        }
    }

    #[test]
    fn shipped_connectors_match_demo_settings() {
        let listen = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
        let config =
            super::super::config("http://127.0.0.1:1", Path::new("c"), Path::new("d"), listen)
                .expect("they are right");
        let ids: Vec<&str> = config.connector.keys().map(ConnectorId::as_str).collect();
        assert!(
            ids.iter()
                .copied()
                .eq(SHIPPED.iter().map(|shipped| shipped.id)),
            "{ids:?}"
        );
    }
}
