//! The components that hosts of tests load, built once for a process.

use std::path::PathBuf;
use std::sync::OnceLock;

use lustra::connectors::build;
use lustra::demo;

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
    bytes
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
