//! What belongs to one request and its answer: the id, and the headers that are found out on the way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use time::OffsetDateTime;

use super::App;
use super::error::{ApiError, Code};

/// A request on its way to its answer. Clones are the same.
#[derive(Debug, Clone)]
pub struct Exchange(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    id: String,
    headers: Mutex<HeaderMap>,
}

impl Exchange {
    /// A request that came at `now`. Its id begins with the time, so that what is stored by it lies together, and ends
    /// with 80 random bits.
    #[must_use]
    pub fn new(now: OffsetDateTime) -> Self {
        let millis = now.unix_timestamp_nanos() / 1_000_000;
        let random = rand::random::<u128>() >> 48;
        Self(Arc::new(Inner {
            id: format!("{millis:012x}{random:020x}"),
            headers: Mutex::default(),
        }))
    }

    /// 32 hexadecimal digits that no other request has.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// A header that the answer gets, whatever it becomes.
    pub fn tell(&self, name: HeaderName, value: impl Into<HeaderValue>) {
        self.headers().insert(name, value.into());
    }

    /// A header that was told is so no more.
    pub fn forget(&self, name: &HeaderName) {
        self.headers().remove(name);
    }

    /// Puts what was told into an answer.
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
