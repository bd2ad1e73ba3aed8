//! Fixtures of a component: cassettes in a custom section that it must replay as recorded before it serves.
//!
//! The build packs the crate's cassettes that are small and text only. The host only reads the section and executes
//! nothing of it. A component without the section passes.
//! Invariant: the check of a section ends within [`MAX_DURATION`].

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::cassette::{Cassette, masked_outcome};
use super::component::Loaded;
use super::package;
use super::state::Services;

pub const SECTION: &str = "lustra:fixtures";

/// Largest packed size of one cassette and of all together. Responses of megabytes belong in the author's tests.
const MAX_CASSETTE_BYTES: usize = 64 << 10;
const MAX_BYTES: usize = 256 << 10;
/// Most cassettes of one component.
const MAX_CASSETTES: usize = 200;
/// Largest section. In JSON a byte of a text has at most 6, and names are short.
const MAX_SECTION_BYTES: usize = 8 * MAX_BYTES;
/// Longest time of all replays together. Those of the bundled connectors take milliseconds.
const MAX_DURATION: Duration = Duration::from_secs(60);

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
        let is_full = size + text.len() > MAX_BYTES || packed.len() == MAX_CASSETTES;
        if beside || text.len() > MAX_CASSETTE_BYTES || is_full {
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
/// The call with a different outcome, or why the section is invalid or takes too long.
pub async fn check(
    loaded: &Arc<Loaded>,
    services: &Services,
    component: &[u8],
) -> Result<usize, String> {
    let Some(section) = package::section_in(component, SECTION) else {
        return Ok(0);
    };
    let packed = unpack(&section)?;
    in_time(packed.len(), replay(loaded, services, &packed)).await?;
    Ok(packed.len())
}

/// Reads the section, with the limits of the build: another program can have made it.
fn unpack(section: &[u8]) -> Result<Packed, String> {
    let exceeds = |what: &str, size: usize, most: usize| {
        let why = format!("its section {SECTION} has {what}: {size}, limit {most}");
        if size > most { Err(why) } else { Ok(()) }
    };
    exceeds("too many bytes", section.len(), MAX_SECTION_BYTES)?;
    let packed: Packed = serde_json::from_slice(section)
        .map_err(|error| format!("its section {SECTION} is of another form: {error}"))?;
    exceeds("too many cassettes", packed.len(), MAX_CASSETTES)?;
    let sizes = || packed.iter().map(|(_, text)| text.len());
    let largest = sizes().max().unwrap_or_default();
    exceeds("too large a cassette", largest, MAX_CASSETTE_BYTES)?;
    exceeds("too large cassettes", sizes().sum(), MAX_BYTES)?;
    Ok(packed)
}

async fn in_time(
    count: usize,
    replaying: impl Future<Output = Result<(), String>>,
) -> Result<(), String> {
    let replayed = tokio::time::timeout(MAX_DURATION, replaying).await;
    replayed.unwrap_or_else(|_elapsed| {
        Err(format!(
            "its {count} fixtures take more than {} s to replay; pack fewer or faster ones",
            MAX_DURATION.as_secs()
        ))
    })
}

async fn replay(loaded: &Arc<Loaded>, services: &Services, packed: &Packed) -> Result<(), String> {
    let nothing_beside = |_: &str| Err(io::ErrorKind::NotFound.into());
    for (name, text) in packed {
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(count: usize, size: usize) -> Vec<u8> {
        let text = "#".repeat(size);
        let packed: Packed = (0..count).map(|n| (n.to_string(), text.clone())).collect();
        serde_json::to_vec(&packed).expect("texts are JSON")
    }

    fn refused(section: &[u8]) -> String {
        unpack(section).expect_err("it is refused")
    }

    #[test]
    fn section_above_the_limits_of_the_build_is_refused() {
        let most = unpack(&section(MAX_CASSETTES, 1_000));
        assert_eq!(most.map(|packed| packed.len()), Ok(MAX_CASSETTES));
        let many = refused(&section(MAX_CASSETTES + 1, 10));
        assert!(
            many.contains("too many cassettes: 201, limit 200"),
            "{many}"
        );
        let large = refused(&section(1, MAX_CASSETTE_BYTES + 1));
        assert!(large.contains("too large a cassette"), "{large}");
        let all = refused(&section(5, MAX_CASSETTE_BYTES));
        assert!(all.contains("too large cassettes"), "{all}");
        let bytes = refused(&vec![b' '; MAX_SECTION_BYTES + 1]);
        assert!(bytes.contains("too many bytes"), "{bytes}");
    }

    #[tokio::test(start_paused = true)]
    async fn fixtures_that_take_too_long_are_refused() {
        let refused = in_time(3, std::future::pending()).await;
        let why = refused.expect_err("it does not end");
        assert!(why.contains("take more than 60 s"), "{why}");
    }
}
