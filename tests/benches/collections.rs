//! Listings of a collection with 30,000 items, compared with a cached profile of the same host.

use std::net::SocketAddr;
use std::time::Instant;

use lustra_tests::World;
use lustra_tests::lustra::config::{Config, UpstreamConfig};
use lustra_tests::lustra::store::testing::connector_id;
use serde_json::json;

use crate::support::client::{self, Connection, Request};
use crate::support::{self, Figures, Options};

const ID: &str = "guest-subjects";

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Collections");
    let items = options.number("items", 30_000, 500);
    let connections = options.number("connections", 8, 4);
    let rate = options.number("listings-rate", 200, 50);
    let span = options.seconds(10, 1);
    let folder = tempfile::tempdir().expect("benchmarks can write temporary files");
    let file = folder.path().join("list.json");
    let text = serde_json::to_vec(&list(items)).expect("JSON");
    std::fs::write(&file, text).expect("a folder of our own");
    let world = runtime.block_on(world(format!("file:{}", file.display())));
    let url = world.url();
    let address = url.strip_prefix("http://").unwrap_or(&url);
    let host: SocketAddr = address.parse().expect("a world listens on an address");
    let get = |path: &str| client::get(path, &world.key);
    let list = "/v1/guest-subjects/subjects";
    let mut connection = Connection::open(host);
    let started = Instant::now();
    connection.ask(&get(list));
    figures.explain(&format!(
        "Pages of 25 items of a collection with {items} items on SQLite, with four questions in turn, and a cached profile of \
         the same host: {rate} requests a second each, sent when due, for {} s.",
        span.as_secs()
    ));
    figures.report(
        "first listing, which builds the index",
        started.elapsed().as_secs_f64(),
        "s",
    );
    let questions = [
        "",
        "?q=sub+12",
        "?parent_ico=35000001&sector=uvery",
        "?status=all&offset=20000",
    ];
    let listings: Vec<Request> = questions
        .iter()
        .map(|query| get(&format!("{list}{query}")))
        .collect();
    let profile = [get(&format!("/v1/company/ico/{}", world.icos[0]))];
    connection.ask(&profile[0]);
    connection.ask(&profile[0]);
    for (name, requests) in [("cached profile", &profile[..]), ("listing", &listings)] {
        client::closed_loop(host, requests, connections, span / 5);
        let mut times = client::open_loop(host, requests, connections, rate, span);
        for (share, word) in [(0.5, "p50"), (0.99, "p99")] {
            let millis = support::percentile(&mut times, share).as_secs_f64() * 1e3;
            figures.report(format!("{name}, {word}"), millis, "ms");
        }
    }
    figures.end();
    runtime.block_on(world.end());
}

/// Subjects with names of a few words, of whom each tenth works for one of ten companies.
fn list(items: u32) -> Vec<serde_json::Value> {
    let subject = |number: u32| {
        let id = format!("{number:026}");
        let licences = if number.is_multiple_of(10) {
            let ico = format!("3500000{}", number / 10 % 10);
            json!([{"sector": "úvery", "parent": {"id": ico, "ico": ico}}])
        } else {
            json!([])
        };
        json!({"key": id, "content": {
            "id": id, "ico": null, "name": format!("Subjekt {number}, spol. s r. o."), "country": "SK",
            "is_person": number.is_multiple_of(3), "is_current": !number.is_multiple_of(5),
            "categories": ["viazaný finančný agent"], "licences": licences,
        }})
    };
    (0..items).map(subject).collect()
}

async fn world(address: String) -> World {
    let settings = move |config: &mut Config| {
        let connector = config.connector.entry(connector_id(ID)).or_default();
        connector.grants.push(address.clone());
        let upstream = UpstreamConfig {
            address: Some(address),
            ..UpstreamConfig::default()
        };
        connector.upstreams.insert("list".to_owned(), upstream);
    };
    let world = World::new()
        .with_guests()
        .without_index()
        .settings(settings);
    let world = world.start().await;
    let imported = world
        .importer
        .run(&connector_id(ID), "subjects", &|_| {})
        .await;
    imported.expect("the list can be imported");
    world
}
