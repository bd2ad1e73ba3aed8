//! The conformance suite: requirements on every connector, each with a permanent number.
//!
//! It examines a component and its cassettes only. A requirement that they do not cover is *skipped* with the reason
//! and never *passed*; a failed one names each location.

mod calls;
mod failures;
mod filters;
mod imports;
mod labels;
mod others;
mod plain;
mod rows;
mod verdicts;

use std::path::Path;

use serde::Serialize;

use super::bench::{Bench, BenchError, OnBench};
use super::cassette::Cassette;

/// One requirement with its result.
#[derive(Debug, Clone, Serialize)]
pub struct Checked {
    /// Permanent number of the requirement.
    pub number: u8,
    /// The requirement in one line.
    pub title: &'static str,
    #[serde(flatten)]
    pub found: Found,
}

/// Result of one requirement.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
pub enum Found {
    /// The requirement is met.
    Passed {
        /// What was examined, with its count.
        how: String,
    },
    /// The requirement is violated.
    Failed {
        /// Each violation with its location.
        mistakes: Vec<Mistake>,
    },
    /// The requirement cannot be judged.
    Skipped {
        /// What is missing to judge it.
        why: String,
    },
}

/// A violation of a requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// Location: a cassette and an answer in it, or a JSON pointer into the manifest.
    pub place: String,
    pub why: String,
}

impl Mistake {
    fn new(place: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            why: why.into(),
        }
    }
}

impl Found {
    fn passed(how: impl Into<String>) -> Self {
        Self::Passed { how: how.into() }
    }

    fn skipped(why: impl Into<String>) -> Self {
        Self::Skipped { why: why.into() }
    }

    /// Passed if there are no mistakes; skipped if there was nothing to examine.
    fn of(mistakes: Vec<Mistake>, looked_at: usize, what: &str, missing: &str) -> Self {
        if !mistakes.is_empty() {
            Self::Failed { mistakes }
        } else if looked_at == 0 {
            Self::skipped(missing)
        } else {
            Self::passed(format!("{looked_at} {what}"))
        }
    }
}

/// The examined component with its cassettes.
struct Suite<'a> {
    bench: &'a Bench,
    on_bench: &'a OnBench,
    /// Cassettes with their file names.
    cassettes: &'a [(String, Cassette)],
}

/// The requirements in the order of their numbers.
const TITLES: [&str; 25] = [
    "loads under the contract, without foreign imports",
    "its manifest is valid and equals the answer of describe",
    "the schema of its settings accepts the defaults and refuses unknown settings",
    "sends requests only to declared upstreams",
    "has a cassette for each scope, dataset and kind of company key",
    "returns what its cassettes expect, within the schemas",
    "returns the same bytes when a call is repeated",
    "returns the same after 1,000 calls",
    "an unknown company is a result, not a failure",
    "hostile keys are handled",
    "a register that is down or answers 500, 403 or 429 is the right failure",
    "broken answers are failures, never partial results",
    "an error page with status 200 is detected",
    "a redirect to an address that is not granted is reported",
    "stays under half of each limit",
    "an empty answer is not an empty list, unless the manifest allows one",
    "an import that is resumed at any batch returns the same",
    "keys identify the same entries on two days",
    "cassettes of earlier versions still pass",
    "is small enough and compiles fast enough",
    "an answer to another question is not accepted",
    "no verdict is false while a source of it was not read",
    "each member that events tell of has a title in English and Slovak",
    "one odd row affects no other record",
    "each filter of a collection has values in a recorded list",
];

/// Runs the whole suite; calls `on_call` for each call.
///
/// # Errors
/// A failure of the machine. A component that does not load is a failed requirement, not an error.
pub async fn all(
    bench: &Bench,
    file: &Path,
    cassettes: &[(String, Cassette)],
    on_call: &mut (dyn FnMut() + Send),
) -> Result<Vec<Checked>, BenchError> {
    let mut found: Vec<Found> = Vec::new();
    match bench.load(file).await {
        Err(BenchError::Refused { refusal, .. }) => {
            found.extend(plain::refused(file, &refusal));
            let why = "the component does not load";
            found.extend(TITLES.iter().skip(2).map(|_| Found::skipped(why)));
        }
        Err(error) => return Err(error),
        Ok(on_bench) => {
            let id = &on_bench.manifest().id;
            let of_others: Vec<Mistake> = cassettes
                .iter()
                .filter(|(_, cassette)| cassette.connector != *id)
                .map(|(name, cassette)| {
                    Mistake::new(name, format!("it is a call of {}", cassette.connector))
                })
                .collect();
            let own: Vec<(String, Cassette)> = cassettes
                .iter()
                .filter(|(_, cassette)| cassette.connector == *id)
                .cloned()
                .collect();
            let suite = Suite {
                bench,
                on_bench: &on_bench,
                cassettes: &own,
            };
            suite.execute(&mut found, of_others, on_call).await;
        }
    }
    let numbered = (1..).zip(TITLES).zip(found);
    Ok(numbered
        .map(|((number, title), found)| Checked {
            number,
            title,
            found,
        })
        .collect())
}

impl Suite<'_> {
    async fn execute(
        &self,
        found: &mut Vec<Found>,
        of_others: Vec<Mistake>,
        on_call: &mut (dyn FnMut() + Send),
    ) {
        let expected = self.expected(of_others, on_call).await;
        let faults = self.faults(on_call).await;
        found.push(Found::passed(
            "imports and exports are of lustra:connector 1.x",
        ));
        found.push(self.manifest());
        found.push(self.settings());
        found.push(expected.upstreams);
        found.push(self.coverage());
        found.push(expected.outputs);
        found.push(expected.repeated);
        found.push(self.many_calls(on_call).await);
        found.push(self.unknown_company(on_call).await);
        found.push(self.hostile_keys(on_call).await);
        found.push(faults.right_failure);
        found.push(faults.broken);
        found.push(faults.error_page);
        found.push(faults.redirect);
        found.push(expected.limits);
        found.push(self.empty_lists(on_call).await);
        found.push(self.resumed(on_call).await);
        found.push(self.two_days());
        found.push(expected.earlier);
        found.push(self.budget());
        found.push(self.other_questions(on_call).await);
        found.push(self.verdicts(on_call).await);
        found.push(self.labels());
        found.push(self.odd_rows(on_call).await);
        found.push(self.filters());
    }
}
