//! Creates files and folders that only this user can read.
//!
//! `SQLite` gives its log files the mode of the database file. What exists keeps its mode, because the operator may
//! have chosen it.

use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a folder and those above it that are missing.
///
/// # Errors
/// The folder cannot be created.
pub(super) fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

/// Creates an empty file if there is none. `SQLite` opens it next, and reports why it cannot be created.
pub(super) fn create_file(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    drop(options.open(path));
}
