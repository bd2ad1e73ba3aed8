//! A connector that sends forbidden or excessive requests: each scope in another way.

use std::io;

use lustra_sdk::http::{self, Body, Request, Response};
use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Network;

/// The text of `manifest.json`, which the component carries.
pub const MANIFEST: &str = include_str!("../manifest.json");

/// What [`lustra_sdk::export`] writes, except that `describe` sends a request. The host must refuse it; otherwise
/// `describe` returns no manifest.
#[cfg(target_family = "wasm")]
mod exported {
    use super::{MANIFEST, Network, Request};

    #[expect(
        unsafe_code,
        reason = "a custom section is placed by an unsafe attribute"
    )]
    #[unsafe(link_section = "lustra:manifest")]
    #[used]
    static MANIFEST_SECTION: [u8; include_bytes!("../manifest.json").len()] =
        *include_bytes!("../manifest.json");

    struct Component;

    impl lustra_sdk::bindings::base::exports::lustra::connector::connector::Guest for Component {
        fn describe() -> String {
            match Request::get("register", "/described").send() {
                Ok(answer) => answer.status.to_string(),
                Err(_refused) => MANIFEST.to_owned(),
            }
        }
    }
    lustra_sdk::bindings::base::export_base!(Component with_types_in lustra_sdk::bindings::base);
    lustra_sdk::__export_ability!(Network, Enrichment);
}

impl Enrichment for Network {
    fn enrich(scope: &str, _subject: Subject) -> Result<Section, Failure> {
        match scope {
            "network_redirect" | "network_not" => ask("register"),
            "network_unnamed" => ask("another-register"),
            "network_wait" => get("/never").map(|_| fine()),
            "network_around" => get("/around").map(|_| fine()),
            "network_outside" => get("/../another.example").map(|_| fine()),
            "network_broken" => broken(),
            "network_body" => read_to_the_end("/large"),
            "network_bytes" => again_and_again(),
            "network_piece" => get("/piece")?.body.bytes().map(|_| fine()),
            "network_bomb" => bomb(),
            "network_archive" => archive(),
            "network_crowd" => get("/crowd.zip")?.body.unzip().map(|_| fine()),
            "network_hold" => hold(),
            "network_flood" => flood(),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

fn ask(upstream: &str) -> Result<Section, Failure> {
    Request::get(upstream, "/check").send().map(|_| fine())
}

/// Keeps sending requests, also after the host has refused them.
fn flood() -> Result<Section, Failure> {
    let mut last = Ok(fine());
    for number in 0..100_000 {
        last = Request::get("register", format!("/check/{number}"))
            .send()
            .map(|_| fine());
    }
    last
}

fn get(path: &str) -> Result<Response, Failure> {
    Request::get("register", path).send()
}

/// Keeps sending requests to a failing register.
fn broken() -> Result<Section, Failure> {
    let mut last = Ok(fine());
    for _ in 0..8 {
        last = match get("/broken") {
            Ok(answer) if answer.status == 200 => return Ok(fine()),
            Ok(answer) => Err(answer.status_failure()),
            Err(failure) => Err(failure),
        };
    }
    last
}

fn read_to_the_end(path: &str) -> Result<Section, Failure> {
    drain(get(path)?.body)
}

fn drain(body: Body) -> Result<Section, Failure> {
    io::copy(&mut body.reader(), &mut io::sink())
        .map(|_| fine())
        .map_err(|error| http::of_io("register", &error))
}

/// Each answer is below the size limit; their sum is not.
fn again_and_again() -> Result<Section, Failure> {
    for _ in 0..19 {
        read_to_the_end("/piece")?;
    }
    Ok(fine())
}

fn bomb() -> Result<Section, Failure> {
    let body = get("/bomb.gz")?.body;
    body.gunzip()?;
    drain(body)
}

fn archive() -> Result<Section, Failure> {
    let body = get("/bomb.zip")?.body;
    let names = body.unzip()?;
    let name = names.first().map_or("", String::as_str);
    drain(body.entry(name)?)
}

/// Keeps the handles of all answers open.
fn hold() -> Result<Section, Failure> {
    let mut held = Vec::new();
    for number in 0..15 {
        held.push(get(&format!("/held/{number}"))?);
    }
    Err(Failure::Unavailable(format!("{} are held", held.len())))
}

fn fine() -> Section {
    Section {
        content: r#"{"fine": true}"#.to_owned(),
        unread: Vec::new(),
        evidence: Vec::new(),
        details: Vec::new(),
    }
}
