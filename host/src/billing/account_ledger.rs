//! The rules of credits: what is booked for an account, and when.
//!
//! An [`AccountLedger`] holds an account's balance row and its live grants. Each booking first advances the account to
//! its own time: it expires grants, closes ended months and opens the next ones, each with the time at which it was
//! due. The result does not depend on a job that runs on time.
//! Invariants: the balance equals the remaining credits of the live grants; the grant that expires first is used first;
//! an account's time never goes back.

mod entries;
mod periods;

use std::collections::BTreeSet;

use time::OffsetDateTime;

use self::entries::usage_order;
use super::Terms;
use super::months::later;
use crate::store::{
    AccountBalance, AccountId, Bookings, EntryKind, Grant, GrantKind, LedgerEntry, LockedAccount,
};

/// Validity in months of rolled over credits, and of refunds of charges whose grant has ended.
pub const ROLLOVER_MONTHS: i64 = 3;

/// The cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paid {
    /// Credits charged: 1, or 0 for a call beyond the credits.
    pub credits: i64,
    pub remaining: i64,
}

/// No credits are left, and the account does not allow overage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the credits are used up")]
pub struct Exhausted;

/// An operator tried to remove more credits than there are. Holds the available number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are only {0} credits")]
pub struct TooFew(pub i64);

/// A grant that an operator creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    pub kind: GrantKind,
    /// How many credits, at least 1.
    pub credits: i64,
    /// Expiry; `None`: the credits do not expire.
    pub expires_at: Option<OffsetDateTime>,
    /// Reference of the grant; unique per account.
    pub source: String,
    /// Readable text for the entry.
    pub about: String,
}

/// The operation under which a refund is booked.
#[must_use]
pub fn refund_of(operation: &str) -> String {
    format!("refund:{operation}")
}

/// An account's balance and live grants, with the bookings that are not written yet.
#[derive(Debug, Clone)]
pub struct AccountLedger {
    account: AccountBalance,
    is_new: bool,
    grants: Vec<Grant>,
    /// Numbers of stored grants that have changed.
    touched: BTreeSet<i64>,
    /// Number of the last stored grant.
    stored_grants: i64,
    entries: Vec<LedgerEntry>,
    changed: bool,
    /// A new period or plan has begun.
    has_new_period: bool,
}

impl AccountLedger {
    /// The ledger of an account from its stored state. Opens an account without bookings on these terms.
    #[must_use]
    pub fn of(
        account_id: AccountId,
        stored: LockedAccount,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Self {
        match stored.account {
            Some(account) => Self::stored(account, stored.grants),
            None => Self::open(account_id, terms, now),
        }
    }

    /// The ledger from a stored balance row and its live grants.
    #[must_use]
    pub fn stored(account: AccountBalance, grants: Vec<Grant>) -> Self {
        Self {
            stored_grants: account.last_grant,
            account,
            is_new: false,
            grants,
            touched: BTreeSet::new(),
            entries: Vec::new(),
            changed: false,
            has_new_period: false,
        }
    }

    /// A new ledger for an account without bookings.
    #[must_use]
    pub fn open(account_id: AccountId, terms: &Terms, now: OffsetDateTime) -> Self {
        let account = AccountBalance {
            account_id,
            plan: String::new(),
            plan_version: 0,
            monthly: 0,
            rollover: 0,
            anchor: now.date(),
            period: 0,
            period_start: now,
            period_end: now,
            last_entry: 0,
            last_grant: 0,
            balance: 0,
            used: 0,
            overage: 0,
            noticed: 0,
            booked_at: now,
        };
        let mut ledger = Self {
            is_new: true,
            ..Self::stored(account, Vec::new())
        };
        ledger.begin_plan(terms, now);
        ledger
    }

    #[must_use]
    pub fn account(&self) -> &AccountBalance {
        &self.account
    }

    /// Grants with credits left, in order of use.
    #[must_use]
    pub fn live(&self) -> Vec<&Grant> {
        let mut live: Vec<&Grant> = self
            .grants
            .iter()
            .filter(|grant| grant.remaining > 0)
            .collect();
        live.sort_by_key(|grant| usage_order(grant));
        live
    }

    /// Whether the operation is among the entries to be written.
    #[must_use]
    pub fn is_booking(&self, operation: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.operation == operation)
    }

    /// Books expiries, ended months and plan changes that are due by `now`. Returns the account's time, which is later
    /// than `now` if the clock went back.
    pub fn advance(&mut self, terms: &Terms, now: OffsetDateTime) -> OffsetDateTime {
        let now = now
            .max(self.account.booked_at)
            .max(self.account.period_start);
        loop {
            let ends = self.grants.iter().filter(|grant| grant.remaining > 0);
            let ends = ends.filter_map(|grant| grant.expires_at);
            let next = ends.fold(self.account.period_end, OffsetDateTime::min);
            if next > now {
                break;
            }
            let left = self.remaining_of_month();
            self.write_off(next, |grant| grant.expires_at.is_some_and(|at| at <= next));
            if next == self.account.period_end {
                self.roll_over(left, next);
                self.begin_month(terms);
            }
        }
        if terms.version > self.account.plan_version {
            let left = self.remaining_of_month();
            let month = self.source_of_month();
            self.write_off(now, |grant| grant.source == month);
            self.roll_over(left, now);
            self.begin_plan(terms, now);
        }
        now
    }

    /// Charges one credit for a call, or books it as overage.
    ///
    /// # Errors
    /// No credits are left and the account does not allow overage; nothing was booked.
    pub fn charge(
        &mut self,
        operation: &str,
        about: &str,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Result<Paid, Exhausted> {
        let now = self.advance(terms, now);
        if let Some(grant) = self.first_to_use() {
            self.book(EntryKind::Charge, Some(grant), -1, now, operation, 0, about);
            self.account.used += 1;
            return Ok(Paid {
                credits: 1,
                remaining: self.account.balance,
            });
        }
        if !terms.overage {
            return Err(Exhausted);
        }
        self.book(EntryKind::Overage, None, -1, now, operation, 0, about);
        self.account.overage += 1;
        Ok(Paid {
            credits: 0,
            remaining: 0,
        })
    }

    /// Refunds a call. `booked` is its entry and `grant` the grant that it was charged to, live or not. `false`: the
    /// entry is not a charge.
    pub fn refund(
        &mut self,
        booked: &LedgerEntry,
        grant: Option<Grant>,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> bool {
        let now = self.advance(terms, now);
        let operation = refund_of(&booked.operation);
        let in_period = booked.booked_at >= self.account.period_start;
        match booked.kind {
            EntryKind::Charge => {
                let number = match grant {
                    Some(grant) if self.accepts_refund(&grant, now) => self.ensure_loaded(grant),
                    Some(_) | None => self.add_grant(
                        GrantKind::Refund,
                        1,
                        now,
                        Some(later(now, ROLLOVER_MONTHS)),
                        &operation,
                    ),
                };
                self.book(
                    EntryKind::Refund,
                    Some(number),
                    1,
                    now,
                    &operation,
                    0,
                    &booked.about,
                );
                if in_period {
                    self.account.used -= 1;
                }
            }
            EntryKind::Overage => {
                self.book(
                    EntryKind::OverageRefund,
                    None,
                    1,
                    now,
                    &operation,
                    0,
                    &booked.about,
                );
                if in_period {
                    self.account.overage -= 1;
                }
            }
            EntryKind::Grant
            | EntryKind::Refund
            | EntryKind::Adjustment
            | EntryKind::Expiry
            | EntryKind::OverageRefund => return false,
        }
        true
    }

    /// Books purchased or given credits. The caller has checked that the grant does not exist yet.
    pub fn grant(&mut self, new: &NewGrant, terms: &Terms, now: OffsetDateTime) {
        let now = self.advance(terms, now);
        let number = self.add_grant(new.kind, new.credits, now, new.expires_at, &new.source);
        self.book(
            EntryKind::Grant,
            Some(number),
            new.credits,
            now,
            &new.source,
            0,
            &new.about,
        );
    }

    /// Removes credits, from the grants that would be used first.
    ///
    /// # Errors
    /// Too few credits; nothing was booked.
    pub fn take(
        &mut self,
        credits: i64,
        operation: &str,
        about: &str,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Result<(), TooFew> {
        let now = self.advance(terms, now);
        if credits > self.account.balance {
            return Err(TooFew(self.account.balance));
        }
        let mut left = credits;
        let mut part = 0;
        while left > 0
            && let Some(number) = self.first_to_use()
        {
            let of_grant = self.remaining(number).min(left);
            self.book(
                EntryKind::Adjustment,
                Some(number),
                -of_grant,
                now,
                operation,
                part,
                about,
            );
            left -= of_grant;
            part += 1;
        }
        Ok(())
    }

    /// The highest usage threshold that was crossed and not announced yet in this period. Marks it as announced.
    ///
    /// The base is all credits of the period, used and remaining: monthly, rolled over and purchased ones.
    pub fn crossed(&mut self, percents: &[i64]) -> Option<i64> {
        let (used, all) = (self.account.used, self.account.used + self.account.balance);
        let reached = percents
            .iter()
            .copied()
            .filter(|percent| used > 0 && used * 100 >= percent * all);
        let highest = reached
            .max()
            .filter(|percent| *percent > self.account.noticed)?;
        self.account.noticed = highest;
        self.changed = true;
        Some(highest)
    }

    /// Adds the bookings of this account to the rows to be written.
    pub fn finish(self, bookings: &mut Bookings) {
        let Self {
            account,
            is_new,
            grants,
            touched,
            stored_grants,
            entries,
            changed,
            has_new_period,
        } = self;
        for grant in grants {
            if grant.number > stored_grants {
                bookings.new_grants.push(grant);
            } else if touched.contains(&grant.number) {
                bookings.grants.push(grant);
            }
        }
        bookings.entries.extend(entries);
        if is_new {
            bookings.opened.push(account);
        } else if has_new_period {
            bookings.periods.push(account);
        } else if changed {
            bookings.moved.push(account);
        }
    }
}
