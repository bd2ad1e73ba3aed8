//! Records a call.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::egress::Tee;

use super::{
    CallOutcome, Exchange, HostAnswer, Mask, Question, RecordedAnswer, RecordedCall,
    RecordedFailure, Recording,
};

/// Bytes that a request takes beside its texts.
const QUESTION_OVERHEAD: usize = 128;

/// Status, headers, and the body as far as it was read.
type Head = (u16, Vec<(String, String)>, Tee);

/// A request whose response body may still be arriving.
#[derive(Debug)]
struct PendingExchange {
    question: Question,
    request_headers: Vec<(String, String)>,
    head: Result<Head, RecordedFailure>,
    took: Duration,
}

/// Records the requests and responses of one call, up to a number of bytes.
#[derive(Debug)]
pub struct Recorder {
    /// Mask that is applied to questions before they are recorded.
    pub mask: Mask,
    now: OffsetDateTime,
    most: usize,
    open: Vec<PendingExchange>,
    host_answers: Vec<HostAnswer>,
    host_bytes: usize,
    /// The answer, if it did not fit its schema; shown to the connector's author.
    pub refused: Option<String>,
    /// Log lines of the guest, as level and text.
    pub log: Vec<(&'static str, String)>,
}

impl Recorder {
    /// A recorder of a call that starts now. A call with more than `most` bytes of answers produces no recording.
    #[must_use]
    pub fn new(now: OffsetDateTime, most: usize) -> Self {
        Self {
            mask: Mask::default(),
            now,
            most,
            open: Vec::new(),
            host_answers: Vec::new(),
            host_bytes: 0,
            refused: None,
            log: Vec::new(),
        }
    }

    /// Records the head of a response; the returned tee receives the body.
    pub fn answered(
        &mut self,
        question: Question,
        request_headers: Vec<(String, String)>,
        status: u16,
        headers: Vec<(String, String)>,
        took: Duration,
    ) -> Tee {
        let tee = Tee::new(self.most);
        self.open.push(PendingExchange {
            question,
            request_headers,
            head: Ok((status, headers, tee.clone())),
            took,
        });
        tee
    }

    /// Records a request without a response.
    pub fn failed(
        &mut self,
        question: Question,
        request_headers: Vec<(String, String)>,
        failure: RecordedFailure,
        took: Duration,
    ) {
        self.open.push(PendingExchange {
            question,
            request_headers,
            head: Err(failure),
            took,
        });
    }

    /// Records an answer of the host's store.
    pub fn host_answered<T: Serialize>(
        &mut self,
        function: &str,
        arguments: Value,
        answer: &Result<T, RecordedFailure>,
    ) {
        if self.host_bytes > self.most {
            return;
        }
        let answer = match answer {
            Ok(value) => json!({ "ok": value }),
            Err(failure) => json!({ "failed": failure }),
        };
        // An estimate, because exact counting would serialise it twice. A request without an answer takes room too.
        self.host_bytes += QUESTION_OVERHEAD + size_of_json(&arguments) + size_of_json(&answer);
        self.host_answers.push(HostAnswer {
            function: function.to_owned(),
            arguments,
            answer,
        });
    }

    /// The requests so far, with bodies as far as they were read.
    #[must_use]
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.open.iter().map(PendingExchange::close).collect()
    }

    /// The complete recording, or `None` if it exceeds the size limit.
    #[must_use]
    pub fn finish(self, call: RecordedCall, outcome: CallOutcome) -> Option<Recording> {
        let bodies: usize = self.open.iter().map(PendingExchange::bytes).sum();
        if bodies + self.host_bytes > self.most {
            return None;
        }
        Some(Recording {
            exchanges: self.exchanges(),
            call,
            now: self.now,
            host_answers: self.host_answers,
            outcome,
        })
    }
}

impl PendingExchange {
    fn bytes(&self) -> usize {
        self.head.as_ref().map_or(0, |(_, _, tee)| tee.bytes())
    }

    fn close(&self) -> Exchange {
        let answer = match &self.head {
            Ok((status, headers, tee)) => {
                let (body, complete) = tee.copy();
                Ok(RecordedAnswer {
                    status: *status,
                    headers: headers.clone(),
                    body,
                    complete,
                })
            }
            Err(failure) => Err(failure.clone()),
        };
        Exchange {
            question: self.question.clone(),
            request_headers: self.request_headers.clone(),
            answer,
            took: self.took,
        }
    }
}

fn size_of_json(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(size_of_json).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len() + size_of_json(value))
            .sum(),
    }
}
