//! Runs every parser over the fixtures: a case is a folder with an input and the expected result. The first word of the
//! folder's name selects the parser; `asked` in the expected file is the requested key.
//! `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_rpo::company::{self, Reading};
use lustra_rpo::{answers, bucket, dump};
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{every_case, told};
use serde_json::{Value, json};

use crate::common;

#[test]
fn every_fixture_matches() {
    every_case(51, &["asked"], |case| {
        outcome(&case.name, &case.input, &case.expected["asked"])
    });
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
            .and_then(|rows| {
                answers::choose(rows, asked.as_str().expect("an IČO"), company::PREFERRED)
            })
            .map(|chosen| json!({ "chosen": chosen.map(|row| row.id) })),
        "listing" => listing(name, input),
        "list" => bucket::listed_parts(asked.as_str().expect("a date"), text())
            .map(|parts| json!({ "parts": parts })),
        "refusal" => Ok(json!({ "says_no_record": answers::says_no_record(text()) })),
        other => panic!("no parser is called {other}"),
    };
    read.unwrap_or_else(|failure| told(&failure))
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
        Err(failure) => return told(&failure),
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
            Err(failure) => break told(&failure),
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
        "inits": inits.unwrap_or_else(|failure| told(&failure)),
        "dailies": dailies.unwrap_or_else(|failure| told(&failure)),
    }))
}
