//! The dependencies between crates and between the library's modules, as `ARCHITECTURE.md` states them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library's modules from the bottom up. A module uses only modules of lower floors, never of its own floor.
const FLOORS: [&[&str]; 9] = [
    &[
        "clock",
        "connectors",
        "language",
        "names",
        "plain_text",
        "repeated",
        "store",
        "worker",
    ],
    &["config"],
    &[
        "billing",
        "changes",
        "disk",
        "http_server",
        "mail",
        "membership",
        "search",
    ],
    &["companies"],
    &["batches", "datasets", "notifications", "reload", "sandbox"],
    &["api"],
    &["operator"],
    &["server"],
    &["lib"],
];

/// Packages that each crate must not depend on, directly or indirectly.
const NOT_BELOW: [(&str, &[&str]); 3] = [
    ("lustra-store", &["axum", "reqwest", "tantivy", "wasmtime"]),
    ("lustra-sandbox", &["axum", "lettre", "tantivy"]),
    (
        "lustra",
        &["lustra-author", "lustra-demo", "register-simulator"],
    ),
];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources can be read") {
        let path = entry.expect("the sources can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules that a line names after `crate::`.
fn modules_of(line: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit();
    let name = |text: &'_ str| text.len() - text.trim_start_matches(is_name).len();
    let mut found = BTreeSet::new();
    for (at, prefix) in line.match_indices("crate::") {
        let rest = &line[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = group.split('}').next().unwrap_or_default();
                let names = group.split(',').map(str::trim);
                found.extend(names.map(|one| &one[..name(one)]));
            }
            None => {
                found.insert(&rest[..name(rest)]);
            }
        }
    }
    found.remove("");
    found
}

#[test]
fn modules_use_lower_floors_only() {
    let floors: BTreeMap<&str, usize> = FLOORS
        .iter()
        .enumerate()
        .flat_map(|(floor, modules)| modules.iter().map(move |module| (*module, floor)))
        .collect();
    let library = repository().join("host/src");
    let mut files = Vec::new();
    sources(&library, &mut files);
    let mut wrong = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&library).expect("it is below it");
        let first = inside.components().next().expect("it has a name");
        let first = first.as_os_str().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        let Some(floor) = floors.get(module.as_str()) else {
            wrong.push(format!("{module} is not on any floor"));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("sources are text");
        for (number, line) in text.lines().enumerate() {
            for used in modules_of(line).into_iter().filter(|used| *used != module) {
                let place = format!("host/src/{}:{}", inside.display(), number + 1);
                match floors.get(used) {
                    Some(below) if below < floor => {}
                    Some(_) => wrong.push(format!("{place}: {module} uses {used}")),
                    None => wrong.push(format!("{place}: {used} is not on any floor")),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The names of all packages that a package is built with.
fn built_with(package: &str, more: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(["--edges", "normal,build", "--format", "{p}", "-p", package])
        .args(more)
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let tree = String::from_utf8(output.stdout).expect("names are text");
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn crates_do_not_know_what_is_above_them() {
    for (package, unwanted) in NOT_BELOW {
        let found = built_with(package, &[]);
        assert!(found.contains(package), "{found:?}");
        for name in unwanted {
            assert!(!found.contains(*name), "{package} is built with {name}");
        }
    }
}

#[test]
fn server_without_demo_has_no_simulator() {
    let with = built_with("lustra-cli", &[]);
    let without = built_with("lustra-cli", &["--no-default-features"]);
    for name in ["lustra-author", "lustra-demo", "register-simulator"] {
        assert!(with.contains(name), "{name}");
        assert!(!without.contains(name), "{name}");
    }
}

#[test]
fn authentication_does_not_use_charging() {
    let path = repository().join("host/src/api/auth.rs");
    let text = std::fs::read_to_string(path).expect("the sources can be read");
    let code = text.lines().map(str::trim);
    let mut code = code.filter(|line| !line.starts_with("//"));
    assert!(code.all(|line| !line.contains("charging")));
}
