//! Authentication: the key of a request, its account and plan.

mod session;
mod validated;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};

use super::App;
use super::error::{ApiError, Code};
use super::exchange::Exchange;
use crate::accounts::{Action, Actor, SignedIn, may};
use crate::billing::{Customer, KeyText};
use crate::companies::AllowedScopes;
use crate::config::{Config, Network, Plan};
use crate::connectors::catalogue::Catalogue;
use crate::http_server::Client;
use crate::language::Language;
use crate::store::AccountId;
pub(super) use session::calls;
pub use validated::ValidatedKeys;
use validated::valid_key;

/// Alternative header for the key.
pub(super) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// An authenticated account and its plan. As an extractor, it is for calls that are not look-ups (account,
/// notifications, batch progress); those take a `charging::Call`. It rejects requests without a valid key and
/// enforces the configured limit per minute.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The account's id in the store.
    pub account_id: AccountId,
    credential: Credential,
    /// Number of the presented key; `None` for a person who is signed in.
    pub(super) key_id: Option<i64>,
    /// Who acts: a key, or a person in their role.
    actor: Actor,
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

/// What a request proved its account with: the digest of a key, or of a session's token.
#[derive(Debug, Clone)]
enum Credential {
    Key([u8; 32]),
    Session([u8; 32]),
}

impl FromRequestParts<App> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let caller = authenticate(parts, app).await?;
        if parts.uri.path().starts_with("/v1/notifications") && !parts.method.is_safe() {
            caller.ensure(Action::ChangeWatches)?;
        }
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
        if may(self.actor, action) {
            return Ok(());
        }
        let message = match self.actor {
            Actor::Member(role) => {
                format!("a person with the role {} may not do this", role.word())
            }
            Actor::Key { .. } => "the API key may not manage the account; use a key with the \
                permission `manage`"
                .to_owned(),
        };
        Err(ApiError::new(Code::Forbidden, message))
    }

    /// The requested scopes, names separated by commas or `all`, within the plan and the limits of the key.
    ///
    /// # Errors
    /// 403 for served scopes that the plan lacks or that the key is not limited to; 422 for unknown ones.
    pub(super) fn allowed_scopes(
        &self,
        requested: Option<&str>,
        catalogue: &Catalogue,
    ) -> Result<AllowedScopes, ApiError> {
        let allowed = || AllowedScopes::of_request(requested, &self.plan, catalogue);
        let Some(own) = &self.scopes else {
            return Ok(allowed()?);
        };
        let names = requested.unwrap_or_default().split(',').map(str::trim);
        let refused: Vec<&str> = names
            .filter(|name| catalogue.scope(name).is_some())
            .filter(|name| !own.iter().any(|scope| scope == name))
            .collect();
        if refused.is_empty() {
            return Ok(allowed()?.limited_to(own));
        }
        let message = format!(
            "the API key is limited to the scopes {}; it may not request {}",
            own.join(", "),
            refused.join(", ")
        );
        Err(ApiError::new(Code::Forbidden, message))
    }

    /// The scopes that the key is limited to; `None` without a limit.
    pub(super) fn key_scopes(&self) -> Option<&[String]> {
        self.scopes.as_deref()
    }

    /// Whether the limits of the key include all of these scopes.
    pub(super) fn may_read<'a>(&self, scopes: impl IntoIterator<Item = &'a str>) -> bool {
        let Some(own) = &self.scopes else {
            return true;
        };
        let is_own = |scope: &str| own.iter().any(|one| one == scope);
        scopes.into_iter().all(is_own)
    }

    /// Checks that the limits of the key include a scope.
    ///
    /// # Errors
    /// 403 if they do not.
    pub(super) fn ensure_scope(&self, scope: &str) -> Result<(), ApiError> {
        if self.may_read([scope]) {
            return Ok(());
        }
        let own = self.scopes.as_deref().unwrap_or_default().join(", ");
        let message =
            format!("the API key is limited to the scopes {own}; this requires the scope {scope}");
        Err(ApiError::new(Code::Forbidden, message))
    }

    /// Whether the key or the session is still valid, for long requests. `false` while the store cannot be read.
    pub(super) async fn is_still_valid(&self, app: &App) -> bool {
        match &self.credential {
            Credential::Key(hash) => matches!(valid_key(app, hash).await, Ok(Some(_))),
            Credential::Session(digest) => session::is_valid(app, digest).await,
        }
    }
}

/// The client's address, if it is known.
fn client_address(parts: &Parts) -> Option<IpAddr> {
    parts.extensions.get::<Client>()?.known
}

/// # Errors
/// 403 if the key is limited to networks that do not contain the client's address.
fn check_address(networks: Option<&str>, address: Option<IpAddr>) -> Result<(), ApiError> {
    let Some(networks) = networks else {
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
    if let Some(signed) = parts.extensions.get::<SignedIn>().cloned() {
        return session::caller(parts, app, signed).await;
    }
    // One error for every kind of invalid key, so that responses reveal nothing about keys.
    let unauthorized = || ApiError::new(Code::Unauthorized, "invalid or missing API key");
    let key = key_of(&parts.headers)
        .and_then(KeyText::parse)
        .ok_or_else(unauthorized)?;
    let key_hash = key.hash();
    let key = valid_key(app, &key_hash).await?;
    let key = key.ok_or_else(unauthorized)?;
    let config = app.context.config();
    let address = client_address(parts);
    check_address(key.addresses.as_deref(), address)?;
    app.keys.note_used(key.key_id, app.context.now());
    let plan = plan_of(&config, &key.plan, &key.account)?;
    Ok(Caller {
        account_id: key.account_id,
        credential: Credential::Key(key_hash),
        key_id: Some(key.key_id),
        actor: Actor::Key { manage: key.manage },
        scopes: scopes_of(key.scopes.as_deref()),
        address,
        customer: Arc::new(Customer {
            language: Language::parse(&key.language).unwrap_or_default(),
            ..Customer::new(
                key.account_id,
                key.account.clone(),
                &key.plan,
                key.plan_version,
                &plan,
                key.overage,
            )
        }),
        plan,
        exchange: Exchange::from_request_parts(parts, app).await?,
    })
}

/// # Errors
/// 403 if the settings do not have the plan any more.
fn plan_of(config: &Config, plan: &str, account: &str) -> Result<Plan, ApiError> {
    config.plans.get(plan).cloned().ok_or_else(|| {
        tracing::error!(%plan, %account, "the account's plan is missing in the configuration");
        ApiError::new(
            Code::Forbidden,
            "the account's plan is not offered any more",
        )
    })
}

fn scopes_of(scopes: Option<&str>) -> Option<Vec<String>> {
    scopes.map(|scopes| scopes.split(' ').map(str::to_owned).collect())
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
