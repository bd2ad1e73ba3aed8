//! Recordings of calls: every request with its response, so that a call can be replayed without the network.
//!
//! All inputs of a guest come from the host: responses of upstreams, answers of the store, clock and settings. So a
//! recording of them determines the call. The host keeps a few recent calls for the shadow check of a new version
//! ([`sample`]); authors keep them in cassettes. Requests are matched by equality, and equal ones in order. A request
//! that was not recorded fails and names the nearest recorded one.

pub mod forms;
mod mask;
mod recorder;
mod replayer;
pub mod sample;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

pub use forms::{RecordedFailure, RecordedSubject};
pub use mask::Mask;
pub use recorder::Recorder;
pub use replayer::Replayer;

use super::cache::hex;
use lustra_store::ScopeName;

/// Whether a call is recorded or replayed.
#[derive(Default)]
pub enum RecordingMode {
    /// The call runs live and is not recorded.
    #[default]
    Off,
    /// The call runs live and is recorded.
    Record(Recorder),
    /// The call is replayed from a recording, without any live request.
    Replay(Replayer),
}

impl RecordingMode {
    /// The recorder, if the call is recorded.
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        match self {
            Self::Record(recorder) => Some(recorder),
            Self::Off | Self::Replay(_) => None,
        }
    }

    /// The replayer, if the call is a replay.
    pub fn replayer(&mut self) -> Option<&mut Replayer> {
        match self {
            Self::Replay(replayer) => Some(replayer),
            Self::Off | Self::Record(_) => None,
        }
    }
}

/// The identity of a request; equal questions match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Either `GET` or `POST`.
    pub method: String,
    /// Name of the upstream.
    pub upstream: String,
    /// Path and query of the URL.
    pub path: String,
    /// Bytes skipped at the start of the response's body, if the connector requested that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_from: Option<String>,
    /// SHA-256 of the request's body in hexadecimal, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_digest: Option<String>,
}

impl Question {
    /// The same question with secrets masked; the digest becomes that of the masked body.
    #[must_use]
    pub fn masked(mut self, mask: &Mask, body: Option<&[u8]>) -> Self {
        if !mask.is_empty() {
            self.path = mask.text(&self.path);
            self.body_digest = body.map(|body| Self::digest(&mask.bytes(body)));
        }
        self
    }

    /// SHA-256 of a request's body.
    #[must_use]
    pub fn digest(body: &[u8]) -> String {
        hex(&Sha256::digest(body))
    }
}

impl std::fmt::Display for Question {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.method, self.upstream, self.path)?;
        match &self.body_digest {
            Some(digest) => write!(f, " (body {})", digest.get(..12).unwrap_or(digest)),
            None => Ok(()),
        }
    }
}

/// One request with its response.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The identity of the request.
    pub question: Question,
    /// Headers that the connector set, names in lower case.
    pub request_headers: Vec<(String, String)>,
    /// The response, or why there was none.
    pub answer: Result<RecordedAnswer, RecordedFailure>,
    /// Time from the request to the response head.
    pub took: Duration,
}

/// A response of an upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAnswer {
    /// HTTP status of the response.
    pub status: u16,
    /// Header names in lower case with their values.
    pub headers: Vec<(String, String)>,
    /// The bytes that the connector read, after a transparent content encoding.
    pub body: Vec<u8>,
    /// Whether the body was read to its end; a connector may stop earlier.
    pub complete: bool,
}

/// An answer of the host's own store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostAnswer {
    /// The function, such as `records.by-company`.
    pub function: String,
    /// Arguments of the function as JSON.
    pub arguments: Value,
    /// `{"ok": …}` or `{"failed": …}`.
    pub answer: Value,
}

/// The recorded call and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RecordedCall {
    /// Fetches one section of a company.
    Enrich {
        /// Name of the scope.
        scope: ScopeName,
        /// The company that the section is about.
        subject: RecordedSubject,
    },
    /// Fetches a company by its registration number or by the register's own id.
    FetchCompany {
        /// `ico`, `register-id` or a later kind.
        key: String,
        /// The number or id.
        value: String,
    },
    /// Runs an import from a cursor.
    Import {
        /// Name of the dataset.
        dataset: String,
        /// Cursor where the run began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
}

impl RecordedCall {
    /// A short name: the scope, the kind of key or the dataset.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Enrich { scope, .. } => scope.as_str(),
            Self::FetchCompany { .. } => "company",
            Self::Import { dataset, .. } => dataset,
        }
    }
}

/// The outcome of a call: JSON, or the reason of its failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    /// The result: for a section `{"section": …, "unread": {…}}`, for a company its record or null, for an import its
    /// records.
    Gave(Value),
    /// The reason as one line, as [`super::CallFailure`] prints it.
    Failed(String),
}

/// A complete recorded call.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The call and its arguments.
    pub call: RecordedCall,
    /// Time of the guest's clock during the call.
    pub now: OffsetDateTime,
    /// HTTP requests in order.
    pub exchanges: Vec<Exchange>,
    /// Requests to the host's store in order.
    pub host_answers: Vec<HostAnswer>,
    /// The outcome of the call.
    pub outcome: CallOutcome,
}
