//! `Idempotency-Key`: a request that is sent again with its key is answered with what the first one made.
//!
//! Only requests that were carried out are known by their keys: an error is no answer, and the request may be sent again.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use sha2::{Digest, Sha256};
use time::Duration;

use super::App;
use super::error::ApiError;
use crate::connectors::cache::hex;
use crate::store::{KeyedRequest, KnownRequest};

pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The parameter that a 422 names.
const PARAMETER: &str = "Idempotency-Key";

/// The longest key, in characters.
const LONGEST: usize = 255;

/// How often expired keys are deleted, and how many by one statement.
const SWEEP_PAUSE: std::time::Duration = std::time::Duration::from_secs(600);
const SWEPT_AT_ONCE: u32 = 1_000;

/// Deletes expired keys, for as long as the host runs.
pub async fn sweep(app: App) {
    loop {
        let keys = app.companies.store().idempotency_keys();
        match keys.sweep(SWEPT_AT_ONCE, app.companies.now()).await {
            Ok(swept) if swept > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "expired idempotency keys could not be deleted"),
        }
        tokio::time::sleep(SWEEP_PAUSE).await;
    }
}

/// The key of a request, where it has one.
///
/// # Errors
/// 422 where it is empty, too long, not ASCII, or given more than once.
pub(super) fn key_of(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else {
        return Ok(None);
    };
    if keys.next().is_some() {
        return Err(ApiError::invalid(PARAMETER, "given more than once"));
    }
    let text = key.to_str().unwrap_or_default().trim();
    if text.is_empty() || text.len() > LONGEST {
        let why = format!("1 to {LONGEST} visible ASCII characters");
        return Err(ApiError::invalid(PARAMETER, why));
    }
    Ok(Some(text.to_owned()))
}

/// A request with its key: `parts` are the endpoint and everything that is asked of it, in a fixed order.
pub(super) fn keyed<'a>(
    app: &App,
    key: String,
    parts: impl IntoIterator<Item = &'a str>,
) -> KeyedRequest {
    let mut digest = Sha256::new();
    for part in parts {
        // With their lengths, so that no part runs into the next.
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    let hours = i64::try_from(app.config.requests.idempotency_hours).unwrap_or(i64::MAX);
    let now = app.companies.now();
    KeyedRequest {
        key,
        request: hex(&digest.finalize()),
        expires_at: now.saturating_add(Duration::hours(hours)),
    }
}

/// What the first request with this key made. `None`: it is the first.
///
/// # Errors
/// 422 where the first request asked for something else; 503 where the store is out of reach.
pub(super) async fn known(
    app: &App,
    account_id: i64,
    keyed: Option<&KeyedRequest>,
) -> Result<Option<KnownRequest>, ApiError> {
    let Some(keyed) = keyed else {
        return Ok(None);
    };
    let keys = app.companies.store().idempotency_keys();
    let now = app.companies.now();
    let Some(known) = keys.find(account_id, &keyed.key, now).await? else {
        return Ok(None);
    };
    if known.request != keyed.request {
        let why = "it was used for another request; use a new key for each request";
        return Err(ApiError::invalid(PARAMETER, why));
    }
    Ok(Some(known))
}

/// An answer that says that its request was sent before.
pub(super) fn replayed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    response
}
