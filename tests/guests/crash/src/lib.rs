//! A connector whose code fails: each scope fails in another way.

use std::hint::black_box;

use lustra_sdk::{Enrichment, Failure, Section, Subject, failure};

pub struct Crash;

lustra_sdk::export!(Crash: Enrichment);

impl Enrichment for Crash {
    fn enrich(scope: &str, subject: Subject) -> Result<Section, Failure> {
        match scope {
            "crash_panic" => panic!("the author did not think of this company"),
            "crash_loop" => endless(),
            "crash_memory" => hoard(),
            "crash_stack" => Err(Failure::Unavailable(
                deeper(subject.ico.len() as u64).to_string(),
            )),
            "crash_throttled" => Err(Failure::Throttled(None)),
            "crash_not" => Ok(Section {
                content: r#"{"fine": true}"#.to_owned(),
                unread: Vec::new(),
                evidence: Vec::new(),
                details: Vec::new(),
            }),
            _ => Err(failure::not_offered(scope)),
        }
    }
}

fn endless() -> Result<Section, Failure> {
    let mut turns = 0_u64;
    while black_box(turns) < u64::MAX {
        turns = black_box(turns) | 1;
    }
    Err(Failure::Unavailable("that is not reached".to_owned()))
}

fn hoard() -> Result<Section, Failure> {
    let mut pieces = Vec::new();
    while pieces.len() < 4_096 {
        pieces.push(black_box(vec![1_u8; 1 << 20]));
    }
    Err(Failure::Unavailable(format!(
        "{} MiB were to be had",
        pieces.len()
    )))
}

/// Recurses endlessly. Rotating the bits prevents the compiler from turning the recursion into a loop.
fn deeper(level: u64) -> u64 {
    if level == 42 {
        return 0;
    }
    let next = level
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(2);
    deeper(next).rotate_left(3) ^ level
}
