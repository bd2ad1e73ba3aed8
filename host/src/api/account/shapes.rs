//! Bodies of the account endpoints.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::search::ListMeta;
use crate::billing::Metering;
use crate::clock::rfc3339;
use crate::store::{Grant, Thresholds};

/// How the account was used.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageAnswer {
    pub(super) data: Usage,
}

/// How the account was used in the current period: calls of company, search and batch endpoints.
#[derive(Debug, Serialize, ToSchema)]
pub struct Usage {
    /// Calls of this day, in UTC.
    pub(super) requests_today: i64,
    /// Calls of the period, whatever they were answered.
    pub(super) requests_month: i64,
    /// The most requests of a day; null where the plan has no such limit.
    #[schema(required)]
    pub(super) limit_daily: Option<u32>,
    /// The most calls of a month, of a plan with a monthly quota; else null.
    #[schema(required)]
    pub(super) limit_monthly: Option<i64>,
    /// Credits charged in the period, or calls counted against the quota.
    pub(super) credits_used: i64,
    /// Calls beyond the credits in the period.
    pub(super) overage_used: i64,
    /// Calls of the period that were answered from memory and cost nothing.
    pub(super) cached: i64,
    /// The period by endpoint.
    pub(super) by_endpoint: BTreeMap<String, EndpointUsage>,
    /// The period; null for an account that is not metered, whose usage is that of the calendar month.
    #[schema(required)]
    pub(super) period: Option<Period>,
}

/// How an endpoint was used.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct EndpointUsage {
    /// Calls.
    pub(super) requests: i64,
    /// Those of them that were answered from memory.
    pub(super) cached: i64,
    /// Credits charged.
    pub(super) credits: i64,
}

/// A month of a plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct Period {
    /// When it began, RFC 3339.
    pub(super) start: String,
    /// When the next begins, RFC 3339.
    pub(super) end: String,
}

/// What the account has left.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuotaAnswer {
    pub(super) data: Quota,
}

/// What the account has left.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quota {
    /// Requests of this day that are left; null where the plan has no daily limit.
    #[schema(required)]
    pub(super) remaining_daily: Option<u32>,
    /// Credits that are left, or calls of a monthly quota; null for an account that is not metered.
    #[schema(required)]
    pub(super) remaining_monthly: Option<i64>,
    /// When the next day begins, RFC 3339; null where the plan has no daily limit.
    #[schema(required)]
    pub(super) reset_daily: Option<String>,
    /// When the next period begins, RFC 3339; null for an account that is not metered.
    #[schema(required)]
    pub(super) reset_monthly: Option<String>,
    /// The plan.
    pub(super) plan: String,
    /// `credits`, `quota` (calls of a month) or `unmetered`.
    pub(super) metering: Metering,
    /// Credits that are left; null for an account that has none.
    #[schema(required)]
    pub(super) balance: Option<i64>,
    /// Where they come from, in the order in which they are used.
    pub(super) grants: Vec<GrantLeft>,
    pub(super) overage: Overage,
}

/// What is left of a grant of credits.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantLeft {
    /// `plan`, `rollover`, `purchase`, `adjustment` or `refund`.
    kind: &'static str,
    /// Credits that it was made with.
    granted: i64,
    /// Credits that are left of it.
    remaining: i64,
    /// Since when they can be spent, RFC 3339.
    effective_at: String,
    /// From which instant on they cannot, RFC 3339; null: they do not expire.
    #[schema(required)]
    expires_at: Option<String>,
}

impl GrantLeft {
    pub(super) fn of(grant: &Grant) -> Self {
        Self {
            kind: grant.kind.word(),
            granted: grant.granted,
            remaining: grant.remaining,
            effective_at: rfc3339(grant.effective_at),
            expires_at: grant.expires_at.map(rfc3339),
        }
    }
}

/// Calls beyond the credits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Overage {
    /// Whether the plan allows them.
    pub(super) allowed: bool,
    /// Whether they are answered.
    pub(super) enabled: bool,
    /// How many there were in this period.
    pub(super) used: i64,
}

/// How the account was used, day by day.
#[derive(Serialize, ToSchema)]
pub struct History {
    pub(super) data: Vec<DayOfHistory>,
    pub(super) meta: ListMeta,
}

/// How the account was used on a day.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct DayOfHistory {
    /// The day in UTC, `YYYY-MM-DD`.
    pub(super) date: String,
    /// Calls.
    pub(super) requests: i64,
    /// Credits charged.
    pub(super) credits: i64,
    /// Calls that were answered from memory.
    pub(super) cached: i64,
}

/// Who is told when which shares of a period's credits are used up.
#[derive(Debug, Serialize, ToSchema)]
pub struct ThresholdBody {
    /// Percent of the credits that the period has had: the plan's, what rolled over, what was bought. 1 to 100.
    #[schema(example = json!([50, 80, 100]))]
    thresholds: Vec<i64>,
    /// Addresses that are written to.
    #[schema(example = json!(["billing@example.com"]))]
    emails: Vec<String>,
}

impl ThresholdBody {
    pub(super) fn of(thresholds: Thresholds) -> Self {
        Self {
            thresholds: thresholds.percents,
            emails: thresholds.emails,
        }
    }
}
