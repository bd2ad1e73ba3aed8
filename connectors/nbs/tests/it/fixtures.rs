//! Every folder of `fixtures/` is a case: the input, and what must come out of it. `UPDATE_FIXTURES=1` writes what
//! comes out now, to be read before it is kept.

use std::fs;
use std::path::Path;

use lustra_nbs::dataset::Dataset;
use lustra_nbs::settings::Psd2Members;
use lustra_nbs::{institutions, psd2};
use lustra_sdk::Failure;
use serde_json::{Map, Value, from_slice, from_value, json, to_string_pretty};

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let file = case.join("expected.json");
        let expected: Value = from_slice(&fs::read(&file).unwrap()).unwrap();
        let mut found = match read(&expected, &input(&case)) {
            Ok(found) => found,
            Err(failure) => of_failure(&failure),
        };
        for setting in ["format", "members"] {
            if let Some(value) = expected.get(setting) {
                found[setting] = value.clone();
            }
        }
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&file, to_string_pretty(&found).unwrap() + "\n").unwrap();
        } else {
            assert_eq!(found, expected, "the case {}", case.display());
        }
        cases += 1;
    }
    assert!(cases > 30, "only {cases} cases were found");
}

fn input(case: &Path) -> String {
    let file = fs::read_dir(case)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "input"))
        .unwrap_or_else(|| panic!("{} has no input", case.display()));
    fs::read_to_string(file).unwrap()
}

fn read(expected: &Value, input: &str) -> Result<Value, Failure> {
    let list = match Dataset::of(expected["format"].as_str().unwrap()).unwrap() {
        Dataset::Institutions => institutions::read(input)?,
        Dataset::Psd2Services => {
            let members = expected.get("members").cloned();
            let members: Psd2Members = from_value(members.unwrap_or(json!({}))).unwrap();
            psd2::read(input, &members)?
        }
    };
    let notes: Map<String, Value> = list
        .notes
        .fields()
        .into_iter()
        .map(|note| (note.name, json!(note.value)))
        .collect();
    Ok(json!({ "licences": list.licences, "notes": notes }))
}

fn of_failure(failure: &Failure) -> Value {
    match failure {
        Failure::Malformed(drift) => {
            let found = drift.found.clone();
            json!({ "failure": "malformed", "what": drift.what, "expected": drift.expected, "found": found })
        }
        Failure::Unavailable(why) => json!({ "failure": "unavailable", "why": why }),
        Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => json!({ "failure": "another" }),
    }
}

#[test]
fn a_list_cut_anywhere_is_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (case, format) in [
        ("institutions-odd-ids", "institutions"),
        ("psd2-ordinary", "psd2-services"),
    ] {
        let whole = input(&folder.join(case));
        let whole = whole.trim_end();
        for length in (0..whole.len()).filter(|length| whole.is_char_boundary(*length)) {
            let cut = read(&json!({ "format": format }), &whole[..length]);
            assert!(cut.is_err(), "{case} cut at {length} is taken for whole");
        }
    }
}
