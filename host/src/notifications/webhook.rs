//! Sends one webhook. The status line decides the outcome; only the beginning of the body is read.
//!
//! Invariants: the address is checked after the name is resolved, and the connection uses that same address;
//! redirects and proxies are disabled; every attempt ends within its timeout.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use time::OffsetDateTime;

use super::targets::WebhookUrl;
use crate::config::Notifications;
use crate::connectors::egress::{
    Lookup, Reach, Resolver, Special, Unresolved, root_cause, with_system_roots,
};
use crate::connectors::retry_after::retry_after;
use crate::store::AttemptOutcome;

/// Bytes of an answer that are read, and bytes that are stored.
const READ_BYTES: usize = 16 * 1024;
const STORED_BYTES: usize = 4 * 1024;

/// Idle connections kept per host, and how long each is kept.
const IDLE_CONNECTIONS: usize = 16;
const IDLE: Duration = Duration::from_secs(60);

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub outcome: AttemptOutcome,
    /// The HTTP status, if an answer arrived.
    pub status: Option<u16>,
    /// The beginning of the answer, or the reason why none arrived.
    pub answer: Option<String>,
    /// Delay that the receiver requested with `Retry-After`.
    pub retry_after: Option<Duration>,
    pub took: Duration,
}

/// HTTP client for webhooks.
pub struct Webhooks {
    client: Client,
    reach: Reach,
    attempt: Duration,
}

impl Webhooks {
    /// Creates a client that resolves names with `lookup`.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn new(settings: &Notifications, lookup: Lookup) -> Result<Self, reqwest::Error> {
        let reach = if settings.allow_loopback {
            Reach::Loopback
        } else {
            Reach::Public
        };
        let client = with_system_roots(Client::builder())
            .user_agent(concat!("Lustra/", env!("CARGO_PKG_VERSION"), " (webhooks)"))
            .dns_resolver(Arc::new(Resolver { lookup, reach }))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .connect_timeout(Duration::from_secs(settings.connect_seconds))
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .build()?;
        Ok(Self {
            client,
            reach,
            attempt: Duration::from_secs(settings.attempt_seconds),
        })
    }

    /// Which addresses the client may connect to.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// Timeout of an attempt.
    #[must_use]
    pub fn attempt(&self) -> Duration {
        self.attempt
    }

    /// Posts JSON to a URL and returns the result.
    pub async fn post(&self, target: &str, headers: HeaderMap, body: Vec<u8>) -> Reply {
        let begun = Instant::now();
        let url = match WebhookUrl::parse(target, self.reach) {
            Ok(url) => url,
            Err(error) => return failed(AttemptOutcome::Blocked, &error.to_string(), begun),
        };
        let request = self
            .client
            .post(url.url().clone())
            .headers(headers)
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(body);
        let deadline = tokio::time::Instant::now() + self.attempt;
        let response = match tokio::time::timeout_at(deadline, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                let (outcome, why) = classify(&error);
                return failed(outcome, &why, begun);
            }
            Err(_elapsed) => {
                let why = format!("no answer within {} s", self.attempt.as_secs());
                return failed(AttemptOutcome::Timeout, &why, begun);
            }
        };
        let status = response.status();
        // A date is in the receiver's clock; the real clock is the best approximation.
        let retry_after = retry_after(response.headers(), OffsetDateTime::now_utc());
        let answer = beginning(response, deadline).await;
        Reply {
            outcome: if status.is_success() {
                AttemptOutcome::Success
            } else {
                AttemptOutcome::HttpError
            },
            status: Some(status.as_u16()),
            answer,
            retry_after: retry_after.filter(|_| !status.is_success()),
            took: begun.elapsed(),
        }
    }
}

/// The status by which a receiver reports that it is gone permanently.
pub const GONE: u16 = StatusCode::GONE.as_u16();

fn failed(outcome: AttemptOutcome, why: &str, begun: Instant) -> Reply {
    Reply {
        outcome,
        status: None,
        answer: Some(kept(why)),
        retry_after: None,
        took: begun.elapsed(),
    }
}

/// The beginning of an answer, as text. After the deadline, what has arrived so far.
async fn beginning(mut response: Response, deadline: tokio::time::Instant) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < READ_BYTES {
        match tokio::time::timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk[..chunk.len().min(READ_BYTES)]),
            // The status line has already decided the outcome.
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    (!text.is_empty()).then(|| kept(&text))
}

/// Shortens a text for storage and removes NUL, which `PostgreSQL` cannot store.
fn kept(text: &str) -> String {
    let mut end = text.len().min(STORED_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace('\0', "\u{fffd}")
}

/// The outcome of a transport error, and its reason as text.
fn classify(error: &reqwest::Error) -> (AttemptOutcome, String) {
    let why = root_cause(error);
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let (mut timed_out, mut of_connection) = (error.is_timeout(), None);
    while let Some(error) = cause {
        if error.is::<Special>() {
            return (AttemptOutcome::Blocked, why);
        }
        if error.is::<Unresolved>() {
            return (AttemptOutcome::Dns, why);
        }
        if error.is::<rustls::Error>() {
            return (AttemptOutcome::Tls, why);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            timed_out |= error.kind() == io::ErrorKind::TimedOut;
            // A TLS error is nested in the connection error.
            if error
                .get_ref()
                .is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>)
            {
                return (AttemptOutcome::Tls, why);
            }
            of_connection = Some(error.kind());
        }
        cause = error.source();
    }
    let outcome = if timed_out {
        AttemptOutcome::Timeout
    } else if error.is_connect() {
        AttemptOutcome::Connect
    } else {
        match of_connection {
            Some(io::ErrorKind::ConnectionRefused) => AttemptOutcome::Connect,
            Some(_) | None => AttemptOutcome::Reset,
        }
    };
    (outcome, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginning_ends_at_a_character_boundary() {
        let long = "č".repeat(STORED_BYTES);
        assert_eq!(kept(&long).len(), STORED_BYTES);
        assert_eq!(kept(&format!("a{long}")).len(), STORED_BYTES - 1);
        assert_eq!(kept("a\0b"), "a\u{fffd}b");
    }
}
