//! Requests to the named upstreams.
//!
//! A request names an upstream of the manifest and a path below its address. The host keeps politeness, retries,
//! redirects and limits; a failure here is one to pass on.

use std::io::{self, Read};

pub use crate::bindings::base::lustra::connector::http::Method;
use crate::bindings::base::lustra::connector::http::Request as HostRequest;
use crate::{Evidence, Failure, Field, failure, malformed};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::http as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::http as host;

/// How much one read asks of the host; larger pieces gain nothing.
const CHUNK: u32 = 64 * 1024;

/// A request that is being put together.
#[derive(Debug, Clone)]
pub struct Request(HostRequest);

impl Request {
    /// `GET` of a path (with its query, percent-encoded) below the upstream's address.
    #[must_use]
    pub fn get(upstream: &str, path: impl Into<String>) -> Self {
        Self(HostRequest {
            method: Method::Get,
            upstream: upstream.to_owned(),
            path: path.into(),
            headers: Vec::new(),
            body: None,
            options: Vec::new(),
        })
    }

    /// `POST` of a JSON body.
    #[must_use]
    pub fn post_json(upstream: &str, path: impl Into<String>, body: &serde_json::Value) -> Self {
        let mut request = Self::get(upstream, path);
        request.0.method = Method::Post;
        request.0.body = Some(body.to_string().into_bytes());
        request.header("content-type", "application/json")
    }

    /// `POST` of a text, such as a SOAP envelope, with its content type.
    #[must_use]
    pub fn post_text(
        upstream: &str,
        path: impl Into<String>,
        content_type: &str,
        body: impl Into<String>,
    ) -> Self {
        let mut request = Self::get(upstream, path);
        request.0.method = Method::Post;
        request.0.body = Some(body.into().into_bytes());
        request.header("content-type", content_type)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.headers.push(Field {
            name: name.to_owned(),
            value: value.into(),
        });
        self
    }

    /// Says that a `POST` only asks, so that the host may retry it.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.0.options.push(Field {
            name: "idempotent".to_owned(),
            value: "true".to_owned(),
        });
        self
    }

    /// Sends it. Every status is an answer.
    ///
    /// # Errors
    /// The upstream is out of reach, or the host refused.
    pub fn send(self) -> Result<Response, Failure> {
        let upstream = self.0.upstream.clone();
        let response = host::send(&self.0)?;
        Ok(Response {
            upstream,
            status: response.status,
            headers: response.headers,
            body: Body(response.body),
        })
    }

    /// Sends it and takes only a 2xx for an answer.
    ///
    /// # Errors
    /// As [`Request::send`]; every other status is the failure that [`failure::of_status`] says.
    pub fn fetch(self) -> Result<Response, Failure> {
        let response = self.send()?;
        if (200..300).contains(&response.status) {
            Ok(response)
        } else {
            Err(response.status_failure())
        }
    }
}

/// An upstream's answer.
pub struct Response {
    upstream: String,
    /// The HTTP status; 200 for a file.
    pub status: u16,
    headers: Vec<Field>,
    /// The body, not read yet.
    pub body: Body,
}

impl Response {
    /// A header's first value; names are lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|field| field.name == name)
            .map(|field| field.value.as_str())
    }

    /// The failure that this answer's status stands for.
    #[must_use]
    pub fn status_failure(&self) -> Failure {
        let retry_after = self
            .header("retry-after")
            .and_then(|value| value.trim().parse().ok());
        failure::of_status(&self.upstream, self.status, retry_after)
    }

    /// The body as JSON.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] for a page of HTML, which registers send with 200 while they are out of order;
    /// [`Failure::Malformed`] for anything else that is not the JSON expected.
    pub fn json<T: serde::de::DeserializeOwned>(self) -> Result<T, Failure> {
        let upstream = self.upstream.clone();
        let text = self.body.text(None)?;
        read_json(&upstream, &text)
    }
}

/// Reads JSON from a register's answer; see [`Response::json`].
///
/// # Errors
/// As [`Response::json`].
pub fn read_json<T: serde::de::DeserializeOwned>(upstream: &str, text: &str) -> Result<T, Failure> {
    if text.trim_start().starts_with('<') {
        return Err(Failure::Unavailable(format!(
            "{upstream} answered with a page of HTML instead of JSON"
        )));
    }
    serde_json::from_str(text)
        .map_err(|error| malformed(format!("answer of {upstream}"), error.to_string(), text))
}

/// A body that arrives while it is read; the layers of the contract: unpack, decode, read.
pub struct Body(host::Body);

impl Body {
    /// The rest in one piece.
    ///
    /// # Errors
    /// The upstream broke off, or a limit.
    pub fn bytes(&self) -> Result<Vec<u8>, Failure> {
        self.0.read_all()
    }

    /// The rest as text; without a charset the host goes by byte order mark, content type, UTF-8.
    ///
    /// # Errors
    /// As [`Body::bytes`]; `malformed` for bytes that are not in the charset.
    pub fn text(&self, charset: Option<&str>) -> Result<String, Failure> {
        self.0.text(charset)
    }

    /// From here on reads give UTF-8 decoded from the charset.
    ///
    /// # Errors
    /// An unknown charset.
    pub fn decode(&self, charset: Option<&str>) -> Result<(), Failure> {
        self.0.decode(charset)
    }

    /// From here on reads give the unpacked bytes of a gzip stream.
    ///
    /// # Errors
    /// `malformed` when it is none: registers send error pages under such names.
    pub fn gunzip(&self) -> Result<(), Failure> {
        self.0.gunzip()
    }

    /// Takes the rest as a zip archive and gives the names of its files.
    ///
    /// # Errors
    /// `malformed` when it is none, or a limit.
    pub fn unzip(&self) -> Result<Vec<String>, Failure> {
        self.0.unzip()
    }

    /// The contents of one file of the archive, after [`Body::unzip`].
    ///
    /// # Errors
    /// No such file, or a limit.
    pub fn entry(&self, name: &str) -> Result<Self, Failure> {
        self.0.entry(name).map(Self)
    }

    /// Which answer this is, with the digest of what came over the wire so far.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        self.0.evidence()
    }

    /// The body as a stream for parsers. A host's failure travels inside the [`io::Error`]: see [`of_io`].
    #[must_use]
    pub fn reader(self) -> io::BufReader<BodyReader> {
        io::BufReader::with_capacity(
            CHUNK as usize,
            BodyReader {
                body: self,
                rest: Vec::new(),
                taken: 0,
            },
        )
    }
}

/// A body read piece by piece.
pub struct BodyReader {
    body: Body,
    rest: Vec<u8>,
    taken: usize,
}

impl BodyReader {
    /// The body that is read from.
    #[must_use]
    pub fn body(&self) -> &Body {
        &self.body
    }
}

impl Read for BodyReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.rest.len() {
            self.rest = self
                .body
                .0
                .read(CHUNK)
                .map_err(|failure| io::Error::other(Carried(failure)))?;
            self.taken = 0;
        }
        let piece = &self.rest[self.taken..];
        let count = piece.len().min(into.len());
        into[..count].copy_from_slice(&piece[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// A host's failure inside an [`io::Error`].
#[derive(Debug)]
struct Carried(Failure);

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&failure::reason(&self.0))
    }
}

impl std::error::Error for Carried {}

/// The failure inside an error of a reader over a body; `what` names the file for errors that are not the host's.
#[must_use]
pub fn of_io(what: &str, error: &io::Error) -> Failure {
    match error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<Carried>())
    {
        Some(carried) => carried.0.clone(),
        None => malformed(what, "readable bytes", error.to_string()),
    }
}

/// Percent-encodes one query value as UTF-8, everything but unreserved characters (RFC 3986, 2.3).
#[must_use]
pub fn encode(value: &str) -> String {
    encode_bytes(value.as_bytes())
}

/// Percent-encodes bytes, for upstreams whose queries are in another charset.
#[must_use]
pub fn encode_bytes(value: &[u8]) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            encoded.push(char::from(*byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}
