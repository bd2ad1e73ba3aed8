//! One request on its way, and what its answer makes of it: a redirect's next request, a retry, a hold.
//!
//! Pure: nothing here sends or waits.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use url::Url;

use super::Outgoing;
use super::address::has_userinfo;
use super::failure::Refusal;

/// The hold after a 429 that doesn't say how long.
const UNSAID_HOLD: Duration = Duration::from_secs(5);

/// Headers that frame the connection or name its ends. The host writes them, a connector may not.
const HOSTS_OWN: [HeaderName; 9] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    header::ACCEPT_ENCODING,
];

/// Headers that go along when a redirect leads to another scheme, host or port.
const ACROSS_ORIGINS: [HeaderName; 8] = [
    header::ACCEPT,
    header::ACCEPT_CHARSET,
    header::ACCEPT_ENCODING,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_ENCODING,
    header::CONTENT_TYPE,
    header::RANGE,
    header::USER_AGENT,
];

/// Headers that concern one connection and are not passed on.
const HOP_BY_HOP: [HeaderName; 7] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
];

/// A request with its full address.
#[derive(Clone)]
pub(super) struct Hop {
    pub(super) url: Url,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    idempotent: bool,
}

impl Hop {
    /// The first request, with its headers checked.
    pub(super) fn first(url: Url, outgoing: Outgoing) -> Result<Self, Refusal> {
        if outgoing.method != Method::GET && outgoing.method != Method::POST {
            return Err(Refusal::Method {
                method: outgoing.method.to_string(),
            });
        }
        let mut headers = checked(outgoing.headers)?;
        if headers.contains_key(header::RANGE) {
            // A part of a packed body could not be unpacked.
            let identity = HeaderValue::from_static("identity");
            headers.insert(header::ACCEPT_ENCODING, identity);
        }
        Ok(Self {
            url,
            idempotent: outgoing.idempotent || outgoing.method == Method::GET,
            method: outgoing.method,
            headers,
            body: outgoing.body,
        })
    }

    /// Where a redirect leads; none for every other answer. An unreadable location is an answer as well.
    pub(super) fn redirected(&self, status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = headers.get(header::LOCATION)?;
        let location = std::str::from_utf8(location.as_bytes()).ok()?;
        let mut url = self.url.join(location).ok()?;
        url.set_fragment(None);
        let mut next = self.clone();
        let same_origin = url.origin() == self.url.origin();
        next.url = url;
        if !same_origin {
            // A key may stand in a header of any name, so only those that cannot hold one go along.
            next.headers = self
                .headers
                .iter()
                .filter(|(name, _)| ACROSS_ORIGINS.contains(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
        }
        if status == StatusCode::SEE_OTHER
            || (self.method == Method::POST && matches!(status.as_u16(), 301 | 302))
        {
            next.method = Method::GET;
            next.body = None;
            next.headers.remove(header::CONTENT_TYPE);
            next.headers.remove(header::CONTENT_ENCODING);
        }
        Some(next)
    }

    /// Whether the request may be sent again after an attempt without use.
    pub(super) fn repeatable(&self) -> bool {
        self.idempotent
    }

    /// Whether the URL names somebody to log in as.
    pub(super) fn has_userinfo(&self) -> bool {
        has_userinfo(&self.url)
    }
}

/// Whether a status is likely to be gone in a second. With `retry-after` it is an answer that says when.
pub(super) fn passing(status: StatusCode, headers: &HeaderMap) -> bool {
    matches!(status.as_u16(), 502..=504) && !headers.contains_key(header::RETRY_AFTER)
}

/// How long an answer asks everybody to stay away.
pub(super) fn hold(
    status: StatusCode,
    headers: &HeaderMap,
    now: OffsetDateTime,
) -> Option<Duration> {
    let asked = headers.get(header::RETRY_AFTER);
    let asked = asked.and_then(|value| retry_after(value.to_str().ok()?, now));
    match status {
        StatusCode::TOO_MANY_REQUESTS => Some(asked.unwrap_or(UNSAID_HOLD)),
        StatusCode::SERVICE_UNAVAILABLE => asked,
        _ => None,
    }
}

/// Seconds, or an HTTP date.
fn retry_after(value: &str, now: OffsetDateTime) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let until = OffsetDateTime::parse(value.trim(), &Rfc2822).ok()?;
    Duration::try_from(until - now).ok()
}

/// The headers of an answer as connectors get them.
pub(super) fn passed_on(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| !HOP_BY_HOP.contains(name) && name.as_str() != "keep-alive")
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        })
        .collect()
}

fn checked(headers: Vec<(String, String)>) -> Result<HeaderMap, Refusal> {
    let mut map = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let refusal = || Refusal::Header {
            name: name.chars().take(100).collect(),
        };
        let known = HeaderName::try_from(name.as_str()).map_err(|_invalid| refusal())?;
        let text = known.as_str();
        if HOSTS_OWN.contains(&known) || text.starts_with("proxy-") || text == "keep-alive" {
            return Err(refusal());
        }
        let value = HeaderValue::try_from(value).map_err(|_invalid| refusal())?;
        map.try_append(known, value).map_err(|_full| refusal())?;
    }
    Ok(map)
}
