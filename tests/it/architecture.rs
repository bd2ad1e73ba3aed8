//! The dependencies between crates and between the library's modules, as `ARCHITECTURE.md` states them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use lustra::store::FailureKind;
use serde_json::Value;

/// The library's modules from the bottom up. A module uses only modules of lower floors, never of its own floor.
const FLOORS: [&[&str]; 12] = [
    &[
        "clock",
        "connectors",
        "handlers",
        "html",
        "language",
        "names",
        "plain_text",
        "warning_limiter",
        "store",
        "trace",
        "worker",
    ],
    &["tables"],
    &["config"],
    &["sealing"],
    &[
        "accounts",
        "billing",
        "changes",
        "context",
        "disk",
        "http_server",
        "mail",
        "membership",
        "minute_limit",
        "search",
    ],
    &["backup", "collections", "companies", "retention"],
    &[
        "batches",
        "datasets",
        "notifications",
        "reload",
        "sandbox_companies",
        "status",
    ],
    &["watch_lists"],
    &["api", "web"],
    &["operator"],
    &["doctor", "server"],
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

/// Most lines of a file, so that a reader sees at once what it is for.
const MAX_LINES_OF_FILE: usize = 400;

/// Longer files, which contain data: texts in two languages, and a table of expected outcomes.
const LONGER_DATA: [&str; 2] = ["web/account/texts.rs", "outages_table/rows.rs"];

/// Packages that may be compiled with two sets of features, because each takes less than three seconds.
const COMPILED_TWICE: [&str; 4] = [
    "cranelift-bitset",
    "object",
    "pulley-interpreter",
    "wasmtime-internal-core",
];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

pub(crate) fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
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

/// What `cargo tree` prints with these arguments.
fn tree(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--prefix", "none"])
        .args(arguments)
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout).expect("names are text")
}

/// The names of all packages that a package is built with.
fn built_with(package: &str, more: &[&str]) -> BTreeSet<String> {
    let arguments = ["--edges", "normal,build", "--format", "{p}", "-p", package];
    let tree = tree(&[&arguments[..], more].concat());
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// The features with which a build compiles each external library, by name and version: one entry for each time that it
/// is compiled.
///
/// From Cargo's unit graph, an unstable option, because `cargo tree` shows the same features for macros as for the
/// program.
fn compiled_features(build: &[&str]) -> BTreeMap<String, Vec<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--locked", "--offline"])
        .args(["-Zunstable-options", "--unit-graph"])
        .args(build)
        .env("RUSTC_BOOTSTRAP", "1")
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let graph: Value = serde_json::from_slice(&output.stdout).expect("the graph is JSON");
    let units = graph["units"].as_array().expect("the graph has units");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for unit in units {
        let id = unit["pkg_id"].as_str().expect("a unit is of a package");
        let (source, package) = id.split_once('#').expect("an id ends with the name");
        let kinds = unit["target"]["kind"].as_array().into_iter().flatten();
        let is_library = kinds.into_iter().any(|kind| kind == "lib");
        if is_library && source.contains("registry+") {
            let compiled = found.entry(package.to_owned()).or_default();
            compiled.push(unit["features"].to_string());
        }
    }
    assert!(found.len() > 100, "{found:#?}");
    found
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

/// Each set of features is compiled separately. The two commands of the README differ in the packages that they build.
#[test]
fn shared_dependencies_are_compiled_once() {
    let of_run = compiled_features(&["--bin", "lustra"]);
    let of_test = compiled_features(&["--workspace", "--all-targets"]);
    let is_known = |package: &str| {
        let name = package.split('@').next().unwrap_or_default();
        COMPILED_TWICE.contains(&name)
    };
    let wrong = of_test.iter().filter(|(package, compiled)| {
        let before = of_run.get(*package);
        let is_one = compiled.len() == 1 && before.is_none_or(|before| before == *compiled);
        !is_one && !is_known(package)
    });
    let wrong: Vec<_> = wrong.collect();
    assert!(
        wrong.is_empty(),
        "unite their features in host/workspace-hack: {wrong:#?}"
    );
}

/// The literals that a source compares the beginning of a text with, outside of its tests.
fn compared_beginnings(source: &str) -> Vec<&str> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    ["starts_with(", "strip_prefix("]
        .iter()
        .flat_map(|call| source.match_indices(*call))
        .filter_map(|(at, call)| {
            let argument = source[at + call.len()..].trim_start();
            argument.strip_prefix('"')?.split('"').next()
        })
        .collect()
}

/// Whether a literal is a sentence or a failure code. Formats of registers, addresses and headers are single words or
/// have capitals, digits or punctuation other than a final colon.
fn is_prose(literal: &str) -> bool {
    let literal = literal.trim_end_matches([' ', ':']);
    let is_lower = |c: char| c.is_ascii_lowercase() || c == ' ';
    let is_code = FailureKind::ALL
        .iter()
        .any(|kind| literal == kind.word().replace('_', " "));
    literal.chars().all(is_lower) && (is_code || literal.contains(' '))
}

#[test]
fn prose_is_recognised_by_its_form() {
    for literal in [
        "off",
        "malformed: ",
        "never imported",
        "taken back: ",
        "it failed too often",
    ] {
        assert!(is_prose(literal), "{literal}");
    }
    for literal in [
        "http",
        "sqlite:",
        "text/html",
        "proxy-",
        "section ",
        "421",
        "Extract of",
        "",
    ] {
        assert!(!is_prose(literal), "{literal}");
    }
    let source = "if why.starts_with(\n  \"off\") { x.strip_prefix('a') }\n#[cfg(test)] y.starts_with(\"busy\")";
    assert_eq!(compared_beginnings(source), ["off"]);
}

#[test]
fn no_failure_is_recognised_by_its_sentence() {
    let mut files = Vec::new();
    for folder in ["host", "connectors"] {
        sources(&repository().join(folder), &mut files);
    }
    let is_code = |path: &&PathBuf| {
        let names: Vec<_> = path.components().map(Component::as_os_str).collect();
        names.iter().any(|name| *name == "src")
            && !names
                .iter()
                .any(|name| *name == "target" || *name == "tests")
    };
    let found: Vec<String> = files
        .iter()
        .filter(is_code)
        .filter(|path| !path.to_string_lossy().ends_with("tests.rs"))
        .flat_map(|path| {
            let source = std::fs::read_to_string(path).expect("the sources can be read");
            let prose: Vec<String> = compared_beginnings(&source)
                .into_iter()
                .filter(|literal| is_prose(literal))
                .map(|literal| format!("{}: {literal:?}", path.display()))
                .collect();
            prose
        })
        .collect();
    assert!(found.is_empty(), "compare a value instead: {found:#?}");
}

#[test]
fn files_are_short() {
    let mut files = Vec::new();
    for folder in ["host", "connectors", "tests", "examples"] {
        sources(&repository().join(folder), &mut files);
    }
    let is_generated = |path: &PathBuf| path.iter().any(|name| name == "target");
    let long: Vec<String> = files
        .iter()
        .filter(|path| !is_generated(path) && !LONGER_DATA.iter().any(|data| path.ends_with(data)))
        .filter_map(|path| {
            let source = std::fs::read_to_string(path).expect("the sources can be read");
            let lines = source.lines().count();
            (lines > MAX_LINES_OF_FILE).then(|| format!("{}: {lines} lines", path.display()))
        })
        .collect();
    assert!(long.is_empty(), "split them by purpose: {long:#?}");
}

#[test]
fn authentication_does_not_use_charging() {
    let path = repository().join("host/src/api/auth.rs");
    let text = std::fs::read_to_string(path).expect("the sources can be read");
    let code = text.lines().map(str::trim);
    let mut code = code.filter(|line| !line.starts_with("//"));
    assert!(code.all(|line| !line.contains("charging")));
}
