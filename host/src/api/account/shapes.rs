//! Bodies of the account endpoints.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::api::search::ListMeta;
use crate::billing::Metering;
use crate::clock::rfc3339;
use crate::store::{Grant, Thresholds};

/// Usage of an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageAnswer {
    pub(super) data: Usage,
}

/// Usage in the current period: calls of company, search and batch endpoints.
#[derive(Debug, Serialize, ToSchema)]
pub struct Usage {
    /// Calls of the current day (UTC).
    pub(super) requests_today: i64,
    /// Calls of the period, including failed ones.
    pub(super) requests_month: i64,
    /// Daily request limit of the plan; null if it has none.
    #[schema(required)]
    pub(super) limit_daily: Option<u32>,
    /// Monthly quota of the plan; null if it has none.
    #[schema(required)]
    pub(super) limit_monthly: Option<i64>,
    /// Credits charged in the period, or calls counted against the quota.
    pub(super) credits_used: i64,
    /// Calls beyond the credits in the period.
    pub(super) overage_used: i64,
    /// Calls of the period that were answered from the cache, free of charge.
    pub(super) cached: i64,
    /// Usage in the period by endpoint.
    pub(super) by_endpoint: BTreeMap<String, EndpointUsage>,
    /// The billing period; null for an unmetered account, whose usage covers the calendar month.
    #[schema(required)]
    pub(super) period: Option<Period>,
}

/// Usage of one endpoint.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct EndpointUsage {
    /// Number of calls, including failed ones.
    pub(super) requests: i64,
    /// Number of calls that were answered from the cache.
    pub(super) cached: i64,
    /// Number of credits charged.
    pub(super) credits: i64,
}

/// The billing period to which the usage belongs.
#[derive(Debug, Serialize, ToSchema)]
pub struct Period {
    /// Start of the period, RFC 3339.
    pub(super) start: String,
    /// Start of the next period, RFC 3339.
    pub(super) end: String,
}

/// Remaining credits or quota of an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct QuotaAnswer {
    pub(super) data: Quota,
}

/// Remaining credits or quota.
#[derive(Debug, Serialize, ToSchema)]
pub struct Quota {
    /// Requests left on the current day (UTC); null if the plan has no daily limit.
    #[schema(required)]
    pub(super) remaining_daily: Option<u32>,
    /// Credits left, or calls left of the monthly quota; null for an unmetered account.
    #[schema(required)]
    pub(super) remaining_monthly: Option<i64>,
    /// When the daily limit is reset, RFC 3339; null if the plan has no daily limit.
    #[schema(required)]
    pub(super) reset_daily: Option<String>,
    /// When the next billing period begins, RFC 3339; null for an unmetered account.
    #[schema(required)]
    pub(super) reset_monthly: Option<String>,
    /// Name of the plan.
    pub(super) plan: String,
    /// How the plan meters calls: `credits`, `quota` (calls per month) or `unmetered`.
    pub(super) metering: Metering,
    /// Credits left; null if the plan does not use credits.
    #[schema(required)]
    pub(super) balance: Option<i64>,
    /// The grants that make up the balance, in the order in which they are spent.
    pub(super) grants: Vec<GrantLeft>,
    pub(super) overage: Overage,
}

/// A grant of credits.
#[derive(Debug, Serialize, ToSchema)]
pub struct GrantLeft {
    /// Origin: `plan`, `rollover`, `purchase`, `adjustment` or `refund`.
    kind: &'static str,
    /// Number of credits granted.
    granted: i64,
    /// Number of credits left.
    remaining: i64,
    /// From when the credits can be spent, RFC 3339.
    effective_at: String,
    /// When the credits expire, RFC 3339; null if they do not.
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

/// Overage: calls beyond the credits.
#[derive(Debug, Serialize, ToSchema)]
pub struct Overage {
    /// Whether the plan allows overage.
    pub(super) allowed: bool,
    /// Whether overage is enabled for the account.
    pub(super) enabled: bool,
    /// Number of overage calls in this period.
    pub(super) used: i64,
}

/// Usage of the account by day.
#[derive(Serialize, ToSchema)]
pub struct History {
    pub(super) data: Vec<DayOfHistory>,
    pub(super) meta: ListMeta,
}

/// Usage on one day.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct DayOfHistory {
    /// The day in UTC, `YYYY-MM-DD`.
    pub(super) date: String,
    /// Number of calls, including failed ones.
    pub(super) requests: i64,
    /// Number of credits charged.
    pub(super) credits: i64,
    /// Number of calls that were answered from the cache.
    pub(super) cached: i64,
}

/// Credit alert thresholds and their recipients.
#[derive(Debug, Serialize, ToSchema)]
pub struct ThresholdBody {
    /// Percentages of the period's credits (from the plan, rolled over and purchased), 1 to 100.
    #[schema(example = json!([50, 80, 100]))]
    thresholds: Vec<i64>,
    /// E-mail addresses of the recipients.
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
