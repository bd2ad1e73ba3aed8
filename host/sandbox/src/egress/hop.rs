//! One request of a redirect chain, and what its response leads to: the next request, a retry or a cooldown.
//!
//! Pure: nothing here sends or waits.

use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use time::OffsetDateTime;
use url::Url;

use super::Outgoing;
use super::address::has_userinfo;
use super::failure::Refusal;
use super::unpack::ContentEncoding;
use crate::retry_after::retry_after;

/// Cooldown after a 429 without `Retry-After`.
const DEFAULT_COOLDOWN: Duration = Duration::from_secs(5);

/// Headers that frame the connection or name its endpoints. Only the host may set them.
const HOST_ONLY_HEADERS: [HeaderName; 9] = [
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

/// Headers that are kept when a redirect leads to another origin (scheme, host, port).
const CROSS_ORIGIN_HEADERS: [HeaderName; 8] = [
    header::ACCEPT,
    header::ACCEPT_CHARSET,
    header::ACCEPT_ENCODING,
    header::ACCEPT_LANGUAGE,
    header::CONTENT_ENCODING,
    header::CONTENT_TYPE,
    header::RANGE,
    header::USER_AGENT,
];

/// Hop-by-hop headers, which are not passed on.
const HOP_BY_HOP_HEADERS: [HeaderName; 7] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
];

/// A request with its full URL.
#[derive(Clone)]
pub(super) struct Hop {
    pub(super) url: Url,
    pub(super) method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    idempotent: bool,
}

impl Hop {
    /// Builds the first request and validates its headers.
    pub(super) fn first(url: Url, outgoing: Outgoing) -> Result<Self, Refusal> {
        if outgoing.method != Method::GET && outgoing.method != Method::POST {
            return Err(Refusal::Method {
                method: outgoing.method.to_string(),
            });
        }
        let mut headers = checked(outgoing.headers)?;
        if headers.contains_key(header::RANGE) {
            // A range of a compressed body could not be decoded.
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

    /// The request to a redirect's target, or `None` for any other response. A redirect with an unreadable location
    /// counts as a normal response.
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
            // Any header may hold a key, so only headers that cannot hold one are kept.
            next.headers = self
                .headers
                .iter()
                .filter(|(name, _)| CROSS_ORIGIN_HEADERS.contains(name))
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

    /// Whether the request may be retried.
    pub(super) fn repeatable(&self) -> bool {
        self.idempotent
    }

    /// Whether the URL contains a user name or password.
    pub(super) fn has_userinfo(&self) -> bool {
        has_userinfo(&self.url)
    }
}

/// Whether a status is probably transient. With `retry-after` it is not retried here, because the upstream says when to
/// return.
pub(super) fn passing(status: StatusCode, headers: &HeaderMap) -> bool {
    matches!(status.as_u16(), 502..=504) && !headers.contains_key(header::RETRY_AFTER)
}

/// The cooldown that a response asks for.
pub(super) fn cooldown(
    status: StatusCode,
    headers: &HeaderMap,
    now: OffsetDateTime,
) -> Option<Duration> {
    let asked = retry_after(headers, now);
    match status {
        StatusCode::TOO_MANY_REQUESTS => Some(asked.unwrap_or(DEFAULT_COOLDOWN)),
        StatusCode::SERVICE_UNAVAILABLE => asked,
        _ => None,
    }
}

/// The response headers that connectors receive.
pub(super) fn passed_on(headers: &HeaderMap) -> Vec<(String, String)> {
    let decoded = ContentEncoding::of(headers).is_some();
    let encoded = [header::CONTENT_ENCODING, header::CONTENT_LENGTH];
    headers
        .iter()
        .filter(|(name, _)| !HOP_BY_HOP_HEADERS.contains(name) && name.as_str() != "keep-alive")
        .filter(|(name, _)| !(decoded && encoded.contains(name)))
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
        if HOST_ONLY_HEADERS.contains(&known) || text.starts_with("proxy-") || text == "keep-alive"
        {
            return Err(refusal());
        }
        let value = HeaderValue::try_from(value).map_err(|_invalid| refusal())?;
        map.try_append(known, value).map_err(|_full| refusal())?;
    }
    Ok(map)
}
