//! Recorded answers of the registers, from `shared/registers/samples` beside the source tree.
//! They are real data and therefore not part of the source tree. Tests that use them pass if they
//! are absent.
#![expect(
    clippy::print_stdout,
    reason = "the output shows which samples a test run did not have"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Files in a register's folder with this name ending, sorted by name. Prints a line if there are
/// none.
#[must_use]
pub fn samples(register: &str, ending: &str) -> Vec<PathBuf> {
    let folder = folder().join(register);
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|file| file.is_file() && file.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    if files.is_empty() {
        println!("skipped: {register}/*{ending} is absent");
    }
    files
}

/// A file or folder by its path below the folder of samples. Prints a line if it is absent.
#[must_use]
pub fn sample(path: &str) -> Option<PathBuf> {
    let found = Some(folder().join(path)).filter(|file| file.exists());
    match &found {
        Some(_) => println!("read: {path}"),
        None => println!("skipped: {path} is absent"),
    }
    found
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/registers/samples")
}
