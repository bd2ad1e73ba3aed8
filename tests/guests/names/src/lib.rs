//! A connector whose requests cost the host more than the connector itself: each scope in another way.

use lustra_sdk::http::Request;
use lustra_sdk::{Enrichment, Failure, Section, Subject, companies, failure, records};

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

/// Endlessly requests the longest accepted name.
fn flood(subject: &Subject) -> Result<Section, Failure> {
    let name = long(subject, 1_000);
    loop {
        companies::candidates(&name, None, None, 50)?;
    }
}

/// A name with the same beginning as the company's, so that the host compares companies with it.
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
