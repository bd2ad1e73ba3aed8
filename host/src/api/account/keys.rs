//! API keys of the account: list, create, limit, rotate and revoke. Every call needs a key with `manage`.

mod limits;
mod shapes;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use time::Duration;
use utoipa_axum::router::OpenApiRouter;

pub(super) use self::limits::name_in;
use self::limits::{KeyRequest, change, hours};
use self::shapes::{
    KeyAnswer, KeyChangeBody, KeyRotationBody, KeyState, KeyWithSecret, Keys, NewKeyBody, Origin,
};
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::idempotency::{self, IdempotencyKey};
use crate::api::parameters::types::Id;
use crate::api::parameters::{NoQuery, Path, of_headers, parameters};
use crate::api::search::ListMeta;
use crate::billing::NewKey;
use crate::config::Secret;
use crate::handlers::routes;
use crate::store::{KeyCreation, KeyedRequest, NewKeyOfAccount, OwnedKey, SealedKeyRequest};

/// Maximum number of valid keys of an account.
const MAX_KEYS: u32 = 100;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(keys, create_key))
        .routes(routes!(change_key, revoke_key))
        .routes(routes!(rotate_key))
}

parameters! {
    struct KeyPath in Path {
        /// Number of the key, from the list.
        key_id: Id,
    }
}

parameters! {
    struct KeyHeaders in Header {
        /// Idempotency key of the client's choice, 1 to 255 characters. Within 24 hours (configurable), the same
        /// request with the same key gets the answer of the first one, including the secret.
        key as "Idempotency-Key": IdempotencyKey,
    }
}

fn no_such_key() -> ApiError {
    ApiError::new(Code::NotFound, "the account has no such key")
}

fn no_such_valid_key() -> ApiError {
    ApiError::new(Code::NotFound, "the account has no such valid key")
}

fn number(path: &KeyPath) -> Result<i64, ApiError> {
    path.key_id.parse().ok().ok_or_else(no_such_key)
}

/// The number in a path of a key that the caller may manage.
///
/// # Errors
/// 404 without such a key, 403 for a key with `manage` that the caller may not manage.
async fn managed(app: &App, caller: &Caller, path: &KeyPath) -> Result<i64, ApiError> {
    let id = number(path)?;
    let key = app
        .context
        .store
        .keys_of(caller.account_id)
        .find(id)
        .await?;
    if key.ok_or_else(no_such_key)?.manage {
        caller.ensure(Action::ManageManagingKeys)?;
    }
    Ok(id)
}

/// List the account's keys.
///
/// Oldest first, including revoked and expired ones. Secrets are never shown.
#[utoipa::path(
    get,
    path = "/v1/account/keys",
    tag = "Account",
    responses(
        (status = 200, description = "All keys of the account.", body = Keys),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn keys(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<Keys>, ApiError> {
    caller.ensure(Action::ManageKeys)?;
    let keys = app.context.store.keys_of(caller.account_id).list().await?;
    let origin = Origin::of(&app, &caller);
    Ok(Json(Keys {
        meta: ListMeta::whole(keys.len() as u64),
        data: keys
            .into_iter()
            .map(|key| KeyState::of(key, &origin))
            .collect(),
    }))
}

/// Create a key.
///
/// The secret is in this answer only. An account has at most 100 valid keys.
#[utoipa::path(
    post,
    path = "/v1/account/keys",
    tag = "Account",
    params(KeyHeaders),
    request_body = NewKeyBody,
    responses(
        (status = 201, description = "The key with its secret.", body = KeyWithSecret),
        (status = 403, description = "The request's key may not manage the account, or the account has 100 valid keys.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn create_key(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ManageKeys)?;
    let fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let request = KeyRequest::read(&app, fields)?;
    if request.manage {
        caller.ensure(Action::ManageManagingKeys)?;
    }
    let KeyHeaders { key } = of_headers(&headers)?;
    let keyed = key.map(|key| request.keyed(&app, key));
    let created = StatusCode::CREATED;
    if let Some(repeated) = repeated(&app, &caller, keyed.as_ref(), created).await? {
        return Ok(repeated);
    }
    let secret = NewKey::live();
    let new = NewKeyOfAccount {
        name: request.name,
        prefix: secret.prefix.clone(),
        hash: secret.text.hash(),
        manage: request.manage,
        limits: request.limits,
    };
    let sealed = keyed
        .as_ref()
        .map(|keyed| seal(&app, &caller, keyed, &secret));
    let of_account = app.context.store.keys_of(caller.account_id);
    let now = app.context.now();
    let made = of_account
        .create(&new, MAX_KEYS, sealed.as_ref(), now)
        .await?;
    made_answer(
        &app,
        &caller,
        made,
        keyed.as_ref(),
        &secret,
        StatusCode::CREATED,
    )
    .await
}

/// Rotate the secret of a key.
///
/// Number, name and limits stay. The former secret ends at once, or after `overlap_hours`; a secret before it ends in any
/// case. Sessions of pages that were begun with the key end.
#[utoipa::path(
    post,
    path = "/v1/account/keys/{key_id}/rotate",
    tag = "Account",
    params(KeyPath, KeyHeaders),
    request_body = KeyRotationBody,
    responses(
        (status = 200, description = "The key with its new secret.", body = KeyWithSecret),
        (status = 404, description = "The account has no such valid key.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn rotate_key(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<KeyPath>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ManageKeys)?;
    let fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let overlap = hours(fields)?;
    let id = managed(&app, &caller, &path).await?;
    let KeyHeaders { key } = of_headers(&headers)?;
    let (number, hours) = (id.to_string(), overlap.to_string());
    let keyed = key.map(|key| idempotency::keyed(&app, key, ["key-rotation", &number, &hours]));
    if let Some(repeated) = repeated(&app, &caller, keyed.as_ref(), StatusCode::OK).await? {
        return Ok(repeated);
    }
    let (secret, now) = (NewKey::live(), app.context.now());
    let former_ends_at = (overlap > 0).then(|| now + Duration::hours(overlap));
    let sealed = keyed
        .as_ref()
        .map(|keyed| seal(&app, &caller, keyed, &secret));
    let of_account = app.context.store.keys_of(caller.account_id);
    let (prefix, hash) = (secret.prefix.as_str(), secret.text.hash());
    let made = of_account.rotate(id, prefix, &hash, former_ends_at, sealed.as_ref(), now);
    let made = made.await?;
    made_answer(&app, &caller, made, keyed.as_ref(), &secret, StatusCode::OK).await
}

/// Change the name or the limits of a key.
///
/// A limit that is not named stays, and null removes it. The key of this request may be limited too; `warnings` then says
/// what it can no longer do.
#[utoipa::path(
    patch,
    path = "/v1/account/keys/{key_id}",
    tag = "Account",
    params(KeyPath),
    request_body = KeyChangeBody,
    responses(
        (status = 200, description = "The changed key.", body = KeyAnswer),
        (status = 404, description = "The account has no such valid key.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn change_key(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<KeyPath>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<KeyAnswer>, ApiError> {
    caller.ensure(Action::ManageKeys)?;
    let fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let change = change(&app, fields)?;
    let id = managed(&app, &caller, &path).await?;
    let of_account = app.context.store.keys_of(caller.account_id);
    let changed = of_account.change(id, &change, app.context.now()).await?;
    let changed = changed.ok_or_else(no_such_valid_key)?;
    answer(&app, &caller, changed).await
}

/// Revoke a key.
///
/// It is refused on every server within a second and stays in the list. Repeating the call changes nothing. The key of this
/// request may be revoked too; `warnings` then says so.
#[utoipa::path(
    delete,
    path = "/v1/account/keys/{key_id}",
    tag = "Account",
    params(KeyPath),
    responses(
        (status = 200, description = "The revoked key.", body = KeyAnswer),
        (status = 404, description = "The account has no such key.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn revoke_key(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<KeyPath>,
) -> Result<Json<KeyAnswer>, ApiError> {
    caller.ensure(Action::ManageKeys)?;
    let id = managed(&app, &caller, &path).await?;
    let of_account = app.context.store.keys_of(caller.account_id);
    let revoked = of_account.revoke(id, app.context.now()).await?;
    answer(&app, &caller, revoked.ok_or_else(no_such_key)?).await
}

/// The answer to a change of a key, with what the change means for the caller.
async fn answer(app: &App, caller: &Caller, key: OwnedKey) -> Result<Json<KeyAnswer>, ApiError> {
    app.keys.forget();
    let keys = app.context.store.keys_of(caller.account_id).list().await?;
    let origin = Origin::of(app, caller);
    let warnings = origin.warnings(&key, &keys);
    Ok(Json(KeyAnswer {
        data: KeyState::of(key, &origin),
        warnings,
    }))
}

/// Encrypts the secret of an answer that may be repeated.
fn seal(app: &App, caller: &Caller, keyed: &KeyedRequest, secret: &NewKey) -> SealedKeyRequest {
    let text = Secret::new(secret.text.reveal());
    SealedKeyRequest {
        keyed: keyed.clone(),
        secret: app.notifier.seal_for(&text, &purpose(caller)),
    }
}

fn purpose(caller: &Caller) -> String {
    format!("api-key of account {}", caller.account_id)
}

/// The answer to a request that made a secret.
async fn made_answer(
    app: &App,
    caller: &Caller,
    made: KeyCreation,
    keyed: Option<&KeyedRequest>,
    secret: &NewKey,
    status: StatusCode,
) -> Result<Response, ApiError> {
    match made {
        KeyCreation::Created(key) => {
            let Json(answer) = answer(app, caller, key).await?;
            let secret = Some(secret.text.reveal().to_owned());
            Ok((status, Json(KeyWithSecret::of(answer, secret))).into_response())
        }
        // The same request was sent twice concurrently, and the other one won.
        KeyCreation::Repeated => repeated(app, caller, keyed, status)
            .await?
            .ok_or_else(ApiError::service_unavailable),
        KeyCreation::TooMany => Err(ApiError::new(
            Code::Forbidden,
            format!("the account has {MAX_KEYS} valid keys; revoke one first"),
        )),
        KeyCreation::NotFound => Err(no_such_valid_key()),
    }
}

/// The answer if the same request was already processed. The secret is missing if another server encrypted it with a
/// key of its own.
async fn repeated(
    app: &App,
    caller: &Caller,
    keyed: Option<&KeyedRequest>,
    status: StatusCode,
) -> Result<Option<Response>, ApiError> {
    let Some(known) = idempotency::known(app, caller.account_id, keyed).await? else {
        return Ok(None);
    };
    let id = known.subject.parse().ok().ok_or_else(no_such_key)?;
    let of_account = app.context.store.keys_of(caller.account_id);
    let key = of_account.find(id).await?.ok_or_else(no_such_key)?;
    let opened = known
        .sealed
        .map(|sealed| app.notifier.open_for(&sealed, &purpose(caller)));
    let secret = match opened {
        Some(Ok(secret)) => Some(secret.reveal().to_owned()),
        Some(Err(error)) => {
            tracing::error!(%error, "the secret of a new API key cannot be decrypted for a repeated answer");
            None
        }
        None => None,
    };
    let Json(answer) = answer(app, caller, key).await?;
    let response = (status, Json(KeyWithSecret::of(answer, secret))).into_response();
    Ok(Some(idempotency::replayed(response)))
}
