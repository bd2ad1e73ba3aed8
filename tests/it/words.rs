//! Every enumerated value that pages show has words in both languages.

use lustra_tests::lustra::changes::{Guide, Writer};
use lustra_tests::lustra::language::Language;
use serde_json::Value;

use crate::architecture::repository;

/// A place in a schema that enumerates texts.
struct Enumeration<'a> {
    place: String,
    schema: &'a Value,
    values: Vec<&'a str>,
}

fn enumerations<'a>(schema: &'a Value, place: &str, found: &mut Vec<Enumeration<'a>>) {
    match schema {
        Value::Object(members) => {
            let listed = members.get("enum").and_then(Value::as_array);
            let values: Vec<&str> = listed
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if !values.is_empty() {
                found.push(Enumeration {
                    place: place.to_owned(),
                    schema,
                    values,
                });
            }
            for (name, member) in members {
                if name != "enum" {
                    enumerations(member, &format!("{place}/{name}"), found);
                }
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                enumerations(item, &format!("{place}/{at}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_enumerated_value_has_words() {
    let folder = repository().join("connectors");
    let folders = std::fs::read_dir(folder).expect("the connectors can be read");
    let (mut checked, mut missing) = (0, Vec::new());
    for folder in folders {
        let file = folder
            .expect("it can be listed")
            .path()
            .join("manifest.json");
        let Ok(text) = std::fs::read(&file) else {
            continue;
        };
        let manifest: Value = serde_json::from_slice(&text).expect("a manifest is JSON");
        let scopes = manifest["scopes"].as_array().into_iter().flatten();
        let schemas = scopes.map(|scope| (&scope["scope"], &scope["schema"]));
        let schemas: Vec<(&Value, &Value)> = schemas.collect();
        for (name, schema) in &schemas {
            // The English title is the scope's.
            if schema["x-lustra-title-sk"]
                .as_str()
                .is_none_or(str::is_empty)
            {
                missing.push(format!("{} {name} title", manifest["id"]));
            }
        }
        let details = (&manifest["id"], &manifest["company_source"]["schema"]);
        let mut found = Vec::new();
        for (name, schema) in schemas.into_iter().chain([details]) {
            enumerations(schema, &format!("{} {name}", manifest["id"]), &mut found);
        }
        for one in found {
            let guide = Guide::of(one.schema);
            for value in one.values {
                for language in Language::ALL {
                    checked += 1;
                    let words = Writer { language }.word(value, &guide);
                    if words.is_none_or(str::is_empty) {
                        missing.push(format!("{} {value:?} {language:?}", one.place));
                    }
                }
            }
        }
    }
    assert!(checked > 500, "only {checked} values were found");
    assert!(missing.is_empty(), "without words: {missing:#?}");
}
