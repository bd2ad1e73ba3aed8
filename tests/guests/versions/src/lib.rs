//! A connector that tests turn into new versions: they overwrite the word below in the component's bytes.

use std::hint::black_box;

use lustra_sdk::http::Request;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::{Enrichment, Failure, Section, Subject};

/// The word that this version returns; some words also change what it does. All words of tests have this length.
static WORD: &str = "word:answers";

/// Has one scope. Copies of the component change the scope's name, so the code does not compare it.
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
