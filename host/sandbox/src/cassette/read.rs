//! Reads cassettes. People edit them by hand, so every error names its location.

use std::path::Path;
use std::time::Duration;

use lustra_store::ConnectorId;
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{Cassette, CassetteError, FORMAT};
use crate::recording::{
    CallOutcome, Exchange, HostAnswer, Question, RecordedAnswer, RecordedCall, RecordedFailure,
    Recording,
};

#[derive(Deserialize)]
struct OfFormat {
    format: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(rename = "format")]
    _format: u32,
    connector: ConnectorId,
    version: String,
    now: String,
    #[serde(default)]
    settings: Option<String>,
    #[serde(default)]
    secret: Vec<String>,
    call: RecordedCall,
    #[serde(default)]
    exchange: Vec<ExchangeForm>,
    #[serde(default)]
    store: Vec<StoreForm>,
    expected: ExpectedForm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExchangeForm {
    method: String,
    upstream: String,
    path: String,
    range_from: Option<String>,
    body_digest: Option<String>,
    #[serde(default)]
    request_headers: Vec<(String, String)>,
    failed: Option<String>,
    status: Option<u16>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default = "yes")]
    complete: bool,
    charset: Option<String>,
    body: Option<String>,
    body_file: Option<String>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoreForm {
    function: String,
    arguments: String,
    answer: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedForm {
    gave: Option<String>,
    failed: Option<String>,
}

/// Location and description of an invalid value.
type InvalidValue = (String, String);

impl Cassette {
    /// Reads a cassette and the files beside it.
    ///
    /// # Errors
    /// A [`CassetteError`] that names the location.
    pub fn read(path: &Path) -> Result<Self, CassetteError> {
        let text = std::fs::read_to_string(path).map_err(|error| CassetteError::File {
            path: path.to_owned(),
            error,
        })?;
        Self::parse(&text, path, &|name| {
            std::fs::read(path.with_file_name(name))
        })
    }

    /// Like [`Self::read`], from a text; `beside` reads the files that it names.
    ///
    /// # Errors
    /// Like [`Self::read`].
    pub fn parse(
        text: &str,
        path: &Path,
        beside: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Self, CassetteError> {
        let form = |error| CassetteError::Form {
            path: path.to_owned(),
            error: Box::new(error),
        };
        let OfFormat { format } = toml::from_str(text).map_err(form)?;
        if format != FORMAT {
            return Err(CassetteError::Later {
                path: path.to_owned(),
                found: format,
            });
        }
        let whole: Whole = toml::from_str(text).map_err(form)?;
        whole
            .cassette(beside)
            .map_err(|(place, why)| CassetteError::Value {
                path: path.to_owned(),
                place,
                why,
            })
    }
}

impl Whole {
    fn cassette(
        self,
        beside: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Cassette, InvalidValue> {
        let now = OffsetDateTime::parse(&self.now, &Rfc3339).map_err(|error| {
            (
                "now".to_owned(),
                format!("{:?} is not a time of RFC 3339: {error}", self.now),
            )
        })?;
        let settings = match &self.settings {
            None => Map::new(),
            Some(text) => json("settings", text)?
                .as_object()
                .cloned()
                .ok_or_else(|| ("settings".to_owned(), "it is not a JSON object".to_owned()))?,
        };
        let mut exchanges = Vec::new();
        for (number, exchange) in self.exchange.into_iter().enumerate() {
            exchanges.push(exchange.exchange(&format!("exchange {}", number + 1), beside)?);
        }
        let mut host_answers = Vec::new();
        for (number, store) in self.store.into_iter().enumerate() {
            let place = |member: &str| format!("store {}: {member}", number + 1);
            let answer = json(&place("answer"), &store.answer)?;
            if answer.get("ok").is_none() && answer.get("failed").is_none() {
                return Err((place("answer"), "it must have ok or failed".to_owned()));
            }
            host_answers.push(HostAnswer {
                arguments: json(&place("arguments"), &store.arguments)?,
                function: store.function,
                answer,
            });
        }
        let outcome = match (self.expected.gave, self.expected.failed) {
            (Some(gave), None) => CallOutcome::Gave(json("expected: gave", &gave)?),
            (None, Some(failed)) => CallOutcome::Failed(failed),
            _ => {
                return Err((
                    "expected".to_owned(),
                    "it must have exactly one of gave and failed".to_owned(),
                ));
            }
        };
        Ok(Cassette {
            connector: self.connector,
            version: self.version,
            settings,
            secret: self.secret,
            recording: Recording {
                call: self.call,
                now,
                exchanges,
                host_answers,
                outcome,
            },
        })
    }
}

impl ExchangeForm {
    fn exchange(
        self,
        place: &str,
        beside: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Exchange, InvalidValue> {
        let answer = match (&self.failed, self.status) {
            (Some(failure), None) => {
                let place = format!("{place}: failed");
                let failure = serde_json::from_value::<RecordedFailure>(json(&place, failure)?);
                Err(failure.map_err(|error| (place, format!("no failure: {error}")))?)
            }
            (None, Some(status)) => Ok(RecordedAnswer {
                status,
                headers: self.headers.clone(),
                body: self.body(place, beside)?,
                complete: self.complete,
            }),
            _ => {
                return Err((
                    place.to_owned(),
                    "it must have exactly one of status and failed".to_owned(),
                ));
            }
        };
        Ok(Exchange {
            question: Question {
                method: self.method,
                upstream: self.upstream,
                path: self.path,
                range_from: self.range_from,
                body_digest: self.body_digest,
            },
            request_headers: self.request_headers,
            answer,
            took: Duration::ZERO,
        })
    }

    fn body(
        &self,
        place: &str,
        beside: &dyn Fn(&str) -> std::io::Result<Vec<u8>>,
    ) -> Result<Vec<u8>, InvalidValue> {
        let text = match (&self.body, &self.body_file) {
            (Some(_), Some(_)) => {
                return Err((
                    place.to_owned(),
                    "it has both body and body_file".to_owned(),
                ));
            }
            (None, Some(name)) => {
                let place = || format!("{place}: body_file");
                // A foreign cassette must not read arbitrary files of this machine.
                if name.contains(['/', '\\']) || name.starts_with('.') {
                    return Err((
                        place(),
                        format!("{name:?} is not a file beside the cassette"),
                    ));
                }
                return beside(name).map_err(|error| (place(), format!("{name}: {error}")));
            }
            (Some(text), None) => text.as_str(),
            (None, None) => "",
        };
        let Some(charset) = &self.charset else {
            return Ok(text.as_bytes().to_vec());
        };
        let place = || format!("{place}: charset");
        let encoding = encoding_rs::Encoding::for_label(charset.as_bytes())
            .ok_or_else(|| (place(), format!("there is no charset {charset}")))?;
        let (bytes, _, unwritable) = encoding.encode(text);
        if unwritable {
            return Err((
                place(),
                format!("the body has characters that {charset} does not have"),
            ));
        }
        Ok(bytes.into_owned())
    }
}

fn json(place: &str, text: &str) -> Result<Value, InvalidValue> {
    serde_json::from_str(text).map_err(|error| (place.to_owned(), format!("no JSON: {error}")))
}
