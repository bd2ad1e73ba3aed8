//! Rate limit of calls that are not look-ups: account, notifications and batch progress.
//!
//! Counted in memory, per host, account and clock minute: such calls are frequent and cheap, and counting them
//! in the store would cost more than answering them. They never use up the look-ups of a plan.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::store::AccountId;
use time::OffsetDateTime;

const MINUTE: i64 = 60;

/// Calls of each account in the current minute. Clones share the counts.
#[derive(Clone)]
pub struct OtherCalls {
    /// Maximum per account and minute; 0 means unlimited.
    most: u32,
    counted: Arc<Mutex<Counted>>,
}

#[derive(Default)]
struct Counted {
    minute: i64,
    by_account: HashMap<AccountId, u32>,
}

impl OtherCalls {
    /// Allows each account `most` calls per minute; 0 means unlimited.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self {
            most,
            counted: Arc::default(),
        }
    }

    /// Counts a call.
    ///
    /// # Errors
    /// The account has reached its limit. The value is the number of seconds until the next minute, at least 1.
    pub(super) fn admit(&self, account_id: AccountId, now: OffsetDateTime) -> Result<(), u64> {
        if self.most == 0 {
            return Ok(());
        }
        let seconds = now.unix_timestamp();
        let minute = seconds.div_euclid(MINUTE);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.minute != minute {
            counted.minute = minute;
            counted.by_account.clear();
        }
        let calls = counted.by_account.entry(account_id).or_default();
        if *calls >= self.most {
            let left = MINUTE - seconds.rem_euclid(MINUTE);
            return Err(left.unsigned_abs());
        }
        *calls += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const ACCOUNT: AccountId = AccountId::new(1);

    #[test]
    fn calls_of_a_minute_are_bounded_per_account() {
        let calls = OtherCalls::new(2);
        let now = datetime!(2026-01-15 08:00:58 UTC);
        assert_eq!(
            [calls.admit(ACCOUNT, now), calls.admit(ACCOUNT, now)],
            [Ok(()), Ok(())]
        );
        assert_eq!(calls.admit(ACCOUNT, now), Err(2));
        assert_eq!(
            calls.admit(AccountId::new(2), now),
            Ok(()),
            "another account"
        );
        assert_eq!(
            calls.admit(ACCOUNT, datetime!(2026-01-15 08:01:00 UTC)),
            Ok(())
        );
        let unlimited = OtherCalls::new(0);
        assert!((0..1_000).all(|_| unlimited.admit(ACCOUNT, now).is_ok()));
    }
}
