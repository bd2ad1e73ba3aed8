//! The crates that a program is built from, with their dependencies, licences and checksums.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Deserialize;

use crate::ReleaseError;
use crate::program::{cargo, text, unexpected};

/// Name and version of a crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CrateId {
    pub name: String,
    pub version: String,
}

/// Crates that are compiled into something, and which crates each of them uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    pub uses: BTreeMap<CrateId, BTreeSet<CrateId>>,
    /// Crates that only run in the compiler.
    pub macros: BTreeSet<CrateId>,
}

/// What is known of a crate.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// SPDX expression.
    pub licence: Option<String>,
    pub description: Option<String>,
    pub repository: Option<String>,
    pub directory: PathBuf,
    /// SHA-256 of the registry's file; workspace members have none.
    pub checksum: Option<String>,
}

/// The crates that these packages are built from, for a target.
///
/// # Errors
/// Cargo fails.
pub fn graph(packages: &[&str], target: &str, more: &[&str]) -> Result<Graph, ReleaseError> {
    let mut cargo = cargo();
    cargo
        .args(["tree", "--locked", "--edges", "normal", "--prefix", "depth"])
        .args(["--format", "\t{p}", "--target", target])
        .args(more);
    for package in packages {
        cargo.args(["-p", package]);
    }
    let tree = text(&mut cargo)?;
    parse_tree(&tree).ok_or_else(|| unexpected(&cargo, "a line that is not a crate"))
}

/// Reads lines such as `2<tab>serde v1.0.0 (proc-macro)`; the number is the depth.
fn parse_tree(tree: &str) -> Option<Graph> {
    let mut graph = Graph::default();
    let mut path: Vec<CrateId> = Vec::new();
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let (depth, package) = line.split_once('\t')?;
        let depth: usize = depth.parse().ok()?;
        let mut words = package.split(' ');
        let id = CrateId {
            name: words.next()?.to_owned(),
            version: words.next()?.strip_prefix('v')?.to_owned(),
        };
        if package.contains("(proc-macro)") {
            graph.macros.insert(id.clone());
        }
        path.truncate(depth);
        if let Some(user) = path.last() {
            graph
                .uses
                .entry(user.clone())
                .or_default()
                .insert(id.clone());
        }
        graph.uses.entry(id.clone()).or_default();
        path.push(id);
    }
    Some(graph)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    description: Option<String>,
    repository: Option<String>,
    manifest_path: PathBuf,
}

/// Everything that is known of the workspace's crates and their dependencies on these targets.
///
/// # Errors
/// Cargo fails, or the lock file cannot be read.
pub fn about(targets: &[&str]) -> Result<BTreeMap<CrateId, About>, ReleaseError> {
    let mut cargo = cargo();
    cargo.args(["metadata", "--locked", "--format-version", "1"]);
    for target in targets {
        cargo.args(["--filter-platform", target]);
    }
    let metadata: Metadata = serde_json::from_str(&text(&mut cargo)?)
        .map_err(|error| unexpected(&cargo, &error.to_string()))?;
    let lock = crate::program::repository().join("Cargo.lock");
    let lock = std::fs::read_to_string(&lock).map_err(ReleaseError::file(&lock))?;
    let mut checksums = checksums(&lock).map_err(|why| ReleaseError::Unexpected {
        command: "Cargo.lock".to_owned(),
        why,
    })?;
    let packages = metadata.packages.into_iter().map(|package| {
        let id = CrateId {
            name: package.name,
            version: package.version,
        };
        let directory = package.manifest_path.parent().map(PathBuf::from);
        let about = About {
            // Old manifests separate alternatives with a slash.
            licence: package.license.map(|licence| licence.replace('/', " OR ")),
            description: package.description.map(|text| one_line(&text)),
            repository: package.repository,
            directory: directory.unwrap_or_default(),
            checksum: checksums.remove(&id),
        };
        (id, about)
    });
    Ok(packages.collect())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

fn checksums(lock: &str) -> Result<BTreeMap<CrateId, String>, String> {
    let lock: Lock = toml::from_str(lock).map_err(|error| error.to_string())?;
    let locked = lock.package.into_iter().filter_map(|locked| {
        let (name, version) = (locked.name, locked.version);
        Some((CrateId { name, version }, locked.checksum?))
    });
    Ok(locked.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, version: &str) -> CrateId {
        CrateId {
            name: name.to_owned(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn tree_of_cargo_gives_the_graph() {
        let tree = "0\ta v0.1.0 (/src/a)\n1\tb v1.2.3\n2\tm v2.0.0 (proc-macro)\n1\tc v0.5.0+x\n\
                    2\tb v1.2.3 (*)\n\n0\td v0.1.0 (/src/d)\n1\tb v1.2.3 (*)\n";
        let graph = parse_tree(tree).expect("it is a tree");
        let uses = |of: CrateId| graph.uses[&of].iter().cloned().collect::<Vec<_>>();
        assert_eq!(
            uses(id("a", "0.1.0")),
            [id("b", "1.2.3"), id("c", "0.5.0+x")]
        );
        assert_eq!(uses(id("b", "1.2.3")), [id("m", "2.0.0")]);
        assert_eq!(uses(id("c", "0.5.0+x")), [id("b", "1.2.3")]);
        assert_eq!(uses(id("d", "0.1.0")), [id("b", "1.2.3")]);
        assert_eq!(graph.uses.len(), 5);
        assert_eq!(graph.macros.len(), 1);
        assert_eq!(parse_tree("0 a v1"), None);
    }

    #[test]
    fn checksums_are_those_of_the_lock_file() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"ab\"\n\n\
                    [[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
        let found = checksums(lock).expect("it is a lock file");
        assert_eq!(found, BTreeMap::from([(id("a", "1.0.0"), "ab".to_owned())]));
    }
}
