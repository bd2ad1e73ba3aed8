//! Invalid input gets one error form that names what is wrong.

use insta::assert_json_snapshot;
use lustra_tests::Answer;
use reqwest::Method;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{keys, reading, shown};

/// A path and its wrong parameters.
const WRONG: [(&str, &[&str]); 57] = [
    // Invalid numbers.
    ("/v1/company/ico/1", &["ico"]),
    ("/v1/company/ico/1234567", &["ico"]),
    ("/v1/company/ico/123456789", &["ico"]),
    ("/v1/company/ico/1234567a", &["ico"]),
    ("/v1/company/ico/SK123456", &["ico"]),
    ("/v1/company/ico/-1234567", &["ico"]),
    ("/v1/company/ico/+1234567", &["ico"]),
    ("/v1/company/ico/1234567.", &["ico"]),
    ("/v1/company/ico/12%20345678", &["ico"]),
    ("/v1/company/ico/%2012345678", &["ico"]),
    ("/v1/company/ico/12345678%20", &["ico"]),
    ("/v1/company/ico/12345678%0A", &["ico"]),
    ("/v1/company/ico/12345678%00", &["ico"]),
    ("/v1/company/ico/1234%2F5678", &["ico"]),
    ("/v1/company/ico/12345678%27--", &["ico"]),
    (
        "/v1/company/ico/%EF%BC%91%EF%BC%92%EF%BC%93%EF%BC%94%EF%BC%95%EF%BC%96%EF%BC%97%EF%BC%98",
        &["ico"],
    ),
    ("/v1/company/ico/%D9%A1%D9%A2%D9%A3%D9%A4", &["ico"]),
    ("/v1/company/ico/%F0%9F%98%80%F0%9F%98%80", &["ico"]),
    ("/v1/company/ico/%20", &["ico"]),
    // Escapes that are not UTF-8, or not escapes.
    ("/v1/company/ico/%FF", &["ico"]),
    ("/v1/company/ico/1234567%FF", &["ico"]),
    ("/v1/company/ico/%C3%28123456", &["ico"]),
    ("/v1/company/ico/%ED%A0%80", &["ico"]),
    ("/v1/company/ico/%zz345678", &["ico"]),
    ("/v1/company/ico/1234567%", &["ico"]),
    ("/v1/company/ico/1234567%3", &["ico"]),
    // Scopes.
    ("/v1/company/ico/99999994?scope=no_such_scope", &["scope"]),
    (
        "/v1/company/ico/99999994?scope=tax,no_such_scope",
        &["scope"],
    ),
    (
        "/v1/company/ico/99999994?scope=all,no_such_scope",
        &["scope"],
    ),
    ("/v1/company/ico/99999994?scope=TAX", &["scope"]),
    (
        "/v1/company/ico/99999994?scope=tax%3Berased_vat",
        &["scope"],
    ),
    ("/v1/company/ico/99999994?scope=%FF", &["scope"]),
    ("/v1/company/ico/99999994?scope=%zz", &["scope"]),
    ("/v1/company/ico/99999994?scope=tax&scope=tax", &["scope"]),
    ("/v1/company/1?scope=no_such_scope", &["scope"]),
    ("/v1/company/id/1002?scope=no_such_scope", &["scope"]),
    // Unknown parameters.
    ("/v1/company/ico/99999994?scop=tax", &["scop"]),
    ("/v1/company/ico/99999994?Scope=tax", &["Scope"]),
    (
        "/v1/company/ico/99999994?scope=tax&fresh=1&limit=2",
        &["fresh", "limit"],
    ),
    ("/v1/company/ico/99999994?tax", &["tax"]),
    ("/v1/company/ico/99999994?scope[]=tax", &["scope[]"]),
    ("/v1/company/1?q=x", &["q"]),
    ("/v1/company/id/1002?q=x", &["q"]),
    ("/v1/status?verbose=1", &["verbose"]),
    ("/v1/sandbox/companies?limit=1", &["limit"]),
    ("/v1/sandbox/company/ico/99100118?limit=1", &["limit"]),
    ("/v1/sandbox/company/ico/991", &["ico"]),
    // Database ids.
    ("/v1/company/ico", &["id"]),
    ("/v1/company/one", &["id"]),
    ("/v1/company/1.5", &["id"]),
    ("/v1/company/-1", &["id"]),
    ("/v1/company/99999999999999999999", &["id"]),
    ("/v1/company/%FF", &["id"]),
    // Commercial-register ids.
    ("/v1/company/id/346-2", &["orsr_id"]),
    ("/v1/company/id/346%2F2%2F3", &["orsr_id"]),
    ("/v1/company/id/%2F2", &["orsr_id"]),
    ("/v1/company/id/1234567890123", &["orsr_id"]),
];

fn is_an_error(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.at("/error")),
        (status, &json!(code)),
        "{answer:?}"
    );
    assert!(
        answer
            .at("/message")
            .as_str()
            .is_some_and(|message| !message.is_empty()),
        "{answer:?}"
    );
    assert_eq!(answer.header("content-type"), Some("application/json"));
    // Also checks the form of the request id.
    shown(answer);
    assert!(answer.header("x-request-id").is_some(), "{answer:?}");
}

#[test]
fn wrong_parameters_are_named() {
    reading(async |world| {
        let mut reported = Map::new();
        for (path, parameters) in WRONG {
            let answer = world.get(path).await;
            is_an_error(&answer, 422, "validation_error");
            assert_eq!(keys(answer.at("/errors")), parameters, "{path}");
            reported.insert(path.to_owned(), answer.at("/errors").clone());
        }
        assert_json_snapshot!("what is said of wrong parameters", Value::Object(reported));
    });
}

#[test]
fn register_id_with_a_plain_slash_is_checked() {
    reading(async |world| {
        for path in ["346/x", "x/2", "346/%FF", "346/1234567890123"] {
            let answer = world.get(&format!("/v1/company/id/{path}")).await;
            is_an_error(&answer, 422, "validation_error");
            assert_eq!(keys(answer.at("/errors")), ["orsr_id"], "{path}");
        }
    });
}

#[test]
fn all_wrong_parameters_are_named_at_once() {
    reading(async |world| {
        let answer = world
            .get("/v1/company/ico/99999994?fresh=1&scope=%FF&%FE=2&fresh=3")
            .await;
        is_an_error(&answer, 422, "validation_error");
        assert_eq!(keys(answer.at("/errors")), ["%FE", "fresh", "scope"]);
    });
}

#[test]
fn too_long_query_is_refused() {
    reading(async |world| {
        let long = "x,".repeat(5_000);
        for (query, parameter) in [
            (format!("scope={long}"), "scope"),
            (format!("a=1&scope={long}"), "scope"),
            (format!("={long}"), "query"),
        ] {
            let answer = world
                .get(&format!("/v1/company/ico/99999994?{query}"))
                .await;
            is_an_error(&answer, 422, "validation_error");
            assert_eq!(keys(answer.at("/errors")), [parameter]);
        }
        let answer = world
            .get(&format!("/v1/company/ico/{}", "9".repeat(20_000)))
            .await;
        is_an_error(&answer, 422, "validation_error");
        assert!(
            answer.body.to_string().len() < 1_000,
            "the input is not echoed"
        );
    });
}

#[test]
fn request_that_http_library_refuses_has_error_form() {
    reading(async |world| {
        // Longer than the test's HTTP client can send.
        let long = "x".repeat(100_000);
        let query = format!("GET /v1/company/ico/99999994?scope={long} HTTP/1.1\r\n");
        let long = raw(&world.url(), &format!("{query}Host: lustra\r\n\r\n")).await;
        assert!(long.starts_with("HTTP/1.1 414 URI Too Long\r\n"), "{long}");
        let (_, body) = long.split_once("\r\n\r\n").expect("a body");
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["error"], "uri_too_long");
        let key = world.key.as_str();
        let mut headers = vec![("x-many", "x"); 150];
        headers.push(("x-api-key", key));
        let answer = world.get_with("/v1/status", &headers).await;
        is_an_error(&answer, 431, "headers_too_large");
        for wrong in [
            "no HTTP at all\r\n\r\n",
            "GET /v1/status HTTP/1.1\r\na b: c\r\n\r\n",
        ] {
            let answer = raw(&world.url(), wrong).await;
            assert!(
                answer.starts_with("HTTP/1.1 400 Bad Request\r\n"),
                "{answer}"
            );
            let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
            let body: Value = serde_json::from_str(body).expect("JSON");
            assert_eq!(body["error"], "bad_request");
            assert!(head.contains("\r\nx-request-id: "), "{head}");
        }
        assert_eq!(world.get("/v1/status").await.status, 200);
    });
}

/// The raw response to these bytes.
async fn raw(url: &str, request: &str) -> String {
    let address = url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let sent = stream.write_all(request.as_bytes()).await;
    sent.expect("it reads");
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer).await;
    read.expect("it answers and closes");
    String::from_utf8(answer).expect("UTF-8")
}

#[test]
fn unknown_scopes_are_named_with_the_existing_ones() {
    reading(async |world| {
        let answer = world.company("99999994", "tax,wrong,wronger").await;
        assert_json_snapshot!("unknown scopes", shown(&answer));
    });
}

#[test]
fn unknown_paths_are_404() {
    reading(async |world| {
        assert_json_snapshot!("unknown path", shown(&world.get("/v1/nothing").await));
        for path in [
            "/",
            "/v1",
            "/v1/",
            "/v2/status",
            "/v1/company",
            "/v1/company/",
            "/v1/company/ico/",
            "/v1/company/ico/99999994/",
            "/v1/company/ico/99999994/x",
            "/v1/company/id/1/2/3",
            "/v1/Status",
            "/v1/sandbox",
            "/v1/sandbox/company/99100118",
            "//v1/status",
            "/docs/nothing.js",
            "/docs/reference/nothing.js",
            "/%FF",
        ] {
            is_an_error(&world.get(path).await, 404, "not_found");
        }
    });
}

#[test]
fn wrong_method_is_405_with_the_allowed_ones() {
    reading(async |world| {
        let answer = world.request(Method::POST, "/v1/status", &[]).await;
        assert_json_snapshot!("wrong method", shown(&answer));
        for path in [
            "/v1/status",
            "/v1/health",
            "/v1/company/ico/99999994",
            "/v1/company/1",
            "/v1/company/id/1002",
            "/v1/company/id/1002/4",
            "/v1/sandbox/companies",
            "/v1/sandbox/company/ico/99100118",
            "/v1/openapi.json",
        ] {
            for method in [
                Method::POST,
                Method::PUT,
                Method::PATCH,
                Method::DELETE,
                Method::OPTIONS,
            ] {
                let answer = world
                    .request(method, path, &[("x-api-key", &world.key)])
                    .await;
                is_an_error(&answer, 405, "method_not_allowed");
                assert_eq!(answer.header("allow"), Some("GET,HEAD"), "{path}");
            }
        }
    });
}
