//! Clients that misuse HTTP/2.

use std::time::Duration;

use axum::http::Request;
use bytes::Bytes;
use h2::Reason;
use h2::client::{Builder, SendRequest};
use lustra_tests::World;
use reqwest::Method;
use serde_json::Value;
use tokio::io::AsyncReadExt;
use tokio::task::JoinHandle;

use crate::tls_support::{Pair, with_tls};

/// Maximum time until a limit takes effect, also on a busy machine.
const MAX_WAIT: Duration = Duration::from_secs(30);

type Client = (SendRequest<Bytes>, JoinHandle<Result<(), h2::Error>>);

/// A connection, and the task that ends with it.
async fn connect(world: &World, pair: &Pair, builder: &Builder) -> Client {
    let stream = pair.connect(world.address(), &["h2"]).await;
    let stream = stream.expect("the host listens");
    let (client, connection) = builder.handshake(stream).await.expect("HTTP/2");
    let connection = tokio::spawn(connection);
    (client.ready().await.expect("it is open"), connection)
}

fn request(method: &str, path: &str, key: &str) -> Request<()> {
    let request = Request::builder()
        .method(method)
        .uri(format!("https://localhost{path}"));
    let request = request
        .header("x-api-key", key)
        .header("content-type", "application/json");
    request.body(()).expect("a request")
}

async fn ended(connection: JoinHandle<Result<(), h2::Error>>) {
    let ended = tokio::time::timeout(MAX_WAIT, connection).await;
    drop(ended.expect("the host ends the connection"));
}

async fn count_of(world: &World, reason: &str) -> f64 {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let metrics = metrics.body.as_str().expect("a text").to_owned();
    let labels = format!("{{listener=\"api\",reason=\"{reason}\"}} ");
    let values = metrics.lines().filter(|line| line.contains("http"));
    let values = values.filter_map(|line| line.split_once(&labels)?.1.parse::<f64>().ok());
    values.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn http2_connection_without_a_request_is_closed() {
    let (world, _folder, pair) = with_tls(|config| config.connections.header_seconds = 1).await;
    // Neither the handshake of TLS nor that of HTTP/2 can be left unfinished.
    let mut silent = tokio::net::TcpStream::connect(world.address())
        .await
        .expect("it listens");
    let mut without_preface = pair
        .connect(world.address(), &["h2"])
        .await
        .expect("it listens");
    let (_client, idle) = connect(&world, &pair, &Builder::new()).await;
    let mut rest = Vec::new();
    let closed = async {
        drop(silent.read_to_end(&mut rest).await);
        drop(without_preface.read_to_end(&mut rest).await);
    };
    let closed = tokio::time::timeout(MAX_WAIT, closed).await;
    closed.expect("the host closes both");
    ended(idle).await;
    assert!(count_of(&world, "idle").await >= 1.0);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rapid_resets_end_the_connection() {
    let (world, _folder, pair) = with_tls(|_| {}).await;
    let (mut client, connection) = connect(&world, &pair, &Builder::new()).await;
    let mut cancelled = 0;
    while cancelled < 1_000 {
        let mut waiting = Vec::new();
        for _ in 0..3 {
            // The handler waits for the body.
            let posted = client.send_request(request("POST", "/v1/batch/ico", &world.key), false);
            waiting.extend(posted.ok());
        }
        let Ok((answer, _)) = client.send_request(request("GET", "/v1/health", ""), true) else {
            break;
        };
        if answer.await.is_err() {
            break;
        }
        for (_, mut body) in waiting {
            body.send_reset(Reason::CANCEL);
            cancelled += 1;
        }
        client = match client.ready().await {
            Ok(client) => client,
            Err(_) => break,
        };
    }
    ended(connection).await;
    assert!((100..=200).contains(&cancelled), "{cancelled}");
    assert!(count_of(&world, "cancelling").await >= 1.0);
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_http2_response_ends_the_connection() {
    let (world, _folder, pair) = with_tls(|config| config.connections.write_seconds = 1).await;
    let mut builder = Builder::new();
    builder.initial_window_size(0);
    let (mut client, connection) = connect(&world, &pair, &builder).await;
    let asked = client.send_request(request("GET", "/v1/openapi.json", ""), true);
    let answer = asked
        .expect("it is sent")
        .0
        .await
        .expect("its headers arrive");
    assert_eq!(answer.status(), 200);
    ended(connection).await;
    assert!(count_of(&world, "unread").await >= 1.0);
    world.end().await;
}

async fn in_flight(world: &World) -> f64 {
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    let metrics = metrics.body.as_str().expect("a text").to_owned();
    let mut lines = metrics.lines();
    let value = lines.find_map(|line| line.strip_prefix("lustra_http_requests_in_flight "));
    let value = value.and_then(|value| value.parse().ok());
    value.expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_one_connection_are_limited() {
    let (world, _folder, pair) = with_tls(|config| {
        config.connections.streams = 4;
        config.connections.most_each_address = 3;
    })
    .await;
    let (mut client, connection) = connect(&world, &pair, &Builder::new()).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let posted = client.send_request(request("POST", "/v1/batch/ico", &world.key), false);
        held.push(posted.expect("it is sent"));
        client = client.ready().await.expect("it is open");
    }
    // The order in which requests of one connection begin is not that in which they were sent.
    let begun = async {
        while in_flight(&world).await < 3.0 {
            tokio::task::yield_now().await;
        }
    };
    let begun = tokio::time::timeout(MAX_WAIT, begun).await;
    begun.expect("all three are in progress");
    let fourth = client.send_request(request("GET", "/v1/health", ""), true);
    let answer = fourth.expect("it is sent").0.await.expect("it is answered");
    assert_eq!(answer.status(), 429);
    assert_eq!(client.current_max_send_streams(), 4, "as the settings say");
    assert!(answer.headers().contains_key("retry-after"));
    assert!(answer.headers().contains_key("x-request-id"));
    let mut body = answer.into_body();
    let body = body.data().await.expect("a body").expect("it arrives");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error"], "rate_limit_exceeded", "{body}");
    drop(held);
    connection.abort();
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_http2_headers_get_431_in_the_error_form() {
    let (world, _folder, pair) = with_tls(|_| {}).await;
    let (mut client, connection) = connect(&world, &pair, &Builder::new()).await;
    // The limit arrives with the first settings.
    let first = client.send_request(request("GET", "/v1/health", ""), true);
    assert_eq!(
        first
            .expect("it is sent")
            .0
            .await
            .expect("an answer")
            .status(),
        200
    );
    let mut large = request("GET", "/v1/health", "");
    let value = "x".repeat(150_000).parse().expect("a value");
    large.headers_mut().insert("x-large", value);
    let mut client = client.ready().await.expect("it is open");
    let answer = client
        .send_request(large, true)
        .expect("it is sent")
        .0
        .await;
    let answer = answer.expect("it is answered");
    assert_eq!(answer.status(), 431);
    let mut body = answer.into_body();
    let body = body.data().await.expect("a body").expect("it arrives");
    let body: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error"], "headers_too_large", "{body}");
    assert!(count_of(&world, "headers").await >= 1.0);
    connection.abort();
    world.end().await;
}
