//! Builds the components that test hosts load, once per process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lustra::connectors::build;
use lustra_demo as demo;

/// The components of the shipped connectors, built once per process.
///
/// # Panics
/// If they cannot be built; the compiler's messages precede.
#[must_use]
pub fn components() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let (components, _) = demo::build_connectors(&mut say).expect("the connectors build");
            components
        })
        .clone()
}

/// A host's record of the components that it served: the index of its last-known-good versions.
static SERVED: OnceLock<Vec<u8>> = OnceLock::new();

/// Marks the shipped components as already served in a host's folder. They passed their cassettes in this process's
/// first world, so the other worlds need not replay them.
pub(crate) fn served_before(data: &Path) {
    if let Some(index) = SERVED.get() {
        let kept = data.join("kept");
        std::fs::create_dir_all(&kept).expect("a fresh folder");
        std::fs::write(kept.join("index.json"), index).expect("a fresh folder");
    }
}

/// Remembers a host's serving components, if they are all of the shipped ones.
pub(crate) fn remember_served(data: &Path, components: &Path) {
    if SERVED.get().is_some() {
        return;
    }
    let Ok(index) = std::fs::read(data.join("kept/index.json")) else {
        return;
    };
    let served: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(&index).expect("the host's own JSON");
    let built = std::fs::read_dir(components).expect("they were built");
    if served.len() == built.count() {
        SERVED.get_or_init(|| index);
    }
}

/// The components of the misbehaving connectors below `tests/guests`, built once per process.
///
/// # Panics
/// If they cannot be built.
#[must_use]
pub fn guests() -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let crates = build::connectors_below(&here().join("guests"))
                .expect("the folder of guests is there");
            let target = components().join("..");
            let output = target.join("guests");
            build::build(&crates, &target, &output, &mut say).expect("the guests build");
            output
        })
        .clone()
}

/// Replaces a word by another of the same length everywhere in a component. Creates a new version without a build.
///
/// # Panics
/// If the words differ in length.
#[must_use]
pub fn reworded(component: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "only words of one length fit");
    let mut bytes = component.to_vec();
    for place in 0..=bytes.len() - from.len() {
        if bytes[place..].starts_with(from) {
            bytes[place..place + from.len()].copy_from_slice(to);
        }
    }
    repackaged(&bytes)
}

/// Updates the digest of a component that was changed.
#[must_use]
pub fn repackaged(component: &[u8]) -> Vec<u8> {
    lustra::connectors::package::with_digest(component)
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[expect(
    clippy::print_stderr,
    reason = "shows the person who runs the tests what takes the time"
)]
fn say(line: &str) {
    eprintln!("· {line}");
}

/// A directory with the components of several others.
pub(crate) fn together(directories: &[&PathBuf], into: PathBuf) -> PathBuf {
    std::fs::create_dir_all(&into).expect("a fresh folder");
    for directory in directories {
        for entry in std::fs::read_dir(directory)
            .expect("it was just built")
            .flatten()
        {
            let path = entry.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "wasm")
            {
                std::fs::copy(&path, into.join(entry.file_name())).expect("a fresh folder");
            }
        }
    }
    into
}

/// A directory with the components of these connectors. Hosts read each component of their directory, also those that
/// the settings do not enable.
pub(crate) fn some_of(directory: &Path, connectors: &[&str], into: PathBuf) -> PathBuf {
    std::fs::create_dir_all(&into).expect("a fresh folder");
    for connector in connectors {
        let file = format!("{connector}.wasm");
        std::fs::copy(directory.join(&file), into.join(&file)).expect("it was just built");
    }
    into
}
