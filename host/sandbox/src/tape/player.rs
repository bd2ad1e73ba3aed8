//! The reading side of a tape.

use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;

use super::{Exchange, HostAnswer, Mask, Question, RecordedFailure, Recording};
use crate::SettingValues;

/// Questions without an answer that are kept of one call, which may ask without end.
const MOST_NOTED: usize = 100;

/// Answers a call from an earlier one.
#[derive(Debug)]
pub struct Player {
    /// The clock of the earlier call.
    pub now: OffsetDateTime,
    /// The settings that the call sees in place of the connector's own.
    pub settings: Option<SettingValues>,
    /// What the call's questions are compared without.
    pub mask: Mask,
    /// The most bytes of a body that come at once; none: the whole.
    pub chunk: Option<usize>,
    /// Whether records and companies that were not recorded are taken for absent instead of failing.
    pub absent_records: bool,
    exchanges: Vec<(Exchange, bool)>,
    host_answers: Vec<(HostAnswer, bool)>,
    /// Questions that the earlier call did not ask, each with the nearest that it did.
    pub unmatched: Vec<String>,
    /// Upstreams that the manifest does not name and the call asked for all the same.
    pub undeclared: Vec<String>,
    /// What the guest logged, as level and line.
    pub log: Vec<(&'static str, String)>,
}

impl Player {
    /// A player of a recording.
    #[must_use]
    pub fn new(recording: &Recording) -> Self {
        Self {
            now: recording.now,
            settings: None,
            mask: Mask::default(),
            chunk: None,
            absent_records: false,
            exchanges: recording
                .exchanges
                .iter()
                .map(|exchange| (exchange.clone(), false))
                .collect(),
            host_answers: recording
                .host_answers
                .iter()
                .map(|answer| (answer.clone(), false))
                .collect(),
            unmatched: Vec::new(),
            undeclared: Vec::new(),
            log: Vec::new(),
        }
    }

    /// The answer to a request: that of the first equal one that was not repeated yet.
    ///
    /// # Errors
    /// Nothing equal is left; the failure names the nearest.
    pub fn exchange(&mut self, question: &Question) -> Result<Exchange, RecordedFailure> {
        let found = self
            .exchanges
            .iter_mut()
            .find(|(exchange, used)| !*used && exchange.question == *question);
        if let Some((exchange, used)) = found {
            *used = true;
            return Ok(exchange.clone());
        }
        let nearest = self.exchanges.iter().max_by_key(|(exchange, _)| {
            let same = exchange.question.upstream == question.upstream;
            (same, alike(&exchange.question.path, &question.path))
        });
        let nearest = match nearest {
            Some((exchange, true)) if exchange.question == *question => {
                "it was asked fewer times".to_owned()
            }
            Some((exchange, _)) => format!("the nearest is {}", exchange.question),
            None => "no request was recorded".to_owned(),
        };
        Err(self.not_recorded(format!("{question}; {nearest}")))
    }

    /// The answer of the host's store to a question.
    ///
    /// # Errors
    /// The recorded failure, or that the question was not recorded.
    pub fn host_answer<T: DeserializeOwned>(
        &mut self,
        function: &str,
        arguments: &Value,
    ) -> Result<T, RecordedFailure> {
        let found = self
            .host_answers
            .iter_mut()
            .find(|(answer, used)| {
                !*used && answer.function == function && answer.arguments == *arguments
            })
            .map(|(answer, used)| {
                *used = true;
                answer.answer.clone()
            });
        let Some(mut answer) = found.or_else(|| self.absent(function, arguments)) else {
            return Err(self.not_recorded(format!("{function} {arguments}")));
        };
        let unreadable = |error: serde_json::Error| {
            RecordedFailure::Unavailable(format!("the recorded answer is unreadable: {error}"))
        };
        match answer.get_mut("failed") {
            Some(failure) => Err(serde_json::from_value(failure.take()).map_err(unreadable)?),
            None => serde_json::from_value(answer["ok"].take()).map_err(unreadable),
        }
    }

    /// Nothing, where that is what unrecorded questions find. A dataset's state is what it was whenever it was asked
    /// for, else that of another dataset.
    fn absent(&self, function: &str, arguments: &Value) -> Option<Value> {
        if !self.absent_records {
            return None;
        }
        if function == "records.state" {
            let states = || {
                let of_state = |(answer, _): &&(HostAnswer, bool)| answer.function == function;
                self.host_answers.iter().filter(of_state)
            };
            let same = states().find(|(answer, _)| answer.arguments == *arguments);
            let known = same.or_else(|| states().next());
            return Some(known.map_or_else(never_imported, |(answer, _)| answer.answer.clone()));
        }
        Some(serde_json::json!({ "ok": [] }))
    }

    /// Recorded questions that were not asked this time.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let requests = self
            .exchanges
            .iter()
            .filter(|(_, used)| !used)
            .map(|(exchange, _)| exchange.question.to_string());
        let answers = self
            .host_answers
            .iter()
            .filter(|(_, used)| !used)
            .map(|(answer, _)| format!("{} {}", answer.function, answer.arguments));
        requests.chain(answers).collect()
    }

    /// Notes an upstream that the manifest does not name.
    pub fn note_undeclared(&mut self, upstream: &str) {
        if self.undeclared.len() < MOST_NOTED {
            self.undeclared.push(upstream.to_owned());
        }
    }

    fn not_recorded(&mut self, what: String) -> RecordedFailure {
        let failure = RecordedFailure::Unavailable(format!("not recorded: {what}"));
        if self.unmatched.len() < MOST_NOTED {
            self.unmatched.push(what);
        }
        failure
    }
}

fn never_imported() -> Value {
    serde_json::json!({ "ok": {
        "imported_at": null, "list_date": null, "records": 0, "failure": null, "off": false, "details": [],
    } })
}

/// How many characters two paths begin with alike.
fn alike(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}
