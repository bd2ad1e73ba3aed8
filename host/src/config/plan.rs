//! Settings of plans: scopes, credits and limits of their accounts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What accounts on a plan may do.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Plan {
    /// Scopes of the plan; `all` means every scope, also later ones.
    pub scopes: Vec<String>,
    /// Features of the plan, which collections require; `all` means every feature, also later ones. Not set: those with
    /// the name of a scope of the plan.
    pub features: Option<Vec<String>>,
    /// Whether the plan includes batches.
    pub batch: bool,
    /// Maximum items of a batch; duplicates count once.
    pub batch_items: usize,
    /// Credits per month; a call costs one. Changes apply from an account's next month. A plan without `credits` and
    /// without `quota` is not metered.
    pub credits: Option<u32>,
    /// Maximum credits that roll over to the next month; they stay valid for three months.
    pub rollover: u32,
    /// Whether an account may continue without credits: `lustra account overage`.
    pub overage: bool,
    /// Calls per month, instead of credits.
    pub quota: Option<u32>,
    /// Only with `quota`: the plan with credits to which owners may move their accounts. Not set: only the operator can.
    pub credits_plan: Option<String>,
    /// Look-ups (companies, searches, new batches, collections) of an account per minute, over all hosts. Not set: no limit.
    pub requests_per_minute: Option<u32>,
    /// Look-ups of an account per day in UTC, over all hosts. Not set: no limit.
    pub requests_per_day: Option<u32>,
    /// Companies that an account may watch.
    pub watched_companies: u32,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            scopes: vec!["all".to_owned()],
            features: None,
            batch: true,
            batch_items: 100,
            credits: None,
            rollover: 0,
            overage: false,
            quota: None,
            credits_plan: None,
            requests_per_minute: None,
            requests_per_day: None,
            watched_companies: 0,
        }
    }
}

impl Plan {
    /// Whether the plan includes every scope.
    #[must_use]
    pub fn includes_all(&self) -> bool {
        self.scopes.iter().any(|included| included == "all")
    }

    /// Whether the plan includes a scope.
    #[must_use]
    pub fn includes(&self, scope: &str) -> bool {
        self.includes_all() || self.scopes.iter().any(|included| included == scope)
    }

    /// Whether the plan includes a feature.
    #[must_use]
    pub fn has_feature(&self, feature: &str) -> bool {
        let features = self.features.as_ref().unwrap_or(&self.scopes);
        let mut features = features.iter();
        features.any(|included| included == "all" || included == feature)
    }

    /// How calls of its accounts are metered.
    #[must_use]
    pub fn metering(&self) -> Metering {
        match (self.credits, self.quota) {
            (Some(_), _) => Metering::Credits,
            (None, Some(_)) => Metering::Quota,
            (None, None) => Metering::Unmetered,
        }
    }

    /// Rate limits of the plan.
    #[must_use]
    pub fn limits(&self) -> RateLimits {
        RateLimits {
            minute: self.requests_per_minute,
            day: self.requests_per_day,
        }
    }

    /// Whether `credits_plan`, if it is set, names a plan with credits.
    pub(super) fn leads_to_credits(&self, plans: &BTreeMap<String, Self>) -> bool {
        let target = self.credits_plan.as_ref().map(|name| plans.get(name));
        target.is_none_or(|target| target.is_some_and(|target| target.credits.is_some()))
    }

    /// Mistakes in these settings: the name of the setting, and what is wrong.
    pub(super) fn mistakes(&self) -> Vec<(&'static str, &'static str)> {
        let mut mistakes = Vec::new();
        let mut must = |holds: bool, setting, mistake| {
            if !holds {
                mistakes.push((setting, mistake));
            }
        };
        let has_quota = self.quota.is_some();
        let has_limits = self.requests_per_minute.is_some() || self.requests_per_day.is_some();
        must(
            !(has_quota && self.credits.is_some()),
            "quota",
            "a plan has either credits or a quota",
        );
        must(
            self.rollover == 0 || self.credits.is_some(),
            "rollover",
            "only credits roll over",
        );
        must(
            !self.overage || self.credits.is_some(),
            "overage",
            "only plans with credits allow overage",
        );
        must(
            has_quota || self.credits_plan.is_none(),
            "credits_plan",
            "only plans with a quota have one",
        );
        must(
            !(has_quota && has_limits),
            "quota",
            "a plan with a quota has no other limits",
        );
        must(
            self.requests_per_minute != Some(0),
            "requests_per_minute",
            "at least 1",
        );
        must(
            self.requests_per_day != Some(0),
            "requests_per_day",
            "at least 1",
        );
        mistakes
    }
}

/// How the calls of a plan are metered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Metering {
    /// Each call is charged one credit.
    Credits,
    /// Calls count against a monthly quota. Used by plans that are older than credits.
    Quota,
    /// Calls are neither charged nor counted against a quota.
    Unmetered,
}

impl Metering {
    /// Its name in responses.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Credits => "credits",
            Self::Quota => "quota",
            Self::Unmetered => "unmetered",
        }
    }
}

/// Rate limits of an account.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateLimits {
    /// Maximum requests per minute. `None`: no limit.
    pub minute: Option<u32>,
    /// Maximum requests per day. `None`: no limit.
    pub day: Option<u32>,
}

/// The plan of accounts that were moved from the plan `legacy` to credits.
const LEGACY_CREDITS: &str = "legacy-credits";

/// The plans that apply if the settings name none.
pub(super) fn defaults() -> BTreeMap<String, Plan> {
    let scopes = |scopes: &[&str]| scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let free = Plan {
        scopes: scopes(&["tax", "erased_vat", "tax_reliability"]),
        batch: false,
        credits: Some(100),
        watched_companies: 3,
        ..Plan::default()
    };
    let starter = Plan {
        scopes: scopes(&[
            "tax",
            "erased_vat",
            "tax_reliability",
            "bank_accounts",
            "debtor_status",
            "contacts",
            "financials",
        ]),
        credits: Some(5_000),
        rollover: 5_000,
        overage: true,
        watched_companies: 50,
        ..Plan::default()
    };
    let business = Plan {
        batch_items: 1_000,
        credits: Some(50_000),
        rollover: 50_000,
        overage: true,
        watched_companies: 1_000,
        ..Plan::default()
    };
    let enterprise = Plan {
        batch_items: 10_000,
        credits: Some(1_000_000),
        rollover: 1_000_000,
        overage: true,
        watched_companies: 50_000,
        ..Plan::default()
    };
    let legacy = Plan {
        quota: Some(10_000),
        credits_plan: Some(LEGACY_CREDITS.to_owned()),
        watched_companies: 100,
        ..Plan::default()
    };
    // Moving an account changes how its calls are counted, and takes neither scopes nor calls away.
    let legacy_credits = Plan {
        credits: legacy.quota,
        rollover: legacy.quota.unwrap_or_default(),
        overage: true,
        quota: None,
        credits_plan: None,
        ..legacy.clone()
    };
    BTreeMap::from([
        ("free".to_owned(), free),
        ("starter".to_owned(), starter),
        ("business".to_owned(), business),
        ("enterprise".to_owned(), enterprise),
        ("legacy".to_owned(), legacy),
        (LEGACY_CREDITS.to_owned(), legacy_credits),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_to_credits_takes_nothing_away() {
        let plans = defaults();
        for (name, plan) in &plans {
            let Some(target) = &plan.credits_plan else {
                continue;
            };
            let target = &plans[target];
            assert!(target.credits >= plan.quota, "{name}");
            assert!(target.watched_companies >= plan.watched_companies, "{name}");
            assert!(
                target.batch_items >= plan.batch_items && target.batch,
                "{name}"
            );
            assert_eq!(
                (&target.scopes, &target.features),
                (&plan.scopes, &plan.features),
                "{name}"
            );
            assert_eq!(
                target.requests_per_minute.or(target.requests_per_day),
                None,
                "{name}"
            );
        }
        assert!(plans["legacy"].credits_plan.is_some());
    }

    #[test]
    fn features_follow_scopes_unless_set() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let plan = |scopes: &[&str], features: Option<&[&str]>| Plan {
            scopes: names(scopes),
            features: features.map(names),
            ..Plan::default()
        };
        for (scopes, features, has) in [
            (&["all"][..], None, true),
            (&["tax", "nbs"], None, true),
            (&["tax"], None, false),
            (&["tax"], Some(&["nbs"][..]), true),
            (&["tax"], Some(&["all"]), true),
            (&["all"], Some(&[]), false),
        ] {
            assert_eq!(
                plan(scopes, features).has_feature("nbs"),
                has,
                "{scopes:?} {features:?}"
            );
        }
    }
}
