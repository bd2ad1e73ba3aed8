//! `/v1/openapi.json` and `/docs`.

use insta::assert_json_snapshot;
use lustra_tests::{Answer, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{keys, reading, shown_part};

async fn document(world: &World) -> Value {
    world.get_with("/v1/openapi.json", &[]).await.body
}

/// Every value of a document with its place.
fn each<'a>(place: &str, value: &'a Value, seen: &mut Vec<(String, &'a Value)>) {
    seen.push((place.to_owned(), value));
    match value {
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(name, member)| each(&format!("{place}/{name}"), member, seen));
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| each(&format!("{place}/{at}"), item, seen));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_document_is_known_without_a_key() {
    reading(async |world| {
        assert_json_snapshot!("document", shown_part(&document(world).await));
    });
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    reading(async |world| {
        let document = document(world).await;
        let mut values = Vec::new();
        each("", &document, &mut values);
        let references = values.iter().filter(|(place, _)| place.ends_with("/$ref"));
        let references: Vec<&str> = references
            .filter_map(|(_, reference)| reference.as_str())
            .collect();
        assert!(references.len() > 20, "{references:?}");
        for reference in references {
            let pointer = reference
                .strip_prefix('#')
                .expect("references stay in the document");
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    });
}

#[test]
fn every_section_is_described_by_its_connectors_schema() {
    reading(async |world| {
        let document = document(world).await;
        let catalogue = world.importer.companies().connectors().catalogue();
        let mut scopes: Vec<&str> = catalogue.scopes().collect();
        for scope in &scopes {
            let (_, manifest) = catalogue.scope(scope).expect("it is served");
            let schema = &document["components"]["schemas"][format!("Section_{scope}")];
            assert_eq!(
                schema["properties"],
                manifest
                    .schema
                    .get("properties")
                    .cloned()
                    .unwrap_or_default(),
                "{scope}"
            );
            let property =
                &document["components"]["schemas"]["Company"]["properties"][&manifest.key];
            assert_eq!(
                property["$ref"],
                format!("#/components/schemas/Section_{scope}")
            );
        }
        scopes.push("all");
        assert_eq!(document["x-scopes"], json!(scopes));
    });
}

#[test]
fn answers_fit_the_document() {
    reading(async |world| {
        let mut schema = document(world).await;
        schema["$ref"] = json!("#/components/schemas/CompanyAnswer");
        let schema = jsonschema::options()
            .build(&schema)
            .expect("the document's schemas are schemas");
        for index in [0, 1, 3, 4, 5, 8, 9, 11] {
            let answer = world.company(&world.icos[index], "all").await;
            let wrong: Vec<String> = schema
                .iter_errors(&answer.body)
                .map(|wrong| format!("{}: {wrong}", wrong.instance_path()))
                .collect();
            assert_eq!(wrong, Vec::<String>::new(), "{index}");
        }
    });
}

#[test]
fn answers_about_batches_fit_the_document() {
    reading(async |world| {
        let document = document(world).await;
        let small = json!({"icos": [world.icos[0], "00000001"]});
        let names = json!({"names": ["Vzorostav Čučoriedka, s. r. o.", "Qwxyz", "Vzorostav"]});
        let numbers: Vec<String> = (4_000..4_101)
            .map(|number| format!("{number:08}"))
            .collect();
        let large = json!({ "icos": numbers });
        for (path, body, schema) in [
            ("/v1/batch/ico", small, "BatchResults"),
            ("/v1/batch/names", names, "BatchResults"),
            ("/v1/batch/ico", large, "BatchStatus"),
        ] {
            let answer = world.post(path, &body).await;
            let mut described = document.clone();
            described["$ref"] = json!(format!("#/components/schemas/{schema}"));
            let described = jsonschema::options().build(&described);
            let described = described.expect("the document's schemas are schemas");
            let wrong: Vec<String> = described
                .iter_errors(&answer.body)
                .map(|wrong| format!("{}: {wrong}", wrong.instance_path()))
                .collect();
            assert_eq!(wrong, Vec::<String>::new(), "{path}");
        }
    });
}

#[test]
fn every_path_of_the_document_is_served_and_says_who_may_ask() {
    reading(async |world| {
        let document = document(world).await;
        for path in keys(&document["paths"]) {
            let filled = path
                .replace("{ico}", "99100118")
                .replace("{orsr_id}", "1002")
                .replace("{id}", "1");
            for method in keys(&document["paths"][path]) {
                let asked = Method::from_bytes(method.to_uppercase().as_bytes());
                let asked = asked.expect("OpenAPI names methods in lower case");
                let without_key = world.request(asked, &filled, &[]).await;
                let needs_key = document["paths"][path][method].get("security").is_some();
                let is_link = path.ends_with("/unsubscribe") || path.ends_with("/confirm");
                // Without the link of a message there is nothing.
                let expected = match (needs_key, is_link) {
                    (true, _) => 401,
                    (false, true) => 404,
                    (false, false) => 200,
                };
                assert_eq!(
                    without_key.status, expected,
                    "{method} {path}: {without_key:?}"
                );
            }
        }
    });
}

fn text(answer: &Answer) -> &str {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body.as_str().expect("a text")
}

#[test]
fn the_reference_needs_nothing_from_elsewhere() {
    reading(async |world| {
        let page = world.get_with("/docs", &[]).await;
        let page = text(&page);
        let linked = ["src=\"", "href=\""]
            .into_iter()
            .flat_map(|attribute| page.split(attribute).skip(1));
        let linked: Vec<&str> = linked.filter_map(|rest| rest.split('"').next()).collect();
        assert!(linked.len() >= 5, "{page}");
        for address in &linked {
            assert!(!address.contains("//"), "{address} is elsewhere");
            let file = world
                .get_with(&format!("/docs/{}", address.trim_start_matches("./")), &[])
                .await;
            assert_eq!(file.status, 200, "{address}");
        }
        let start = world.get_with("/docs/swagger-initializer.js", &[]).await;
        let start = text(&start);
        for text in [page, start] {
            assert!(
                !text.contains("http://") && !text.contains("https://"),
                "{text}"
            );
        }
        assert!(start.contains("\"/v1/openapi.json\""), "{start}");
        // Unless it is told otherwise it shows the document to swagger.io.
        assert!(start.contains("\"validatorUrl\": \"none\""), "{start}");
    });
}
