//! Profiles over HTTP: the host's overhead over a bare server, and the time of a profile from the store.

use std::net::SocketAddr;

use axum::Router;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use lustra_tests::World;
use tokio::runtime::Runtime;

use crate::support::client::{self, Connection, Request};
use crate::support::{self, Aim, Figures, Options};

/// How often each profile is requested before the measurement. A part that arrives last makes sections stale that were
/// read from it before, so the first request does not leave a profile whose parts are all fresh.
const WARM_UPS: u32 = 4;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Profiles over HTTP");
    cached(&runtime, options, &mut figures);
    from_store(&runtime, options, &mut figures);
    figures.end();
}

fn address(world: &World) -> SocketAddr {
    let url = world.url();
    let address = url.strip_prefix("http://").unwrap_or(&url);
    address.parse().expect("a world listens on an address")
}

fn profile(world: &World, ico: &str) -> Request {
    client::get(&format!("/v1/company/ico/{ico}?scope=all"), &world.key)
}

/// The field `meta.source` of an answer, and whether it is marked stale.
fn source(body: &[u8]) -> (String, bool) {
    let body: serde_json::Value = serde_json::from_slice(body).expect("a profile is JSON");
    let source = body["meta"]["source"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    (source, body["meta"]["stale"] == true)
}

/// Compares a cached profile with a handler that only sends the same bytes.
fn cached(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let rounds = options.number("rounds", 7, 2);
    let span = options.seconds(3, 1);
    let connections = options.number("connections", 8, 4);
    let world = runtime.block_on(World::new().start());
    let host = address(&world);
    let request = [profile(&world, &world.icos[0])];
    let mut connection = Connection::open(host);
    let mut body = Bytes::new();
    for _ in 0..WARM_UPS {
        connection.ask(&request[0]);
        runtime.block_on(world.wait_idle());
        body = Bytes::copy_from_slice(connection.ask(&request[0]));
    }
    assert_eq!(source(&body), ("cache".to_owned(), false));
    let bare = support::upstream::listen(runtime, bare_server(body.clone()));
    figures.explain(&format!(
        "A cached profile with all scopes ({} bytes): the host with key, plan, scopes, limits, log and request id, \
         compared with an axum handler on the same runtime that sends the same bytes over sockets with the same \
         option (TCP_NODELAY). {connections} kept-alive \
         connections each, {rounds} alternating rounds of {} s; the median ratio counts.",
        body.len(),
        span.as_secs()
    ));
    // Warm-up: connections and caches of both, before the first round.
    for server in [host, bare] {
        client::closed_loop(server, &request, connections, span / 3);
    }
    let (mut of_host, mut of_bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let measure = |server| client::closed_loop(server, &request, connections, span);
        let (ours, theirs) = if round % 2 == 0 {
            let ours = measure(host);
            (ours, measure(bare))
        } else {
            let theirs = measure(bare);
            (measure(host), theirs)
        };
        of_host.push(ours);
        of_bare.push(theirs);
        ratios.push(ours / theirs);
    }
    figures.report(
        "cached profile, host",
        support::median(&of_host),
        "requests/s",
    );
    figures.report(
        "the same bytes, bare handler",
        support::median(&of_bare),
        "requests/s",
    );
    let ratio = support::median(&ratios);
    figures.aimed(
        "cached profile, host to bare handler",
        ratio,
        "",
        Aim::AtLeast(0.85),
    );
    runtime.block_on(world.end());
}

fn bare_server(body: Bytes) -> Router {
    let handler = move || {
        let body = body.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], body) }
    };
    Router::new().route("/v1/company/ico/{ico}", get(handler))
}

/// Measures profiles that are assembled from the store for each request.
fn from_store(runtime: &Runtime, options: &Options, figures: &mut Figures) {
    let companies = options.number("companies", 500, 60);
    let connections = options.number("connections", 16, 8);
    let rate = options.number("profiles-rate", 200, 100);
    let span = options.seconds(20, 2);
    let world = World::new()
        .companies(companies)
        .settings(|config| config.freshness.cache_seconds = 0);
    let world = runtime.block_on(world.start());
    let host = address(&world);
    let population = world.simulator.population();
    let requests: Vec<Request> = (0..companies)
        .map(|index| profile(&world, &population.ico(index)))
        .collect();
    // A connector accepts 16 concurrent calls: two companies with all scopes stay below the limit.
    for _ in 0..WARM_UPS {
        client::each_once(host, &requests, 2);
        runtime.block_on(world.wait_idle());
    }
    let requests = stored_and_fresh(host, requests, connections);
    figures.explain(&format!(
        "Profiles with all scopes of {} companies out of {companies} (those with all parts stored and fresh), assembled \
         from SQLite for each request, because the cache is off. {rate} requests a second, sent when due whether or \
         not earlier ones are answered, for {} s; each time starts when the request is due.",
        requests.len(),
        span.as_secs()
    ));
    client::closed_loop(host, &requests, connections, span / 10);
    let mut times = client::open_loop(host, &requests, connections, rate, span);
    let mut millis = |share| support::percentile(&mut times, share).as_secs_f64() * 1e3;
    let (middle, p99, worst) = (millis(0.5), millis(0.99), millis(1.0));
    figures.report(
        format!("profile from SQLite at {rate}/s, p50"),
        middle,
        "ms",
    );
    figures.aimed(
        format!("profile from SQLite at {rate}/s, p99"),
        p99,
        "ms",
        Aim::AtMost(3.0),
    );
    figures.report(
        format!("profile from SQLite at {rate}/s, longest"),
        worst,
        "ms",
    );
    let saturated = client::closed_loop(host, &requests, connections, span / 4);
    figures.aimed(
        "profile from SQLite, saturated",
        saturated,
        "requests/s",
        Aim::AtLeast(4_000.0),
    );
    runtime.block_on(world.end());
}

/// The requests that the store alone can answer.
fn stored_and_fresh(host: SocketAddr, requests: Vec<Request>, connections: u32) -> Vec<Request> {
    let bodies = client::each_once(host, &requests, connections);
    let kept: Vec<Request> = requests
        .into_iter()
        .zip(bodies)
        .filter(|(_, body)| source(body) == ("database".to_owned(), false))
        .map(|(request, _)| request)
        .collect();
    assert!(!kept.is_empty(), "no profile came from the store alone");
    kept
}
