//! The ledger compared with a plain model, and its behaviour under failures.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod breaks;
mod grouping;
mod millions;
mod model;
mod rules;
mod sweep;
mod usage;

use std::sync::Arc;

use time::OffsetDateTime;
use time::macros::datetime;

use super::{Customer, Metering, Terms};
use crate::clock::Clock;
use crate::language::Language;
use crate::store::AccountId;

const START: OffsetDateTime = datetime!(2026-01-15 08:00 UTC);

/// The account of tests that need only one.
const ACCOUNT: AccountId = AccountId::new(1);

fn terms(plan: &str, version: i64, monthly: i64, rollover: i64, overage: bool) -> Terms {
    Terms {
        plan: plan.to_owned(),
        version,
        monthly,
        rollover,
        overage,
    }
}

/// The terms of a plan of the model.
fn terms_of(plan: model::ModelPlan) -> Terms {
    terms(
        "plan",
        plan.version,
        plan.monthly,
        plan.rollover,
        plan.overage,
    )
}

fn customer(account_id: AccountId, terms: Terms) -> Arc<Customer> {
    Arc::new(Customer {
        account_id,
        account: format!("account {account_id}"),
        metering: Metering::Credits,
        terms,
        language: Language::Slovak,
    })
}

/// A clock that always returns [`START`].
fn clock() -> Clock {
    Clock::from_fn(|| START)
}
