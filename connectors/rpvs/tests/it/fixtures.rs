//! Every folder of `fixtures/` is a case: an answer of the service, and what must come of it.
//! `UPDATE_FIXTURES=1` writes what comes; read the difference before keeping it.

use std::fs;
use std::path::Path;

use lustra_rpvs::question::{Breadth, FILES};
use lustra_rpvs::settings::Settings;
use lustra_rpvs::{page, section};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, from_slice, json, to_string_pretty, to_value};

use super::manifest::fits;

/// The day on which the cases are read.
const TODAY: &str = "2026-01-15";

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let update = std::env::var_os("UPDATE_FIXTURES").is_some();
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let expected: Value = from_slice(&fs::read(case.join("expected.json")).unwrap()).unwrap();
        let text = fs::read_to_string(case.join("input.json")).unwrap();
        let mut found = match read(&text, &expected) {
            Ok(found) => found,
            Err(failure) => of_failure(&failure),
        };
        for given in ["ico", "breadth"] {
            if let Some(value) = expected.get(given) {
                found[given] = value.clone();
            }
        }
        if update {
            let text = to_string_pretty(&found).unwrap() + "\n";
            fs::write(case.join("expected.json"), text).unwrap();
        } else {
            assert_eq!(found, expected, "the case {}", case.display());
        }
        cases += 1;
    }
    assert!(cases > 40, "only {cases} cases were found");
}

fn read(text: &str, expected: &Value) -> Result<Value, Failure> {
    let ico = expected["ico"].as_str().unwrap();
    let breadth = if expected["breadth"] == "confirmed" {
        Breadth::Confirmed
    } else {
        Breadth::Wide
    };
    let page = page::read(text, &[FILES.to_owned()])?;
    let partner = section::read(&page.rows, ico, breadth, &Settings::default(), TODAY)?;
    let content = to_value(&partner).unwrap();
    fits(&content);
    let names: Vec<String> = partner
        .section(Vec::new())
        .unwrap()
        .unread
        .into_iter()
        .map(|field| field.name)
        .collect();
    let named: Vec<&str> = partner
        .unread
        .iter()
        .map(|unread| unread.source.as_str())
        .collect();
    assert_eq!(names, named, "the section and its content name the same");
    Ok(json!({ "section": content }))
}

fn of_failure(failure: &Failure) -> Value {
    match failure {
        Failure::Unavailable(_) => json!({"failure": "unavailable"}),
        Failure::Malformed(drift) => json!({"failure": "malformed", "what": drift.what}),
        Failure::Misconfigured(_)
        | Failure::Throttled(_)
        | Failure::Refused(_)
        | Failure::Other(_) => json!({"failure": "another"}),
    }
}
