//! The rules of credits: what is booked for an account, and when.
//!
//! A book is an account's standing with its live grants. It is brought up to the time of each booking first: grants that
//! ended are written off, months that ended are closed and the next begun, at the instants at which that happened. So
//! nothing depends on a job that runs in time.
//! Invariants: the balance is what is left of the live grants; the grant that ends first is used first; an account's time
//! never goes back.

use std::collections::BTreeSet;

use time::OffsetDateTime;

use super::Terms;
use super::months::{later, midnight, months_after};
use crate::store::{Bookings, Entry, EntryKind, Grant, GrantKind, OpenedAccount, Standing};

/// For how many months rolled over credits are valid; so are those that are given back after their grant has ended.
pub const ROLLOVER_MONTHS: i64 = 3;

/// What a call cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paid {
    /// Credits taken: 1, or 0 for a call beyond them.
    pub credits: i64,
    /// Credits that are left.
    pub remaining: i64,
}

/// There are no credits, and the account does not go beyond them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the credits are used up")]
pub struct Exhausted;

/// More was to be taken away than there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there are only {0} credits")]
pub struct TooFew(pub i64);

/// A grant that an operator makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrant {
    /// What kind it is.
    pub kind: GrantKind,
    /// How many credits, more than 0.
    pub credits: i64,
    /// When they end; `None`: never.
    pub expires_at: Option<OffsetDateTime>,
    /// What they are for: once for each account.
    pub source: String,
    /// In words.
    pub about: String,
}

/// What taking an operation back is booked as.
#[must_use]
pub fn refund_of(operation: &str) -> String {
    format!("refund:{operation}")
}

/// An account's standing, and what is booked for it until it is written.
#[derive(Debug, Clone)]
pub struct Book {
    standing: Standing,
    is_new: bool,
    grants: Vec<Grant>,
    /// Numbers of the grants that were stored before and have changed.
    touched: BTreeSet<i64>,
    /// The last grant that was stored before.
    stored_grants: i64,
    entries: Vec<Entry>,
    changed: bool,
    /// Another period or plan has begun.
    has_new_period: bool,
}

impl Book {
    /// The book of an account as it is stored; where nothing is, it is opened on these terms.
    #[must_use]
    pub fn of(account_id: i64, stored: OpenedAccount, terms: &Terms, now: OffsetDateTime) -> Self {
        match stored.standing {
            Some(standing) => Self::stored(standing, stored.grants),
            None => Self::open(account_id, terms, now),
        }
    }

    /// A book that is stored, with its live grants.
    #[must_use]
    pub fn stored(standing: Standing, grants: Vec<Grant>) -> Self {
        Self {
            stored_grants: standing.last_grant,
            standing,
            is_new: false,
            grants,
            touched: BTreeSet::new(),
            entries: Vec::new(),
            changed: false,
            has_new_period: false,
        }
    }

    /// A book of an account for which nothing was ever booked.
    #[must_use]
    pub fn open(account_id: i64, terms: &Terms, now: OffsetDateTime) -> Self {
        let standing = Standing {
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
        let mut book = Self {
            is_new: true,
            ..Self::stored(standing, Vec::new())
        };
        book.begin_plan(terms, now);
        book
    }

    /// Where the account stands.
    #[must_use]
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The grants with credits left, in the order in which they are used.
    #[must_use]
    pub fn live(&self) -> Vec<&Grant> {
        let mut live: Vec<&Grant> = self
            .grants
            .iter()
            .filter(|grant| grant.remaining > 0)
            .collect();
        live.sort_by_key(|grant| order(grant));
        live
    }

    /// Whether an operation is among those that are about to be written.
    #[must_use]
    pub fn is_booking(&self, operation: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.operation == operation)
    }

    /// Books what has happened by itself until `now`; the account's time then, which is later where the clock went back.
    pub fn advance(&mut self, terms: &Terms, now: OffsetDateTime) -> OffsetDateTime {
        let now = now
            .max(self.standing.booked_at)
            .max(self.standing.period_start);
        loop {
            let ends = self.grants.iter().filter(|grant| grant.remaining > 0);
            let ends = ends.filter_map(|grant| grant.expires_at);
            let next = ends.fold(self.standing.period_end, OffsetDateTime::min);
            if next > now {
                break;
            }
            let left = self.left_of_month();
            self.write_off(next, |grant| grant.expires_at.is_some_and(|at| at <= next));
            if next == self.standing.period_end {
                self.roll_over(left, next);
                self.begin_month(terms);
            }
        }
        if terms.version > self.standing.plan_version {
            let left = self.left_of_month();
            let month = self.source_of_month();
            self.write_off(now, |grant| grant.source == month);
            self.roll_over(left, now);
            self.begin_plan(terms, now);
        }
        now
    }

    /// Books a call.
    ///
    /// # Errors
    /// There is nothing left, and nothing was booked.
    pub fn charge(
        &mut self,
        operation: &str,
        about: &str,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Result<Paid, Exhausted> {
        let now = self.advance(terms, now);
        if let Some(grant) = self.first() {
            self.book(EntryKind::Charge, Some(grant), -1, now, operation, 0, about);
            self.standing.used += 1;
            return Ok(Paid {
                credits: 1,
                remaining: self.standing.balance,
            });
        }
        if !terms.overage {
            return Err(Exhausted);
        }
        self.book(EntryKind::Overage, None, -1, now, operation, 0, about);
        self.standing.overage += 1;
        Ok(Paid {
            credits: 0,
            remaining: 0,
        })
    }

    /// Takes a call back. `booked` is its entry and `grant` the grant that it was charged to, live or not. False: it was
    /// not a call.
    pub fn refund(
        &mut self,
        booked: &Entry,
        grant: Option<Grant>,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> bool {
        let now = self.advance(terms, now);
        let operation = refund_of(&booked.operation);
        let in_period = booked.booked_at >= self.standing.period_start;
        match booked.kind {
            EntryKind::Charge => {
                let number = match grant {
                    Some(grant) if self.takes_back(&grant, now) => self.known(grant),
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
                    self.standing.used -= 1;
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
                    self.standing.overage -= 1;
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

    /// Books credits that somebody bought or was given. The caller has seen to it that there is no such grant.
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

    /// Takes credits away, from the grants that would be used first.
    ///
    /// # Errors
    /// There are fewer, and nothing was booked.
    pub fn take(
        &mut self,
        credits: i64,
        operation: &str,
        about: &str,
        terms: &Terms,
        now: OffsetDateTime,
    ) -> Result<(), TooFew> {
        let now = self.advance(terms, now);
        if credits > self.standing.balance {
            return Err(TooFew(self.standing.balance));
        }
        let mut left = credits;
        let mut part = 0;
        while left > 0
            && let Some(number) = self.first()
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

    /// The highest of these shares of the period's credits that is used up and was not told in it; from now on it is.
    ///
    /// The credits of a period are those that it used and those that are left: the plan's, what rolled over, what was
    /// bought.
    pub fn crossed(&mut self, percents: &[i64]) -> Option<i64> {
        let (used, all) = (
            self.standing.used,
            self.standing.used + self.standing.balance,
        );
        let reached = percents
            .iter()
            .copied()
            .filter(|percent| used > 0 && used * 100 >= percent * all);
        let highest = reached
            .max()
            .filter(|percent| *percent > self.standing.noticed)?;
        self.standing.noticed = highest;
        self.changed = true;
        Some(highest)
    }

    /// Adds what was booked to what is written.
    pub fn finish(self, bookings: &mut Bookings) {
        let Self {
            standing,
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
            bookings.opened.push(standing);
        } else if has_new_period {
            bookings.periods.push(standing);
        } else if changed {
            bookings.moved.push(standing);
        }
    }

    fn source_of_month(&self) -> String {
        format!(
            "plan:{}:{}",
            self.standing.plan_version, self.standing.period
        )
    }

    /// What is left of the month's credits.
    fn left_of_month(&self) -> i64 {
        let source = self.source_of_month();
        let month = self.grants.iter().find(|grant| grant.source == source);
        month.map_or(0, |grant| grant.remaining)
    }

    /// Whether credits can be given back to a grant: it has not ended, also not by a change of the plan.
    fn takes_back(&self, grant: &Grant, now: OffsetDateTime) -> bool {
        let ended = grant.expires_at.is_some_and(|at| at <= now);
        let of_another_month =
            grant.kind == GrantKind::Plan && grant.source != self.source_of_month();
        !ended && !of_another_month
    }

    /// Ends grants that have credits left.
    fn write_off(&mut self, at: OffsetDateTime, ends: impl Fn(&Grant) -> bool) {
        let ending = self.live().into_iter().filter(|grant| ends(grant));
        let ending: Vec<(i64, i64, String)> = ending
            .map(|grant| (grant.number, grant.remaining, grant.source.clone()))
            .collect();
        for (number, left, source) in ending {
            let operation = format!("expiry:{number}");
            self.book(
                EntryKind::Expiry,
                Some(number),
                -left,
                at,
                &operation,
                0,
                &source,
            );
        }
    }

    fn roll_over(&mut self, left: i64, at: OffsetDateTime) {
        let credits = left.min(self.standing.rollover);
        if credits > 0 {
            let source = format!(
                "rollover:{}:{}",
                self.standing.plan_version, self.standing.period
            );
            let end = later(at, ROLLOVER_MONTHS);
            let number = self.add_grant(GrantKind::Rollover, credits, at, Some(end), &source);
            let plan = self.standing.plan.clone();
            self.book(
                EntryKind::Grant,
                Some(number),
                credits,
                at,
                &source,
                0,
                &plan,
            );
        }
    }

    /// Begins the plan's next month, where the one before ends.
    fn begin_month(&mut self, terms: &Terms) {
        let standing = &mut self.standing;
        // A plan that was left meanwhile goes on as it was; the change comes behind.
        if terms.version == standing.plan_version {
            standing.monthly = terms.monthly;
            standing.rollover = terms.rollover;
        }
        standing.period += 1;
        self.begin_period(self.standing.period_end);
    }

    /// Begins a plan with a month of its own.
    fn begin_plan(&mut self, terms: &Terms, now: OffsetDateTime) {
        let standing = &mut self.standing;
        standing.plan.clone_from(&terms.plan);
        standing.plan_version = terms.version;
        standing.monthly = terms.monthly;
        standing.rollover = terms.rollover;
        standing.anchor = now.date();
        standing.period = 0;
        self.begin_period(now);
    }

    fn begin_period(&mut self, start: OffsetDateTime) {
        let standing = &mut self.standing;
        standing.period_start = start;
        standing.period_end = midnight(months_after(standing.anchor, standing.period + 1));
        standing.used = 0;
        standing.overage = 0;
        standing.noticed = 0;
        self.has_new_period = true;
        if self.standing.monthly > 0 {
            let (credits, end) = (self.standing.monthly, self.standing.period_end);
            let source = self.source_of_month();
            let number = self.add_grant(GrantKind::Plan, credits, start, Some(end), &source);
            let plan = self.standing.plan.clone();
            self.book(
                EntryKind::Grant,
                Some(number),
                credits,
                start,
                &source,
                0,
                &plan,
            );
        }
    }

    /// A grant that is being made; its credits come with the entry that books them.
    fn add_grant(
        &mut self,
        kind: GrantKind,
        granted: i64,
        effective_at: OffsetDateTime,
        expires_at: Option<OffsetDateTime>,
        source: &str,
    ) -> i64 {
        self.standing.last_grant += 1;
        self.grants.push(Grant {
            account_id: self.standing.account_id,
            number: self.standing.last_grant,
            kind,
            granted,
            remaining: 0,
            effective_at,
            expires_at,
            source: source.to_owned(),
        });
        self.standing.last_grant
    }

    /// The number of a grant that may have been used up and so not be among the live ones.
    fn known(&mut self, grant: Grant) -> i64 {
        let number = grant.number;
        if self.grants.iter().all(|known| known.number != number) {
            self.grants.push(grant);
        }
        number
    }

    /// The grant that is used first.
    fn first(&self) -> Option<i64> {
        let live = self.grants.iter().filter(|grant| grant.remaining > 0);
        live.min_by_key(|grant| order(grant))
            .map(|grant| grant.number)
    }

    fn remaining(&self, number: i64) -> i64 {
        let grant = self.grants.iter().find(|grant| grant.number == number);
        grant.map_or(0, |grant| grant.remaining)
    }

    #[expect(clippy::too_many_arguments, reason = "an entry has as many parts")]
    fn book(
        &mut self,
        kind: EntryKind,
        grant: Option<i64>,
        amount: i64,
        at: OffsetDateTime,
        operation: &str,
        part: i64,
        about: &str,
    ) {
        if let Some(number) = grant {
            if let Some(grant) = self.grants.iter_mut().find(|grant| grant.number == number) {
                grant.remaining += amount;
            }
            self.touched.insert(number);
        }
        if kind.moves_balance() {
            self.standing.balance += amount;
        }
        self.standing.last_entry += 1;
        self.standing.booked_at = at;
        self.changed = true;
        self.entries.push(Entry {
            account_id: self.standing.account_id,
            number: self.standing.last_entry,
            booked_at: at,
            kind,
            grant,
            amount,
            balance: self.standing.balance,
            operation: operation.to_owned(),
            part,
            about: about.to_owned(),
        });
    }
}

/// What is used first has the smaller one: whatever ends first, then by kind, then by number.
fn order(grant: &Grant) -> (bool, Option<OffsetDateTime>, GrantKind, i64) {
    (
        grant.expires_at.is_none(),
        grant.expires_at,
        grant.kind,
        grant.number,
    )
}
