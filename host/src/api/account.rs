//! Account endpoints: usage, remaining credits, alert thresholds and language. All of these calls are free.

mod keys;
mod language;
mod ledger;
mod members;
mod plan;
mod shapes;

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde_json::Value;
use time::{Date, Duration};
use utoipa_axum::router::OpenApiRouter;

use super::App;
use super::auth::Caller;
use super::body::{Fields, whole};
use super::error::ApiError;
use super::parameters::types::Whole;
use super::parameters::{NoQuery, Query, parameters};
use super::search::ListMeta;
use crate::accounts::Action;
use crate::billing::{AccountState, Metering, end_of_day};
use crate::clock::rfc3339;
use crate::handlers::routes;
use crate::store::{Consent, Thresholds, UsageOfDay, WindowSpan};
use shapes::{
    DayOfHistory, EndpointUsage, GrantLeft, History, Overage, Period, Quota, QuotaAnswer,
    ThresholdBody, Usage, UsageAnswer,
};

/// Maximum number of thresholds and of addresses per account.
const MAX_THRESHOLDS: usize = 10;

/// Maximum number of days in the usage history.
const MAX_DAYS: u64 = 365;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(account_usage))
        .routes(routes!(account_quota))
        .routes(routes!(account_history))
        .routes(routes!(account_thresholds, set_account_thresholds))
        .merge(language::routes())
        .merge(keys::routes())
        .merge(members::routes())
        .merge(ledger::routes())
        .merge(plan::routes())
}

/// Get the usage of the current period.
#[utoipa::path(
    get,
    path = "/v1/account/usage",
    tag = "Account",
    responses(
        (status = 200, description = "The usage.", body = UsageAnswer),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_usage(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<UsageAnswer>, ApiError> {
    let state = app.ledger.state(&caller.customer).await?;
    let today = app.ledger.now().date();
    let (from, period) = period_of(&caller, &state, today);
    let days = app
        .ledger
        .usage(caller.account_id, from.min(today), today)
        .await?;
    let mut by_endpoint: BTreeMap<String, EndpointUsage> = BTreeMap::new();
    for day in &days {
        let endpoint = by_endpoint.entry(day.endpoint.clone()).or_default();
        endpoint.requests += day.requests;
        endpoint.cached += day.cached;
        endpoint.credits += day.credits;
    }
    let sum = |of: fn(&UsageOfDay) -> i64| days.iter().map(of).sum();
    let is_quota = caller.customer.metering == Metering::Quota;
    Ok(Json(UsageAnswer {
        data: Usage {
            requests_today: days
                .iter()
                .filter(|day| day.day == today)
                .map(|day| day.requests)
                .sum(),
            requests_month: sum(|day| day.requests),
            limit_daily: caller.plan.requests_per_day,
            limit_monthly: is_quota.then_some(state.account.monthly),
            credits_used: state.account.used,
            overage_used: state.account.overage,
            cached: sum(|day| day.cached),
            by_endpoint,
            period,
        },
    }))
}

/// Get the remaining credits or quota.
#[utoipa::path(
    get,
    path = "/v1/account/quota",
    tag = "Account",
    responses(
        (status = 200, description = "The remaining credits or quota.", body = QuotaAnswer),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_quota(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<QuotaAnswer>, ApiError> {
    let customer = &caller.customer;
    let state = app.ledger.state(customer).await?;
    let now = app.ledger.now();
    let limits = caller.plan.limits();
    let daily = if limits.day.is_some() {
        let windows = app
            .context
            .store
            .billing()
            .windows(caller.account_id)
            .await?;
        limits.left(&windows, WindowSpan::Day, now)
    } else {
        None
    };
    let is_metered = customer.metering != Metering::Unmetered;
    let is_credits = customer.metering == Metering::Credits;
    let grants = state.grants.iter().filter(|_| is_credits);
    Ok(Json(QuotaAnswer {
        data: Quota {
            remaining_daily: daily.map(|daily| daily.remaining),
            remaining_monthly: is_metered.then_some(state.account.balance),
            reset_daily: daily.map(|_| rfc3339(end_of_day(now))),
            reset_monthly: is_metered.then(|| rfc3339(state.account.period_end)),
            plan: customer.terms.plan.clone(),
            metering: customer.metering,
            balance: is_credits.then_some(state.account.balance),
            grants: grants.map(GrantLeft::of).collect(),
            overage: Overage {
                allowed: caller.plan.overage,
                enabled: customer.terms.overage,
                used: state.account.overage,
            },
        },
    }))
}

parameters! {
    struct HistoryQuery in Query {
        /// Number of days up to and including today, 1 to 365. Default 30.
        days: Whole<1, MAX_DAYS, 30>,
    }
}

/// Get the usage by day.
///
/// Days are in UTC, newest first.
#[utoipa::path(
    get,
    path = "/v1/account/history",
    tag = "Account",
    params(HistoryQuery),
    responses(
        (status = 200, description = "One row per day, including days without requests.", body = History),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_history(
    State(app): State<App>,
    caller: Caller,
    Query(query): Query<HistoryQuery>,
) -> Result<Json<History>, ApiError> {
    let days = query.days;
    let today = app.ledger.now().date();
    let back = |days: u64| today - Duration::days(i64::try_from(days).unwrap_or(0));
    let used = app
        .ledger
        .usage(caller.account_id, back(days - 1), today)
        .await?;
    let mut by_day: BTreeMap<Date, DayOfHistory> = BTreeMap::new();
    for one in &used {
        let day = by_day.entry(one.day).or_default();
        day.requests += one.requests;
        day.credits += one.credits;
        day.cached += one.cached;
    }
    let row = |day| DayOfHistory {
        date: crate::clock::iso_date(day),
        ..by_day.get(&day).cloned().unwrap_or_default()
    };
    Ok(Json(History {
        data: (0..days).map(back).map(row).collect(),
        meta: ListMeta::whole(days),
    }))
}

/// Get the credit alert thresholds.
#[utoipa::path(
    get,
    path = "/v1/account/thresholds",
    tag = "Account",
    responses(
        (status = 200, description = "The thresholds; empty if none are set.", body = ThresholdBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_thresholds(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<ThresholdBody>, ApiError> {
    let billing = app.context.store.billing();
    Ok(Json(ThresholdBody::of(
        billing.thresholds(caller.account_id).await?,
    )))
}

/// Replace the credit alert thresholds.
///
/// When usage reaches a threshold, every address gets one e-mail, once per threshold and billing period. If several
/// thresholds are reached at once, only the highest is reported. An address whose owner unsubscribed gets none, nor does
/// one that has not confirmed if the operator requires that. An empty list of thresholds switches the alerts off.
#[utoipa::path(
    post,
    path = "/v1/account/thresholds",
    tag = "Account",
    request_body = ThresholdBody,
    responses(
        (status = 200, description = "The new thresholds.", body = ThresholdBody),
    ),
    extensions(("x-implementation-defined" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn set_account_thresholds(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<ThresholdBody>, ApiError> {
    caller.ensure(Action::ChangeAlerts)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let percents = fields.items("thresholds", "a list of whole numbers", |item: &Value| {
        let percent = whole(item).filter(|percent| (1..=100).contains(percent));
        let percent = percent.and_then(|percent| i64::try_from(percent).ok());
        percent.ok_or_else(|| "a percentage is a whole number from 1 to 100".to_owned())
    });
    let emails = fields.list("emails", |text| {
        let address = text.trim();
        if crate::mail::is_address(address) {
            Ok(address.to_owned())
        } else {
            Err("it is not an e-mail address".to_owned())
        }
    });
    // Remove duplicates and sort the thresholds.
    let percents: Vec<i64> = percents
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut seen = BTreeSet::new();
    let emails: Vec<String> = emails
        .into_iter()
        .filter(|email| seen.insert(email.clone()))
        .collect();
    for (name, number) in [("thresholds", percents.len()), ("emails", emails.len())] {
        if number > MAX_THRESHOLDS {
            fields.wrong(
                name,
                format!("at most {MAX_THRESHOLDS}, and there are {number}"),
            );
        }
    }
    if !percents.is_empty() && emails.is_empty() && !fields.is_wrong("emails") {
        fields.wrong(
            "emails",
            "expected at least one, since there are thresholds",
        );
    }
    fields.end(&["thresholds", "emails"])?;
    let store = &app.context.store;
    let consents = store
        .recipients()
        .consents(caller.account_id, &emails)
        .await?;
    let refused = emails.iter().zip(consents);
    let mut refused = refused.filter(|(_, consent)| *consent == Some(Consent::Unsubscribed));
    if let Some((address, _)) = refused.next() {
        let why = format!("the owner of {address} has unsubscribed from the account's e-mails");
        return Err(ApiError::invalid("emails", why));
    }
    let thresholds = Thresholds { percents, emails };
    let billing = app.context.store.billing();
    billing
        .set_thresholds(caller.account_id, &thresholds)
        .await?;
    let (account, emails) = (caller.account_id, &thresholds.emails);
    app.notifier.ask_unconfirmed(account, emails).await?;
    Ok(Json(ThresholdBody::of(thresholds)))
}

/// The first day of the usage, and the billing period to show. Unmetered accounts use the calendar month.
fn period_of(caller: &Caller, state: &AccountState, today: Date) -> (Date, Option<Period>) {
    if caller.customer.metering == Metering::Unmetered {
        return (today.replace_day(1).unwrap_or(today), None);
    }
    let account = &state.account;
    let period = Period {
        start: rfc3339(account.period_start),
        end: rfc3339(account.period_end),
    };
    (account.period_start.date(), Some(period))
}
