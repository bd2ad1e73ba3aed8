//! State of one request: its id, and the response headers collected while it is handled.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use time::OffsetDateTime;

use super::App;
use super::error::{ApiError, Code};

/// A request in progress. Clones share its state.
#[derive(Debug, Clone)]
pub struct Exchange(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: String,
    headers: Mutex<HeaderMap>,
}

impl Exchange {
    /// A request received at `now`. Its id starts with the time, so rows that store it are close together, and
    /// ends with 80 random bits.
    #[must_use]
    pub fn new(now: OffsetDateTime) -> Self {
        let millis = now.unix_timestamp_nanos() / 1_000_000;
        let random = rand::random::<u128>() >> 48;
        Self(Arc::new(Inner {
            id: format!("{millis:012x}{random:020x}"),
            headers: Mutex::default(),
        }))
    }

    /// The request id: 32 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Sets a header of the response, whether it succeeds or fails.
    pub fn set_header(&self, name: HeaderName, value: impl Into<HeaderValue>) {
        self.headers().insert(name, value.into());
    }

    /// Removes a header that was set.
    pub fn forget(&self, name: &HeaderName) {
        self.headers().remove(name);
    }

    /// Moves the collected headers into the response.
    pub fn finish(&self, answer: &mut HeaderMap) {
        let headers = std::mem::take(&mut *self.headers());
        answer.extend(headers);
    }

    fn headers(&self) -> MutexGuard<'_, HeaderMap> {
        let headers = self.0.headers.lock();
        headers.unwrap_or_else(PoisonError::into_inner)
    }
}

impl FromRequestParts<App> for Exchange {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, ApiError> {
        let exchange = parts.extensions.get::<Self>().cloned();
        exchange.ok_or_else(|| ApiError::new(Code::InternalError, "the request has no id"))
    }
}
