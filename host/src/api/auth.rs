//! Who asks: the key of a request, its account and plan.

use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};

use super::App;
use super::error::{ApiError, Code};
use crate::billing::KeyText;
use crate::config::Plan;
use crate::store::KeyOfAccount;

/// The other header for a key.
pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// How long a key is taken for valid without another look: a revocation takes effect within this time everywhere.
const TRUSTED: Duration = Duration::from_secs(1);

/// Keys that were looked up a moment ago.
#[derive(Clone)]
pub struct KnownKeys(moka::sync::Cache<[u8; 32], Option<KeyOfAccount>>);

impl Default for KnownKeys {
    fn default() -> Self {
        Self(
            moka::sync::Cache::builder()
                .max_capacity(10_000)
                .time_to_live(TRUSTED)
                .build(),
        )
    }
}

/// An account that may ask, with its plan. A handler that takes one is not entered without a valid key.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account's id in the store.
    pub account_id: i64,
    /// The plan's name.
    pub plan_name: String,
    /// What it may do.
    pub plan: Plan,
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        // One body for every way in which a key may be wrong, so that nothing can be learned about keys.
        let unauthorized = || ApiError::new(Code::Unauthorized, "invalid or missing API key");
        let key = key_of(&parts.headers)
            .and_then(KeyText::parse)
            .ok_or_else(unauthorized)?;
        let hash = key.hash();
        let known = match app.keys.0.get(&hash) {
            Some(known) => known,
            None => {
                let found = app.companies.store().keys().find_key(&hash).await?;
                if let Some(key) = &found
                    && let Err(error) = app
                        .companies
                        .store()
                        .keys()
                        .touch_key(key.key_id, app.companies.now())
                        .await
                {
                    tracing::warn!(%error, "a key's last use could not be noted");
                }
                app.keys.0.insert(hash, found.clone());
                found
            }
        };
        let key = known.ok_or_else(unauthorized)?;
        let now = app.companies.now();
        let ended = |at: Option<time::OffsetDateTime>| at.is_some_and(|at| at <= now);
        if ended(key.expires_at) || ended(key.revoked_at) {
            return Err(unauthorized());
        }
        let config = app.companies.connectors().config();
        let Some(plan) = config.plans.get(&key.plan) else {
            tracing::error!(plan = %key.plan, account = %key.account, "an account is on a plan that the configuration does not have");
            return Err(ApiError::new(
                Code::Forbidden,
                "the account's plan is not offered any more",
            ));
        };
        Ok(Self {
            account_id: key.account_id,
            plan_name: key.plan,
            plan: plan.clone(),
        })
    }
}

/// Somebody with the published key of the sandbox.
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

/// The key of a request: the bearer token or `X-API-Key`; none where both are there and differ.
fn key_of(headers: &HeaderMap) -> Option<&str> {
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
