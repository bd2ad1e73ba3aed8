//! Runs every parser over the fixtures: a case is a folder with an input and what is expected of it. The first word
//! of the folder's name says which parser reads it; `asked` in the expected file is what was asked for.
//! `LUSTRA_BLESS=1` writes what comes out, to be read before it is kept.

mod common;

use std::fs;
use std::path::Path;

use lustra_rpo::company::{self, Reading};
use lustra_rpo::{answers, bucket, dump};
use lustra_sdk::{Failure, failure};
use serde_json::{Value, json};

#[test]
fn every_fixture_gives_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut wrong = Vec::new();
    let mut cases: Vec<_> = fs::read_dir(&folder)
        .expect("fixtures")
        .map(|entry| entry.expect("a folder").path())
        .collect();
    cases.sort();
    for case in &cases {
        let name = case
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let input = input(case);
        let expected_path = case.join("expected.json");
        let expected: Value =
            serde_json::from_slice(&fs::read(&expected_path).expect("expected.json"))
                .expect("JSON");
        let mut actual = outcome(&name, &input, &expected["asked"]);
        if !expected["asked"].is_null() {
            actual["asked"] = expected["asked"].clone();
        }
        if std::env::var_os("LUSTRA_BLESS").is_some() {
            let text = serde_json::to_string_pretty(&actual).expect("JSON") + "\n";
            fs::write(&expected_path, text).expect("writing the expected file");
        } else if actual != expected {
            wrong.push(format!("{name}: {actual:#}"));
        }
    }
    assert!(cases.len() > 50, "the fixtures are there");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn input(case: &Path) -> Vec<u8> {
    let file = fs::read_dir(case)
        .expect("a folder")
        .map(|entry| entry.expect("a file"))
        .find(|entry| entry.file_name().to_string_lossy().starts_with("input."))
        .expect("an input");
    fs::read(file.path()).expect("the input")
}

fn outcome(name: &str, input: &[u8], asked: &Value) -> Value {
    let parser = name.split('-').next().expect("a word");
    if parser == "dump" {
        return dumped(name, input);
    }
    let text = || std::str::from_utf8(input).expect("text in UTF-8");
    let read = match parser {
        "entity" => entity(text(), asked.as_u64().expect("an id")),
        "search" => answers::rows(text())
            .and_then(|rows| answers::choose(rows, asked.as_str().expect("an IČO")))
            .map(|chosen| json!({ "chosen": chosen.map(|row| row.id) })),
        "listing" => listing(name, input),
        "list" => bucket::listed_parts(asked.as_str().expect("a date"), text())
            .map(|parts| json!({ "parts": parts })),
        "refusal" => Ok(json!({ "says_no_record": answers::says_no_record(text()) })),
        other => panic!("no parser is called {other}"),
    };
    read.unwrap_or_else(|failure| failed(&failure))
}

fn entity(text: &str, id: u64) -> Result<Value, Failure> {
    Ok(match company::read(&answers::entity(text, id)?)? {
        Reading::Company(company) => json!({ "company": common::shown(&company) }),
        Reading::WithoutIco => json!({ "skipped": "without-ico" }),
        Reading::WithoutName => json!({ "skipped": "without-name" }),
    })
}

/// What came before a failure counts too.
fn dumped(name: &str, input: &[u8]) -> Value {
    let mut dump = match dump::Dump::begin(name, input) {
        Ok(dump) => dump,
        Err(failure) => return failed(&failure),
    };
    let mut read = Vec::new();
    let failure = loop {
        let reading = match dump.next_record() {
            Ok(Some(record)) => company::read(&record),
            Ok(None) => break Value::Null,
            Err(failure) => Err(failure),
        };
        match reading {
            Ok(Reading::Company(company)) => read.push(common::shown(&company)),
            Ok(Reading::WithoutIco) => read.push(json!("without-ico")),
            Ok(Reading::WithoutName) => read.push(json!("without-name")),
            Err(failure) => break failed(&failure),
        }
    };
    json!({ "export_date": dump.export_date(), "read": read, "failure": failure })
}

fn listing(name: &str, input: &[u8]) -> Result<Value, Failure> {
    let page = bucket::page(name, input)?;
    let inits = bucket::inits(&page.keys).map(|inits| {
        let shown = |(date, init): (&String, &bucket::Init)| {
            (
                date.clone(),
                json!({ "parts": init.parts, "has_list": init.has_list }),
            )
        };
        Value::Object(inits.iter().map(shown).collect())
    });
    let dailies = bucket::dailies(&page.keys).map(|dates| json!(dates));
    Ok(json!({
        "next": page.next,
        "inits": inits.unwrap_or_else(|failure| failed(&failure)),
        "dailies": dailies.unwrap_or_else(|failure| failed(&failure)),
    }))
}

fn failed(failure: &Failure) -> Value {
    json!({ "failure": failure::reason(failure) })
}
