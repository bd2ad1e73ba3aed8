//! Cassettes: recorded calls as readable files that can be replayed anywhere.
//!
//! A cassette is TOML: the call, the requests with their responses, the answers of the host's store, and the outcome.
//! Text bodies are inline; binary bodies are files beside it. [`Mask`] replaces the values of secret settings
//! everywhere, and a replay gives the connector the mask as the setting's value.

mod read;
mod write;

use std::path::{Path, PathBuf};

use lustra_store::ConnectorId;
use serde_json::{Map, Value};

use crate::manifest::Manifest;
use crate::recording::{
    CallOutcome, Exchange, Mask, RecordedAnswer, RecordedFailure, Recording, Replayer,
};
use crate::{Loaded, SettingValues};

/// The only version of the cassette format so far.
const FORMAT: u32 = 1;

/// Response headers that differ each time or describe the connection instead of the response.
const OMITTED_HEADERS: [&str; 12] = [
    "alt-svc",
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "keep-alive",
    "nel",
    "report-to",
    "server",
    "transfer-encoding",
    "via",
    "x-request-id",
];

/// Headers whose values are never written to a cassette.
const SECRET_HEADERS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
];

/// A recorded call with the connector and settings it was made with.
#[derive(Debug, Clone, PartialEq)]
pub struct Cassette {
    /// Id of the connector.
    pub connector: ConnectorId,
    /// Version of the connector when the call was recorded.
    pub version: String,
    /// Settings of the call; values of secret ones are masked.
    pub settings: Map<String, Value>,
    /// Names of the secret settings.
    pub secret: Vec<String>,
    /// The call with its expected outcome.
    pub recording: Recording,
}

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// Path of the file.
        path: PathBuf,
        error: std::io::Error,
    },
    /// The file is not TOML of the expected form.
    #[error("{}: {error}", .path.display())]
    Form {
        /// Path of the cassette.
        path: PathBuf,
        /// The error with line and column.
        error: Box<toml::de::Error>,
    },
    /// The format is newer than this program.
    #[error("{}: format {found}; this program reads format {FORMAT}", .path.display())]
    Later {
        /// Path of the cassette.
        path: PathBuf,
        /// Format number in the file.
        found: u32,
    },
    /// A value is invalid.
    #[error("{}: {place}: {why}", .path.display())]
    Value {
        /// Path of the cassette.
        path: PathBuf,
        /// Location of the value.
        place: String,
        why: String,
    },
    /// The recording cannot be serialised.
    #[error("the recording cannot be written as TOML: {0}")]
    Write(#[from] toml::ser::Error),
}

impl Cassette {
    /// A cassette of a call that was just made, with the settings that the author supplied.
    #[must_use]
    pub fn new(loaded: &Loaded, mask: &Mask, recording: Recording) -> Self {
        let given = loaded.config.settings.reveal();
        let schema = loaded.manifest.settings.as_ref();
        let (_, settings, secret) = Mask::of_settings(schema, given);
        Self {
            connector: loaded.manifest.id.clone(),
            version: loaded.manifest.version.clone(),
            settings,
            secret,
            recording: masked(recording, mask),
        }
    }

    /// A replayer of the recording for a connector with this manifest.
    #[must_use]
    pub fn replayer(&self, manifest: &Manifest, recording: &Recording) -> Replayer {
        let mut replayer = Replayer::new(recording);
        replayer.settings = Some(SettingValues::with_defaults(
            manifest,
            self.settings.clone(),
        ));
        replayer.mask = self.mask();
        replayer
    }

    /// The mask that is applied to a replay before it is compared.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask::of_names(&self.secret)
    }

    /// A file name made of the call and its subject.
    #[must_use]
    pub fn file_name(&self) -> String {
        use crate::recording::RecordedCall;
        let call = &self.recording.call;
        let about = match call {
            RecordedCall::Enrich { subject, .. } => subject.ico.as_str(),
            RecordedCall::FetchCompany { value, .. } => value.as_str(),
            RecordedCall::Import { .. } => "import",
        };
        let plain = |text: &str| -> String {
            text.chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
                .collect()
        };
        format!("{}-{}.toml", plain(call.name()), plain(about))
    }
}

/// A cassette's path, with the cassette or why it cannot be read.
pub type Filed = (PathBuf, Result<Cassette, CassetteError>);

/// The cassettes of a directory, sorted by name. A missing directory counts as empty.
///
/// # Errors
/// The directory cannot be read. A cassette that cannot be read is listed with its reason.
pub fn below(directory: &Path) -> Result<Vec<Filed>, CassetteError> {
    let of_directory = |error| CassetteError::File {
        path: directory.to_owned(),
        error,
    };
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(of_directory(error)),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(of_directory)?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
        {
            files.push(path);
        }
    }
    files.sort();
    let read = |path: PathBuf| (path.clone(), Cassette::read(&path));
    Ok(files.into_iter().map(read).collect())
}

/// An outcome with its secrets masked.
#[must_use]
pub fn masked_outcome(outcome: CallOutcome, mask: &Mask) -> CallOutcome {
    if mask.is_empty() {
        return outcome;
    }
    match outcome {
        CallOutcome::Failed(why) => CallOutcome::Failed(mask.text(&why)),
        CallOutcome::Gave(value) => CallOutcome::Gave(mask.json(value)),
    }
}

/// A recording with secrets masked, and without what differs from call to call.
fn masked(recording: Recording, mask: &Mask) -> Recording {
    let exchanges = recording.exchanges.into_iter().map(|exchange| Exchange {
        // The question was already masked when it was recorded.
        question: exchange.question,
        request_headers: headers(exchange.request_headers, mask),
        answer: match exchange.answer {
            Ok(answer) => Ok(RecordedAnswer {
                status: answer.status,
                headers: headers(answer.headers, mask),
                body: if mask.is_empty() {
                    answer.body
                } else {
                    mask.bytes(&answer.body)
                },
                complete: answer.complete,
            }),
            Err(failure) => Err(masked_failure(failure, mask)),
        },
        took: std::time::Duration::ZERO,
    });
    Recording {
        exchanges: exchanges.collect(),
        outcome: masked_outcome(recording.outcome, mask),
        call: recording.call,
        now: recording.now,
        host_answers: recording.host_answers,
    }
}

fn headers(headers: Vec<(String, String)>, mask: &Mask) -> Vec<(String, String)> {
    let kept = headers
        .into_iter()
        .filter(|(name, _)| !OMITTED_HEADERS.contains(&name.as_str()));
    kept.map(|(name, value)| {
        let value = if SECRET_HEADERS.contains(&name.as_str()) {
            format!("***{name}***")
        } else {
            mask.text(&value)
        };
        (name, value)
    })
    .collect()
}

fn masked_failure(failure: RecordedFailure, mask: &Mask) -> RecordedFailure {
    match failure {
        RecordedFailure::Unavailable(why) => RecordedFailure::Unavailable(mask.text(&why)),
        RecordedFailure::Malformed {
            what,
            expected,
            found,
        } => RecordedFailure::Malformed {
            what: mask.text(&what),
            expected,
            found: mask.text(&found),
        },
        RecordedFailure::Misconfigured(why) => RecordedFailure::Misconfigured(mask.text(&why)),
        RecordedFailure::Refused(why) => RecordedFailure::Refused(mask.text(&why)),
        RecordedFailure::Other(code, why) => RecordedFailure::Other(code, mask.text(&why)),
        throttled @ RecordedFailure::Throttled(_) => throttled,
    }
}

#[cfg(test)]
mod tests;
