//! What a call asked and what it was answered, kept so that the call can be repeated without the network.
//!
//! Every input of a guest is the host's: answers of upstreams, of the store, the clock and the settings. Whoever has
//! them all has the call. The host keeps a few of the newest for the shadow check of a new version ([`sample`]);
//! authors keep them in cassettes. Matching is by order among equal requests; what was not recorded is a failure that
//! names the nearest that was.

pub mod cassette;
pub mod forms;
mod mask;
mod player;
mod recorder;
pub mod replay;
pub mod sample;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

pub use forms::{RecordedFailure, RecordedSubject};
pub use mask::Mask;
pub use player::Player;
pub use recorder::{Recorder, Tee};

use super::cache::hex;

/// What a call does with its questions.
#[derive(Default)]
pub enum Tape {
    /// It asks, and nothing is kept.
    #[default]
    Off,
    /// It asks, and what it asks and is answered is kept.
    Recording(Recorder),
    /// It asks nobody: the answers are those of an earlier call.
    Replaying(Player),
}

impl Tape {
    /// The recorder, where the call is recorded.
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        match self {
            Self::Recording(recorder) => Some(recorder),
            Self::Off | Self::Replaying(_) => None,
        }
    }

    /// The player, where the call is a repetition.
    pub fn player(&mut self) -> Option<&mut Player> {
        match self {
            Self::Replaying(player) => Some(player),
            Self::Off | Self::Recording(_) => None,
        }
    }
}

/// What makes two requests the same question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// `GET` or `POST`.
    pub method: String,
    /// The named upstream.
    pub upstream: String,
    /// Path and query.
    pub path: String,
    /// Bytes skipped at the beginning of the answer's body, where the connector asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range_from: Option<String>,
    /// SHA-256 of the request's body in hexadecimal, where it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_digest: Option<String>,
}

impl Question {
    /// A question about the same thing under a mask: the body's digest is that of the masked body.
    #[must_use]
    pub fn masked(mut self, mask: &Mask, body: Option<&[u8]>) -> Self {
        if !mask.is_empty() {
            self.path = mask.text(&self.path);
            self.body_digest = body.map(|body| Self::digest(&mask.bytes(body)));
        }
        self
    }

    /// The digest of a request's body.
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

/// A request and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The request.
    pub question: Question,
    /// Headers that the connector set, names in lower case.
    pub request_headers: Vec<(String, String)>,
    /// What came back.
    pub answer: Result<RecordedAnswer, RecordedFailure>,
    /// From the request to the head of its answer.
    pub took: Duration,
}

/// An answer of an upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedAnswer {
    /// The status.
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The bytes that were read, after a transparent content encoding.
    pub body: Vec<u8>,
    /// Whether these are all: a connector may stop reading.
    pub complete: bool,
}

/// What the host answered from its own store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostAnswer {
    /// The function, such as `records.by-company`.
    pub function: String,
    /// Its arguments.
    pub arguments: Value,
    /// `{"ok": …}` or `{"failed": …}`.
    pub answer: Value,
}

/// The call itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RecordedCall {
    /// A section.
    Enrich {
        /// The scope.
        scope: String,
        /// The company that was asked about.
        subject: RecordedSubject,
    },
    /// A company by its registration number or by the register's own id.
    FetchCompany {
        /// `ico`, `register-id` or a later kind.
        key: String,
        /// The number or id.
        value: String,
    },
    /// A run of an import from a cursor.
    Import {
        /// The dataset.
        dataset: String,
        /// Where it began.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cursor: Option<String>,
    },
}

impl RecordedCall {
    /// A short name: the scope, or what else was asked for.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Enrich { scope, .. } => scope,
            Self::FetchCompany { .. } => "company",
            Self::Import { dataset, .. } => dataset,
        }
    }
}

/// What a call gave: JSON, or why nothing came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What came: for a section `{"section": …, "unread": {…}}`, for a company its record or null, for an import its
    /// records.
    Gave(Value),
    /// The reason in one line, as [`super::CallFailure`] shows it.
    Failed(String),
}

/// A whole call.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What was asked for.
    pub call: RecordedCall,
    /// The guest's clock.
    pub now: OffsetDateTime,
    /// Requests in their order.
    pub exchanges: Vec<Exchange>,
    /// Questions to the host's store in their order.
    pub host_answers: Vec<HostAnswer>,
    /// What it gave.
    pub outcome: Outcome,
}
