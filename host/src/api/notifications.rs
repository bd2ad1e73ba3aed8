//! Subscriptions, deliveries and changes. All of these calls are free.

mod deliveries;
mod events;
mod repeated;
mod shapes;
mod unsubscribe;

use std::collections::BTreeSet;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use time::Duration;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::App;
use super::auth::Caller;
use super::body::Fields;
use super::error::{ApiError, Code, ErrorBody};
use super::idempotency;
use super::query::{Gathered, Parameters};
use super::search::ListMeta;
use crate::changes::KINDS;
use crate::companies::{AllowedScopes, CompanyKey, Ico};
use crate::notifications::new_secret;
use crate::store::{NewSubscription, Put};
use repeated::repeated;
use shapes::{Change, Changes, HistoryMeta, SubscriptionAnswer, Subscriptions};

/// Maximum number of addresses per subscription.
const MOST_EMAILS: usize = 20;

/// Maximum grace period of a former secret, in hours.
const LONGEST_GRACE: u64 = 30 * 24;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(subscriptions, subscribe))
        .routes(routes!(end_subscription))
        .routes(routes!(rotate_secret))
        .routes(routes!(company_history))
        .merge(deliveries::routes())
        .merge(events::routes())
        .merge(unsubscribe::routes())
}

type PathText = Result<Path<String>, PathRejection>;

fn ico_of(path: PathText) -> Result<Ico, ApiError> {
    let ico = path.ok().and_then(|Path(text)| Ico::parse(&text).ok());
    ico.ok_or_else(|| ApiError::invalid("ico", crate::companies::InvalidIco.to_string()))
}

/// Reads `limit` and `offset` of a list, for the store.
fn page(parameters: &mut Gathered) -> (u32, u32) {
    let limit = parameters.number("limit", 50, 1..=100);
    let offset = parameters.number("offset", 0, 0..=u64::from(u32::MAX));
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (number(limit), number(offset))
}

fn meta(total: i64, (limit, offset): (u32, u32), given: usize) -> ListMeta {
    let total = u64::try_from(total).unwrap_or_default();
    ListMeta::of(total, limit.into(), offset.into(), given as u64)
}

/// Who is told of changes: the account's subscriptions, newest first, those that were deleted too.
#[utoipa::path(
    get,
    path = "/v1/notifications",
    tag = "Notifications",
    params(
        ("status" = Option<String>, Query, description = "`active` or `historical`; both where it is left out."),
        ("limit" = Option<u64>, Query, description = "1 to 100; 50 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out."),
    ),
    responses(
        (status = 200, description = "The subscriptions.", body = Subscriptions),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn subscriptions(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Subscriptions>, ApiError> {
    let mut parameters = Parameters::gather(query.as_deref(), &["status", "limit", "offset"]);
    let page = page(&mut parameters);
    let status = parameters.one_of("status", &["active", "historical"]);
    parameters.finish()?;
    let active = status.map(|status| status == "active");
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let (found, total) = of_account.list(active, page.0, page.1).await?;
    Ok(Json(Subscriptions {
        meta: meta(total, page, found.len()),
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
    params(("Idempotency-Key" = Option<String>, Header, description = "A text of the client's choice, 1 to 255 characters, for requests that may be sent again: within 24 hours (this deployment's setting) the same request with the same key is answered as the first one was, with the secret if that was shown.")),
    request_body = SubscriptionBody,
    responses(
        (status = 200, description = "The subscription that was there, as it is now.", body = SubscriptionAnswer),
        (status = 201, description = "A new subscription, with its secret.", body = SubscriptionAnswer),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 403, description = "The account watches as many companies as its plan allows.", body = ErrorBody),
        (status = 404, description = "No register knows the company.", body = ErrorBody),
        (status = 422, description = "The body is wrong.", body = ErrorBody),
        (status = 503, description = "The company is not known here yet and its register could not be read.", body = ErrorBody),
    ),
    security(("bearer" = []), ("api_key" = []))
)]
async fn subscribe(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let ico = fields.text("ico").and_then(|text| {
        let ico = Ico::parse(text.trim());
        ico.map_err(|error| fields.wrong("ico", error.to_string()))
            .ok()
    });
    if ico.is_none() && !fields.is_wrong("ico") {
        fields.wrong("ico", "it is missing; a text of 8 digits is wanted");
    }
    let webhook = webhook(&app, &mut fields).await;
    let emails = emails(&mut fields, "notification_emails");
    let kinds = kinds(&app, &mut fields);
    if webhook.is_none() && emails.is_empty() {
        for name in ["webhook_url", "notification_emails"] {
            if !fields.is_wrong("webhook_url")
                && !fields.is_wrong("url")
                && !fields.is_wrong("notification_emails")
            {
                fields.wrong(name, "a webhook, at least one address, or both are wanted");
                break;
            }
        }
    }
    fields.end(&["ico", "webhook_url", "url", "notification_emails", "events"])?;
    let Some(ico) = ico else {
        return Err(ApiError::invalid("ico", "it is missing"));
    };
    let keyed = idempotency::key_of(&headers)?.map(|key| {
        let url = webhook.as_ref().map(|(url, _)| url.as_str());
        let asked = [Some(ico.as_str()), url, kinds.as_deref()];
        let parts = asked.iter().map(|part| part.unwrap_or("-"));
        let emails = emails.iter().map(String::as_str);
        idempotency::keyed(
            &app,
            key,
            ["notifications"].into_iter().chain(parts).chain(emails),
        )
    });
    if let Some(repeated) = repeated(&app, &caller, keyed.as_ref()).await? {
        return Ok(repeated);
    }
    // Only a company that a register knows can change.
    let key = CompanyKey::Ico(ico.clone());
    app.companies
        .profile(&key, &AllowedScopes::default())
        .await?;
    let secret = new_secret();
    let new = NewSubscription {
        id: app.notifier.new_subscription_id(),
        ico: ico.as_str().to_owned(),
        kinds,
        webhook_endpoint: webhook.as_ref().map(|(_, endpoint)| endpoint.clone()),
        webhook_url: webhook.map(|(url, _)| url),
        emails,
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

/// The webhook's URL and the queue of its host. Accepts both names of the field.
async fn webhook(app: &App, fields: &mut Fields) -> Option<(String, String)> {
    let (named, other) = (fields.text("webhook_url"), fields.text("url"));
    let name = if named.is_some() {
        "webhook_url"
    } else {
        "url"
    };
    if let (Some(named), Some(other)) = (&named, &other)
        && named != other
    {
        fields.wrong("url", "it differs from webhook_url, which means the same");
        return None;
    }
    let text = named.or(other)?;
    match app.notifier.check_webhook(text.trim()).await {
        Ok(url) => Some((url.url().as_str().to_owned(), url.endpoint())),
        Err(error) => {
            fields.wrong(name, error.to_string());
            None
        }
    }
}

fn emails(fields: &mut Fields, name: &str) -> Vec<String> {
    let emails = fields.optional_list(name, |text| {
        let address = text.trim();
        if crate::mail::is_address(address) {
            Ok(address.to_owned())
        } else {
            Err("it is no e-mail address".to_owned())
        }
    });
    let mut seen = BTreeSet::new();
    let emails: Vec<String> = emails
        .into_iter()
        .filter(|email| seen.insert(email.clone()))
        .collect();
    if emails.len() > MOST_EMAILS {
        let number = emails.len();
        fields.wrong(
            name,
            format!("at most {MOST_EMAILS}, and there are {number}"),
        );
    }
    emails
}

/// The requested event kinds in their stored form. `None` means all kinds.
fn kinds(app: &App, fields: &mut Fields) -> Option<String> {
    let catalogue = app.companies.connectors().catalogue();
    let known = known_kinds(&catalogue);
    let kinds: BTreeSet<String> = fields
        .optional_list("events", |text| {
            let kind = text.trim();
            if kind == "updated" || known.contains(kind) {
                Ok(kind.to_owned())
            } else {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                Err(format!("unknown; there are updated, {}", known.join(", ")))
            }
        })
        .into_iter()
        .collect();
    let is_every = kinds.is_empty() || kinds.contains("updated");
    (!is_every).then(|| format!(",{},", kinds.into_iter().collect::<Vec<_>>().join(",")))
}

/// The kinds of the specification and of the serving connectors.
fn known_kinds(catalogue: &crate::connectors::catalogue::Catalogue) -> BTreeSet<String> {
    let of_connectors = catalogue.all_serving().flat_map(|loaded| {
        let source = loaded.manifest.company_source.iter();
        let rules = source.flat_map(|source| &source.events).chain(
            loaded
                .manifest
                .scopes
                .iter()
                .flat_map(|scope| &scope.events),
        );
        rules.map(|rule| rule.kind.clone()).collect::<Vec<_>>()
    });
    KINDS
        .iter()
        .map(|kind| (*kind).to_owned())
        .chain(of_connectors)
        .collect()
}

/// Ends the subscription to a company. It is kept as historical, and nothing is sent for it any more.
#[utoipa::path(
    delete,
    path = "/v1/notifications/{ico}",
    tag = "Notifications",
    params(("ico" = String, Path, description = "The watched company, 8 digits.", example = "99999901")),
    responses(
        (status = 200, description = "The subscription as it ended.", body = SubscriptionAnswer),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The account does not watch the company.", body = ErrorBody),
        (status = 422, description = "It is no registration number.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn end_subscription(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let ico = ico_of(path)?;
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let ended = of_account.end(ico.as_str(), app.companies.now()).await?;
    let ended = ended
        .ok_or_else(|| ApiError::new(Code::NotFound, "the account does not watch the company"))?;
    Ok(Json(SubscriptionAnswer::of(ended)))
}

/// How long the former secret goes on.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct RotationBody {
    /// Hours in which the former secret signs beside the new one, 0 to 720; what the service is set to where it is left
    /// out.
    #[schema(example = 24)]
    grace_hours: Option<u64>,
}

/// Makes a new secret for the webhooks of a subscription. For a while the former one signs beside it, in
/// `webhook-signature`, so that receivers can change over.
#[utoipa::path(
    post,
    path = "/v1/notifications/{subscription_id}/secret",
    tag = "Notifications",
    params(("subscription_id" = String, Path, description = "The subscription's id.")),
    request_body = RotationBody,
    responses(
        (status = 200, description = "The subscription, with its new secret.", body = SubscriptionAnswer),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The account has no such active subscription with a webhook.", body = ErrorBody),
        (status = 422, description = "The body is wrong.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn rotate_secret(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<SubscriptionAnswer>, ApiError> {
    Parameters::read(query.as_deref(), &[])?;
    let default = u64::from(app.config.notifications.former_secret_hours);
    let mut fields = Fields::read_if_any(&headers, body, app.body_bounds()).await?;
    let hours = fields
        .whole_number("grace_hours", 0..=LONGEST_GRACE)
        .unwrap_or(default);
    fields.end(&["grace_hours"])?;
    let no_such = || {
        ApiError::new(
            Code::NotFound,
            "there is no such active subscription with a webhook",
        )
    };
    let Path(id) = path.map_err(|_unread| no_such())?;
    let of_account = app.companies.store().subscriptions_of(caller.account_id);
    let found = of_account.find_by_id(&id).await?;
    let found = found.filter(|found| found.active && found.webhook_url.is_some());
    found.ok_or_else(no_such)?;
    let (secret, now) = (new_secret(), app.companies.now());
    let until = now + Duration::hours(i64::try_from(hours).unwrap_or_default());
    let sealed = app.notifier.seal(&secret);
    if !of_account.rotate(&id, &sealed, until, now).await? {
        return Err(no_such());
    }
    let stored = of_account.find_by_id(&id).await?.ok_or_else(no_such)?;
    let mut answer = SubscriptionAnswer::of(stored);
    answer.secret = Some(secret.reveal().to_owned());
    Ok(Json(answer))
}

/// What changed about a company, newest first, as far as the account's plan has it.
///
/// A company that somebody watches is read again as often as its registers change; one that nobody watches only when it
/// is asked for, so that its changes are noticed later.
#[utoipa::path(
    get,
    path = "/v1/notifications/history/{ico}",
    tag = "Notifications",
    params(
        ("ico" = String, Path, description = "The company, 8 digits.", example = "99999901"),
        ("limit" = Option<u64>, Query, description = "1 to 100; 50 where it is left out."),
        ("offset" = Option<u64>, Query, description = "How many to leave out."),
    ),
    responses(
        (status = 200, description = "The changes.", body = Changes),
        (status = 401, description = "No key, or an invalid one.", body = ErrorBody),
        (status = 404, description = "The company is not known here.", body = ErrorBody),
        (status = 422, description = "A parameter is wrong.", body = ErrorBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn company_history(
    State(app): State<App>,
    caller: Caller,
    path: PathText,
    RawQuery(query): RawQuery,
) -> Result<Json<Changes>, ApiError> {
    let mut parameters = Parameters::gather(query.as_deref(), &["limit", "offset"]);
    let page = page(&mut parameters);
    parameters.finish()?;
    let ico = ico_of(path)?;
    let store = app.companies.store();
    if store.companies().find_by_ico(ico.as_str()).await?.is_none() {
        return Err(ApiError::new(Code::NotFound, "company not found"));
    }
    let scopes = scopes_of(&app, &caller);
    let scopes: Vec<&str> = scopes.iter().collect();
    let (found, total) = store
        .events()
        .history(ico.as_str(), &scopes, page.0, page.1)
        .await?;
    let watched = store.subscriptions_of(caller.account_id);
    let watched = watched.find(ico.as_str()).await?;
    Ok(Json(Changes {
        meta: HistoryMeta {
            list: meta(total, page, found.len()),
            watched_since: watched.map(|watched| crate::clock::rfc3339(watched.created_at)),
        },
        data: found.into_iter().map(Change::of).collect(),
    }))
}

/// The scopes of the caller's plan.
fn scopes_of(app: &App, caller: &Caller) -> AllowedScopes {
    AllowedScopes::of_plans(&[&caller.plan], &app.companies.connectors().catalogue())
}
