//! Changes that operators make to an account's credits. Each is one transaction.

use time::OffsetDateTime;

use super::account_ledger::{AccountLedger, NewGrant, TooFew};
use super::{AccountState, Customer, Ledger};
use crate::config::Config;
use crate::store::{
    Account, AccountId, BookingError, Bookings, Books, GrantKind, Store, StoreError,
};

/// Attempts if another host opens the account at the same time.
const MAX_ATTEMPTS: u32 = 3;

/// Why nothing was booked.
#[derive(Debug, thiserror::Error)]
pub enum OperatorError {
    /// The account has fewer credits than were to be removed.
    #[error(transparent)]
    TooFew(#[from] TooFew),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The outcome of the commit is unknown. Repeating the command is safe: an operation is booked at most once.
    #[error(transparent)]
    Booking(#[from] BookingError),
    #[error("the settings have no plan {0}")]
    NoSuchPlan(String),
    #[error("the account does not exist any more")]
    NoSuchAccount,
}

/// Why an owner could not move an account to credits.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The account's plan does not lead to a plan with credits.
    #[error("the plan {0} cannot be left by the owner; ask the operator")]
    NotOffered(String),
    /// The account's plan leads to another plan with credits.
    #[error("the account can move to the plan {0} only")]
    OtherPlan(String),
    #[error(transparent)]
    Operator(#[from] OperatorError),
}

impl From<StoreError> for MoveError {
    fn from(error: StoreError) -> Self {
        Self::Operator(error.into())
    }
}

/// Grants credits. `false`: the grant existed before, and nothing was booked.
///
/// # Errors
/// The store failed.
pub async fn grant(
    store: &Store,
    customer: &Customer,
    new: &NewGrant,
    now: OffsetDateTime,
) -> Result<bool, OperatorError> {
    book_once(store, customer, &new.source, now, |ledger| {
        ledger.grant(new, &customer.terms, now);
        Ok(())
    })
    .await
}

/// Removes credits. `false`: the removal was booked before.
///
/// # Errors
/// Too few credits, or the store failed.
pub async fn take(
    store: &Store,
    customer: &Customer,
    credits: i64,
    operation: &str,
    about: &str,
    now: OffsetDateTime,
) -> Result<bool, OperatorError> {
    book_once(store, customer, operation, now, |ledger| {
        ledger.take(credits, operation, about, &customer.terms, now)
    })
    .await
}

/// Books what is due, including a change of plan.
///
/// # Errors
/// The store failed.
pub async fn advance(
    store: &Store,
    customer: &Customer,
    now: OffsetDateTime,
) -> Result<(), OperatorError> {
    book_once(store, customer, "", now, |ledger| {
        ledger.advance(&customer.terms, now);
        Ok(())
    })
    .await?;
    Ok(())
}

/// Credits of the old plan's month at a change of plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftAtChange {
    /// Credits that were left of the month.
    pub left: i64,
    /// The part of `left` that rolled over.
    pub rolled_over: i64,
}

/// Credits left of the old plan when the current plan began. Valid only in the current plan's first month. Zero if
/// nothing was left or nothing had been booked before.
///
/// # Errors
/// The store failed.
pub async fn left_at_change(
    store: &Store,
    account_id: AccountId,
) -> Result<LeftAtChange, StoreError> {
    let Some(Books {
        account, grants, ..
    }) = store.billing().books(account_id).await?
    else {
        return Ok(LeftAtChange::default());
    };
    let began = account.period_start;
    let of_this_plan = format!("plan:{}:", account.plan_version);
    let mut months_before = grants
        .iter()
        .filter(|grant| grant.kind == GrantKind::Plan && !grant.source.starts_with(&of_this_plan));
    let Some(month) = months_before.next_back() else {
        return Ok(LeftAtChange::default());
    };
    let expiry = format!("expiry:{}", month.number);
    let ended = store.billing().entries_of(account_id, &expiry).await?;
    let at_change = ended.iter().filter(|entry| entry.booked_at == began);
    let rollover = month.source.replacen("plan:", "rollover:", 1);
    let rolled_over = grants
        .iter()
        .find(|grant| grant.source == rollover && grant.effective_at == began);
    Ok(LeftAtChange {
        left: at_change.map(|entry| -entry.amount).sum(),
        rolled_over: rolled_over.map_or(0, |grant| grant.granted),
    })
}

/// A change of plan and what became of the credits.
#[derive(Debug)]
pub struct PlanChange {
    /// `false`: the account had the plan before.
    pub changed: bool,
    /// The account after the change.
    pub account: Account,
    /// The account with the terms of its plan.
    pub customer: Customer,
    pub left: LeftAtChange,
    /// The credits after the change.
    pub state: AccountState,
}

/// Puts an account on a plan; a full month of it begins at once.
///
/// # Errors
/// The settings lack the plan, or the store failed.
pub async fn change_plan(
    store: &Store,
    ledger: &Ledger,
    config: &Config,
    account_id: AccountId,
    plan: &str,
) -> Result<PlanChange, OperatorError> {
    if !config.plans.contains_key(plan) {
        return Err(OperatorError::NoSuchPlan(plan.to_owned()));
    }
    let changed = store.keys().change_plan(account_id, plan).await?;
    begin_plan(store, ledger, config, account_id, changed).await
}

/// Moves an account from calls a month to credits, on behalf of its owner. Repeating it changes nothing.
///
/// # Errors
/// The account's plan does not lead to `plan`, or the store failed.
pub async fn move_to_credits(
    store: &Store,
    ledger: &Ledger,
    config: &Config,
    account_id: AccountId,
    plan: &str,
) -> Result<PlanChange, MoveError> {
    let find = async || {
        let found = store.keys().find_account_by_id(account_id).await?;
        found.ok_or(OperatorError::NoSuchAccount)
    };
    let before = find().await?;
    let has_credits = |name: &str| {
        let plan = config.plans.get(name);
        plan.is_some_and(|plan| plan.credits.is_some())
    };
    let mut changed = false;
    if before.plan != plan || !has_credits(plan) {
        let own = config.plans.get(&before.plan);
        match own.and_then(|own| own.credits_plan.as_deref()) {
            None => return Err(MoveError::NotOffered(before.plan)),
            Some(offered) if offered != plan => {
                return Err(MoveError::OtherPlan(offered.to_owned()));
            }
            Some(_) => {}
        }
        // Conditional, so that a concurrent change by the operator is not undone.
        changed = store
            .keys()
            .move_plan(account_id, &before.plan, plan)
            .await?;
        if !changed {
            let now = find().await?;
            if now.plan != plan {
                return Err(MoveError::NotOffered(now.plan));
            }
        }
    }
    Ok(begin_plan(store, ledger, config, account_id, changed).await?)
}

/// Books the beginning of the account's plan. Runs even if the account had the plan before, because an earlier attempt
/// may have been interrupted here.
async fn begin_plan(
    store: &Store,
    ledger: &Ledger,
    config: &Config,
    account_id: AccountId,
    changed: bool,
) -> Result<PlanChange, OperatorError> {
    let account = store.keys().find_account_by_id(account_id).await?;
    let account = account.ok_or(OperatorError::NoSuchAccount)?;
    let customer = Customer::of(&account, config);
    let customer = customer.ok_or_else(|| OperatorError::NoSuchPlan(account.plan.clone()))?;
    advance(store, &customer, ledger.now()).await?;
    let left = if changed {
        left_at_change(store, account_id).await?
    } else {
        LeftAtChange::default()
    };
    Ok(PlanChange {
        changed,
        state: ledger.state(&customer).await?,
        account,
        customer,
        left,
    })
}

/// Books a change unless an operation of this name is booked already. Returns whether it was booked now.
async fn book_once(
    store: &Store,
    customer: &Customer,
    operation: &str,
    now: OffsetDateTime,
    change: impl Fn(&mut AccountLedger) -> Result<(), TooFew>,
) -> Result<bool, OperatorError> {
    let id = customer.account_id;
    let mut attempt = 1;
    loop {
        let mut opened = store.billing().open(&[id], false).await?;
        if !opened.entries_of(&[(id, operation)]).await?.is_empty() {
            return Ok(false);
        }
        let stored = opened.accounts.remove(&id).unwrap_or_default();
        let mut ledger = AccountLedger::of(id, stored, &customer.terms, now);
        change(&mut ledger)?;
        let mut bookings = Bookings::default();
        ledger.finish(&mut bookings);
        match opened.commit(&bookings).await {
            Ok(()) => return Ok(true),
            Err(BookingError::Overtaken) if attempt < MAX_ATTEMPTS => attempt += 1,
            Err(error) => return Err(error.into()),
        }
    }
}
