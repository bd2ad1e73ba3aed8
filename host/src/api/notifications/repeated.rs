//! A subscription request that is repeated with its idempotency key.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::shapes::SubscriptionAnswer;
use crate::api::auth::Caller;
use crate::api::error::{ApiError, Code};
use crate::api::{App, idempotency};
use crate::store::{KeyedOutcome, KeyedRequest};

/// The response if the same request was already processed.
pub(super) async fn repeated(
    app: &App,
    caller: &Caller,
    keyed: Option<&KeyedRequest>,
) -> Result<Option<Response>, ApiError> {
    let account = caller.account_id;
    let Some(known) = idempotency::known(app, account, keyed).await? else {
        return Ok(None);
    };
    let store = &app.context.store;
    let of_account = store.subscriptions_of(account);
    let stored = of_account.find_by_id(&known.subject).await?;
    let stored =
        stored.ok_or_else(|| ApiError::new(Code::NotFound, "there is no such subscription"))?;
    let (status, shows_secret) = match known.outcome {
        KeyedOutcome::Created => (StatusCode::CREATED, stored.webhook_url.is_some()),
        KeyedOutcome::UpdatedWithSecret => (StatusCode::OK, true),
        KeyedOutcome::Updated | KeyedOutcome::Batch | KeyedOutcome::Key | KeyedOutcome::Import => {
            (StatusCode::OK, false)
        }
    };
    let secret = if shows_secret {
        let sealed = store.subscriptions().secrets(&[stored.number]).await?;
        sealed.into_iter().next().map(|sealed| sealed.secret)
    } else {
        None
    };
    let mut answer = SubscriptionAnswer::of(stored);
    if let Some(sealed) = secret {
        match app.notifier.open_sealed(&sealed) {
            Ok(secret) => answer.secret = Some(secret.reveal().to_owned()),
            Err(error) => {
                tracing::error!(%error, "stored webhook secret cannot be decrypted for a replayed response");
            }
        }
    }
    Ok(Some(idempotency::replayed(
        (status, Json(answer)).into_response(),
    )))
}
