//! Authentication: the key of a request, its account and plan.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use time::OffsetDateTime;

use super::App;
use super::error::{ApiError, Code};
use super::exchange::Exchange;
use crate::billing::{Customer, KeyText};
use crate::config::Plan;
use crate::language::Language;
use crate::store::{AccountId, KeyOfAccount, Store, StoreError};

/// Alternative header for the key.
pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// How long a validated key is cached. A revocation takes effect on every host within this time.
const TRUSTED: Duration = Duration::from_secs(1);

/// Interval at which the last use of keys is written, outside of requests.
const USED_PAUSE: Duration = Duration::from_secs(5);

/// Cache of validated keys, and uses that are not stored yet.
#[derive(Clone)]
pub struct KnownKeys {
    keys: moka::sync::Cache<[u8; 32], Option<KeyOfAccount>>,
    used: Arc<Mutex<HashMap<i64, OffsetDateTime>>>,
}

impl Default for KnownKeys {
    fn default() -> Self {
        Self {
            keys: moka::sync::Cache::builder()
                .max_capacity(10_000)
                .time_to_live(TRUSTED)
                .build(),
            used: Arc::default(),
        }
    }
}

impl KnownKeys {
    fn note_used(&self, key_id: i64, now: OffsetDateTime) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(key_id, now);
    }

    /// Stores when keys were last used.
    ///
    /// # Errors
    /// The store failed. The values are kept for the next run.
    pub async fn write_used(&self, store: &Store) -> Result<(), StoreError> {
        let taken = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        let used: Vec<(i64, OffsetDateTime)> = taken.iter().map(|(key, at)| (*key, *at)).collect();
        let written = store.keys().touch_keys(&used).await;
        if written.is_err() {
            let mut newer = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, at) in taken {
                newer.entry(key).or_insert(at);
            }
        }
        written
    }

    /// Worker loop that stores the last use of keys.
    pub async fn run(self, store: Store) {
        loop {
            tokio::time::sleep(USED_PAUSE).await;
            if let Err(error) = self.write_used(&store).await {
                tracing::warn!(%error, "last use of keys could not be stored; retrying");
            }
        }
    }
}

/// An authenticated account and its plan. As an extractor, it is for calls that are not look-ups (account,
/// notifications, batch progress); those take a `charging::Call`. It rejects requests without a valid key and
/// enforces the configured limit per minute.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account's id in the store.
    pub account_id: AccountId,
    /// Digest of the presented key.
    key_hash: [u8; 32],
    pub plan: Plan,
    /// The account's billing data.
    pub(super) customer: Arc<Customer>,
    /// The request's id and response headers.
    pub(super) exchange: Exchange,
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = authenticate(parts, app).await?;
        let now = app.context.now();
        if let Err(seconds) = app.other_calls.admit(caller.account_id, now) {
            let message = format!(
                "too many requests about the account, notifications or batches in this minute; try again in {seconds} s"
            );
            return Err(ApiError::new(Code::RateLimitExceeded, message).retry_after(seconds));
        }
        Ok(caller)
    }
}

impl Caller {
    /// Whether the key is still valid, for long requests. `false` while the store cannot be read.
    pub(super) async fn is_still_valid(&self, app: &App) -> bool {
        matches!(valid_key(app, &self.key_hash).await, Ok(Some(_)))
    }
}

/// Looks up a key that is neither expired nor revoked.
async fn valid_key(app: &App, hash: &[u8; 32]) -> Result<Option<KeyOfAccount>, StoreError> {
    let known = match app.keys.keys.get(hash) {
        Some(known) => known,
        None => {
            let found = app.context.store.keys().find_key(hash).await?;
            app.keys.keys.insert(*hash, found.clone());
            found
        }
    };
    let now = app.context.now();
    let ended = |at: Option<OffsetDateTime>| at.is_some_and(|at| at <= now);
    Ok(known.filter(|key| !ended(key.expires_at) && !ended(key.revoked_at)))
}

/// Identifies the caller by its key.
///
/// # Errors
/// 401 without a valid key, 403 if the plan is not offered any more, 503 if the store is unavailable.
pub(super) async fn authenticate(parts: &mut Parts, app: &App) -> Result<Caller, ApiError> {
    // One error for every kind of invalid key, so that responses reveal nothing about keys.
    let unauthorized = || ApiError::new(Code::Unauthorized, "invalid or missing API key");
    let key = key_of(&parts.headers)
        .and_then(KeyText::parse)
        .ok_or_else(unauthorized)?;
    let key_hash = key.hash();
    let key = valid_key(app, &key_hash).await?;
    let key = key.ok_or_else(unauthorized)?;
    app.keys.note_used(key.key_id, app.context.now());
    let config = app.context.config();
    let Some(plan) = config.plans.get(&key.plan) else {
        tracing::error!(plan = %key.plan, account = %key.account, "the account's plan is missing in the configuration");
        return Err(ApiError::new(
            Code::Forbidden,
            "the account's plan is not offered any more",
        ));
    };
    Ok(Caller {
        account_id: key.account_id,
        key_hash,
        customer: Arc::new(Customer {
            language: Language::parse(&key.language).unwrap_or(Language::ALL[0]),
            ..Customer::new(
                key.account_id,
                key.account,
                &key.plan,
                key.plan_version,
                plan,
                key.overage,
            )
        }),
        plan: plan.clone(),
        exchange: Exchange::from_request_parts(parts, app).await?,
    })
}

/// A caller with the sandbox's published key.
#[derive(Debug, Clone, Copy)]
pub struct SandboxCaller;

impl FromRequestParts<App> for SandboxCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        match key_of(&parts.headers) {
            Some(key) if key == app.config.sandbox.key => Ok(Self),
            Some(_) | None => Err(ApiError::new(
                Code::Unauthorized,
                "invalid or missing API key; the sandbox has one of its own",
            )),
        }
    }
}

/// The key of a request: the bearer token or `X-API-Key`. `None` if a header is repeated or the two differ,
/// because a proxy may have checked the other one.
fn key_of(headers: &HeaderMap) -> Option<&str> {
    let is_repeated = |name: &HeaderName| headers.get_all(name).iter().count() > 1;
    if is_repeated(&AUTHORIZATION) || is_repeated(&API_KEY) {
        return None;
    }
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let bearer = match text(&AUTHORIZATION) {
        Some(value) => {
            let (scheme, token) = value.split_once(' ')?;
            scheme
                .eq_ignore_ascii_case("bearer")
                .then_some(token.trim())
        }
        None => None,
    };
    match (bearer, text(&API_KEY)) {
        (Some(bearer), Some(other)) if bearer != other => None,
        (Some(key), _) | (None, Some(key)) => Some(key),
        (None, None) => None,
    }
}
