//! The bill of materials of a release in the form of `CycloneDX` 1.6: the program, the connectors, and their crates.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::crates::{About, CrateId, Graph};
use crate::sums::sha256;

/// What a release is made of.
pub struct Materials<'a> {
    pub version: &'a str,
    pub program: &'a [u8],
    /// The crate with the program.
    pub root: CrateId,
    /// Crates of the program.
    pub graph: &'a Graph,
    /// Each component's file name, bytes and crate, if it is one of the workspace.
    pub components: Vec<(&'a str, &'a [u8], Option<CrateId>)>,
    /// Crates of the components.
    pub component_graph: &'a Graph,
    pub about: &'a BTreeMap<CrateId, About>,
    /// Libraries in other languages that crates contain: the crate, name and version.
    pub bundled: Vec<(CrateId, &'static str, String)>,
}

/// The document, with the same bytes for the same materials.
///
/// # Panics
/// Never: the document has only text keys.
#[must_use]
pub fn cyclonedx(materials: &Materials<'_>) -> Vec<u8> {
    let mut dependencies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for graph in [materials.graph, materials.component_graph] {
        for (user, used) in &graph.uses {
            let entry = dependencies.entry(purl(user)).or_default();
            entry.extend(used.iter().map(purl));
        }
    }
    let mut components: BTreeMap<String, Value> = BTreeMap::new();
    let all: BTreeSet<&CrateId> = dependencies_of(materials).collect();
    for id in all {
        let runs =
            !materials.graph.macros.contains(id) && !materials.component_graph.macros.contains(id);
        components.insert(purl(id), library(id, materials.about.get(id), runs));
    }
    for (id, name, version) in &materials.bundled {
        let reference = format!("pkg:generic/{name}@{version}");
        dependencies
            .entry(purl(id))
            .or_default()
            .insert(reference.clone());
        dependencies.entry(reference.clone()).or_default();
        let library = json!({"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference});
        components.insert(reference, library);
    }
    let program = "lustra".to_owned();
    let mut parts = BTreeSet::from([purl(&materials.root)]);
    for (file, bytes, of) in &materials.components {
        let reference = format!("component:{file}");
        let used = of.iter().map(purl).collect();
        dependencies.insert(reference.clone(), used);
        let part = json!({
            "type": "application", "bom-ref": reference, "name": file, "version": materials.version,
            "hashes": [{"alg": "SHA-256", "content": sha256(bytes)}],
        });
        components.insert(reference.clone(), part);
        parts.insert(reference);
    }
    dependencies.insert(program.clone(), parts);
    let dependencies: Vec<Value> = dependencies
        .into_iter()
        .map(|(of, on)| json!({"ref": of, "dependsOn": on}))
        .collect();
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application", "bom-ref": program, "name": "lustra", "version": materials.version,
                "licenses": [{"expression": "Apache-2.0"}],
                "hashes": [{"alg": "SHA-256", "content": sha256(materials.program)}],
            },
        },
        "components": components.into_values().collect::<Vec<_>>(),
        "dependencies": dependencies,
    });
    let mut text = serde_json::to_vec_pretty(&document).expect("its keys are text");
    text.push(b'\n');
    text
}

fn dependencies_of<'a>(materials: &'a Materials<'_>) -> impl Iterator<Item = &'a CrateId> {
    let graphs = [materials.graph, materials.component_graph];
    graphs.into_iter().flat_map(|graph| graph.uses.keys())
}

/// The identifier of a crate that vulnerability databases use.
fn purl(id: &CrateId) -> String {
    // `+` separates the build of a version, and must be encoded.
    let version = id.version.replace('+', "%2B");
    format!("pkg:cargo/{}@{version}", id.name)
}

fn library(id: &CrateId, about: Option<&About>, runs: bool) -> Value {
    let mut library = Map::new();
    let mut put = |key: &str, value: Value| drop(library.insert(key.to_owned(), value));
    put("type", json!("library"));
    put("bom-ref", json!(purl(id)));
    put("name", json!(id.name));
    put("version", json!(id.version));
    put("purl", json!(purl(id)));
    // Macros run in the compiler, and are not in the program.
    put("scope", json!(if runs { "required" } else { "excluded" }));
    if let Some(about) = about {
        if let Some(description) = &about.description {
            put("description", json!(description));
        }
        if let Some(checksum) = &about.checksum {
            put("hashes", json!([{"alg": "SHA-256", "content": checksum}]));
        }
        if let Some(licence) = &about.licence {
            put("licenses", json!([{"expression": licence}]));
        }
        let address = about.repository.as_ref();
        if let Some(address) = address.filter(|address| address.starts_with("http")) {
            put(
                "externalReferences",
                json!([{"type": "vcs", "url": address}]),
            );
        }
    }
    Value::Object(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> CrateId {
        CrateId {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
        }
    }

    #[test]
    fn every_reference_of_the_document_is_a_component() {
        let graph = Graph {
            uses: BTreeMap::from([
                (id("lustra-cli"), BTreeSet::from([id("a"), id("derive")])),
                (id("a"), BTreeSet::new()),
                (id("derive"), BTreeSet::new()),
            ]),
            macros: BTreeSet::from([id("derive")]),
        };
        let component_graph = Graph {
            uses: BTreeMap::from([(id("lustra-rpo"), BTreeSet::from([id("a")]))]),
            macros: BTreeSet::new(),
        };
        let about = About {
            licence: Some("MIT OR Apache-2.0".to_owned()),
            checksum: Some("ab".repeat(32)),
            ..About::default()
        };
        let document = cyclonedx(&Materials {
            version: "0.1.0",
            program: b"code",
            root: id("lustra-cli"),
            graph: &graph,
            components: vec![
                ("rpo.wasm", b"wasm", Some(id("lustra-rpo"))),
                ("own.wasm", b"own", None),
            ],
            component_graph: &component_graph,
            about: &BTreeMap::from([(id("a"), about)]),
            bundled: vec![(id("a"), "sqlite", "3.50.1".to_owned())],
        });
        let document: Value = serde_json::from_slice(&document).expect("it is JSON");
        let components = document["components"].as_array().expect("a list");
        let references: BTreeSet<&str> = components
            .iter()
            .chain([&document["metadata"]["component"]])
            .filter_map(|component| component["bom-ref"].as_str())
            .collect();
        assert_eq!(references.len(), components.len() + 1, "they are unique");
        let dependencies = document["dependencies"].as_array().expect("a list");
        assert_eq!(dependencies.len(), references.len());
        for dependency in dependencies {
            let on = dependency["dependsOn"].as_array().expect("a list");
            for reference in on.iter().chain([&dependency["ref"]]) {
                let reference = reference.as_str().expect("text");
                assert!(references.contains(reference), "{reference}");
            }
        }
        let find = |name: &str| {
            let found = components
                .iter()
                .find(|component| component["name"] == name);
            found.expect("it is listed")
        };
        assert_eq!(find("a")["hashes"][0]["content"], "ab".repeat(32));
        assert_eq!(find("derive")["scope"], "excluded");
        assert_eq!(find("rpo.wasm")["hashes"][0]["content"], sha256(b"wasm"));
    }
}
