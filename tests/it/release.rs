//! What a release says about its own parts.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use lustra_release::release::describe;
use serde_json::Value;

use crate::foreign::python_with;

/// Asserts that the library of the format accepts a document.
fn assert_valid(python: &Path, document: &[u8]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/it/release/validate.py");
    let mut validator = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the interpreter was installed");
    let mut input = validator.stdin.take().expect("it is piped");
    input.write_all(document).expect("it reads");
    drop(input);
    let output = validator.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn bill_of_materials_lists_the_crates_of_a_server() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let components = folder.path().join("components");
    std::fs::create_dir(&components).expect("a fresh folder");
    std::fs::write(components.join("rpo.wasm"), b"wasm").expect("a fresh folder");
    let machine = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let made = describe(folder.path(), &machine, "0.1.0", b"program".to_vec());
    let made = made.expect("cargo lists them");
    let document: Value = serde_json::from_slice(&made.sbom).expect("it is JSON");
    let listed = document["components"].as_array().expect("a list");
    let names: BTreeSet<&str> = listed
        .iter()
        .filter_map(|component| component["name"].as_str())
        .collect();
    for name in ["wasmtime", "sqlite", "lustra", "lustra-rpo", "rpo.wasm"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    for name in ["register-simulator", "lustra-demo", "lustra-author"] {
        assert!(!names.contains(name), "{name}");
    }
    for name in ["wasmtime", "tokio"] {
        let found = listed.iter().find(|component| component["name"] == name);
        let hash = found.and_then(|found| found["hashes"][0]["content"].as_str());
        assert_eq!(hash.map(str::len), Some(64), "{name}");
        let licences = &made.third_party;
        assert!(licences.contains(&format!("  {name} ")), "{name}");
    }
    if let Some(python) = python_with(
        "cyclonedx-python",
        "cyclonedx-python-lib[json-validation]==11.12.0",
    ) {
        assert_valid(&python, &made.sbom);
    }
}
