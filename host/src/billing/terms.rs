//! Accounts and the terms of their plans.

use crate::config::{Config, Metering, Plan};
use crate::language::Language;
use crate::store::{Account, AccountId};

/// The terms of an account's plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    pub plan: String,
    /// How many plans the account has had. Terms that were read before a change of plan never undo it.
    pub version: i64,
    pub monthly: i64,
    /// The most credits of a month that roll over.
    pub rollover: i64,
    /// Whether calls beyond the credits are answered.
    pub overage: bool,
}

/// An account, as the ledger sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Customer {
    pub account_id: AccountId,
    pub account: String,
    /// How its calls are metered.
    pub metering: Metering,
    pub terms: Terms,
    /// Language of its e-mails.
    pub language: Language,
}

impl Customer {
    /// An account with its plan from the settings. `None`: the settings do not have the plan.
    #[must_use]
    pub fn of(account: &Account, config: &Config) -> Option<Self> {
        let plan = config.plans.get(&account.plan)?;
        let language = Language::parse(&account.language).unwrap_or_default();
        Some(Self {
            language,
            ..Self::new(
                account.id,
                account.name.clone(),
                &account.plan,
                account.plan_version,
                plan,
                account.overage,
            )
        })
    }

    /// An account whose plan was removed from the settings. Its months continue with their last terms.
    #[must_use]
    pub fn without_plan(account_id: AccountId) -> Self {
        Self {
            account_id,
            account: account_id.to_string(),
            metering: Metering::Credits,
            terms: Terms {
                plan: String::new(),
                // Lower than any real version, so it changes nothing.
                version: 0,
                monthly: 0,
                rollover: 0,
                overage: false,
            },
            language: Language::default(),
        }
    }

    /// An account with a plan and the default language. `overage`: whether the account allows calls beyond its credits.
    #[must_use]
    pub fn new(
        account_id: AccountId,
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
            language: Language::default(),
        }
    }
}
