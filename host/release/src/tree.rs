//! The files of an archive in memory, sorted by path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::ReleaseError;

/// Files, links and empty directories by their path, which has no leading slash.
#[derive(Debug, Clone, Default)]
pub struct Tree(BTreeMap<String, TreeEntry>);

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEntry {
    File {
        bytes: Arc<Vec<u8>>,
        executable: bool,
    },
    Directory,
}

impl Tree {
    /// Adds a file; an existing one is replaced.
    pub fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put(path, Arc::new(bytes.into()), false);
    }

    /// Adds a program or script.
    pub fn add_program(&mut self, path: impl Into<String>, bytes: Arc<Vec<u8>>) {
        self.put(path, bytes, true);
    }

    pub fn add_directory(&mut self, path: impl Into<String>) {
        self.0.insert(path.into(), TreeEntry::Directory);
    }

    /// Adds the files below a directory of this machine, under a path in the tree. Files whose names begin with a dot
    /// are left out. Returns how many there are.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn add_below(&mut self, path: &str, directory: &Path) -> Result<usize, ReleaseError> {
        let mut count = 0;
        let entries = std::fs::read_dir(directory).map_err(ReleaseError::file(directory))?;
        for entry in entries {
            let entry = entry.map_err(ReleaseError::file(directory))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            let (from, to) = (entry.path(), format!("{path}/{name}"));
            if from.is_dir() {
                count += self.add_below(&to, &from)?;
            } else {
                let bytes = std::fs::read(&from).map_err(ReleaseError::file(&from))?;
                self.add(to, bytes);
                count += 1;
            }
        }
        Ok(count)
    }

    /// Copies the files below a path of another tree to a path of this one.
    pub fn copy_below(&mut self, other: &Self, from: &str, to: &str) {
        for (path, entry) in &other.0 {
            let below = path.strip_prefix(from);
            if let Some(rest) = below.and_then(|rest| rest.strip_prefix('/')) {
                self.0.insert(format!("{to}/{rest}"), entry.clone());
            }
        }
    }

    #[must_use]
    pub fn file(&self, path: &str) -> Option<&Arc<Vec<u8>>> {
        match self.0.get(path) {
            Some(TreeEntry::File { bytes, .. }) => Some(bytes),
            Some(TreeEntry::Directory) | None => None,
        }
    }

    /// The files with their bytes, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().filter_map(|(path, entry)| match entry {
            TreeEntry::File { bytes, .. } => Some((path.as_str(), bytes.as_slice())),
            TreeEntry::Directory => None,
        })
    }

    /// All entries with the directories that they are in, sorted, so that a directory precedes its contents.
    #[must_use]
    pub fn with_directories(&self) -> BTreeMap<String, TreeEntry> {
        let mut all = self.0.clone();
        let parents: BTreeSet<String> = self
            .0
            .keys()
            .flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned()))
            .collect();
        for parent in parents {
            all.entry(parent).or_insert(TreeEntry::Directory);
        }
        all
    }

    /// Sum of the sizes of all files in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.files().map(|(_, bytes)| bytes.len()).sum()
    }

    fn put(&mut self, path: impl Into<String>, bytes: Arc<Vec<u8>>, executable: bool) {
        self.0
            .insert(path.into(), TreeEntry::File { bytes, executable });
    }
}
