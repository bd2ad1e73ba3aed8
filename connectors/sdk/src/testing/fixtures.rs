//! Fixture cases of a connector: folders of `fixtures/` with an input and the expected result.
//!
//! A case is a folder with `input.*`, the bytes on the wire, and `expected.json`. A new case is a
//! new folder without code. With the environment variable `UPDATE_FIXTURES=1` the results are
//! written instead of compared; review the diff before you commit it.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a case that cannot be read is a test that fails, and says why"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::{Failure, failure};

/// One folder of `fixtures/`.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the folder below `fixtures/`.
    pub name: String,
    /// Path of the folder, for files beside the input.
    pub folder: PathBuf,
    /// The contents of `input.*`.
    pub input: Vec<u8>,
    /// The contents of `expected.json`; null if the file does not exist yet.
    pub expected: Value,
}

impl Case {
    /// The case with this name in the crate under test.
    ///
    /// # Panics
    /// The folder or its input does not exist, or `expected.json` is not JSON.
    #[must_use]
    #[track_caller]
    pub fn of(name: &str) -> Self {
        Self::read(&folder().join(name))
    }

    /// All cases of the crate under test, sorted by name.
    ///
    /// # Panics
    /// There is no folder `fixtures`, or one of its folders is not a case.
    #[must_use]
    #[track_caller]
    pub fn all() -> Vec<Self> {
        let mut folders: Vec<PathBuf> = entries(&folder());
        folders.sort();
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    fn read(folder: &Path) -> Self {
        let name = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let input = entries(folder)
            .into_iter()
            .find(|file| file.file_stem().is_some_and(|stem| stem == "input") || is_input(file))
            .unwrap_or_else(|| panic!("{} has no input", folder.display()));
        let expected = match fs::read(folder.join("expected.json")) {
            Ok(text) => serde_json::from_slice(&text)
                .unwrap_or_else(|error| panic!("{}: expected.json: {error}", folder.display())),
            Err(_absent) => Value::Null,
        };
        Self {
            name: name.unwrap_or_default(),
            folder: folder.to_owned(),
            input: fs::read(input).expect("the input can be read"),
            expected,
        }
    }

    /// The input as text.
    ///
    /// # Panics
    /// The input is not UTF-8.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.input)
            .unwrap_or_else(|error| panic!("the input of {}: {error}", self.name))
    }
}

/// Accepts names such as `input.json.txt`.
fn is_input(file: &Path) -> bool {
    file.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with("input."))
}

fn folder() -> PathBuf {
    let of_crate = env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    of_crate.join("fixtures")
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be read").path())
        .collect()
}

/// Reads every case and compares the result with `expected.json`, or writes it with
/// `UPDATE_FIXTURES=1`.
///
/// `least` is the minimum number of cases. `given` are the members of `expected.json` that
/// control how the case is read; they are kept as they are. `read` returns the result of a case;
/// write failures with [`failed`] or [`told`].
///
/// # Panics
/// A result differs, or there are too few cases.
#[track_caller]
pub fn every_case(least: usize, given: &[&str], read: impl Fn(&Case) -> Value) {
    let is_updated = env::var_os("UPDATE_FIXTURES").is_some();
    let cases = Case::all();
    let mut wrong = Vec::new();
    for case in &cases {
        let mut found = read(case);
        for name in given {
            if let Some(value) = case.expected.get(name) {
                found[name] = value.clone();
            }
        }
        if found == case.expected {
            continue;
        }
        if is_updated {
            let file = case.folder.join("expected.json");
            fs::write(file, format!("{found:#}\n")).expect("the case can be written");
        } else {
            wrong.push(format!("{} gives\n{found:#}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let count = cases.len();
    assert!(count >= least, "there are only {count} cases");
}

/// A failure by its kind: `{"failure": "malformed", "what": …}`. Only `malformed` names its
/// place.
#[must_use]
pub fn failed(failure: &Failure) -> Value {
    let kind = match failure {
        Failure::Malformed(drift) => {
            return json!({ "failure": "malformed", "what": drift.what });
        }
        Failure::Unavailable(_) => "unavailable",
        Failure::Throttled(_) => "throttled",
        Failure::Misconfigured(_) => "misconfigured",
        Failure::Refused(_) => "refused",
        Failure::Other((code, _)) => code,
    };
    json!({ "failure": kind })
}

/// A failure as the log shows it: `{"failure": "malformed: place: expected …, found …"}`.
#[must_use]
pub fn told(failure: &Failure) -> Value {
    json!({ "failure": failure::reason(failure) })
}
