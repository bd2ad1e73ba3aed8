//! The cases of a connector: folders of `fixtures/` with an input and what must come of it.
//!
//! A case is a folder with `input.*`, in the wire's bytes, and `expected.json`. A new case is a folder and no code. With
//! `UPDATE_FIXTURES=1` in the environment what comes is written in place of being compared; the difference is to be read
//! before it is kept.
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
    /// The folder's name.
    pub name: String,
    /// Where it is, for files beside the input.
    pub folder: PathBuf,
    /// The contents of `input.*`.
    pub input: Vec<u8>,
    /// The contents of `expected.json`; null where there is none yet.
    pub expected: Value,
}

impl Case {
    /// The case of a name, of the crate under test.
    ///
    /// # Panics
    /// There is no such folder, it has no input, or what it expects is no JSON.
    #[must_use]
    #[track_caller]
    pub fn of(name: &str) -> Self {
        Self::read(&folder().join(name))
    }

    /// All cases of the crate under test, by their names.
    ///
    /// # Panics
    /// There is no folder `fixtures`, or one of its folders is no case.
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
    /// It is not in UTF-8.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.input)
            .unwrap_or_else(|error| panic!("the input of {}: {error}", self.name))
    }
}

/// Such as `input.json.txt`.
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

/// Reads every case and compares what comes with what it expects, or writes it with `UPDATE_FIXTURES=1`.
///
/// `least` is how many cases there are at least. `given` are the members of `expected.json` that say how the case is to
/// be read; they are kept as they are. `read` gives what comes of a case, with failures as [`failed`] or [`told`] write
/// them.
///
/// # Panics
/// Something else comes of a case, or there are fewer of them.
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

/// A failure by its kind: `{"failure": "malformed", "what": …}`, where only a form that is not the known one names its
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

/// A failure as the log tells it: `{"failure": "malformed: place: expected …, found …"}`.
#[must_use]
pub fn told(failure: &Failure) -> Value {
    json!({ "failure": failure::reason(failure) })
}
