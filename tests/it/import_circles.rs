//! No top-level modules of a crate import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::architecture::{repository, sources};

/// Crates whose top-level modules must not import each other in a circle. The library's floors say more.
const ACYCLIC: [&str; 6] = [
    "host/store/src",
    "host/sandbox/src",
    "host/author/src",
    "host/cli/src",
    "host/demo/src",
    "host/release/src",
];

/// The paths that `use` items import: `a::{b, c::D}` is `a::b` and `a::c::D`.
fn imported(source: &str) -> Vec<String> {
    fn expand(prefix: &str, tree: &str, found: &mut Vec<String>) {
        let Some((before, group)) = tree.split_once('{') else {
            let path = tree.split(" as ").next().unwrap_or_default().trim();
            found.push(format!("{prefix}{path}"));
            return;
        };
        let prefix = format!("{prefix}{}", before.trim());
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        let mut depth = 0_usize;
        let parts = group.split(|c| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        for part in parts.filter(|part| !part.trim().is_empty()) {
            expand(&prefix, part.trim(), found);
        }
    }
    let mut found = Vec::new();
    let source = source.split("#[cfg(test)]\nmod tests {").next();
    for item in source.unwrap_or_default().split(';') {
        let start = item.rfind("\nuse ").or_else(|| item.rfind("\n    use "));
        if let Some(start) = start {
            let tree = item[start..].trim_start().trim_start_matches("use ");
            expand("", tree, &mut found);
        }
    }
    found
}

/// The path from the crate's root, of a path that a module of the crate imports.
fn from_root<'a>(module: &[&'a str], path: &'a str) -> Option<Vec<&'a str>> {
    let mut at = module.to_vec();
    let mut rest = path.split("::").peekable();
    match rest.peek() {
        Some(&"crate") => {
            rest.next();
            at.clear();
        }
        Some(&"self" | &"super") => {
            while rest.next_if_eq(&"super").is_some() {
                at.pop()?;
            }
            rest.next_if_eq(&"self");
        }
        _ => return None,
    }
    at.extend(rest);
    Some(at)
}

/// Which top-level modules of a crate each of them imports. A name that the crate's root re-exports counts as its
/// module's.
fn imports_of(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let root = std::fs::read_to_string(folder.join("lib.rs")).expect("a crate has a root");
    let exported: BTreeMap<String, String> = imported(&root.replace("\npub use ", "\nuse "))
        .iter()
        .filter_map(|path| {
            let module = path.split("::").next()?;
            Some((path.rsplit("::").next()?.to_owned(), module.to_owned()))
        })
        .collect();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let inside = file
            .strip_prefix(folder)
            .expect("it is below it")
            .with_extension("");
        let module: Vec<&str> = inside.iter().filter_map(|name| name.to_str()).collect();
        if ["lib", "main", "tests", "testing"]
            .iter()
            .any(|name| module.contains(name))
        {
            continue;
        }
        let source = std::fs::read_to_string(file).expect("sources are text");
        for path in imported(&source) {
            let Some(used) = from_root(&module, &path) else {
                continue;
            };
            let Some(first) = used.first() else { continue };
            let first = exported.get(*first).map_or(*first, String::as_str);
            let is_module = first.starts_with(|c: char| c.is_ascii_lowercase());
            if is_module && first != module[0] {
                found
                    .entry(module[0].to_owned())
                    .or_default()
                    .insert(first.to_owned());
            }
        }
    }
    found
}

#[test]
fn top_level_modules_import_in_no_circle() {
    for folder in ACYCLIC {
        let mut left = imports_of(&repository().join(folder));
        assert!(
            left.values().any(|used| !used.is_empty()),
            "{folder} imports nothing"
        );
        // A module whose imports are all done is done; what is left at the end is a circle, or imports one.
        loop {
            let open: BTreeSet<String> = left.keys().cloned().collect();
            left.retain(|_, used| used.iter().any(|name| open.contains(name)));
            if left.len() == open.len() {
                break;
            }
        }
        assert!(left.is_empty(), "circle in {folder}: {left:#?}");
    }
}

#[test]
fn imports_are_read_from_use_items() {
    let source = "//! Text.\n\nuse std::fmt;\nuse super::{A, b::{C as D, e}};\nuse crate::f::G;\n";
    let found = imported(source);
    assert_eq!(
        found,
        [
            "std::fmt",
            "super::A",
            "super::b::C",
            "super::b::e",
            "crate::f::G"
        ]
    );
    let paths: Vec<_> = found
        .iter()
        .map(|path| from_root(&["x", "y"], path))
        .collect();
    let root = |path: &[&'static str]| Some(path.to_vec());
    assert_eq!(paths[..2], [None, root(&["x", "A"])]);
    assert_eq!(paths[4], root(&["f", "G"]));
}
