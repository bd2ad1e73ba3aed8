//! Scans the directory of components and reads the files that changed.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use lustra_store::ConnectorId;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::component::{Candidate, MAX_FILE_BYTES};
use crate::fingerprint::{FileFingerprint, Look};
use crate::refusal::{Refusal, Stage};
use crate::running::{Connectors, lock};

/// One file of the directory.
pub(super) struct FoundFile {
    pub(super) file: PathBuf,
    /// Id and digest of the component, or why the file is not one.
    pub(super) content: Result<(ConnectorId, String), (Stage, String)>,
    /// The component, if the file was read in this scan.
    pub(super) candidate: Option<Candidate>,
}

impl Connectors {
    /// Lists the directory's components; files with an unchanged fingerprint are not read again. Files that already
    /// serve come first, so that a second component of the same id does not replace them.
    ///
    /// # Errors
    /// The directory cannot be read, so its content is unknown.
    pub(super) async fn scan(&self, directory: &Path) -> io::Result<Vec<FoundFile>> {
        let known = lock(&self.fingerprints).clone();
        let directory = directory.to_owned();
        let scanned = tokio::task::spawn_blocking(move || -> io::Result<Vec<_>> {
            let files = components(&directory)?.into_par_iter();
            Ok(files.map(|file| scan_file(file, &known)).collect())
        });
        let scanned = scanned.await.map_err(io::Error::other)??;
        let mut fingerprints = BTreeMap::new();
        let mut found = Vec::new();
        for (look, file) in scanned {
            if let Some(look) = look {
                let content = file.content.clone();
                fingerprints.insert(file.file.clone(), FileFingerprint { look, content });
            }
            found.push(file);
        }
        *lock(&self.fingerprints) = fingerprints;
        let catalogue = self.catalogue();
        let serves = |file: &Path| {
            let mut entries = catalogue.entries.values();
            entries.any(|entry| entry.file == file && entry.serving().is_some())
        };
        found.sort_by_key(|found| !serves(&found.file));
        Ok(found)
    }
}

/// Reads a file, unless its fingerprint is known. The fingerprint is taken before the file is read, so that a later
/// change differs from it.
fn scan_file(
    file: PathBuf,
    known: &BTreeMap<PathBuf, FileFingerprint>,
) -> (Option<Look>, FoundFile) {
    let look = Look::at(&file);
    let known = known.get(&file);
    let known = known.filter(|known| Some(&known.look) == look.as_ref());
    let (content, candidate) = match known {
        Some(known) => (known.content.clone(), None),
        None => match read(&file) {
            Ok(candidate) => {
                let content = (candidate.manifest.id.clone(), candidate.digest.clone());
                (Ok(content), Some(candidate))
            }
            Err(refusal) => (Err((refusal.stage(), refusal.reason())), None),
        },
    };
    let found = FoundFile {
        file,
        content,
        candidate,
    };
    (look, found)
}

/// The component files of a directory, sorted by name. An incomplete listing is an error.
pub fn components(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "wasm")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a component's manifest; executes nothing.
///
/// # Errors
/// The file cannot be read, is too large or is not a component of a connector.
pub fn read(file: &Path) -> Result<Candidate, Refusal> {
    let of_file = |error: io::Error| Refusal::File(error.to_string());
    let length = std::fs::metadata(file).map_err(of_file)?.len();
    if length > MAX_FILE_BYTES {
        return Err(Refusal::File(format!(
            "it has {length} bytes; {MAX_FILE_BYTES} is the most"
        )));
    }
    Candidate::read(std::fs::read(file).map_err(of_file)?)
}
