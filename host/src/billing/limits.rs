//! Rate limits of plans per minute and per day.
//!
//! Windows follow the UTC clock: a minute begins with its first second, a day at midnight. Rejected requests are not
//! counted.

use time::{Duration, OffsetDateTime, Time};

use crate::config::RateLimits;
use crate::store::{AccountId, Window, WindowSpan};

/// State of one rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitState {
    /// Maximum requests per window.
    pub limit: u32,
    /// Requests left in this minute or day.
    pub remaining: u32,
}

/// Whether a request is admitted, and the remaining limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimitDecision {
    /// Seconds until a retry can succeed, at least 1. `None`: the request is admitted.
    pub retry_after: Option<u64>,
    /// State of the limit per minute, if the plan has one.
    pub minute: Option<RateLimitState>,
    /// State of the limit per day, if the plan has one.
    pub day: Option<RateLimitState>,
}

impl RateLimits {
    /// Whether the plan has any limits.
    #[must_use]
    pub fn are_set(self) -> bool {
        self.minute.is_some() || self.day.is_some()
    }

    fn of(self, span: WindowSpan) -> Option<u32> {
        match span {
            WindowSpan::Minute => self.minute,
            WindowSpan::Day => self.day,
        }
    }

    /// Counts a request in an account's windows if it is admitted. Resets windows that have ended.
    pub fn admit(
        self,
        account_id: AccountId,
        windows: &mut Vec<Window>,
        now: OffsetDateTime,
    ) -> RateLimitDecision {
        let mut retry_after = None;
        for span in [WindowSpan::Minute, WindowSpan::Day] {
            let Some(limit) = self.of(span) else { continue };
            let window = current(account_id, windows, span, now);
            if window.used >= i64::from(limit) {
                // Report the longer wait: a used-up day stays used up when the minute ends.
                let left = (end(window) - now).whole_seconds() + 1;
                retry_after = retry_after.max(Some(u64::try_from(left).unwrap_or(1).max(1)));
            }
        }
        let mut allowance = |span| {
            let limit = self.of(span)?;
            let window = current(account_id, windows, span, now);
            if retry_after.is_none() {
                window.used += 1;
            }
            let used = u32::try_from(window.used).unwrap_or(u32::MAX);
            Some(RateLimitState {
                limit,
                remaining: limit.saturating_sub(used),
            })
        };
        let (minute, day) = (allowance(WindowSpan::Minute), allowance(WindowSpan::Day));
        RateLimitDecision {
            retry_after,
            minute,
            day,
        }
    }

    /// The state of the limits at `now`, without a request.
    #[must_use]
    pub fn left(
        self,
        windows: &[Window],
        span: WindowSpan,
        now: OffsetDateTime,
    ) -> Option<RateLimitState> {
        let limit = self.of(span)?;
        let window = windows
            .iter()
            .find(|window| window.span == span && end(window) > now);
        let used = window.map_or(0, |window| u32::try_from(window.used).unwrap_or(u32::MAX));
        Some(RateLimitState {
            limit,
            remaining: limit.saturating_sub(used),
        })
    }
}

/// The end of the day that contains `now`.
#[must_use]
pub fn end_of_day(now: OffsetDateTime) -> OffsetDateTime {
    start(WindowSpan::Day, now) + Duration::DAY
}

fn start(span: WindowSpan, now: OffsetDateTime) -> OffsetDateTime {
    match span {
        WindowSpan::Minute => {
            let time = Time::from_hms(now.hour(), now.minute(), 0).unwrap_or(Time::MIDNIGHT);
            now.replace_time(time)
        }
        WindowSpan::Day => now.replace_time(Time::MIDNIGHT),
    }
}

fn end(window: &Window) -> OffsetDateTime {
    window.started_at
        + match window.span {
            WindowSpan::Minute => Duration::MINUTE,
            WindowSpan::Day => Duration::DAY,
        }
}

/// The window that contains `now`. If another host's clock is ahead, its window counts.
fn current(
    account_id: AccountId,
    windows: &mut Vec<Window>,
    span: WindowSpan,
    now: OffsetDateTime,
) -> &mut Window {
    let fresh = Window {
        account_id,
        span,
        started_at: start(span, now),
        used: 0,
    };
    let place = match windows.iter().position(|window| window.span == span) {
        Some(place) => {
            if windows[place].started_at < fresh.started_at {
                windows[place] = fresh;
            }
            place
        }
        None => {
            windows.push(fresh);
            windows.len() - 1
        }
    };
    &mut windows[place]
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const ACCOUNT: AccountId = AccountId::new(1);

    #[test]
    fn minute_and_day_windows_count_and_reset() {
        let limits = RateLimits {
            minute: Some(2),
            day: Some(3),
        };
        let mut windows = Vec::new();
        let mut at = |now| limits.admit(ACCOUNT, &mut windows, now);
        let first = at(datetime!(2026-01-15 08:00:10 UTC));
        let left = |limit, remaining| Some(RateLimitState { limit, remaining });
        assert_eq!(
            (first.retry_after, first.minute, first.day),
            (None, left(2, 1), left(3, 2))
        );
        assert_eq!(at(datetime!(2026-01-15 08:00:59 UTC)).minute, left(2, 0));
        let refused = at(datetime!(2026-01-15 08:00:59.5 UTC));
        assert_eq!((refused.retry_after, refused.day), (Some(1), left(3, 1)));
        assert_eq!(at(datetime!(2026-01-15 08:01:00 UTC)).day, left(3, 0));
        let until_tomorrow = at(datetime!(2026-01-15 23:59:00 UTC));
        assert_eq!(
            (until_tomorrow.retry_after, until_tomorrow.minute),
            (Some(61), left(2, 2))
        );
        assert_eq!(at(datetime!(2026-01-16 00:00:00 UTC)).day, left(3, 2));
    }

    #[test]
    fn slower_clock_does_not_reset_the_window() {
        let limits = RateLimits {
            minute: Some(1),
            day: None,
        };
        let mut windows = Vec::new();
        assert_eq!(
            limits
                .admit(ACCOUNT, &mut windows, datetime!(2026-01-15 08:01:00 UTC))
                .retry_after,
            None
        );
        let behind = limits.admit(ACCOUNT, &mut windows, datetime!(2026-01-15 08:00:58 UTC));
        assert_eq!(behind.retry_after, Some(63));
        assert_eq!(behind.day, None);
    }
}
