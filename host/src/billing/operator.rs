//! Changes that operators make to an account's credits. Each is one transaction.

use time::OffsetDateTime;

use super::Customer;
use super::account_ledger::{AccountLedger, NewGrant, TooFew};
use crate::store::{AccountId, BookingError, Bookings, Books, GrantKind, Store, StoreError};

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
    once(store, customer, &new.source, now, |ledger| {
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
    once(store, customer, operation, now, |ledger| {
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
    once(store, customer, "", now, |ledger| {
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

async fn once(
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
