//! Authentication: the key of a request, its account and plan.

use std::collections::HashMap;
use std::net::IpAddr;
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
use crate::accounts::{Action, Actor, may};
use crate::billing::{Customer, KeyText};
use crate::config::{Config, Network, Plan};
use crate::connectors::catalogue::Catalogue;
use crate::http_server::PeerAddress;
use crate::language::Language;
use crate::store::{AccountId, KeyOfAccount, Store, StoreError};

/// Alternative header for the key.
pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// How long a validated key is cached. A revocation takes effect on every host within this time.
const TRUSTED: Duration = Duration::from_secs(1);

/// Interval at which the last use of keys is written, outside of requests.
const USED_PAUSE: Duration = Duration::from_secs(5);

/// Minimum time between two stored uses of a key by one host.
const USED_INTERVAL: time::Duration = time::Duration::minutes(1);

/// Cache of validated keys, and uses that are not stored yet.
#[derive(Clone)]
pub struct KnownKeys {
    keys: moka::sync::Cache<[u8; 32], Option<KeyOfAccount>>,
    used: Arc<Mutex<HashMap<i64, OffsetDateTime>>>,
    /// The last use of each key that this host has stored, or is about to store.
    noted: moka::sync::Cache<i64, OffsetDateTime>,
}

impl Default for KnownKeys {
    fn default() -> Self {
        Self {
            keys: moka::sync::Cache::builder()
                .max_capacity(10_000)
                .time_to_live(TRUSTED)
                .build(),
            used: Arc::default(),
            noted: moka::sync::Cache::new(10_000),
        }
    }
}

impl KnownKeys {
    fn note_used(&self, key_id: i64, now: OffsetDateTime) {
        let is_recent = |noted: OffsetDateTime| (now - noted).abs() < USED_INTERVAL;
        if self.noted.get(&key_id).is_some_and(is_recent) {
            return;
        }
        self.noted.insert(key_id, now);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(key_id, now);
    }

    /// Makes this host read every key again, after a change of a key or a plan. Other hosts do so within a second.
    pub(super) fn forget(&self) {
        self.keys.invalidate_all();
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
    /// Number of the presented key.
    pub(super) key_id: i64,
    /// Whether the key may manage its account.
    manage: bool,
    /// The scopes that the key is limited to; `None` without a limit.
    scopes: Option<Vec<String>>,
    /// The client's address; `None` if the request did not come over a connection.
    pub(super) address: Option<IpAddr>,
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
        if caller.scopes.is_some() && parts.uri.path().starts_with("/v1/notifications") {
            // Events contain what other scopes say.
            let message =
                "the API key is limited to scopes; notifications need a key without this limit";
            return Err(ApiError::new(Code::Forbidden, message));
        }
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
    /// Checks that the key's permissions allow an action.
    ///
    /// # Errors
    /// 403 if they do not.
    pub(super) fn ensure(&self, action: Action) -> Result<(), ApiError> {
        let actor = Actor::Key {
            manage: self.manage,
        };
        if may(actor, action) {
            return Ok(());
        }
        let message =
            "the API key may not manage the account; use a key with the permission `manage`";
        Err(ApiError::new(Code::Forbidden, message))
    }

    /// The scopes of a request within the limits of the key. `all` becomes the scopes of the key that the plan includes.
    ///
    /// # Errors
    /// 403 for a served scope that the key is not limited to.
    pub(super) fn limit_scopes(
        &self,
        requested: Option<&str>,
        catalogue: &Catalogue,
    ) -> Result<Option<String>, ApiError> {
        let Some(own) = &self.scopes else {
            return Ok(requested.map(str::to_owned));
        };
        let mut limited: Vec<&str> = Vec::new();
        let mut refused = Vec::new();
        for name in requested.unwrap_or_default().split(',').map(str::trim) {
            let is_own = own.iter().any(|scope| scope == name);
            if name == "all" {
                let own = own.iter().map(String::as_str);
                limited.extend(
                    own.filter(|scope| {
                        self.plan.includes(scope) && catalogue.scope(scope).is_some()
                    }),
                );
            } else if is_own || catalogue.scope(name).is_none() {
                limited.push(name);
            } else {
                refused.push(name);
            }
        }
        if refused.is_empty() {
            return Ok(Some(limited.join(",")));
        }
        let message = format!(
            "the API key is limited to the scopes {}; it may not request {}",
            own.join(", "),
            refused.join(", ")
        );
        Err(ApiError::new(Code::Forbidden, message))
    }

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
    Ok(known.filter(|key| {
        let ends = [key.expires_at, key.revoked_at, key.former_ends_at];
        !ends.into_iter().any(ended)
    }))
}

/// The client's address: that of the connection, or the last one in `X-Forwarded-For` that is not a trusted proxy's.
fn client_address(parts: &Parts, config: &Config) -> Option<IpAddr> {
    let PeerAddress(peer) = parts.extensions.get::<PeerAddress>()?;
    let is_proxy = |address: IpAddr| {
        let proxies = config.connections.proxies.iter();
        Network::any_contains(proxies.map(String::as_str), address)
    };
    let mut client = *peer;
    let forwarded = parts.headers.get_all("x-forwarded-for").iter();
    let forwarded: Vec<&str> = forwarded
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for address in forwarded.iter().rev() {
        if !is_proxy(client) {
            break;
        }
        client = address.trim().parse().ok()?;
    }
    Some(client.to_canonical())
}

/// # Errors
/// 403 if the key is limited to networks that do not contain the client's address.
fn check_address(key: &KeyOfAccount, address: Option<IpAddr>) -> Result<(), ApiError> {
    let Some(networks) = &key.addresses else {
        return Ok(());
    };
    let message = match address {
        Some(address) if Network::any_contains(networks.split(' '), address) => return Ok(()),
        Some(address) => format!("the API key may not be used from the address {address}"),
        None => "the API key may not be used from an unknown address".to_owned(),
    };
    Err(ApiError::new(Code::Forbidden, message))
}

/// Identifies the caller by its key.
///
/// # Errors
/// 401 without a valid key, 403 if the key is limited to other addresses or the plan is not offered any more, 503 if the store is unavailable.
pub(super) async fn authenticate(parts: &mut Parts, app: &App) -> Result<Caller, ApiError> {
    // One error for every kind of invalid key, so that responses reveal nothing about keys.
    let unauthorized = || ApiError::new(Code::Unauthorized, "invalid or missing API key");
    let key = key_of(&parts.headers)
        .and_then(KeyText::parse)
        .ok_or_else(unauthorized)?;
    let key_hash = key.hash();
    let key = valid_key(app, &key_hash).await?;
    let key = key.ok_or_else(unauthorized)?;
    let config = app.context.config();
    let address = client_address(parts, &config);
    check_address(&key, address)?;
    app.keys.note_used(key.key_id, app.context.now());
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
        key_id: key.key_id,
        manage: key.manage,
        scopes: key
            .scopes
            .map(|scopes| scopes.split(' ').map(str::to_owned).collect()),
        address,
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

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn last_use_is_noted_once_a_minute() {
        let keys = KnownKeys::default();
        let start = datetime!(2026-01-15 08:00 UTC);
        let mut written = Vec::new();
        for seconds in [0, 1, 59, 60, 61, 130] {
            keys.note_used(1, start + time::Duration::seconds(seconds));
            let used = std::mem::take(&mut *keys.used.lock().expect("no holder panics"));
            written.extend(used.into_values().map(|at| (at - start).whole_seconds()));
        }
        assert_eq!(written, [0, 60, 130]);
    }
}
