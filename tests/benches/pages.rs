//! Pages for people: the time until a page is there, and what a browser has to load for it.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use lustra_tests::World;
use lustra_tests::lustra::config::Config;
use reqwest::redirect::Policy;
use serde_json::json;

use crate::support::client::{Connection, Request};
use crate::support::{self, Aim, Figures, Options};

/// Largest scripts and style of a page, in bytes.
const MAX_SCRIPT: f64 = 60_000.0;
const MAX_STYLE: f64 = 30_000.0;

/// Longest time until a page is there, in milliseconds.
const LONGEST: f64 = 20.0;

pub fn run(options: &Options) {
    support::log_like_a_server();
    let runtime = support::runtime();
    let mut figures = Figures::new("Pages");
    let requests = options.number("iterations", 300, 30);
    // All requests come from one address and one account, so their limits are off.
    let unlimited = |config: &mut Config| {
        config.web.companies_per_minute = 0;
        config.web.searches_per_minute = 0;
        config.requests.other_calls_per_minute = u32::MAX;
    };
    let world = World::new().companies(60).settings(unlimited);
    let world = runtime.block_on(world.start());
    let cookie = runtime.block_on(signed_in(&world));
    let ico = world.icos[0].clone();
    runtime.block_on(used(&world, &ico));
    figures.explain(&format!(
        "Each page {requests} times in turn over one kept-alive connection, from the request to its last byte, signed in. \
         Sizes are those of the files before compression."
    ));
    let company = format!("/company/{ico}");
    let watched = format!("/account/watching/{ico}");
    let pages = [
        "/",
        &company,
        "/status",
        "/account",
        "/account/watching",
        &watched,
        "/account/events",
        "/account/files",
        "/account/ledger",
        "/account/plan",
        "/account/try",
    ];
    let (host, operator) = (address(&world.url()), address(&world.operator_url()));
    let operators = ["/", "/sources/debtors"].map(|path| (operator, "operator's ", path));
    let of_host = pages.map(|path| (host, "", path));
    let mut loaded = Loaded::default();
    for (server, whose, path) in of_host.into_iter().chain(operators) {
        let mut connection = Connection::open(server);
        let request = request(path, &cookie);
        // The first answer is assembled, later ones come from memory.
        let page = String::from_utf8_lossy(connection.ask(&request)).into_owned();
        let mut times: Vec<Duration> = (0..requests)
            .map(|_| {
                let asked = Instant::now();
                connection.ask(&request);
                asked.elapsed()
            })
            .collect();
        let mut millis = |share| support::percentile(&mut times, share).as_secs_f64() * 1e3;
        let (middle, p99) = (millis(0.5), millis(0.99));
        let name = path.replace(&ico, "{ico}");
        figures.aimed(
            format!("{whose}{name}, p50"),
            middle,
            "ms",
            Aim::AtMost(LONGEST),
        );
        figures.report(format!("{whose}{name}, p99"), p99, "ms");
        loaded.add(&mut connection, &page, &cookie);
    }
    figures.report("largest page", to_float(loaded.page), "bytes");
    figures.aimed(
        "scripts of a page",
        to_float(loaded.script),
        "bytes",
        Aim::AtMost(MAX_SCRIPT),
    );
    figures.aimed(
        "style of a page",
        to_float(loaded.style),
        "bytes",
        Aim::AtMost(MAX_STYLE),
    );
    let others = to_float(loaded.other_origins.len());
    figures.aimed(
        "other origins that pages load from",
        others,
        "",
        Aim::AtMost(0.0),
    );
    runtime.block_on(world.end());
}

/// What pages load, each the largest of all pages.
#[derive(Default)]
struct Loaded {
    page: usize,
    script: usize,
    style: usize,
    other_origins: BTreeSet<String>,
}

impl Loaded {
    fn add(&mut self, connection: &mut Connection, page: &str, cookie: &str) {
        let mut size = |begin: &str, extension: &str| -> usize {
            let files = page.split(begin).skip(1);
            let files = files.filter_map(|rest| rest.split('"').next());
            let mut bytes = 0;
            for file in files.filter(|file| file.ends_with(extension)) {
                if file.starts_with('/') {
                    bytes += connection.ask(&request(file, cookie)).len();
                } else {
                    self.other_origins.insert(file.to_owned());
                }
            }
            bytes
        };
        let (script, style) = (
            size("src=\"", ".js"),
            size("rel=\"stylesheet\" href=\"", ".css"),
        );
        self.page = self.page.max(page.len());
        self.script = self.script.max(script);
        self.style = self.style.max(style);
        let images = page.split("<img").skip(1);
        self.other_origins.extend(
            images
                .filter(|image| image.contains("://"))
                .map(str::to_owned),
        );
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "sizes of files are far below 2^52"
)]
fn to_float(size: usize) -> f64 {
    size as f64
}

fn address(url: &str) -> SocketAddr {
    let address = url.strip_prefix("http://").unwrap_or(url);
    address.parse().expect("a world listens on an address")
}

fn request(path: &str, cookie: &str) -> Request {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/html\r\naccept-language: sk\r\ncookie: {cookie}\r\n\r\n")
        .into_bytes()
}

/// Signs in with the world's key. Returns the cookie.
async fn signed_in(world: &World) -> String {
    let client = reqwest::Client::builder().redirect(Policy::none()).build();
    let client = client.expect("a client");
    let request = client
        .post(format!("{}/account/sign-in/key", world.url()))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("key={}", world.key));
    let answer = request.send().await.expect("the world answers");
    let cookie = answer.headers().get_all("set-cookie").iter();
    let mut cookie = cookie.filter_map(|cookie| cookie.to_str().ok()?.split(';').next());
    let session = cookie.find(|cookie| cookie.starts_with("lustra_session="));
    session.expect("the key is valid").to_owned()
}

/// Gives the account something to show.
async fn used(world: &World, ico: &str) {
    world.company(ico, "all").await;
    let body = json!({ "ico": ico, "notification_emails": ["risk@firma.example"] });
    world.post("/v1/notifications", &body).await;
    world.post("/v1/batch/ico", &json!({ "icos": [ico] })).await;
    world.wait_idle().await;
}
