//! A connector with wrong answers: each scope is wrong in another way.

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Answers;

lustra_sdk::export!(Answers: Enrichment);

impl Enrichment for Answers {
    fn enrich(scope: &str, _subject: Subject) -> Result<Section, Failure> {
        match scope {
            "answers_giant" => Ok(section(format!("\"{}\"", "x".repeat(12 << 20)))),
            "answers_schema" => Ok(section(r#"{"fine": "Ján Tajný"}"#.to_owned())),
            "answers_text" => Ok(section("Ján Tajný is fine".to_owned())),
            "answers_log" => {
                runtime::log(Level::Info, &"y".repeat(1 << 20));
                for line in 0..5_000 {
                    runtime::log(Level::Info, &format!("guest line {line}\nforged line"));
                }
                Ok(section(r#"{"fine": true}"#.to_owned()))
            }
            "answers_forged" => Err(Failure::Unavailable(
                "the register is closed\nERROR lustra: \u{202e}the store was deleted\r\n"
                    .to_owned(),
            )),
            "answers_endless" => Err(Failure::Other((
                "endless\n".repeat(1_000),
                "line\n".repeat(1_400_000),
            ))),
            "answers_twice" => Ok(section(r#"{"fine": "Ján Tajný", "fine": true}"#.to_owned())),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

fn section(content: String) -> Section {
    Section {
        content,
        unread: Vec::new(),
        evidence: Vec::new(),
        details: Vec::new(),
    }
}
