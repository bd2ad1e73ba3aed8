//! A recorded call as one readable file, so that it can be repeated anywhere and read by people.
//!
//! It is TOML: the call, the questions to upstreams with their answers, what the host's store answered, and what came
//! of it. Text stands in the file; a body that is no text lies beside it. What a secret setting holds is in none of
//! them: [`Mask`] took it out, and a repetition gives the connector the mask for a value.

mod read;
mod write;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::manifest::Manifest;
use crate::tape::{Exchange, Mask, Outcome, Player, RecordedAnswer, RecordedFailure, Recording};
use crate::{Loaded, SettingValues};

/// The only form of cassettes so far.
const FORMAT: u32 = 1;

/// Headers of answers that differ each time or speak of the connection, not of the answer.
const LEFT_OUT: [&str; 12] = [
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

/// Headers whose values are nobody's business.
const SECRET_HEADERS: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
];

/// A recorded call with what it was made under.
#[derive(Debug, Clone, PartialEq)]
pub struct Cassette {
    /// The connector's id.
    pub connector: String,
    /// Its version at the time.
    pub version: String,
    /// The settings that it was given; texts of secret ones are masks.
    pub settings: Map<String, Value>,
    /// The names of secret settings.
    pub secret: Vec<String>,
    /// The call, and what is expected of it.
    pub recording: Recording,
}

/// Why a cassette cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// A file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not TOML of the form.
    #[error("{}: {error}", .path.display())]
    Form {
        /// The cassette.
        path: PathBuf,
        /// With line and column.
        error: Box<toml::de::Error>,
    },
    /// It is of a later form.
    #[error("{}: format {found}; this program reads format {FORMAT}", .path.display())]
    Later {
        /// The cassette.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A value in it is wrong.
    #[error("{}: {place}: {why}", .path.display())]
    Value {
        /// The cassette.
        path: PathBuf,
        /// Which value.
        place: String,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be written down.
    #[error("the recording cannot be written as TOML: {0}")]
    Write(#[from] toml::ser::Error),
}

impl Cassette {
    /// A cassette of a call that was just made; the settings are those that the author gave.
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

    /// A player of the call for a connector of this manifest.
    #[must_use]
    pub fn player(&self, manifest: &Manifest, recording: &Recording) -> Player {
        let mut player = Player::new(recording);
        player.settings = Some(SettingValues::with_defaults(
            manifest,
            self.settings.clone(),
        ));
        player.mask = self.mask();
        player
    }

    /// What a repetition is compared without.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask::of_names(&self.secret)
    }

    /// A name for a file: what was asked for and about whom.
    #[must_use]
    pub fn file_name(&self) -> String {
        use crate::tape::RecordedCall;
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

/// A cassette in its file, or why it cannot be read.
pub type Filed = (PathBuf, Result<Cassette, CassetteError>);

/// The cassettes of a directory by name, each with its file. A directory that is not there has none.
///
/// # Errors
/// The directory cannot be read. A cassette that cannot be read stands in the list with its reason.
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

/// An outcome without its secrets.
#[must_use]
pub fn masked_outcome(outcome: Outcome, mask: &Mask) -> Outcome {
    if mask.is_empty() {
        return outcome;
    }
    match outcome {
        Outcome::Failed(why) => Outcome::Failed(mask.text(&why)),
        Outcome::Gave(value) => Outcome::Gave(mask.json(value)),
    }
}

/// A recording without secrets, and without what differs from call to call.
fn masked(recording: Recording, mask: &Mask) -> Recording {
    let exchanges = recording.exchanges.into_iter().map(|exchange| Exchange {
        // The question was masked when it was asked.
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
        .filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
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
