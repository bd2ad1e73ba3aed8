//! The plan of the account, and the owner's move from calls a month to credits.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::accounts::Action;
use crate::api::App;
use crate::api::auth::Caller;
use crate::api::body::Fields;
use crate::api::error::{ApiError, Code, ErrorBody};
use crate::api::parameters::NoQuery;
use crate::billing::Metering;
use crate::billing::operator::{self, MoveError, OperatorError, PlanChange};
use crate::clock::rfc3339;
use crate::config::Plan;
use crate::handlers::routes;

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(account_plan))
        .routes(routes!(move_to_credits))
}

/// The plan of the account.
#[derive(Serialize, ToSchema)]
struct PlanAnswer {
    data: PlanTerms,
    /// The plan with credits to which the account can move; null if it cannot.
    #[schema(required)]
    credits_plan: Option<PlanTerms>,
}

/// The terms of a plan.
#[derive(Serialize, ToSchema)]
struct PlanTerms {
    /// Name of the plan.
    plan: String,
    /// How the plan meters calls: `credits`, `quota` (calls per month) or `unmetered`.
    metering: Metering,
    /// Credits or calls per month; null if the plan is unmetered.
    #[schema(required)]
    monthly: Option<u32>,
    /// Maximum credits that roll over to the next month.
    rollover: u32,
    /// Whether the plan allows calls beyond the credits.
    overage: bool,
    /// Scopes of the plan; `all` means every scope.
    scopes: Vec<String>,
    /// Maximum items of a batch; null if the plan has no batches.
    #[schema(required)]
    batch_items: Option<u64>,
    /// Look-ups per minute; null without a limit.
    #[schema(required)]
    requests_per_minute: Option<u32>,
    /// Look-ups per day; null without a limit.
    #[schema(required)]
    requests_per_day: Option<u32>,
    /// Companies that the account may watch.
    watched_companies: u32,
}

impl PlanTerms {
    fn of(name: &str, plan: &Plan) -> Self {
        Self {
            plan: name.to_owned(),
            metering: plan.metering(),
            monthly: plan.credits.or(plan.quota),
            rollover: plan.rollover,
            overage: plan.overage,
            scopes: plan.scopes.clone(),
            batch_items: plan.batch.then_some(plan.batch_items as u64),
            requests_per_minute: plan.requests_per_minute,
            requests_per_day: plan.requests_per_day,
            watched_companies: plan.watched_companies,
        }
    }
}

/// The plan with credits that the owner agrees to.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes a body that `Fields` reads")]
struct CreditsPlanBody {
    /// The name in `credits_plan.plan` of the current plan.
    #[schema(example = "legacy-credits")]
    plan: String,
}

/// The account after its move to credits.
#[derive(Serialize, ToSchema)]
struct CreditsPlanAnswer {
    /// Name of the plan.
    plan: String,
    /// False if the account was on the plan before.
    changed: bool,
    /// Credits that the account has now.
    balance: i64,
    /// Credits that each month includes.
    monthly: i64,
    /// When the next month begins, RFC 3339.
    period_end: String,
}

/// Get the plan of the account.
#[utoipa::path(
    get,
    path = "/v1/account/plan",
    tag = "Account",
    responses(
        (status = 200, description = "The plan, and the plan with credits to which the account can move.", body = PlanAnswer),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn account_plan(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
) -> Result<Json<PlanAnswer>, ApiError> {
    caller.ensure(Action::ReadCredits)?;
    let config = app.context.config();
    let target = caller.plan.credits_plan.as_deref();
    let target = target.and_then(|name| Some((name, config.plans.get(name)?)));
    Ok(Json(PlanAnswer {
        data: PlanTerms::of(&caller.customer.terms.plan, &caller.plan),
        credits_plan: target.map(|(name, plan)| PlanTerms::of(name, plan)),
    }))
}

/// Move the account from calls a month to credits.
///
/// A full month of the plan with credits begins at once, and the calls left of the month end. Only the operator can move an
/// account back. Repeating the call changes nothing. It needs a key with `manage`.
#[utoipa::path(
    post,
    path = "/v1/account/plan/credits",
    tag = "Account",
    request_body = CreditsPlanBody,
    responses(
        (status = 200, description = "The account is on the plan with credits.", body = CreditsPlanAnswer),
        (status = 403, description = "The key may not manage the account, or its plan has no plan with credits to move to.", body = ErrorBody),
    ),
    extensions(("x-extension" = json!(true))),
    security(("bearer" = []), ("api_key" = []))
)]
async fn move_to_credits(
    State(app): State<App>,
    caller: Caller,
    _query: NoQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<CreditsPlanAnswer>, ApiError> {
    caller.ensure(Action::ChangePlan)?;
    let mut fields = Fields::read(&headers, body, app.body_bounds()).await?;
    let plan = fields.text("plan");
    if plan.is_none() && !fields.is_wrong("plan") {
        fields.wrong("plan", "it is missing; expected a text");
    }
    fields.end(&["plan"])?;
    let (store, config) = (&app.context.store, app.context.config());
    let (account, plan) = (caller.account_id, plan.unwrap_or_default());
    let moved = operator::move_to_credits(store, &app.ledger, &config, account, &plan).await;
    app.keys.forget();
    let PlanChange {
        changed,
        account,
        state,
        ..
    } = moved?;
    Ok(Json(CreditsPlanAnswer {
        plan: account.plan,
        changed,
        balance: state.account.balance,
        monthly: state.account.monthly,
        period_end: rfc3339(state.account.period_end),
    }))
}

impl From<MoveError> for ApiError {
    fn from(error: MoveError) -> Self {
        let message = error.to_string();
        match error {
            MoveError::NotOffered(_) => Self::new(Code::Forbidden, message),
            MoveError::OtherPlan(_) => Self::invalid("plan", message),
            MoveError::Operator(OperatorError::Store(error)) => error.into(),
            MoveError::Operator(OperatorError::Booking(error)) => {
                tracing::error!(%error, "the beginning of a plan could not be booked");
                Self::service_unavailable()
            }
            MoveError::Operator(
                error @ (OperatorError::TooFew(_)
                | OperatorError::NoSuchPlan(_)
                | OperatorError::NoSuchAccount),
            ) => {
                tracing::error!(%error, "an account could not be moved to credits");
                Self::internal()
            }
        }
    }
}
