//! A model that tracks each credit separately. The ledger must agree with it. It shares no code with the ledger,
//! including the calculation of months.

use std::collections::{BTreeSet, HashMap};

use time::{Date, Month, OffsetDateTime, Time};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Credit {
    end: Option<OffsetDateTime>,
    /// Plan, rollover, purchase, adjustment, refund: 0 to 4.
    kind: u8,
    /// Number of the amount that the credit belongs to.
    amount: u32,
}

/// A plan, as the model sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelPlan {
    pub version: i64,
    pub monthly: i64,
    pub rollover: i64,
    pub overage: bool,
}

/// How a call was paid.
#[derive(Debug, Clone, Copy)]
enum Call {
    Credit(Credit, OffsetDateTime),
    Beyond(OffsetDateTime),
}

/// An account of the model.
#[derive(Debug, Clone)]
pub struct Model {
    credits: Vec<Credit>,
    plan: ModelPlan,
    first_day: Date,
    months: u32,
    month_began: OffsetDateTime,
    month_ends: OffsetDateTime,
    /// Number of the amount with the month's credits.
    month: Option<u32>,
    amounts: u32,
    time: OffsetDateTime,
    calls: HashMap<String, Call>,
    sources: BTreeSet<String>,
    pub used: i64,
    pub beyond: i64,
    pub calls_in_all: i64,
    pub beyond_in_all: i64,
}

fn month_later(day: Date, months: u32) -> Date {
    let (mut year, mut month) = (day.year(), day.month());
    for _ in 0..months {
        if month == Month::December {
            year += 1;
        }
        month = month.next();
    }
    let mut number = day.day();
    loop {
        if let Ok(date) = Date::from_calendar_date(year, month, number) {
            return date;
        }
        number -= 1;
    }
}

fn three_months(at: OffsetDateTime) -> OffsetDateTime {
    month_later(at.date(), 3).with_time(at.time()).assume_utc()
}

impl Model {
    pub fn new(plan: ModelPlan, now: OffsetDateTime) -> Self {
        let mut model = Self {
            credits: Vec::new(),
            plan,
            first_day: now.date(),
            months: 0,
            month_began: now,
            month_ends: now,
            month: None,
            amounts: 0,
            time: now,
            calls: HashMap::new(),
            sources: BTreeSet::new(),
            used: 0,
            beyond: 0,
            calls_in_all: 0,
            beyond_in_all: 0,
        };
        model.begin(now);
        model
    }

    pub fn balance(&self) -> i64 {
        i64::try_from(self.credits.len()).unwrap()
    }

    fn begin(&mut self, at: OffsetDateTime) {
        self.month_began = at;
        let end = month_later(self.first_day, self.months + 1);
        self.month_ends = end.with_time(Time::MIDNIGHT).assume_utc();
        self.used = 0;
        self.beyond = 0;
        self.month = None;
        if self.plan.monthly > 0 {
            self.add(0, self.plan.monthly, Some(self.month_ends));
            self.month = Some(self.amounts);
            self.time = at;
        }
    }

    fn add(&mut self, kind: u8, credits: i64, end: Option<OffsetDateTime>) {
        self.amounts += 1;
        for _ in 0..credits {
            self.credits.push(Credit {
                end,
                kind,
                amount: self.amounts,
            });
        }
    }

    fn roll_over(&mut self, at: OffsetDateTime) {
        let left = self
            .credits
            .iter()
            .filter(|credit| Some(credit.amount) == self.month)
            .count();
        self.credits
            .retain(|credit| Some(credit.amount) != self.month);
        if left > 0 {
            self.time = at;
        }
        let kept = i64::try_from(left).unwrap().min(self.plan.rollover);
        if kept > 0 {
            self.add(1, kept, Some(three_months(at)));
        }
    }

    /// Advances the time and returns the account's time, which never goes back.
    pub fn pass(&mut self, plan: ModelPlan, now: OffsetDateTime) -> OffsetDateTime {
        let now = now.max(self.time).max(self.month_began);
        while self.month_ends <= now {
            let at = self.month_ends;
            self.expire(at, self.month);
            self.roll_over(at);
            if plan.version == self.plan.version {
                self.plan = plan;
            }
            self.months += 1;
            self.begin(at);
        }
        self.expire(now, None);
        if plan.version > self.plan.version {
            self.roll_over(now);
            self.plan = plan;
            self.first_day = now.date();
            self.months = 0;
            self.begin(now);
        }
        now
    }

    fn expire(&mut self, at: OffsetDateTime, but: Option<u32>) {
        let mut latest = self.time;
        self.credits.retain(|credit| {
            let stays = credit.end.is_none_or(|end| end > at)
                || (but.is_some() && Some(credit.amount) == but);
            if let (false, Some(end)) = (stays, credit.end) {
                latest = latest.max(end);
            }
            stays
        });
        self.time = latest;
    }

    /// Returns 1 or 0 charged credits and the remaining ones, or nothing if the call cannot be paid.
    pub fn call(&mut self, name: &str, plan: ModelPlan, now: OffsetDateTime) -> Option<(i64, i64)> {
        let now = self.pass(plan, now);
        let far = OffsetDateTime::new_utc(Date::MAX, Time::MIDNIGHT);
        let key = |credit: &Credit| (credit.end.unwrap_or(far), credit.kind, credit.amount);
        let first = (0..self.credits.len()).min_by_key(|place| key(&self.credits[*place]));
        if let Some(place) = first {
            let credit = self.credits.swap_remove(place);
            self.time = now;
            self.calls
                .insert(name.to_owned(), Call::Credit(credit, now));
            self.used += 1;
            self.calls_in_all += 1;
            return Some((1, self.balance()));
        }
        if !plan.overage {
            return None;
        }
        self.time = now;
        self.calls.insert(name.to_owned(), Call::Beyond(now));
        self.beyond += 1;
        self.beyond_in_all += 1;
        Some((0, 0))
    }

    /// Refunds a call. `false`: there was nothing to refund.
    pub fn refund(&mut self, name: &str, plan: ModelPlan, now: OffsetDateTime) -> bool {
        let now = self.pass(plan, now);
        let Some(call) = self.calls.remove(name) else {
            return false;
        };
        self.time = now;
        match call {
            Call::Credit(credit, at) => {
                let ended = credit.end.is_some_and(|end| end <= now);
                // Credits of a plan's month that has ended by a change of plan are not refunded to that month.
                if ended || (credit.kind == 0 && Some(credit.amount) != self.month) {
                    self.add(4, 1, Some(three_months(now)));
                } else {
                    self.credits.push(credit);
                }
                self.calls_in_all -= 1;
                if at >= self.month_began {
                    self.used -= 1;
                }
            }
            Call::Beyond(at) => {
                self.beyond_in_all -= 1;
                if at >= self.month_began {
                    self.beyond -= 1;
                }
            }
        }
        true
    }

    pub fn grant(
        &mut self,
        kind: u8,
        credits: i64,
        end: Option<OffsetDateTime>,
        source: &str,
        plan: ModelPlan,
        now: OffsetDateTime,
    ) -> bool {
        let now = self.pass(plan, now);
        if !self.sources.insert(source.to_owned()) {
            return false;
        }
        self.add(kind, credits, end);
        self.time = now;
        true
    }

    /// Removes credits. `false`: there are too few.
    pub fn take(&mut self, credits: i64, plan: ModelPlan, now: OffsetDateTime) -> bool {
        let now = self.pass(plan, now);
        if credits > self.balance() {
            return false;
        }
        let far = OffsetDateTime::new_utc(Date::MAX, Time::MIDNIGHT);
        self.credits
            .sort_by_key(|credit| (credit.end.unwrap_or(far), credit.kind, credit.amount));
        self.credits.drain(..usize::try_from(credits).unwrap());
        self.time = now;
        true
    }
}
