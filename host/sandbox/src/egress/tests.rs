//! Egress against loopback servers: one axum server or one scripted socket per test.

mod addresses;
mod archives;
mod bodies;
mod limits;
mod pace;
mod reach;
mod sending;

use std::collections::HashMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::resolver::Lookup;
use super::{
    Address, Allowance, Answer, Body, Egress, EgressFailure, Grant, Limits, Outgoing, Upstream,
};

/// Starts a register on the loopback that answers every request with `answer`. Returns its address.
async fn serve<F, A>(answer: F) -> String
where
    F: Fn(Request) -> A + Clone + Send + Sync + 'static,
    A: IntoResponse + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound socket");
    let router = Router::new().fallback(move |request: Request| {
        let response: Response = answer(request).into_response();
        std::future::ready(response)
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// Starts a register that plays one script per connection: it sends the script's bytes, then closes. A script that ends
/// in `…` keeps the connection open. The last script repeats. Returns the address and the request counter.
async fn script(scripts: &'static [&'static str]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("a bound socket");
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let index = counted.fetch_add(1, Ordering::SeqCst);
            let text = scripts[index.min(scripts.len() - 1)];
            tokio::spawn(play(stream, text));
        }
    });
    (format!("http://{address}"), count)
}

async fn play(mut stream: TcpStream, text: &'static str) {
    let mut request = Vec::new();
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let answer = text.trim_end_matches('…');
    stream.write_all(answer.as_bytes()).await.expect("a reader");
    if text.ends_with('…') {
        std::future::pending::<()>().await;
    }
    stream.shutdown().await.expect("a reader");
}

/// Egress with a resolver that knows only `names`.
fn egress(names: &[(&str, &str)]) -> Egress {
    let table: HashMap<String, Vec<SocketAddr>> = names
        .iter()
        .map(|(name, addresses)| {
            let addresses = addresses
                .split(' ')
                .map(|text| SocketAddr::new(text.parse().expect("an address"), 0));
            ((*name).to_owned(), addresses.collect())
        })
        .collect();
    let lookup: Lookup = Arc::new(move |name| {
        let found = table.get(&name).cloned();
        Box::pin(async move { found.ok_or_else(|| std::io::ErrorKind::NotFound.into()) })
    });
    Egress::with_lookup("Lustra/test", &lookup, crate::clock::Clock::system()).expect("a client")
}

/// An upstream with a grant for its own address.
fn upstream(address: &str) -> Upstream {
    let origin: Vec<&str> = address.splitn(4, '/').take(3).collect();
    let grant = origin.join("/");
    let grant = if address.starts_with("file:") {
        address
    } else {
        &grant
    };
    upstream_with(address, &[grant])
}

fn upstream_with(address: &str, grants: &[&str]) -> Upstream {
    Upstream {
        name: "orsr".to_owned(),
        address: Address::parse(address).expect("an address"),
        grants: grants
            .iter()
            .map(|grant| Grant::parse(grant).expect("a grant"))
            .collect(),
        requests_per_second: 100_000.0,
        concurrent: 4,
        timeout: Duration::from_secs(10),
        idle: Duration::from_secs(10),
        retry_pauses: [Duration::from_millis(1); 2].into(),
    }
}

fn limits() -> Limits {
    Limits {
        requests: 20,
        bytes: 20 << 20,
        body: 10 << 20,
        piece: 8 << 20,
        redirects: 5,
        archive_ratio: 200,
        archive_entries: 100,
        spool: std::env::temp_dir(),
        max_wait: Duration::from_secs(10),
    }
}

fn allowance() -> Arc<Allowance> {
    Arc::new(Allowance::new(limits()))
}

fn get(path: &str) -> Outgoing {
    Outgoing {
        method: Method::GET,
        path: path.to_owned(),
        headers: Vec::new(),
        body: None,
        idempotent: false,
    }
}

fn post(path: &str) -> Outgoing {
    Outgoing {
        method: Method::POST,
        body: Some(Bytes::from_static(b"ico=99999901")),
        ..get(path)
    }
}

/// Sends one request with default limits.
async fn ask(upstream: &Upstream, outgoing: Outgoing) -> Result<Answer, EgressFailure> {
    egress(&[]).send(upstream, outgoing, &allowance()).await
}

/// The body of a register's response with these bytes and this content-type.
async fn body_of(bytes: Vec<u8>, content_type: &'static str) -> Body {
    body_within(bytes, content_type, limits()).await
}

async fn body_within(bytes: Vec<u8>, content_type: &'static str, limits: Limits) -> Body {
    let bytes = Bytes::from(bytes);
    let address = serve(move |_| ([("content-type", content_type)], bytes.clone())).await;
    let allowance = Arc::new(Allowance::new(limits));
    let (egress, upstream) = (egress(&[]), upstream(&address));
    let answer = egress.send(&upstream, get("/list"), &allowance).await;
    answer.expect("an answer").body
}

fn refused(failure: EgressFailure) -> String {
    match failure {
        EgressFailure::Refused(text) => text,
        other @ (EgressFailure::Unavailable(_)
        | EgressFailure::Throttled(_)
        | EgressFailure::Malformed { .. }
        | EgressFailure::Misconfigured(_)) => panic!("not refused: {other}"),
    }
}

fn unavailable(failure: EgressFailure) -> String {
    match failure {
        EgressFailure::Unavailable(text) => text,
        other @ (EgressFailure::Refused(_)
        | EgressFailure::Throttled(_)
        | EgressFailure::Malformed { .. }
        | EgressFailure::Misconfigured(_)) => panic!("not unavailable: {other}"),
    }
}

/// The expected and the found text of a malformed failure.
fn malformed(failure: EgressFailure) -> (String, String) {
    match failure {
        EgressFailure::Malformed {
            expected, found, ..
        } => (expected, found),
        other @ (EgressFailure::Refused(_)
        | EgressFailure::Throttled(_)
        | EgressFailure::Unavailable(_)
        | EgressFailure::Misconfigured(_)) => panic!("not malformed: {other}"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}
