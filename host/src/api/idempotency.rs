//! `Idempotency-Key`: a repeated request gets the result of the first one.
//!
//! Only processed requests are stored. A request that failed with an error may be sent again with the same key.

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use sha2::{Digest, Sha256};
use time::Duration;
use utoipa::openapi::Object;
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::App;
use super::error::ApiError;
use super::parameters::Parameter;
use super::query::ParameterReader;
use crate::connectors::cache::hex;
use crate::store::{AccountId, KeyedRequest, KnownRequest};
use crate::worker::{self, SWEEP_BATCH};

pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The parameter name in a 422.
const PARAMETER: &str = "Idempotency-Key";

/// Maximum length of a key, in bytes.
const LONGEST: usize = 255;

/// Worker loop that deletes expired keys.
pub async fn sweep(app: App) {
    let context = &app.context;
    worker::sweep("expired idempotency keys", move || async move {
        let keys = context.store.idempotency_keys();
        keys.sweep(SWEEP_BATCH, context.now()).await
    })
    .await;
}

/// The header `Idempotency-Key`, optional: 1 to 255 visible ASCII characters.
pub(super) struct IdempotencyKey;

impl Parameter for IdempotencyKey {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        let Some(text) = given.text(name).map(|text| text.trim().to_owned()) else {
            return Some(None);
        };
        if text.is_empty() || text.len() > LONGEST || !text.is_ascii() {
            given.refuse(name, format!("1 to {LONGEST} visible ASCII characters"));
            return None;
        }
        Some(Some(text))
    }

    fn schema() -> Object {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(LONGEST))
            .pattern(Some("^[!-~]([ -~]*[!-~])?$"))
            .build()
    }
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
    let now = app.context.now();
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
    account_id: AccountId,
    keyed: Option<&KeyedRequest>,
) -> Result<Option<KnownRequest>, ApiError> {
    match keyed {
        Some(keyed) => known_as(app, account_id, keyed, None).await,
        None => Ok(None),
    }
}

/// Like [`known`]. `earlier` is the digest that earlier versions stored for the same request.
///
/// # Errors
/// The same as of [`known`].
pub(super) async fn known_as(
    app: &App,
    account_id: AccountId,
    keyed: &KeyedRequest,
    earlier: Option<&str>,
) -> Result<Option<KnownRequest>, ApiError> {
    let keys = app.context.store.idempotency_keys();
    let now = app.context.now();
    let Some(known) = keys.find(account_id, &keyed.key, now).await? else {
        return Ok(None);
    };
    if known.request != keyed.request && Some(known.request.as_str()) != earlier {
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
