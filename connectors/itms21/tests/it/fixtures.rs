//! Every folder of `fixtures/` is a kind of row or detail, and every folder in it a case: an input of the register, and
//! the expected result. `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use std::path::{Path, PathBuf};
use std::{env, fs};

use lustra_itms21::debt::{self, Kind};
use lustra_itms21::{application, procurement, project};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::fixtures::{Case, failed};
use lustra_sdk::{Failure, Notes};

type Reader = fn(&Value, &mut Notes) -> Result<Value, Failure>;

/// The folders, with the reader of their cases.
const KINDS: [(&str, Reader); 6] = [
    ("application", application),
    ("contract", contract),
    ("detail", detail),
    ("irregularity", irregularity),
    ("project", project),
    ("receivable", receivable),
];

fn application(row: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let (application, partners) = application::read(row, notes)?;
    Ok(json!({ "application": application, "partners": partners }))
}

fn contract(detail: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let contract = procurement::read(detail, 59_566, "VO55101042", notes)?;
    let (subjects, others) = (contract.subjects.len(), contract.organisations.len());
    Ok(json!({ "value": contract.value, "subjects": subjects, "organisations": others }))
}

fn detail(detail: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let of: Value = from_str(Case::of("project/ordinary").text()).unwrap();
    let (of, _) = project::read(&of, &mut Notes::default())?;
    let detail = project::read_detail(detail, &of, "2026-01-15", notes)?;
    Ok(json!({ "detail": detail }))
}

fn irregularity(row: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let read = debt::read(Kind::Irregularity, row, notes)?;
    Ok(json!({ "irregularity": read }))
}

fn project(row: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let (project, partners) = project::read(row, notes)?;
    Ok(json!({ "project": project, "partners": partners }))
}

fn receivable(row: &Value, notes: &mut Notes) -> Result<Value, Failure> {
    let read = debt::read(Kind::Receivable, row, notes)?;
    Ok(json!({ "receivable": read }))
}

/// The names of a folder's entries, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn read(reader: Reader, text: &str) -> Value {
    let row: Value = from_str(text).unwrap();
    let mut notes = Notes::default();
    notes.row();
    let mut read = reader(&row, &mut notes).unwrap_or_else(|failure| failed(&failure));
    if notes.odd_rows() > 0 {
        read["odd"] = json!(true);
    }
    read
}

#[test]
fn every_fixture_matches() {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    assert_eq!(names(&fixtures), KINDS.map(|(kind, _)| kind));
    let mut wrong = Vec::new();
    for (kind, reader) in KINDS {
        for name in names(&fixtures.join(kind)) {
            let case = Case::of(&format!("{kind}/{name}"));
            let found = read(reader, case.text());
            if found == case.expected {
                continue;
            }
            if env::var_os("UPDATE_FIXTURES").is_some() {
                fs::write(case.folder.join("expected.json"), format!("{found:#}\n")).unwrap();
            } else {
                wrong.push(format!("{kind}/{name} gives\n{found:#}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
