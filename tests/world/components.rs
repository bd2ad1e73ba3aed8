//! The components that hosts of tests load, built once for a process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use lustra::connectors::build;
use lustra_demo as demo;

/// The components of the shipped connectors, built once for a process.
///
/// # Panics
/// When they cannot be built: the compiler's messages stand above.
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

/// What a host wrote down about the components that served it: the index of those it keeps.
static SERVED: OnceLock<Vec<u8>> = OnceLock::new();

/// Tells the host of a folder what the shipped components did in this process's first world: they repeated the calls that
/// they bring along, so they need not do it in each of hundreds.
pub(crate) fn served_before(data: &Path) {
    if let Some(index) = SERVED.get() {
        let kept = data.join("kept");
        std::fs::create_dir_all(&kept).expect("a fresh folder");
        std::fs::write(kept.join("index.json"), index).expect("a fresh folder");
    }
}

/// Remembers the components that serve a host, if those are all of the shipped ones.
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

/// The components of the misbehaving connectors below `tests/guests`, built once for a process.
///
/// # Panics
/// When they cannot be built.
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

/// A component with another word of the same length wherever one stands: a version that nobody had to build.
///
/// # Panics
/// When the words differ in length.
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

/// A component that was changed, with the digest of what it is now.
///
#[must_use]
pub fn repackaged(component: &[u8]) -> Vec<u8> {
    lustra::connectors::package::with_digest(component)
}

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[expect(
    clippy::print_stderr,
    reason = "whoever runs the tests should know what takes the time"
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
