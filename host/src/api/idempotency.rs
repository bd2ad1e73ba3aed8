//! `Idempotency-Key`: a repeated request gets the result of the first one.
//!
//! Only processed requests are stored. A request that failed with an error may be sent again with the same key.

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

/// The parameter name in a 422.
const PARAMETER: &str = "Idempotency-Key";

/// Maximum length of a key, in characters.
const LONGEST: usize = 255;

/// Interval at which expired keys are deleted, and maximum number per statement.
const SWEEP_INTERVAL: std::time::Duration = std::time::Duration::from_secs(600);
const SWEEP_BATCH: u32 = 1_000;

/// Worker loop that deletes expired keys.
pub async fn sweep(app: App) {
    loop {
        let keys = app.companies.store().idempotency_keys();
        match keys.sweep(SWEEP_BATCH, app.companies.now()).await {
            Ok(swept) if swept > 0 => continue,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, "expired idempotency keys could not be deleted; retrying");
            }
        }
        tokio::time::sleep(SWEEP_INTERVAL).await;
    }
}

/// The idempotency key of a request, if it has one.
///
/// # Errors
/// 422 if the key is empty, too long, not ASCII, or given more than once.
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

/// Binds a key to its request. `parts` are the endpoint and all of its inputs, in a fixed order.
pub(super) fn keyed<'a>(
    app: &App,
    key: String,
    parts: impl IntoIterator<Item = &'a str>,
) -> KeyedRequest {
    let mut digest = Sha256::new();
    for part in parts {
        // Hash the lengths too, so that adjacent parts cannot be confused.
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

/// The result of the first request with this key. `None` if this is the first.
///
/// # Errors
/// 422 if the first request had different inputs; 503 if the store is unavailable.
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

/// Marks a response as replayed.
pub(super) fn replayed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    response
}
