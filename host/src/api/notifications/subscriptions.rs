//! Subscriptions: list, create or update, and end.

use std::collections::HashMap;

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use utoipa::ToSchema;
use utoipa::openapi::Object;
use utoipa_axum::router::OpenApiRouter;

use super::repeated::repeated;
use super::shapes::{ListedSubscription, SubscriptionAnswer, Subscriptions};
use super::targets::{Webhook, emails, kinds, webhook};
use super::{Limit, Offset, Page};
use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::idempotency::{self, IdempotencyKey};
use crate::api::parameters::types::{Digits, OneOf, Words};
use crate::api::parameters::{NoQuery, Parameter, Path, Query, of_headers, parameters};
use crate::api::query::ParameterReader;
use crate::companies::{AllowedScopes, CompanyKey, Ico};
use crate::handlers::routes;
use crate::notifications::new_secret;
use crate::store::{KeyedRequest, NewSubscription, Subscription, SubscriptionPut};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(subscriptions, subscribe))
        .routes(routes!(end_subscription))
}

/// The states of a subscription; the value says whether it is active.
struct SubscriptionState;

impl Words for SubscriptionState {
    type Value = bool;
    const WORDS: &'static [(&'static str, bool)] = &[("active", true), ("historical", false)];
}

/// Like [`Digits`], but it may be missing.
struct DigitsIfAny;

impl Parameter for DigitsIfAny {
    type Value = Option<String>;

    fn read(given: &mut ParameterReader, name: &'static str) -> Option<Self::Value> {
        if !given.is_given(name) {
            return Some(None);
        }
        Digits::read(given, name).map(Some)
    }

    fn schema() -> Object {
        Digits::schema()
    }
}

parameters! {
    struct SubscriptionsQuery in Query {
        /// `active` or `historical`. By default, both are listed.
        status: OneOf<SubscriptionState>,
        /// Only companies whose registration number begins with these digits.
        ico: DigitsIfAny,
        /// Maximum number of entries, 1 to 100. Default 50.
        limit: Limit,
        /// Number of entries to skip. Default 0.
        offset: Offset,
    }
}

parameters! {
    struct SubscribeHeaders in Header {
        /// Idempotency key of the client's choice, 1 to 255 characters. Within 24 hours (configurable), the same
        /// request with the same key gets the response of the first request, including the secret if it was shown.
        key as "Idempotency-Key": IdempotencyKey,
    }
}

parameters! {
    struct WatchedPath in Path {
        /// Registration number (IČO) of the watched company, 8 digits.
        ico: Ico = "99999901",
    }
}

/// List the account's subscriptions.
///
/// Newest first, including subscriptions that have ended.
#[utoipa::path(
    get,
    path = "/v1/notifications",
    tag = "Notifications",
    params(SubscriptionsQuery),
    responses(
        (status = 200, description = "One page of the subscriptions.", body = Subscriptions),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn subscriptions(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<SubscriptionsQuery>,
) -> Result<Json<Subscriptions>, ApiError> {
    let page = Page::new(query.limit, query.offset);
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    let (found, total) = of_account
        .list(query.status, query.ico.as_deref(), page.limit, page.offset)
        .await?;
    let icos: Vec<&str> = found.iter().map(|found| found.ico.as_str()).collect();
    let names = app.context.store.companies().names_of(&icos).await?;
    let names: HashMap<String, String> = names.into_iter().collect();
    let listed = |found: Subscription| ListedSubscription {
        name: names.get(&found.ico).cloned(),
        subscription: SubscriptionAnswer::of(found),
    };
    Ok(Json(Subscriptions {
        meta: page.meta(total, found.len()),
        data: found.into_iter().map(listed).collect(),
    }))
}

/// A subscription to a company's changes.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct SubscriptionBody {
    /// Registration number (IČO) of the company, 8 digits.
    #[schema(example = "99999901")]
    ico: String,
    /// URL to which webhooks are posted. `url` is an alias.
    #[schema(example = "https://shop.example/hooks/lustra")]
    webhook_url: Option<String>,
    /// Another name of `webhook_url`. If both are given, they must be equal.
    url: Option<String>,
    /// E-mail recipients, at most 20 addresses.
    #[schema(example = json!(["risk@shop.example"]))]
    notification_emails: Option<Vec<String>>,
    /// Event kinds to send. All kinds if this is missing, empty or `["updated"]`.
    #[schema(example = json!(["updated"]))]
    events: Option<Vec<String>>,
}

/// Create or update a subscription.
///
/// An account has one active subscription per company. A webhook, at least one e-mail address or both are required.
/// Addresses whose owners unsubscribed from the account's e-mails get none. If the service requires confirmation, a new
/// address gets e-mails after its owner has confirmed. The secret that signs webhooks appears only in the response that
/// creates it. Updating a subscription resumes a paused webhook.
#[utoipa::path(
    post,
    path = "/v1/notifications",
    tag = "Notifications",
    params(SubscribeHeaders),
    request_body = SubscriptionBody,
    responses(
        (status = 200, description = "The updated subscription.", body = SubscriptionAnswer),
        (status = 201, description = "The new subscription with its secret.", body = SubscriptionAnswer),
        (status = 403, description = "The account already watches as many companies as its plan allows.", body = ErrorBody),
        (status = 404, description = "No register has the company.", body = ErrorBody),
        (status = 503, description = "The company is not stored yet and its register could not be read.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn subscribe(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let request = SubscriptionRequest::read(&app, fields).await?;
    let SubscribeHeaders { key } = of_headers(&headers)?;
    let keyed = key.map(|key| request.keyed(&app, key));
    if let Some(repeated) = repeated(&app, &caller, keyed.as_ref()).await? {
        return Ok(repeated);
    }
    // Only a company that a register knows can change.
    let company = CompanyKey::Ico(request.ico.clone());
    app.companies
        .profile(&company, &AllowedScopes::default())
        .await?;
    let secret = new_secret();
    let new = NewSubscription {
        id: app.notifier.new_subscription_id(),
        ico: request.ico.as_str().to_owned(),
        kinds: request.kinds,
        webhook_endpoint: request
            .webhook
            .as_ref()
            .map(|webhook| webhook.endpoint.clone()),
        webhook_url: request.webhook.map(|webhook| webhook.url),
        emails: request.emails,
        secret: app.notifier.seal(&secret),
        most: Some(caller.plan.watched_companies.into()),
        confirm: app.config.notifications.confirm_emails,
    };
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    let put = of_account
        .put_keyed(&new, keyed.as_ref(), app.context.now())
        .await?;
    match put {
        SubscriptionPut::Created { stored, asked } => {
            app.notifier.ask(caller.account_id, &asked).await?;
            let has_webhook = stored.webhook_url.is_some();
            let mut answer = SubscriptionAnswer::of(stored);
            answer.secret = has_webhook.then(|| secret.reveal().to_owned());
            Ok((StatusCode::CREATED, Json(answer)).into_response())
        }
        // The same request was sent twice concurrently, and the other one won.
        SubscriptionPut::Repeated => repeated(&app, &caller, keyed.as_ref())
            .await?
            .ok_or_else(ApiError::service_unavailable),
        SubscriptionPut::Updated {
            stored,
            first_webhook,
            asked,
        } => {
            app.notifier.ask(caller.account_id, &asked).await?;
            let mut answer = SubscriptionAnswer::of(stored);
            // An e-mail-only subscription never showed its secret, so the first webhook shows it.
            answer.secret = first_webhook.then(|| secret.reveal().to_owned());
            Ok(Json(answer).into_response())
        }
        SubscriptionPut::TooMany => Err(ApiError::new(
            Code::Forbidden,
            format!(
                "the plan allows {} watched companies, and the account watches as many",
                caller.plan.watched_companies
            ),
        )),
    }
}

/// A subscription as a request describes it, checked.
struct SubscriptionRequest {
    ico: Ico,
    webhook: Option<Webhook>,
    emails: Vec<String>,
    /// The event kinds in their stored form; `None` means all.
    kinds: Option<String>,
}

impl SubscriptionRequest {
    /// # Errors
    /// A 422 that lists all mistakes of the body.
    async fn read(app: &App, mut fields: Fields) -> Result<Self, ApiError> {
        let ico = fields.text("ico").and_then(|text| {
            let ico = Ico::parse(text.trim());
            ico.map_err(|error| fields.wrong("ico", error.to_string()))
                .ok()
        });
        if ico.is_none() && !fields.is_wrong("ico") {
            fields.wrong("ico", "it is missing; expected a text of 8 digits");
        }
        let webhook = webhook(app, &mut fields).await;
        let emails = emails(&mut fields, "notification_emails");
        let kinds = kinds(app, &mut fields);
        let targets = ["webhook_url", "url", "notification_emails"];
        let are_right = !targets.iter().any(|name| fields.is_wrong(name));
        if webhook.is_none() && emails.is_empty() && are_right {
            let why = "expected a webhook, at least one address, or both";
            fields.wrong("webhook_url", why);
        }
        fields.end(&["ico", "webhook_url", "url", "notification_emails", "events"])?;
        let ico = ico.ok_or_else(|| ApiError::invalid("ico", "it is missing"))?;
        Ok(Self {
            ico,
            webhook,
            emails,
            kinds,
        })
    }

    /// Binds the idempotency key to this subscription.
    fn keyed(&self, app: &App, key: String) -> KeyedRequest {
        let url = self.webhook.as_ref().map(|webhook| webhook.url.as_str());
        let asked = [Some(self.ico.as_str()), url, self.kinds.as_deref()];
        let parts = asked.iter().map(|part| part.unwrap_or("-"));
        let emails = self.emails.iter().map(String::as_str);
        idempotency::keyed(
            app,
            key,
            ["notifications"].into_iter().chain(parts).chain(emails),
        )
    }
}

/// End the subscription to a company.
///
/// The subscription becomes historical, and no further notifications are sent for it.
#[utoipa::path(
    delete,
    path = "/v1/notifications/{ico}",
    tag = "Notifications",
    params(WatchedPath),
    responses(
        (status = 200, description = "The ended subscription.", body = SubscriptionAnswer),
        (status = 404, description = "The account does not watch the company.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn end_subscription(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    Path(path): Path<WatchedPath>,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    caller.ensure(Action::ChangeWatches)?;
    let of_account = app.context.store.subscriptions_of(caller.account_id);
    let ended = of_account.end(path.ico.as_str(), app.context.now()).await?;
    let ended = ended
        .ok_or_else(|| ApiError::new(Code::NotFound, "the account does not watch the company"))?;
    Ok(Json(SubscriptionAnswer::of(ended)))
}
