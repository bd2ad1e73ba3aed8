//! A connector whose questions cost the host more than they cost itself: each scope is one way.

use lustra_sdk::http::Request;
use lustra_sdk::{Enrichment, Failure, Section, Subject, companies, failure, records};

/// The connector.
pub struct Names;

lustra_sdk::export!(Names: Enrichment);

const MEGABYTE: usize = 1 << 20;

impl Enrichment for Names {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "names_long" => {
                let name = long(&subject, MEGABYTE);
                companies::candidates(&name, None, None, 50).map(|_| fine())
            }
            "names_key" => records::by_key("none", &"9".repeat(MEGABYTE), 1).map(|_| fine()),
            "names_request" => Request::get("register", "/".repeat(MEGABYTE))
                .send()
                .map(|_| fine()),
            "names_flood" => flood(&subject),
            "names_not" => Ok(fine()),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

/// Asks for the longest name that is answered, again and again.
fn flood(subject: &Subject) -> Result<Section, Failure> {
    let name = long(subject, 1_000);
    loop {
        companies::candidates(&name, None, None, 50)?;
    }
}

/// A name that begins as the company's does, so that companies are compared with it.
fn long(subject: &Subject, bytes: usize) -> String {
    let word = subject.name.split(' ').next().unwrap_or_default();
    let mut name = format!("{word} ");
    while name.len() + 2 <= bytes {
        name.push_str("ab");
    }
    name
}

fn fine() -> Section {
    Section {
        content: r#"{"fine": true}"#.to_owned(),
        unread: Vec::new(),
        evidence: Vec::new(),
        details: Vec::new(),
    }
}
