//! Who pays, and on which terms.

use crate::config::{Config, Metering, Plan};
use crate::store::Account;

/// What a plan gives an account, and for how long it has been on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// The plan's name.
    pub plan: String,
    /// How many plans the account has been on. Terms that were read before a change never undo it.
    pub version: i64,
    /// Credits of a month.
    pub monthly: i64,
    /// The most of a month's credits that roll over.
    pub rollover: i64,
    /// Whether calls are answered when the credits are used up.
    pub overage: bool,
}

/// An account as the ledger knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    /// The account's id.
    pub account_id: i64,
    /// The account's name.
    pub account: String,
    /// How its calls are counted.
    pub metering: Metering,
    /// What it gets.
    pub terms: Terms,
}

impl Customer {
    /// An account on the plan that it has in the settings. `None`: the settings have no such plan.
    #[must_use]
    pub fn of(account: &Account, config: &Config) -> Option<Self> {
        let plan = config.plans.get(&account.plan)?;
        let name = account.name.clone();
        Some(Self::new(
            account.id,
            name,
            &account.plan,
            account.plan_version,
            plan,
            account.overage,
        ))
    }

    /// An account whose plan is not known any more: what happens by itself goes on as it was when its month began.
    #[must_use]
    pub fn without_plan(account_id: i64) -> Self {
        Self {
            account_id,
            account: account_id.to_string(),
            metering: Metering::Credits,
            terms: Terms {
                plan: String::new(),
                // Older than any, so that it changes nothing.
                version: 0,
                monthly: 0,
                rollover: 0,
                overage: false,
            },
        }
    }

    /// An account on a plan. `overage`: whether the account wants to go on when its credits are used up.
    #[must_use]
    pub fn new(
        account_id: i64,
        account: String,
        plan_name: &str,
        version: i64,
        plan: &Plan,
        overage: bool,
    ) -> Self {
        let monthly = plan.credits.or(plan.quota).unwrap_or(0);
        Self {
            account_id,
            account,
            metering: plan.metering(),
            terms: Terms {
                plan: plan_name.to_owned(),
                version,
                monthly: i64::from(monthly),
                rollover: i64::from(plan.rollover),
                overage: overage && plan.overage,
            },
        }
    }
}
