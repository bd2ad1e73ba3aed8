//! A connector of which tests make versions: they overwrite the word below in the component's bytes.

use std::hint::black_box;

use lustra_sdk::http::Request;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::{Enrichment, Failure, Section, Subject};

/// What this version says and, for some words, does. Every word that tests use has this length.
static WORD: &str = "word:answers";

/// The connector. It has one scope, whose name copies change, so it does not compare.
pub struct Versions;

lustra_sdk::export!(Versions: Enrichment);

impl Enrichment for Versions {
    fn enrich(_scope: &str, subject: Subject) -> Result<Section, Failure> {
        let path = format!("/licences?ico={}", subject.ico);
        let register: Value = Request::get("register", path).fetch()?.json()?;
        let licences = register["licences"].as_array().map_or(0, Vec::len);
        let word = black_box(WORD).trim_start_matches("word:");
        let content = match word {
            "panics!" => panic!("this version was not tried out"),
            "partial" if licences > 0 => json!({ "said": word, "licences": "some" }),
            "unknown" => json!({ "said": word, "licences": licences, "more": true }),
            _ => json!({ "said": word, "licences": licences }),
        };
        Ok(Section {
            content: content.to_string(),
            unread: Vec::new(),
            evidence: Vec::new(),
            details: Vec::new(),
        })
    }
}
