//! Fixtures of a component: cassettes in a custom section that it must replay as recorded before it serves.
//!
//! The build packs the crate's cassettes that are small and text only. The host only reads the section and executes
//! nothing of it. A component without the section passes.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::cassette::{Cassette, masked_outcome};
use super::component::Loaded;
use super::package;
use super::state::Services;

pub const SECTION: &str = "lustra:fixtures";

/// Largest packed size of one cassette and of all together. Responses of megabytes belong in the author's tests.
const MAX_CASSETTE_BYTES: usize = 64 << 10;
const MOST: usize = 256 << 10;

/// Names and texts of the cassettes.
type Packed = Vec<(String, String)>;

/// Builds the section for a crate; `None` if it has no cassettes to pack.
///
/// # Errors
/// A file cannot be read. An invalid cassette is packed anyway and refused later.
pub(super) fn of_crate(directory: &Path) -> io::Result<Option<Vec<u8>>> {
    let entries = match std::fs::read_dir(directory.join("cassettes")) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files.sort();
    let mut packed = Packed::new();
    let mut size = 0;
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        // A body in a separate file is not text.
        let beside = text.lines().any(|line| line.starts_with("body_file"));
        if beside || text.len() > MAX_CASSETTE_BYTES || size + text.len() > MOST {
            continue;
        }
        size += text.len();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        packed.push((name.into_owned(), text));
    }
    if packed.is_empty() {
        return Ok(None);
    }
    serde_json::to_vec(&packed)
        .map(Some)
        .map_err(io::Error::other)
}

/// Lets a component replay its fixtures; returns how many calls there were.
///
/// # Errors
/// The call with a different outcome, or why the section is invalid.
pub async fn check(
    loaded: &Arc<Loaded>,
    services: &Services,
    component: &[u8],
) -> Result<usize, String> {
    let Some(section) = package::section_in(component, SECTION) else {
        return Ok(0);
    };
    let packed: Packed = serde_json::from_slice(&section)
        .map_err(|error| format!("its section {SECTION} is of another form: {error}"))?;
    let nothing_beside = |_: &str| Err(io::ErrorKind::NotFound.into());
    for (name, text) in &packed {
        let cassette = Cassette::parse(text, Path::new(name), &nothing_beside)
            .map_err(|error| format!("its fixture {error}"))?;
        let replayer = cassette.replayer(&loaded.manifest, &cassette.recording);
        let call = &cassette.recording.call;
        let replayed = loaded.replay_with(services, call, replayer).await;
        if let Some(question) = replayed.unmatched.first() {
            return Err(format!(
                "its fixture {name}: it sends a request that was not recorded: {question}"
            ));
        }
        if masked_outcome(replayed.outcome, &cassette.mask()) != cassette.recording.outcome {
            let why = match &replayed.failure {
                Some(failure) => format!("it fails: {failure}"),
                None => "its result differs".to_owned(),
            };
            return Err(format!(
                "its fixture {name}: {why}; `lustra connector test` shows the difference"
            ));
        }
    }
    Ok(packed.len())
}
