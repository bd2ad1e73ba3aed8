//! Subscriptions: list, create or update, and end.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::repeated::repeated;
use super::shapes::{SubscriptionAnswer, Subscriptions};
use super::targets::{Webhook, emails, kinds, webhook};
use super::{Limit, Offset, Page};
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::idempotency::{self, IdempotencyKey};
use crate::api::parameters::types::{OneOf, Words};
use crate::api::parameters::{NoQuery, Path, Query, of_headers, parameters};
use crate::companies::{AllowedScopes, CompanyKey, Ico};
use crate::notifications::new_secret;
use crate::store::{KeyedRequest, NewSubscription, Put};

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

parameters! {
    struct SubscriptionsQuery in Query {
        /// `active` or `historical`; both where it is left out.
        status: OneOf<SubscriptionState>,
        /// 1 to 100; 50 where it is left out.
        limit: Limit,
        /// How many to leave out.
        offset: Offset,
    }
}

parameters! {
    struct SubscribeHeaders in Header {
        /// A text of the client's choice, 1 to 255 characters, for requests that may be sent again: within 24 hours
        /// (this deployment's setting) the same request with the same key is answered as the first one was, with the
        /// secret if that was shown.
        key as "Idempotency-Key": IdempotencyKey,
    }
}

parameters! {
    struct WatchedPath in Path {
        /// The watched company, 8 digits.
        ico: Ico = "99999901",
    }
}

/// Who is told of changes: the account's subscriptions, newest first, those that were deleted too.
#[utoipa::path(
    get,
    path = "/v1/notifications",
    tag = "Notifications",
    params(SubscriptionsQuery),
    responses(
        (status = 200, description = "The subscriptions.", body = Subscriptions),
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
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let (found, total) = of_account
        .list(query.status, page.limit, page.offset)
        .await?;
    Ok(Json(Subscriptions {
        meta: page.meta(total, found.len()),
        data: found.into_iter().map(SubscriptionAnswer::of).collect(),
    }))
}

/// What a subscription is made of.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct SubscriptionBody {
    /// The company, 8 digits.
    #[schema(example = "99999901")]
    ico: String,
    /// Where webhooks are posted to; `url` means the same.
    #[schema(example = "https://shop.example/hooks/lustra")]
    webhook_url: Option<String>,
    /// The other name of `webhook_url`.
    url: Option<String>,
    /// Who gets e-mail, at most 20 addresses.
    #[schema(example = json!(["risk@shop.example"]))]
    notification_emails: Option<Vec<String>>,
    /// The kinds that are told; every one where it is left out, empty or `["updated"]`.
    #[schema(example = json!(["updated"]))]
    events: Option<Vec<String>>,
}

/// Watches a company, or changes how it is watched: there is one active subscription to a company.
///
/// A webhook, e-mail or both are wanted. An address whose owner unsubscribed from the account's letters gets none; where
/// the service asks addresses for confirmation, a new one gets letters once its owner has confirmed. The secret that webhooks are signed with is in the answer that creates it, and
/// nowhere else. Sending a subscription again resumes a webhook that was paused.
#[utoipa::path(
    post,
    path = "/v1/notifications",
    tag = "Notifications",
    params(SubscribeHeaders),
    request_body = SubscriptionBody,
    responses(
        (status = 200, description = "The subscription that was there, as it is now.", body = SubscriptionAnswer),
        (status = 201, description = "A new subscription, with its secret.", body = SubscriptionAnswer),
        (status = 403, description = "The account watches as many companies as its plan allows.", body = ErrorBody),
        (status = 404, description = "No register knows the company.", body = ErrorBody),
        (status = 503, description = "The company is not known here yet and its register could not be read.", body = ErrorBody),
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
    let fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let wanted = Wanted::read(&app, fields).await?;
    let SubscribeHeaders { key } = of_headers(&headers)?;
    let keyed = key.map(|key| wanted.keyed(&app, key));
    if let Some(repeated) = repeated(&app, &caller, keyed.as_ref()).await? {
        return Ok(repeated);
    }
    // Only a company that a register knows can change.
    let company = CompanyKey::Ico(wanted.ico.clone());
    app.companies
        .profile(&company, &AllowedScopes::default())
        .await?;
    let secret = new_secret();
    let new = NewSubscription {
        id: app.notifier.new_subscription_id(),
        ico: wanted.ico.as_str().to_owned(),
        kinds: wanted.kinds,
        webhook_endpoint: wanted
            .webhook
            .as_ref()
            .map(|webhook| webhook.endpoint.clone()),
        webhook_url: wanted.webhook.map(|webhook| webhook.url),
        emails: wanted.emails,
        secret: app.notifier.seal(&secret),
        most: Some(caller.plan.watched_companies.into()),
        confirm: app.config.notifications.confirm_emails,
    };
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let put = of_account
        .put_keyed(&new, keyed.as_ref(), app.companies.now())
        .await?;
    match put {
        Put::Created { stored, asked } => {
            app.notifier.ask(caller.account_id, &asked).await?;
            let has_webhook = stored.webhook_url.is_some();
            let mut answer = SubscriptionAnswer::of(stored);
            answer.secret = has_webhook.then(|| secret.reveal().to_owned());
            Ok((StatusCode::CREATED, Json(answer)).into_response())
        }
        // The same request was sent twice concurrently, and the other one won.
        Put::Repeated => repeated(&app, &caller, keyed.as_ref())
            .await?
            .ok_or_else(ApiError::out_of_order),
        Put::Updated {
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
        Put::TooMany => Err(ApiError::new(
            Code::Forbidden,
            format!(
                "the plan allows {} watched companies, and the account watches as many",
                caller.plan.watched_companies
            ),
        )),
    }
}

/// A subscription as a request describes it, checked.
struct Wanted {
    ico: Ico,
    webhook: Option<Webhook>,
    emails: Vec<String>,
    /// The event kinds in their stored form; `None` means all.
    kinds: Option<String>,
}

impl Wanted {
    /// # Errors
    /// A 422 that lists all mistakes of the body.
    async fn read(app: &App, mut fields: Fields) -> Result<Self, ApiError> {
        let ico = fields.text("ico").and_then(|text| {
            let ico = Ico::parse(text.trim());
            ico.map_err(|error| fields.wrong("ico", error.to_string()))
                .ok()
        });
        if ico.is_none() && !fields.is_wrong("ico") {
            fields.wrong("ico", "it is missing; a text of 8 digits is wanted");
        }
        let webhook = webhook(app, &mut fields).await;
        let emails = emails(&mut fields, "notification_emails");
        let kinds = kinds(app, &mut fields);
        let targets = ["webhook_url", "url", "notification_emails"];
        let are_right = !targets.iter().any(|name| fields.is_wrong(name));
        if webhook.is_none() && emails.is_empty() && are_right {
            let why = "a webhook, at least one address, or both are wanted";
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

/// Ends the subscription to a company. It is kept as historical, and nothing is sent for it any more.
#[utoipa::path(
    delete,
    path = "/v1/notifications/{ico}",
    tag = "Notifications",
    params(WatchedPath),
    responses(
        (status = 200, description = "The subscription as it ended.", body = SubscriptionAnswer),
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
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let ended = of_account
        .end(path.ico.as_str(), app.companies.now())
        .await?;
    let ended = ended
        .ok_or_else(|| ApiError::new(Code::NotFound, "the account does not watch the company"))?;
    Ok(Json(SubscriptionAnswer::of(ended)))
}
