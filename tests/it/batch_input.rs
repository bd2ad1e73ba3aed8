//! Invalid batches: each is rejected quickly and names the wrong field.

use std::time::{Duration, Instant};

use insta::assert_json_snapshot;
use lustra_tests::{Answer, World, answered};
use reqwest::{Body, Method};
use serde_json::{Map, Value, json};

use crate::support::{keys, reading, shown};

const ICO: &str = "/v1/batch/ico";
const NAMES: &str = "/v1/batch/names";

/// Wrong bodies and the fields that the error names.
const WRONG: [(&str, &str, &[&str]); 35] = [
    // Not JSON.
    (ICO, "", &["body"]),
    (ICO, "  \n ", &["body"]),
    (ICO, "icos=99999994", &["body"]),
    (ICO, "{\"icos\": [\"99999994\"", &["body"]),
    (ICO, "{\"icos\": [\"99999994\",]}", &["body"]),
    (
        ICO,
        "{\n  \"icos\": [\n    \"99999994\" \"99999901\"\n  ]\n}",
        &["body"],
    ),
    (ICO, "{\"icos\": [\"99999994\"]} more", &["body"]),
    (ICO, "{'icos': ['99999994']}", &["body"]),
    (ICO, "{\"icos\": [\"\\ud800\"]}", &["body"]),
    (ICO, "\u{feff}{\"icos\": [\"99999994\"]}", &["body"]),
    // The wrong shape.
    (ICO, "[\"99999994\"]", &["body"]),
    (ICO, "\"99999994\"", &["body"]),
    (ICO, "null", &["body"]),
    (ICO, "{}", &["icos"]),
    (ICO, "{\"icos\": null}", &["icos"]),
    (ICO, "{\"icos\": \"99999994\"}", &["icos"]),
    (ICO, "{\"icos\": {\"0\": \"99999994\"}}", &["icos"]),
    (ICO, "{\"icos\": 99999994}", &["icos"]),
    (ICO, "{\"names\": [\"99999994\"]}", &["icos", "names"]),
    (ICO, "{\"ICOS\": [\"99999994\"]}", &["ICOS", "icos"]),
    (
        ICO,
        "{\"icos\": [\"99999994\"], \"scope\": \"tax\", \"limit\": 1}",
        &["limit", "scope"],
    ),
    (
        ICO,
        "{\"icos\": [\"99999994\"], \"icos\": [\"99999901\"]}",
        &["icos"],
    ),
    // Invalid items.
    (ICO, "{\"icos\": []}", &["icos"]),
    (ICO, "{\"icos\": [99999994]}", &["icos"]),
    (
        ICO,
        "{\"icos\": [\"99999994\", null, [], {}, true]}",
        &["icos"],
    ),
    (
        ICO,
        "{\"icos\": [\"\", \"1234567\", \"123456789\", \" 99999994\", \"SK999999\"]}",
        &["icos"],
    ),
    (
        ICO,
        "{\"icos\": [\"１２３４５６７８\", \"1234\\u0000678\", \"\\\"><script>alert(1)</script>\"]}",
        &["icos"],
    ),
    (
        ICO,
        "{\"icos\": [\"1\"], \"scope\": \"tax\"}",
        &["icos", "scope"],
    ),
    (NAMES, "{\"names\": []}", &["names"]),
    (NAMES, "{\"icos\": [\"99999994\"]}", &["icos", "names"]),
    (
        NAMES,
        "{\"names\": [\"\", \" \", \"…\", \"- . -\"]}",
        &["names"],
    ),
    (NAMES, "{\"names\": [1]}", &["names"]),
    (NAMES, "{\"names\": \"Vzorostav\"}", &["names"]),
    (
        NAMES,
        "{\"names\": null, \"exact\": 1}",
        &["exact", "names"],
    ),
    (NAMES, "not JSON", &["body"]),
];

fn is_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.at("/error")),
        (status, &json!(code)),
        "{answer:?}"
    );
    assert!(answer.at("/message").is_string() && answer.header("x-request-id").is_some());
    assert!(answer.body.to_string().len() < 4_000, "{answer:?}");
}

async fn sent(world: &World, path: &str, content_type: &str, body: impl Into<Body>) -> Answer {
    let request = world.posting(path).header("content-type", content_type);
    let began = Instant::now();
    let answer = answered(request.body(body)).await;
    assert!(
        began.elapsed() < Duration::from_secs(10),
        "{:?}",
        began.elapsed()
    );
    answer
}

/// Numbers of companies that do not exist.
fn numbers(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("{:08}", 10_000_000 + number))
        .collect()
}

#[test]
fn wrong_fields_of_a_body_are_named() {
    reading(async |world| {
        let mut reported = Map::new();
        for (path, body, fields) in WRONG {
            let answer = sent(world, path, "application/json", body).await;
            is_refused(&answer, 422, "validation_error");
            assert_eq!(keys(answer.at("/errors")), fields, "{body}");
            reported.insert(format!("{path} {body}"), answer.at("/errors").clone());
        }
        assert_json_snapshot!("what is said of wrong bodies", Value::Object(reported));
    });
}

#[test]
fn many_malformed_numbers_are_summarised() {
    reading(async |world| {
        let long = "9".repeat(5_000);
        let icos: Vec<&str> = (0..100).map(|_| long.as_str()).collect();
        let answer = world.post(ICO, &json!({ "icos": icos })).await;
        is_refused(&answer, 422, "validation_error");
        let reported = answer
            .at("/errors/icos")
            .as_array()
            .cloned()
            .unwrap_or_default();
        assert_eq!(reported.len(), 21, "{reported:?}");
        assert_eq!(reported[20], "and 80 more");
        let name = long.clone() + &long;
        let answer = world.post(NAMES, &json!({ "names": ["Vzor", name] })).await;
        is_refused(&answer, 422, "validation_error");
    });
}

#[test]
fn body_without_json_content_type_is_refused() {
    reading(async |world| {
        let body = "{\"icos\":[\"99999994\"]}";
        for content_type in [
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "text/json",
            "application/xml",
        ] {
            let answer = sent(world, ICO, content_type, body).await;
            is_refused(&answer, 415, "unsupported_media_type");
        }
        let without = answered(world.posting(ICO).body(body)).await;
        assert_json_snapshot!("a body without its type", shown(&without));
        let packed = world.posting(ICO).header("content-encoding", "gzip");
        let packed = packed.header("content-type", "application/json");
        is_refused(
            &answered(packed.body(body)).await,
            415,
            "unsupported_media_type",
        );
        for content_type in [
            "application/json;charset=utf-8",
            "APPLICATION/JSON",
            "application/x+json",
        ] {
            let answer = sent(world, ICO, content_type, body).await;
            assert_eq!(answer.status, 200, "{content_type}: {answer:?}");
        }
    });
}

#[test]
fn too_large_body_gets_a_readable_refusal() {
    reading(async |world| {
        let large = vec![b' '; 50 << 20];
        let answer = sent(world, ICO, "application/json", large.clone()).await;
        assert_json_snapshot!("a body that is too large", shown(&answer));
        let chunks: Vec<Result<Vec<u8>, std::io::Error>> = large
            .chunks(1 << 20)
            .map(|chunk| Ok(chunk.to_vec()))
            .collect();
        let unknown_length = Body::wrap_stream(futures_util::stream::iter(chunks));
        let answer = sent(world, ICO, "application/json", unknown_length).await;
        is_refused(&answer, 413, "payload_too_large");
        let answer = sent(world, ICO, "text/plain", large).await;
        is_refused(&answer, 415, "unsupported_media_type");
        let mut fits = b"{\"icos\":[\"99999994\"]}".to_vec();
        fits.resize(1 << 20, b' ');
        assert_eq!(
            sent(world, ICO, "application/json", fits.clone())
                .await
                .status,
            200
        );
        fits.push(b' ');
        let answer = sent(world, ICO, "application/json", fits).await;
        is_refused(&answer, 413, "payload_too_large");
    });
}

#[test]
fn endless_nesting_is_refused() {
    reading(async |world| {
        for opening in ["[", "{\"a\":"] {
            let body = format!("{{\"icos\":{}", opening.repeat(100_000));
            let answer = sent(world, ICO, "application/json", body).await;
            is_refused(&answer, 422, "validation_error");
        }
    });
}

#[test]
fn query_parameters_of_batches_are_refused() {
    reading(async |world| {
        let body = json!({"icos": ["99999994"]});
        let answer = world.post(&format!("{ICO}?scopes=tax"), &body).await;
        is_refused(&answer, 422, "validation_error");
        assert_eq!(keys(answer.at("/errors")), ["scopes"]);
        for path in ["status?verbose=1", "results?limit=1"] {
            let path = format!("/v1/batch/0b9a3c52-6f0e-4d0e-8f44-1f4a5a0d7e11/{path}");
            is_refused(&world.get(&path).await, 422, "validation_error");
        }
    });
}

#[test]
fn ids_of_no_batch_get_the_same_answer() {
    reading(async |world| {
        let unknown = world
            .get("/v1/batch/0b9a3c52-6f0e-4d0e-8f44-1f4a5a0d7e11/status")
            .await;
        assert_json_snapshot!("an unknown batch", shown(&unknown));
        for id in [
            "1",
            "ico",
            "%FF",
            "%00",
            "0b9a3c52-6f0e-4d0e-8f44-1f4a5a0d7e1",
            "'%20or%201=1",
        ] {
            for page in ["status", "results"] {
                let answer = world.get(&format!("/v1/batch/{id}/{page}")).await;
                assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{id}");
            }
        }
        let long = "9".repeat(5_000);
        let answer = world.get(&format!("/v1/batch/{long}/status")).await;
        assert_eq!((answer.status, &answer.body), (404, &unknown.body));
    });
}

#[test]
fn wrong_method_is_405_with_the_allowed_ones() {
    reading(async |world| {
        for (method, path, allowed) in [
            (Method::GET, ICO, "POST"),
            (Method::PUT, NAMES, "POST"),
            (Method::DELETE, ICO, "POST"),
            (Method::POST, "/v1/batch/1/status", "GET,HEAD"),
            (Method::DELETE, "/v1/batch/1/results", "GET,HEAD"),
        ] {
            let headers = [("x-api-key", world.key.as_str())];
            let answer = world.request(method, path, &headers).await;
            is_refused(&answer, 405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some(allowed), "{path}");
        }
    });
}

#[tokio::test]
async fn plan_limits_the_batch_size() {
    let world = World::new().plan("starter").start().await;
    let whole = world.post(ICO, &json!({"icos": numbers(100)})).await;
    assert_eq!(whole.status, 200, "{whole:?}");
    let over = world.post(ICO, &json!({"icos": numbers(101)})).await;
    assert_json_snapshot!("a batch that is too large", shown(&over));
    let mut twice = numbers(100);
    twice.extend(numbers(100));
    let twice = world.post(ICO, &json!({ "icos": twice })).await;
    assert_eq!((twice.status, twice.at("/meta/total")), (200, &json!(100)));
    let names: Vec<String> = (0..101).map(|number| format!("Vzor {number}")).collect();
    let over = world.post(NAMES, &json!({ "names": names })).await;
    is_refused(&over, 422, "validation_error");
    world.end().await;
}

#[tokio::test]
async fn plan_without_batches_is_forbidden() {
    let world = World::new().plan("free").start().await;
    let answer = world.post(ICO, &json!({"icos": ["99999994"]})).await;
    assert_json_snapshot!("a plan without batches", shown(&answer));
    for answer in [
        world.post(NAMES, &json!({"names": ["Vzor"]})).await,
        world.get("/v1/batch/1/status").await,
        world.get("/v1/batch/1/results").await,
    ] {
        is_refused(&answer, 403, "forbidden");
    }
    world.end().await;
}
