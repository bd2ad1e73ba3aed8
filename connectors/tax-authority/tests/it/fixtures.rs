//! Every folder of `fixtures/` is a case: the input, and what must come out of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lustra_sdk::serde_json::{Value, from_slice, from_str, json};
use lustra_sdk::{Failure, ImportRun};
use lustra_tax_authority::api;
use lustra_tax_authority::lists::Dataset;
use lustra_tax_authority::lists::run::ListRun;
use lustra_tax_authority::settings::ListSettings;
use lustra_tax_authority::vies::{self, Verdict};

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let expected: Value = from_slice(&fs::read(case.join("expected.json")).unwrap()).unwrap();
        let format = expected["format"].as_str().unwrap().to_owned();
        let mut found = match read(&format, &expected, &input(&case)) {
            Ok(found) => found,
            Err(failure) => of_failure(&failure, &expected),
        };
        found["format"] = json!(format);
        if let Some(number) = expected.get("number") {
            found["number"] = number.clone();
        }
        assert_eq!(found, expected, "the case {}", case.display());
        cases += 1;
    }
    assert!(cases > 30, "only {cases} cases were found");
}

fn input(case: &Path) -> Vec<u8> {
    let file = fs::read_dir(case)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "input"))
        .unwrap_or_else(|| panic!("{} has no input", case.display()));
    fs::read(file).unwrap()
}

fn read(format: &str, expected: &Value, input: &[u8]) -> Result<Value, Failure> {
    let text = || String::from_utf8(input.to_vec()).unwrap();
    match format {
        "vies" => {
            let verdict = vies::read_answer(expected["number"].as_str().unwrap(), &text())?;
            Ok(match verdict {
                Verdict::Valid => json!({"verdict": "valid"}),
                Verdict::Invalid => json!({"verdict": "invalid"}),
                Verdict::Unknown(code) => json!({"verdict": "unknown", "code": code}),
            })
        }
        "fs-api" => {
            let page = api::read_page(&text(), "ICO")?;
            Ok(json!({"pages": page.pages, "rows": page.rows}))
        }
        "fs-api-404" => api::read_miss(&text(), "ds_dphs").map(|()| json!({"miss": true})),
        dataset => list(Dataset::of(dataset).unwrap(), input),
    }
}

fn list(dataset: Dataset, input: &[u8]) -> Result<Value, Failure> {
    let mut run = ListRun::open(dataset, ListSettings::default_of(dataset), input, None)?;
    let (mut items, mut notes, mut list_date) = (Vec::new(), BTreeMap::new(), None);
    while let Some(batch) = run.next()? {
        notes.extend(batch.notes.into_iter().map(|note| (note.name, note.value)));
        list_date = batch.list_date;
        for item in batch.items {
            let content: Value = from_str(&item.content).unwrap();
            items.push(json!({"key": item.key, "ico": item.ico, "content": content}));
        }
    }
    Ok(json!({"list_date": list_date, "items": items, "notes": notes}))
}

/// A failure as an expectation writes it; the place is compared where the case names one.
fn of_failure(failure: &Failure, expected: &Value) -> Value {
    let (name, what) = match failure {
        Failure::Unavailable(_) => ("unavailable", None),
        Failure::Malformed(drift) => ("malformed", Some(drift.what.clone())),
        Failure::Misconfigured(_) => ("misconfigured", None),
        Failure::Throttled(_) | Failure::Refused(_) | Failure::Other(_) => ("another", None),
    };
    match what.filter(|_| expected.get("what").is_some()) {
        Some(what) => json!({"failure": name, "what": what}),
        None => json!({"failure": name}),
    }
}
