//! Requests to the upstreams of the manifest.
//!
//! A request names an upstream and a path below its address. The host handles rate limits,
//! retries, redirects and size limits, so a connector passes every failure on.

use std::io::{self, Read};

pub use crate::bindings::base::lustra::connector::http::Method;
use crate::bindings::base::lustra::connector::http::Request as HostRequest;
use crate::{Evidence, Failure, Field, failure, malformed};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::http as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::http as host;

/// Size of one read from the host in bytes. Larger pieces are no faster.
const CHUNK: u32 = 64 * 1024;

/// A request under construction.
#[derive(Debug, Clone)]
pub struct Request(HostRequest);

impl Request {
    /// `GET` of a path (including its percent-encoded query) below the upstream's address.
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

    /// `POST` with a JSON body.
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

    /// Adds a header, even if there is one with that name.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.headers.push(Field {
            name: name.to_owned(),
            value: value.into(),
        });
        self
    }

    /// Marks a `POST` as idempotent, so that the host may retry it.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.0.options.push(Field {
            name: "idempotent".to_owned(),
            value: "true".to_owned(),
        });
        self
    }

    /// Sends the request. Every HTTP status is an answer, not an error.
    ///
    /// # Errors
    /// The upstream is unreachable, or the host refused the request.
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

    /// Sends the request and accepts only a 2xx status.
    ///
    /// # Errors
    /// As [`Request::send`]. Any other status becomes the failure of [`failure::of_status`].
    pub fn fetch(self) -> Result<Response, Failure> {
        let response = self.send()?;
        if (200..300).contains(&response.status) {
            Ok(response)
        } else {
            Err(response.status_failure())
        }
    }
}

/// The answer of an upstream: status, headers and body.
pub struct Response {
    upstream: String,
    /// The HTTP status; 200 if the upstream is a local file.
    pub status: u16,
    headers: Vec<Field>,
    /// The body, of which nothing has been read yet.
    pub body: Body,
}

impl Response {
    /// The first value of a header. `name` is lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|field| field.name == name)
            .map(|field| field.value.as_str())
    }

    /// The failure that corresponds to this answer's status.
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
    /// [`Failure::Unavailable`] for an HTML page, which registers send with status 200 while they
    /// are out of order. [`Failure::Malformed`] for anything else that is not the expected JSON.
    pub fn json<T: serde::de::DeserializeOwned>(self) -> Result<T, Failure> {
        let upstream = self.upstream.clone();
        let text = self.body.text(None)?;
        read_json(&upstream, &text)
    }
}

/// Parses JSON from a register's answer; see [`Response::json`].
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

/// A body that streams in while it is read, in the layers of the contract: unpack, decode, read.
pub struct Body(host::Body);

impl Body {
    /// Reads the rest as bytes.
    ///
    /// # Errors
    /// The upstream closed the connection early, or a limit was exceeded.
    pub fn bytes(&self) -> Result<Vec<u8>, Failure> {
        self.0.read_all()
    }

    /// Reads the rest as text. Without a charset the host tries byte order mark, content type and
    /// UTF-8.
    ///
    /// # Errors
    /// As [`Body::bytes`]; `malformed` for bytes that are invalid in the charset.
    pub fn text(&self, charset: Option<&str>) -> Result<String, Failure> {
        self.0.text(charset)
    }

    /// Decodes all further reads from the charset to UTF-8.
    ///
    /// # Errors
    /// The charset is unknown.
    pub fn decode(&self, charset: Option<&str>) -> Result<(), Failure> {
        self.0.decode(charset)
    }

    /// Unpacks all further reads from a gzip stream.
    ///
    /// # Errors
    /// `malformed` if the body is not gzip: registers send error pages under such names.
    pub fn gunzip(&self) -> Result<(), Failure> {
        self.0.gunzip()
    }

    /// Reads the rest as a zip archive and returns the names of its files.
    ///
    /// # Errors
    /// `malformed` if the body is not a zip archive, or a limit was exceeded.
    pub fn unzip(&self) -> Result<Vec<String>, Failure> {
        self.0.unzip()
    }

    /// The contents of one file of the archive, after [`Body::unzip`].
    ///
    /// # Errors
    /// The archive has no such file, or a limit was exceeded.
    pub fn entry(&self, name: &str) -> Result<Self, Failure> {
        self.0.entry(name).map(Self)
    }

    /// Identifies this answer, with the digest of the bytes received so far.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        self.0.evidence()
    }

    /// The body as a stream for parsers. A failure of the host is wrapped in the [`io::Error`];
    /// unwrap it with [`of_io`].
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

/// Reads a body in pieces.
pub struct BodyReader {
    body: Body,
    rest: Vec<u8>,
    taken: usize,
}

impl BodyReader {
    /// The body from which this reader takes its bytes.
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

/// A failure of the host, wrapped in an [`io::Error`].
#[derive(Debug)]
struct Carried(Failure);

impl std::fmt::Display for Carried {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&failure::reason(&self.0))
    }
}

impl std::error::Error for Carried {}

/// Unwraps the failure from an error of a body reader. `what` names the file for errors that did
/// not come from the host.
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

/// Percent-encodes a query value as UTF-8: every byte except unreserved characters (RFC 3986,
/// section 2.3).
#[must_use]
pub fn encode(value: &str) -> String {
    encode_bytes(value.as_bytes())
}

/// Percent-encodes bytes, for upstreams whose queries use another charset.
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
