//! Sends one webhook. The status line decides; of what follows only a beginning is read.
//!
//! Invariants: an address is checked after its name was resolved, and that very address is connected to; no redirect
//! is followed and no proxy is used; an attempt ends in time, whatever the receiver does.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::targets::WebhookUrl;
use crate::config::Notifications;
use crate::connectors::egress::{Lookup, Reach, Resolver, Special, Unresolved, root_cause};
use crate::store::Outcome;

/// What is read of an answer at most, and what of it is kept.
const READ: usize = 16 * 1024;
const KEPT: usize = 4 * 1024;

/// Idle connections to one host that are kept, and for how long.
const IDLE_CONNECTIONS: usize = 16;
const IDLE: Duration = Duration::from_secs(60);

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// How it ended.
    pub outcome: Outcome,
    /// The status, where an answer came.
    pub status: Option<u16>,
    /// The beginning of the answer, or why there is none.
    pub answer: Option<String>,
    /// How long the receiver wants to be left alone.
    pub retry_after: Option<Duration>,
    /// How long it took.
    pub took: Duration,
}

/// The client that webhooks are sent with.
pub struct Webhooks {
    client: Client,
    reach: Reach,
    attempt: Duration,
}

impl Webhooks {
    /// A client with these settings, which asks `lookup` for addresses.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn new(settings: &Notifications, lookup: Lookup) -> Result<Self, reqwest::Error> {
        // The first to ask decides for the process; that somebody was first is no failure.
        drop(rustls::crypto::ring::default_provider().install_default());
        let reach = if settings.allow_loopback {
            Reach::Loopback
        } else {
            Reach::Public
        };
        let client = Client::builder()
            .user_agent(concat!("Lustra/", env!("CARGO_PKG_VERSION"), " (webhooks)"))
            .dns_resolver(Arc::new(Resolver { lookup, reach }))
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .no_proxy()
            .gzip(false)
            .brotli(false)
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

    /// Which addresses may be connected to.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// How long an attempt may take.
    #[must_use]
    pub fn attempt(&self) -> Duration {
        self.attempt
    }

    /// Posts JSON to an address and says what came back.
    pub async fn post(&self, target: &str, headers: HeaderMap, body: Vec<u8>) -> Reply {
        let begun = Instant::now();
        let url = match WebhookUrl::parse(target, self.reach) {
            Ok(url) => url,
            Err(error) => return failed(Outcome::Blocked, &error.to_string(), begun),
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
                return failed(Outcome::Timeout, &why, begun);
            }
        };
        let status = response.status();
        let retry_after = retry_after(response.headers());
        let answer = beginning(response, deadline).await;
        Reply {
            outcome: if status.is_success() {
                Outcome::Success
            } else {
                Outcome::HttpError
            },
            status: Some(status.as_u16()),
            answer,
            retry_after: retry_after.filter(|_| !status.is_success()),
            took: begun.elapsed(),
        }
    }
}

/// The status with which a receiver says that it is not there any more, for good.
pub const GONE: u16 = StatusCode::GONE.as_u16();

fn failed(outcome: Outcome, why: &str, begun: Instant) -> Reply {
    Reply {
        outcome,
        status: None,
        answer: Some(kept(why)),
        retry_after: None,
        took: begun.elapsed(),
    }
}

/// The beginning of an answer as text. Where it does not end in time, what had come.
async fn beginning(mut response: Response, deadline: tokio::time::Instant) -> Option<String> {
    let mut bytes = Vec::new();
    while bytes.len() < READ {
        match tokio::time::timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk[..chunk.len().min(READ)]),
            // The status line has said what matters.
            Ok(Ok(None) | Err(_)) | Err(_) => break,
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    (!text.is_empty()).then(|| kept(&text))
}

/// What is stored of a text: its beginning. PostgreSQL keeps no NUL.
fn kept(text: &str) -> String {
    let mut end = text.len().min(KEPT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace('\0', "\u{fffd}")
}

/// How the transport failed, and why in words.
fn classify(error: &reqwest::Error) -> (Outcome, String) {
    let why = root_cause(error);
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    let (mut timed_out, mut of_connection) = (error.is_timeout(), None);
    while let Some(error) = cause {
        if error.is::<Special>() {
            return (Outcome::Blocked, why);
        }
        if error.is::<Unresolved>() {
            return (Outcome::Dns, why);
        }
        if error.is::<rustls::Error>() {
            return (Outcome::Tls, why);
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            timed_out |= error.kind() == io::ErrorKind::TimedOut;
            // TLS hides its errors in those of the connection.
            if error
                .get_ref()
                .is_some_and(<dyn std::error::Error + Send + Sync>::is::<rustls::Error>)
            {
                return (Outcome::Tls, why);
            }
            of_connection = Some(error.kind());
        }
        cause = error.source();
    }
    let outcome = if timed_out {
        Outcome::Timeout
    } else if error.is_connect() {
        Outcome::Connect
    } else {
        match of_connection {
            Some(io::ErrorKind::ConnectionRefused) => Outcome::Connect,
            Some(_) | None => Outcome::Reset,
        }
    };
    (outcome, why)
}

/// Seconds, or a date of HTTP (RFC 9110, 10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = OffsetDateTime::parse(&text.replace("GMT", "+0000"), &Rfc2822).ok()?;
    // The receiver's clock, which the real one is nearest to.
    Duration::try_from(date - OffsetDateTime::now_utc()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_ask_for_seconds_or_a_date() {
        let asked = |text: &str| {
            let value = HeaderValue::from_str(text).expect("a header's value");
            retry_after(&HeaderMap::from_iter([(RETRY_AFTER, value)]))
        };
        assert_eq!(asked("120"), Some(Duration::from_secs(120)));
        assert_eq!(asked("Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert!(asked("Wed, 21 Oct 2065 07:28:00 GMT").is_some());
        for nothing in ["", "soon", "-1", "1.5"] {
            assert_eq!(asked(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_beginning_ends_at_a_letter() {
        let long = "č".repeat(KEPT);
        assert_eq!(kept(&long).len(), KEPT);
        assert_eq!(kept(&format!("a{long}")).len(), KEPT - 1);
        assert_eq!(kept("a\0b"), "a\u{fffd}b");
    }
}
