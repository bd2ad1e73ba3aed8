//! Requests of the pages: the session of the browser takes the place of a key.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, Request};
use axum::response::Response;
use time::Duration;
use tower::ServiceExt as _;

use super::{Caller, Credential, check_address, client_address, plan_of, scopes_of};
use crate::accounts::{ApiCalls, SignedIn};
use crate::api::App;
use crate::api::error::{ApiError, Code};
use crate::api::exchange::Exchange;
use crate::billing::Customer;
use crate::http_server::Client;

/// The caller of a session. The page has just read the session, so it is not read again.
///
/// # Errors
/// 401 if the account or the key is gone, 403 if the key is limited to other addresses or the plan is not offered any
/// more, 503 if the store is unavailable.
pub(super) async fn caller(
    parts: &mut Parts,
    app: &App,
    signed: SignedIn,
) -> Result<Caller, ApiError> {
    let ended = || ApiError::new(Code::Unauthorized, "the session has ended");
    let (store, config) = (&app.context.store, app.context.config());
    let account = store.keys().find_account_by_id(signed.account_id).await?;
    let account = account.ok_or_else(ended)?;
    let address = client_address(parts);
    let mut scopes = None;
    if let Some(id) = signed.key_id {
        let key = store.keys_of(account.id).find(id).await?;
        let key = key.ok_or_else(ended)?;
        check_address(key.addresses.as_deref(), address)?;
        app.keys.note_used(id, app.context.now());
        scopes = scopes_of(key.scopes.as_deref());
    }
    let plan = plan_of(&config, &account.plan, &account.name)?;
    let customer = Customer::of(&account, &config).ok_or_else(ApiError::internal)?;
    Ok(Caller {
        account_id: account.id,
        credential: Credential::Session(signed.digest),
        key_id: signed.key_id,
        actor: signed.actor,
        scopes,
        address,
        customer: Arc::new(customer),
        plan,
        exchange: Exchange::from_request_parts(parts, app).await?,
    })
}

/// Whether a session has not ended. `false` while the store cannot be read.
pub(super) async fn is_valid(app: &App, digest: &[u8; 32]) -> bool {
    let now = app.context.now();
    let since = now - Duration::hours(app.config.web.idle_hours.into());
    let sessions = app.context.store.sessions();
    matches!(sessions.find(digest, since, now).await, Ok(Some(_)))
}

/// The calls that pages make for their sessions. They skip the limits of the outer request, which has them already.
pub(in crate::api) fn calls(app: &App, api: Router<App>) -> ApiCalls {
    let api: Router = api.with_state(app.clone());
    Arc::new(move |mut request: Request<Body>| {
        // The outer request's path parameters and layers must not reach the inner one.
        let outer = std::mem::take(request.extensions_mut());
        let kept = request.extensions_mut();
        keep::<Exchange>(&outer, kept);
        keep::<Client>(&outer, kept);
        keep::<SignedIn>(&outer, kept);
        let exchange = kept.get::<Exchange>().cloned();
        let answer = api.clone().oneshot(request);
        Box::pin(async move {
            let mut answer: Response = match answer.await {
                Ok(answer) => answer,
                Err(never) => match never {},
            };
            if let Some(exchange) = exchange {
                exchange.finish(answer.headers_mut());
            }
            answer
        })
    })
}

fn keep<T: Clone + Send + Sync + 'static>(outer: &Extensions, kept: &mut Extensions) {
    if let Some(value) = outer.get::<T>() {
        kept.insert(value.clone());
    }
}
