//! Replays a recorded call.

use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;

use super::{Exchange, HostAnswer, Mask, Question, RecordedFailure, Recording};
use crate::SettingValues;

/// Most unmatched questions that are kept per call, because a call may ask without end.
const MAX_UNMATCHED: usize = 100;

/// Answers a call's requests from a recording.
#[derive(Debug)]
pub struct Replayer {
    /// The recorded call's clock.
    pub now: OffsetDateTime,
    /// Settings of the replay, if they replace the connector's own.
    pub settings: Option<SettingValues>,
    /// Mask that is applied to requests before they are compared.
    pub mask: Mask,
    /// Most bytes of a body returned per read; `None` returns the whole.
    pub chunk: Option<usize>,
    /// Whether unrecorded records and companies count as absent instead of failing.
    pub absent_records: bool,
    exchanges: Vec<(Exchange, bool)>,
    host_answers: Vec<(HostAnswer, bool)>,
    /// Requests that were not recorded, each with the nearest recorded one.
    pub unmatched: Vec<String>,
    /// Upstreams that the call used but the manifest does not declare.
    pub undeclared: Vec<String>,
    /// Log lines of the guest, as level and text.
    pub log: Vec<(&'static str, String)>,
}

impl Replayer {
    /// A replayer of `recording`.
    #[must_use]
    pub fn new(recording: &Recording) -> Self {
        let exchanges = recording.exchanges.iter();
        let host_answers = recording.host_answers.iter();
        Self {
            exchanges: exchanges
                .map(|exchange| (exchange.clone(), false))
                .collect(),
            host_answers: host_answers.map(|answer| (answer.clone(), false)).collect(),
            ..Self::empty(recording.now)
        }
    }

    /// A replayer of a call without requests: each one fails as not recorded.
    #[must_use]
    pub fn empty(now: OffsetDateTime) -> Self {
        Self {
            now,
            settings: None,
            mask: Mask::default(),
            chunk: None,
            absent_records: false,
            exchanges: Vec::new(),
            host_answers: Vec::new(),
            unmatched: Vec::new(),
            undeclared: Vec::new(),
            log: Vec::new(),
        }
    }

    /// The response to a request: the first equal recorded one that is still unused.
    ///
    /// # Errors
    /// No equal request is left; the failure names the nearest.
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
            (
                same,
                common_prefix_length(&exchange.question.path, &question.path),
            )
        });
        let nearest = match nearest {
            Some((exchange, true)) if exchange.question == *question => {
                "it was recorded fewer times".to_owned()
            }
            Some((exchange, _)) => format!("the nearest is {}", exchange.question),
            None => "no request was recorded".to_owned(),
        };
        Err(self.not_recorded(format!("{question}; {nearest}")))
    }

    /// The recorded answer of the host's store.
    ///
    /// # Errors
    /// The recorded failure, or that the request was not recorded.
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

    /// The empty answer to an unrecorded request, if absent records are allowed. A dataset's state is the recorded one,
    /// or else that of another dataset.
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

    /// Recorded requests that the replay did not make.
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

    /// Records an upstream that the manifest does not declare.
    pub fn note_undeclared(&mut self, upstream: &str) {
        if self.undeclared.len() < MAX_UNMATCHED {
            self.undeclared.push(upstream.to_owned());
        }
    }

    fn not_recorded(&mut self, what: String) -> RecordedFailure {
        let failure = RecordedFailure::Unavailable(format!("not recorded: {what}"));
        if self.unmatched.len() < MAX_UNMATCHED {
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

/// Number of leading characters that two paths have in common.
fn common_prefix_length(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}
