//! The reading side of a tape.

use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;

use super::{Exchange, HostAnswer, Question, RecordedFailure, Recording};
use crate::connectors::SettingValues;

/// Answers a call from an earlier one.
#[derive(Debug)]
pub struct Player {
    /// The clock of the earlier call.
    pub now: OffsetDateTime,
    /// The settings that the call sees in place of the connector's own.
    pub settings: Option<SettingValues>,
    exchanges: Vec<(Exchange, bool)>,
    host_answers: Vec<(HostAnswer, bool)>,
    /// Questions that the earlier call did not ask, each with the nearest that it did.
    pub unmatched: Vec<String>,
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
        let Some(mut answer) = found else {
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

    fn not_recorded(&mut self, what: String) -> RecordedFailure {
        let failure = RecordedFailure::Unavailable(format!("not recorded: {what}"));
        self.unmatched.push(what);
        failure
    }
}

/// How many characters two paths begin with alike.
fn alike(a: &str, b: &str) -> usize {
    a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count()
}
