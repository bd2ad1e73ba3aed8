//! The licence texts of the crates in a program, as their licences require of who distributes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use crate::ReleaseError;
use crate::crates::{About, CrateId};

/// Beginnings of the names of files with licences and notices.
const NAMES: [&str; 5] = ["license", "licence", "copying", "notice", "copyright"];

/// Largest file that is taken for a licence, in bytes.
const LARGEST: u64 = 256 << 10;

const RULE: &str =
    "--------------------------------------------------------------------------------";

/// One text with every licence and notice; each is followed by the crates that it is of.
///
/// # Errors
/// The directory of a crate cannot be read.
pub fn notices<'a>(
    crates: impl Iterator<Item = (&'a CrateId, &'a About)>,
) -> Result<String, ReleaseError> {
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut list = String::new();
    for (id, about) in crates {
        let name = format!("{} {}", id.name, id.version);
        let licence = about.licence.as_deref().unwrap_or("see its texts below");
        writeln!(list, "  {name}: {licence}").expect("writing to a String cannot fail");
        for text in texts(&about.directory)? {
            by_text.entry(text).or_default().insert(name.clone());
        }
    }
    // By the crates, so that the order does not depend on how a text begins.
    let mut texts: Vec<(String, String)> = by_text
        .into_iter()
        .map(|(text, names)| (names.into_iter().collect::<Vec<_>>().join(", "), text))
        .collect();
    texts.sort();
    let mut all = format!(
        "Lustra contains the following third-party crates, under these licences:\n\n{list}"
    );
    for (names, text) in texts {
        write!(all, "\n{RULE}\n{names}:\n\n{text}\n").expect("writing to a String cannot fail");
    }
    Ok(all)
}

/// The texts of a crate's licence files, sorted by file name.
fn texts(directory: &Path) -> Result<Vec<String>, ReleaseError> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(directory).map_err(ReleaseError::file(directory))?;
    for entry in entries {
        let entry = entry.map_err(ReleaseError::file(directory))?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let about = entry.metadata().map_err(ReleaseError::file(directory))?;
        let is_licence = NAMES.iter().any(|prefix| name.starts_with(prefix));
        if is_licence && about.is_file() && about.len() <= LARGEST {
            files.push(entry.path());
        }
    }
    files.sort();
    let read = files.iter().map(|file| {
        let bytes = std::fs::read(file).map_err(ReleaseError::file(file))?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        Ok(text.trim_matches('\n').to_owned())
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_are_written_once() {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let about = |name: &str, files: &[(&str, &str)]| {
            let directory = folder.path().join(name);
            std::fs::create_dir(&directory).expect("a fresh folder");
            for (file, text) in files {
                std::fs::write(directory.join(file), text).expect("a fresh folder");
            }
            let id = CrateId {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
            };
            let about = About {
                licence: Some("MIT".to_owned()),
                directory,
                ..About::default()
            };
            (id, about)
        };
        let crates = [
            about("a", &[("LICENSE-MIT", "MIT of all\n"), ("lib.rs", "code")]),
            about(
                "b",
                &[("license.txt", "MIT of all\r\n"), ("NOTICE", "a notice")],
            ),
        ];
        let all = notices(crates.iter().map(|(id, about)| (id, about))).expect("it can be read");
        assert_eq!(all.matches("MIT of all").count(), 1, "{all}");
        assert!(all.contains("\na 1.0.0, b 1.0.0:\n\nMIT of all\n"), "{all}");
        assert!(all.contains("\nb 1.0.0:\n\na notice\n"), "{all}");
        assert!(
            all.contains("  a 1.0.0: MIT\n") && !all.contains("code"),
            "{all}"
        );
    }
}
