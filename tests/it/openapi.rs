//! `/v1/openapi.json` and the reference at `/docs/reference/`.

use insta::assert_json_snapshot;
use lustra_tests::{Answer, DatabaseKind, Receiver, World};
use reqwest::Method;
use serde_json::{Value, json};

use crate::notifications_support::{officer_replaced, small, watch_officers};
use crate::support::{keys, reading, shown_part};
use lustra_tests::lustra::store::ScopeName;

async fn document(world: &World) -> Value {
    world.get_with("/v1/openapi.json", &[]).await.body
}

/// Collects every value of a document with its place.
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
fn document_needs_no_key() {
    reading(async |world| {
        assert_json_snapshot!("document", shown_part(&document(world).await));
    });
}

#[test]
fn every_reference_of_the_document_resolves() {
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
fn every_section_has_its_connectors_schema() {
    reading(async |world| {
        let document = document(world).await;
        let catalogue = world.importer.companies().connectors().catalogue();
        let mut scopes: Vec<&str> = catalogue.scopes().map(ScopeName::as_str).collect();
        for scope in &scopes {
            let (_, manifest) = catalogue.scope(scope).expect("it is served");
            let schema = &document["components"]["schemas"][format!("Section_{scope}")];
            // Definitions of a section stand beside it in the document.
            let properties = manifest.schema.get("properties").map(Value::to_string);
            let definitions = format!("#/components/schemas/Section_{scope}_");
            let properties = properties.map(|text| text.replace("#/$defs/", &definitions));
            let properties = properties.map(|text| serde_json::from_str(&text).expect("JSON"));
            let expected: Value = properties.unwrap_or_default();
            assert_eq!(schema["properties"], expected, "{scope}");
            let company = &document["components"]["schemas"]["Company"]["properties"];
            if manifest.extends_details {
                for member in manifest.members() {
                    assert!(company[member].is_object(), "{scope}: {member}");
                }
                continue;
            }
            assert_eq!(
                company[&manifest.key]["$ref"],
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
        let document = document(world).await;
        for index in [0, 1, 3, 4, 5, 8, 9, 11] {
            let answer = world.company(&world.icos[index], "all").await;
            assert_fits(&document, "CompanyAnswer", &answer.body);
        }
    });
}

/// Every violation of the named schema of the document fails the test.
fn assert_fits(document: &Value, schema: &str, answer: &Value) {
    let mut described = document.clone();
    described["$ref"] = json!(format!("#/components/schemas/{schema}"));
    let described = jsonschema::options().build(&described);
    let described = described.expect("the document's schemas are schemas");
    let wrong: Vec<String> = described
        .iter_errors(answer)
        .map(|wrong| format!("{}: {wrong}", wrong.instance_path()))
        .collect();
    assert_eq!(wrong, Vec::<String>::new(), "{schema}: {answer}");
}

#[test]
fn batch_answers_fit_the_document() {
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
            assert_fits(&document, schema, &answer.body);
        }
    });
}

#[test]
fn documented_paths_are_served_with_documented_access() {
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
                // Without the link from an e-mail there is nothing to see.
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
fn reference_loads_nothing_from_other_sites() {
    reading(async |world| {
        let page = world.get_with("/docs/reference/", &[]).await;
        let page = text(&page);
        let linked = ["src=\"", "href=\""]
            .into_iter()
            .flat_map(|attribute| page.split(attribute).skip(1));
        let linked: Vec<&str> = linked.filter_map(|rest| rest.split('"').next()).collect();
        assert!(linked.len() >= 5, "{page}");
        for address in &linked {
            assert!(!address.contains("//"), "{address} is elsewhere");
            let file = world
                .get_with(
                    &format!("/docs/reference/{}", address.trim_start_matches("./")),
                    &[],
                )
                .await;
            assert_eq!(file.status, 200, "{address}");
        }
        let start = world
            .get_with("/docs/reference/swagger-initializer.js", &[])
            .await;
        let start = text(&start);
        for text in [page, start] {
            assert!(
                !text.contains("http://") && !text.contains("https://"),
                "{text}"
            );
        }
        assert!(start.contains("\"/v1/openapi.json\""), "{start}");
        // By default the reference would send the document's address to swagger.io.
        assert!(start.contains("\"validatorUrl\": \"none\""), "{start}");
    });
}

/// The document's parameters with their paths and schemas.
fn parameters(document: &Value) -> Vec<(String, Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, operations)| {
        let get = operations.get("get").into_iter();
        get.map(move |operation| (path.clone(), operation))
    });
    operations
        .flat_map(|(path, operation)| {
            let parameters = operation["parameters"].as_array().cloned();
            let parameters = parameters.into_iter().flatten();
            parameters.map(move |parameter| (path.clone(), parameter))
        })
        .collect()
}

#[test]
fn documented_bounds_are_enforced() {
    reading(async |world| {
        let document = document(world).await;
        let ico = world.icos[0].as_str();
        let mut checked = 0;
        for (path, parameter) in parameters(&document) {
            // A stream does not end, and an unknown subscription is a 404 before its parameters are checked.
            if parameter["in"] != "query" || path.contains("stream") || path.contains("subscri") {
                continue;
            }
            let name = parameter["name"].as_str().expect("a name");
            let schema = &parameter["schema"];
            let (least, most) = (schema["minimum"].as_u64(), schema["maximum"].as_u64());
            let beyond = [
                least.and_then(|least| least.checked_sub(1)),
                most.map(|most| most + 1),
            ];
            let within = [least, most];
            let cases = beyond
                .into_iter()
                .flatten()
                .map(|value| (value.to_string(), false))
                .chain(
                    within
                        .into_iter()
                        .flatten()
                        .map(|value| (value.to_string(), true)),
                )
                .chain(schema["minLength"].as_u64().map(|least| {
                    let least = usize::try_from(least).expect("a few characters");
                    ("a".repeat(least - 1), false)
                }));
            for (value, is_within) in cases {
                if name == "wait" && is_within {
                    continue;
                }
                let asked = path.replace("{ico}", ico);
                let required = if asked.contains("/search/") && name != "q" {
                    let (key, text) = match asked.as_str() {
                        "/v1/search/ico" => ("q", "999"),
                        "/v1/search/advanced" => ("name", "vzorostav"),
                        _ => ("q", "vzorostav"),
                    };
                    format!("{key}={text}&")
                } else {
                    String::new()
                };
                let key = if asked.starts_with("/v1/sandbox") {
                    "lst_test_sandbox"
                } else {
                    world.key.as_str()
                };
                let question = format!("{asked}?{required}{name}={value}");
                let answer = world.get_with(&question, &[("x-api-key", key)]).await;
                assert_eq!(answer.status != 422, is_within, "{question}: {answer:?}");
                checked += 1;
            }
        }
        assert!(checked > 40, "{checked}");
    });
}

#[test]
fn every_operation_documents_the_layers_errors() {
    reading(async |world| {
        let document = document(world).await;
        let mut codes = std::collections::BTreeSet::new();
        for (path, operations) in document["paths"].as_object().expect("paths") {
            for (method, operation) in operations.as_object().expect("methods") {
                let place = format!("{method} {path}");
                let responses = &operation["responses"];
                let has_key = operation.get("security").is_some() && !path.contains("/sandbox/");
                for status in ["401", "429"] {
                    assert!(responses.get(status).is_some() || !has_key, "{place}");
                }
                for (status, response) in responses.as_object().expect("responses") {
                    let request_id = &response["headers"]["X-Request-Id"];
                    assert!(request_id.is_object(), "{place} {status}");
                    let example = &response["content"]["application/json"]["example"];
                    if let Some(code) = example["error"].as_str() {
                        codes.insert(code.to_owned());
                    }
                }
            }
        }
        let known = document.pointer("/components/schemas/Code/enum");
        let known = known.and_then(Value::as_array).expect("an enumeration");
        for code in &codes {
            assert!(known.contains(&json!(code)), "{code}");
        }
        assert!(codes.len() > 9, "{codes:?}");
    });
}

#[tokio::test]
async fn events_and_history_fit_the_document() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let ico = world.icos[0].clone();
    let receiver = Receiver::start().await;
    watch_officers(&world, &ico, &receiver.url()).await;
    officer_replaced(&world, &ico).await;
    let log = world.get("/v1/notifications/events").await;
    let events = log.at("/data").as_array().expect("a list").clone();
    assert!(!events.is_empty(), "{log:?}");
    let document = document(&world).await;
    let kinds = document["webhooks"].as_object().expect("webhooks");
    for event in &events {
        let event = &event["payload"];
        assert_fits(&document, "WebhookEvent", event);
        let kind = event["event"].as_str().expect("a kind");
        assert!(kinds.contains_key(kind), "{kind}");
    }
    let history = world.get(&format!("/v1/notifications/history/{ico}")).await;
    let changes = history.at("/data").as_array().expect("a list");
    // An officer that was added had no value before.
    assert!(
        changes.iter().any(|change| change["old_value"].is_null()),
        "{history:?}"
    );
    assert_fits(&document, "Changes", &history.body);
    world.end().await;
}
