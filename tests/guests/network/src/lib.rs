//! A connector that asks for what it must not: each scope is one way.

use lustra_sdk::http::Request;
use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

/// The connector.
pub struct Network;

lustra_sdk::export!(Network: Enrichment);

impl Enrichment for Network {
    fn enrich(scope: &str, _subject: Subject) -> Result<Section, Failure> {
        match scope {
            "network_redirect" => ask("register"),
            "network_unnamed" => ask("another-register"),
            "network_flood" => flood(),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

fn ask(upstream: &str) -> Result<Section, Failure> {
    Request::get(upstream, "/check").send().map(|_| fine())
}

/// Goes on whatever the host says.
fn flood() -> Result<Section, Failure> {
    let mut last = Ok(fine());
    for number in 0..100_000 {
        last = Request::get("register", format!("/check/{number}"))
            .send()
            .map(|_| fine());
    }
    last
}

fn fine() -> Section {
    Section {
        content: r#"{"fine": true}"#.to_owned(),
        unread: Vec::new(),
        evidence: Vec::new(),
        details: Vec::new(),
    }
}
