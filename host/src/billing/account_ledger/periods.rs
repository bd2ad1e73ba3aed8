//! Months and plans: what begins with them, what expires with them, and what is rolled over.

use time::OffsetDateTime;

use super::{AccountLedger, ROLLOVER_MONTHS};
use crate::billing::Terms;
use crate::billing::months::{later, midnight, months_after};
use crate::store::{EntryKind, Grant, GrantKind};

impl AccountLedger {
    pub(super) fn source_of_month(&self) -> String {
        format!("plan:{}:{}", self.account.plan_version, self.account.period)
    }

    /// Remaining credits of the current month.
    pub(super) fn remaining_of_month(&self) -> i64 {
        let source = self.source_of_month();
        let month = self.grants.iter().find(|grant| grant.source == source);
        month.map_or(0, |grant| grant.remaining)
    }

    /// Whether a refund may go to the grant: it has neither expired nor been ended by a change of plan.
    pub(super) fn accepts_refund(&self, grant: &Grant, now: OffsetDateTime) -> bool {
        let ended = grant.expires_at.is_some_and(|at| at <= now);
        let of_another_month =
            grant.kind == GrantKind::Plan && grant.source != self.source_of_month();
        !ended && !of_another_month
    }

    /// Expires the selected grants that have credits left.
    pub(super) fn write_off(&mut self, at: OffsetDateTime, ends: impl Fn(&Grant) -> bool) {
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

    pub(super) fn roll_over(&mut self, left: i64, at: OffsetDateTime) {
        let credits = left.min(self.account.rollover);
        if credits > 0 {
            let source = format!(
                "rollover:{}:{}",
                self.account.plan_version, self.account.period
            );
            let end = later(at, ROLLOVER_MONTHS);
            let number = self.add_grant(GrantKind::Rollover, credits, at, Some(end), &source);
            let plan = self.account.plan.clone();
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

    /// Begins the plan's next month at the end of the current one.
    pub(super) fn begin_month(&mut self, terms: &Terms) {
        let account = &mut self.account;
        // If the account has changed plans meanwhile, the old plan's month keeps its terms; the change is booked
        // afterwards.
        if terms.version == account.plan_version {
            account.monthly = terms.monthly;
            account.rollover = terms.rollover;
        }
        account.period += 1;
        self.begin_period(self.account.period_end);
    }

    /// Begins a new plan with its own first month.
    pub(super) fn begin_plan(&mut self, terms: &Terms, now: OffsetDateTime) {
        let account = &mut self.account;
        account.plan.clone_from(&terms.plan);
        account.plan_version = terms.version;
        account.monthly = terms.monthly;
        account.rollover = terms.rollover;
        account.anchor = now.date();
        account.period = 0;
        self.begin_period(now);
    }

    fn begin_period(&mut self, start: OffsetDateTime) {
        let account = &mut self.account;
        account.period_start = start;
        account.period_end = midnight(months_after(account.anchor, account.period + 1));
        account.used = 0;
        account.overage = 0;
        account.noticed = 0;
        self.has_new_period = true;
        if self.account.monthly > 0 {
            let (credits, end) = (self.account.monthly, self.account.period_end);
            let source = self.source_of_month();
            let number = self.add_grant(GrantKind::Plan, credits, start, Some(end), &source);
            let plan = self.account.plan.clone();
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
}
