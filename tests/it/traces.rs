//! Traces: a receiver of OTLP decodes what the program sends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use lustra_demo as demo;
use lustra_tests::{START, client, components};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use tokio::net::TcpListener;

use crate::command_line::{lustra, serve_with_log};

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const PARENT: &str = "b7ad6b7169203331";

/// What arrived.
#[derive(Default)]
struct Arrived {
    spans: Vec<Span>,
    service: Vec<String>,
    headers: Vec<HeaderMap>,
}

type Shared = Arc<Mutex<Arrived>>;

async fn receive(State(arrived): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let Ok(request) = ExportTraceServiceRequest::decode(body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut arrived = arrived.lock().expect("no test panics here");
    arrived.headers.push(headers);
    for of_resource in request.resource_spans {
        let resource = of_resource.resource.unwrap_or_default();
        for attribute in resource.attributes {
            if attribute.key == "service.name"
                && let Some(Value::StringValue(name)) =
                    attribute.value.and_then(|value| value.value)
            {
                arrived.service.push(name);
            }
        }
        let scopes = of_resource.scope_spans.into_iter();
        arrived.spans.extend(scopes.flat_map(|scope| scope.spans));
    }
    StatusCode::OK.into_response()
}

/// Serves a router on a free port; returns its address.
async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Passes requests on to the registers, and keeps their headers.
async fn registers(to: String, seen: Arc<Mutex<Vec<HeaderMap>>>) -> String {
    let client = client();
    serve(Router::new().fallback(move |request: Request| {
        let (client, to, seen) = (client.clone(), to.clone(), Arc::clone(&seen));
        async move {
            let (parts, body) = request.into_parts();
            seen.lock()
                .expect("no test panics here")
                .push(parts.headers.clone());
            let body = axum::body::to_bytes(body, 1 << 20)
                .await
                .expect("a small body");
            let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
            let passed = client
                .request(parts.method, format!("{to}{path}"))
                .body(body);
            let answer = passed
                .headers(parts.headers)
                .send()
                .await
                .expect("the simulator");
            let (status, headers) = (answer.status(), answer.headers().clone());
            (status, headers, answer.bytes().await.expect("a body")).into_response()
        }
    }))
    .await
}

fn attributes(span: &Span) -> BTreeMap<&str, String> {
    let attributes = span.attributes.iter().map(|attribute| {
        let value = attribute
            .value
            .as_ref()
            .and_then(|value| value.value.as_ref());
        let text = match value {
            Some(Value::StringValue(text)) => text.clone(),
            Some(Value::IntValue(number)) => number.to_string(),
            other => format!("{other:?}"),
        };
        (attribute.key.as_str(), text)
    });
    attributes.collect()
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Traced {
    spans: Vec<Span>,
    arrived: Shared,
    to_registers: Vec<HeaderMap>,
    ico: String,
}

/// Runs the program with a receiver of traces, and asks for one company.
async fn traced(accepts: bool) -> Traced {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let (simulator, _) = demo::simulator(12, 1, START).await.expect("it starts");
    let (arrived, seen) = (Shared::default(), Arc::default());
    let router = Router::new().route("/v1/traces", axum::routing::post(receive));
    let receiver = serve(router.with_state(Arc::clone(&arrived))).await;
    let registers = registers(simulator.url(), Arc::clone(&seen)).await;
    let listen = "127.0.0.1:0".parse().expect("an address");
    let components = components();
    let settings = demo::settings(&registers, &components, &folder.path().join("data"), listen);
    let compiled = components.join("../compiled-for-tests");
    let settings = settings.replace(
        "[imports]\n",
        "[operator]\non = false\n[imports]\nscheduled = false\n",
    );
    let text = format!(
        "compiled = {compiled:?}\n{settings}\n[telemetry]\notlp = \"{receiver}\"\ntraceparent = {accepts}\n\
         headers = {{ authorization = \"secret of the receiver\" }}\n"
    );
    let file = folder.path().join("lustra.toml");
    std::fs::write(&file, text).expect("a folder of our own");
    let config = file.display().to_string();
    let key = [
        "key",
        "create",
        "--config",
        &config,
        "--account",
        "acme",
        "--plan",
        "business",
    ];
    let key = lustra(&key).await.printed().trim().to_owned();
    let (mut host, url) = serve_with_log(&file, drop).await;
    let ico = simulator.population().showcase()[0].clone();
    let request = client().get(format!("{url}/company/ico/{ico}?scope=tax"));
    let request = request.header("x-api-key", key);
    let request = request.header("traceparent", format!("00-{TRACE}-{PARENT}-01"));
    let answer = request.send().await.expect("an answer");
    assert_eq!(
        answer.status(),
        200,
        "{}",
        answer.text().await.unwrap_or_default()
    );
    // The end sends the last spans.
    let id = host.id().expect("it runs").to_string();
    let ended = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status();
    assert!(ended.expect("kill is there").success());
    let ended = tokio::time::timeout(Duration::from_secs(60), host.wait()).await;
    assert!(ended.expect("it ends in time").expect("it runs").success());
    let spans = std::mem::take(&mut arrived.lock().expect("no test panics here").spans);
    let to_registers = std::mem::take(&mut *seen.lock().expect("no test panics here"));
    Traced {
        spans,
        arrived,
        to_registers,
        ico,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_a_request_reaches_the_receiver() {
    let Traced {
        spans,
        arrived,
        to_registers,
        ico,
    } = traced(true).await;
    let request = spans
        .iter()
        .find(|span| span.name == "GET /v1/company/ico/{ico}");
    let request = request.unwrap_or_else(|| panic!("no request in {spans:?}"));
    assert_eq!(request.kind, SpanKind::Server as i32);
    assert_eq!(
        (hex(&request.trace_id), hex(&request.parent_span_id)),
        (TRACE.to_owned(), PARENT.to_owned())
    );
    let of_request = attributes(request);
    assert_eq!(of_request["http.route"], "/v1/company/ico/{ico}");
    assert_eq!(of_request["http.response.status_code"], "200");
    assert_eq!(of_request["request.id"].len(), 32, "{of_request:?}");
    // Each span lies within the request.
    let by_id: BTreeMap<&[u8], &Span> = spans.iter().map(|span| (&*span.span_id, span)).collect();
    let path_of = |span: &Span| {
        let mut names = vec![span.name.clone()];
        let mut place = span;
        while let Some(parent) = by_id.get(&*place.parent_span_id) {
            names.push(parent.name.clone());
            place = parent;
        }
        names
    };
    let within = |name: &str| {
        let ours = spans
            .iter()
            .filter(|span| span.name == name && hex(&span.trace_id) == TRACE);
        ours.map(path_of).collect::<Vec<_>>()
    };
    for name in ["assemble company", "enrich", "egress", "database"] {
        let paths = within(name);
        assert!(!paths.is_empty(), "no {name}");
        for path in paths {
            assert_eq!(path.last(), Some(&request.name), "{path:?}");
        }
    }
    let calls = within("egress");
    assert!(
        calls.iter().any(|path| path.contains(&"enrich".to_owned())),
        "{calls:?}"
    );
    let mut egress = spans
        .iter()
        .filter(|span| span.name == "egress")
        .map(attributes);
    let is_fine = |span: BTreeMap<&str, String>| {
        let status = span.get("http.response.status_code");
        status.is_some_and(|status| status == "200")
    };
    assert!(egress.any(is_fine), "{spans:?}");
    let database = spans
        .iter()
        .filter(|span| span.name == "database")
        .map(attributes);
    for attributes in database {
        assert_eq!(attributes["db.system.name"], "sqlite", "{attributes:?}");
        assert!(attributes.contains_key("statements"), "{attributes:?}");
    }
    assert!(
        !format!("{spans:?}").contains(&ico),
        "no span names the company"
    );
    assert!(!to_registers.is_empty());
    for headers in &to_registers {
        assert!(!headers.contains_key("traceparent"), "{headers:?}");
    }
    let arrived = arrived.lock().expect("no test panics here");
    assert!(arrived.service.iter().all(|name| name == "lustra") && !arrived.service.is_empty());
    for headers in &arrived.headers {
        assert_eq!(headers["content-type"], "application/x-protobuf");
        assert_eq!(headers["authorization"], "secret of the receiver");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn traceparent_of_clients_is_ignored_by_default() {
    let Traced { spans, .. } = traced(false).await;
    let request = spans
        .iter()
        .find(|span| span.name == "GET /v1/company/ico/{ico}");
    let request = request.unwrap_or_else(|| panic!("no request in {spans:?}"));
    assert!(request.parent_span_id.is_empty(), "{request:?}");
    assert!(
        spans.iter().all(|span| hex(&span.trace_id) != TRACE),
        "{spans:?}"
    );
}
