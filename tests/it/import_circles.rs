//! Modules that stand side by side do not import each other in a circle.
//!
//! This holds at every level of a crate: the modules of its root, and those below each module. A module and its own
//! children may use each other, because they are one unit for everything outside.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::architecture::{repository, sources};

/// The path of a module from the crate's root, which has an empty one.
type Module = Vec<String>;

/// Modules beside each other, each with those that it imports.
type Level = BTreeMap<String, BTreeSet<String>>;

/// Most re-exports that one name goes through.
const MAX_REEXPORTS: usize = 8;

/// Modules with these names are parts of tests.
const OF_TESTS: [&str; 2] = ["tests", "testing"];

/// The folders of the sources of all crates of the host and of all connectors.
fn crates() -> Vec<PathBuf> {
    let mut found = vec![repository().join("host/src")];
    for folder in ["host", "connectors"] {
        let below = std::fs::read_dir(repository().join(folder)).expect("it can be read");
        let sources = below.map(|entry| entry.expect("it can be read").path().join("src"));
        let is_crate = |folder: &PathBuf| {
            ["lib.rs", "main.rs"]
                .iter()
                .any(|root| folder.join(root).is_file())
        };
        found.extend(sources.filter(is_crate));
    }
    found.sort();
    found
}

/// The paths of a tree of imports: `a::{b, c::D}` is `a::b` and `a::c::D`.
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

/// The tree of a `use` item, and whether others may import from it.
fn use_item(item: &str) -> Option<(bool, &str)> {
    let line_starts = item.match_indices('\n').map(|(at, _)| at + 1);
    let mut lines = std::iter::once(0).chain(line_starts);
    lines.find_map(|at| {
        let line = item[at..].trim_start();
        let (is_public, rest) = match line.strip_prefix("pub") {
            Some(rest) => {
                let restricted = rest.strip_prefix('(').and_then(|to| to.split_once(')'));
                (true, restricted.map_or(rest, |(_, rest)| rest).trim_start())
            }
            None => (false, line),
        };
        Some((is_public, rest.strip_prefix("use ")?))
    })
}

/// The paths that `use` items import, each with whether others may import it from here.
fn imported(source: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for (is_public, tree) in source.split(';').filter_map(use_item) {
        let mut paths = Vec::new();
        expand("", tree, &mut paths);
        found.extend(paths.into_iter().map(|path| (is_public, path)));
    }
    found
}

/// Paths within the crate that code names without importing them.
fn named(source: &str) -> Vec<String> {
    let is_of_path = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    let lines = source.lines().map(str::trim_start);
    let code = lines.filter(|line| !line.starts_with("//"));
    code.flat_map(|line| line.split(|c| !is_of_path(c)))
        .filter(|path| path.starts_with("crate::") || path.starts_with("super::"))
        .map(|path| path.trim_end_matches(':').to_owned())
        .collect()
}

/// The path from the crate's root, of a path that a module of the crate names.
fn from_root(module: &[String], path: &str) -> Option<Module> {
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
    at.extend(rest.map(str::to_owned));
    Some(at)
}

/// The sources of one crate without tests.
#[derive(Default)]
struct Sources {
    modules: BTreeMap<Module, String>,
    /// The origins of names that modules re-export.
    exported: BTreeMap<Module, Module>,
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        sources(folder, &mut files);
        let mut read = Self::default();
        for file in &files {
            let inside = file.strip_prefix(folder).expect("it is below it");
            let inside = inside.with_extension("");
            let mut module: Module = inside
                .iter()
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            if module.iter().any(|name| OF_TESTS.contains(&name.as_str())) {
                continue;
            }
            if ["lib", "main"]
                .map(|root| vec![root.to_owned()])
                .contains(&module)
            {
                module.clear();
            }
            let source = std::fs::read_to_string(file).expect("sources are text");
            let code = source.split("#[cfg(test)]\nmod tests {").next();
            read.add(module, code.unwrap_or_default());
        }
        read
    }

    fn add(&mut self, module: Module, source: &str) {
        for (_, path) in imported(source)
            .into_iter()
            .filter(|(is_public, _)| *is_public)
        {
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            let of_child = || {
                let names = path.split("::").map(str::to_owned);
                module.iter().cloned().chain(names).collect()
            };
            let origin = from_root(&module, &path).unwrap_or_else(of_child);
            let exported = module.iter().cloned().chain([name]).collect();
            self.exported.insert(exported, origin);
        }
        self.modules.insert(module, source.to_owned());
    }

    /// The module that defines what a path from the root names.
    fn defining(&self, mut path: Module) -> Option<Module> {
        for _ in 0..MAX_REEXPORTS {
            let length = (0..=path.len())
                .rev()
                .find(|length| self.modules.contains_key(&path[..*length]))?;
            let exported = path.get(..=length).and_then(|name| self.exported.get(name));
            match exported.filter(|origin| path[..=length] != origin[..]) {
                Some(origin) => {
                    path = origin.iter().chain(&path[length + 1..]).cloned().collect();
                }
                None => {
                    path.truncate(length);
                    return Some(path);
                }
            }
        }
        None
    }

    /// The modules below each module that has several, with the imports between them and what is below them.
    fn levels(&self) -> BTreeMap<Module, Level> {
        let mut levels: BTreeMap<Module, Level> = BTreeMap::new();
        for (module, source) in &self.modules {
            let paths = imported(source).into_iter().map(|(_, path)| path);
            for path in paths.chain(named(source)) {
                let used = from_root(module, &path).and_then(|path| self.defining(path));
                let Some(used) = used else { continue };
                let both = module.iter().zip(&used);
                let shared = both.take_while(|(own, other)| own == other).count();
                if let (Some(own), Some(other)) = (module.get(shared), used.get(shared)) {
                    let level = levels.entry(module[..shared].to_vec()).or_default();
                    level.entry(own.clone()).or_default().insert(other.clone());
                }
            }
        }
        levels
    }
}

/// The modules of a level that import each other in a circle, or import such a module.
fn circles(mut left: Level) -> Level {
    loop {
        let open: BTreeSet<String> = left.keys().cloned().collect();
        // A module whose imports are all done is done.
        left.retain(|_, used| used.iter().any(|name| open.contains(name)));
        if left.len() == open.len() {
            return left;
        }
    }
}

#[test]
fn modules_import_in_no_circle() {
    let (mut wrong, mut imports) = (Vec::new(), 0);
    for folder in crates() {
        for (module, level) in Sources::read(&folder).levels() {
            imports += level.len();
            let left = circles(level);
            if !left.is_empty() {
                let place = [&["crate".to_owned()][..], &module].concat().join("::");
                wrong.push(format!("{}, {place}: {left:#?}", folder.display()));
            }
        }
    }
    assert!(imports > 500, "{imports}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn imports_are_read_from_use_items() {
    let source = "//! Text.\n\nuse std::fmt;\nuse super::{A, b::{C as D, e}};\npub(super) use crate::f::G;\n";
    let module = ["x", "y"].map(str::to_owned);
    let found: Vec<_> = imported(source)
        .into_iter()
        .map(|(is_public, path)| (is_public, from_root(&module, &path)))
        .collect();
    let root = |path: &[&str]| Some(path.iter().map(|name| (*name).to_owned()).collect());
    let expected: [(bool, Option<Module>); 5] = [
        (false, None),
        (false, root(&["x", "A"])),
        (false, root(&["x", "b", "C"])),
        (false, root(&["x", "b", "e"])),
        (true, root(&["f", "G"])),
    ];
    assert_eq!(found, expected);
}

#[test]
fn circle_through_a_reexport_and_a_path_is_found() {
    let mut sources = Sources::default();
    for (module, source) in [
        (&[][..], "pub use a::inner::A;\n"),
        (&["a"], "mod inner;\n"),
        (&["a", "inner"], "fn f() {\n    super::super::b::g();\n}\n"),
        (&["b"], "use crate::A;\n"),
        (&["c"], "// crate::d::h is a comment.\nuse crate::b;\n"),
    ] {
        sources.add(
            module.iter().map(|name| (*name).to_owned()).collect(),
            source,
        );
    }
    let left = circles(sources.levels().remove(&vec![]).expect("they import"));
    let one = |name: &str| BTreeSet::from([name.to_owned()]);
    let expected = [("a", one("b")), ("b", one("a")), ("c", one("b"))];
    assert_eq!(
        left,
        expected.map(|(name, used)| (name.to_owned(), used)).into()
    );
}
