//! Rate limit by key and clock minute, in the memory of one host.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use time::OffsetDateTime;

const MINUTE: i64 = 60;

/// The calls of each key in the current minute.
pub(crate) struct MinuteLimit<K> {
    max_keys: usize,
    counted: Mutex<Counted<K>>,
}

struct Counted<K> {
    minute: i64,
    by_key: HashMap<K, u32>,
}

impl<K: Eq + Hash> MinuteLimit<K> {
    /// Counts at most `max_keys` keys at a time; further ones wait for the next minute.
    pub(crate) fn new(max_keys: usize) -> Self {
        let counted = Mutex::new(Counted {
            minute: 0,
            by_key: HashMap::new(),
        });
        Self { max_keys, counted }
    }

    /// Fails like [`Self::admit`], but counts nothing.
    ///
    /// # Errors
    /// The key has reached its limit. The value is the number of seconds until the next minute, at least 1.
    pub(crate) fn check(&self, key: &K, most: u32, now: OffsetDateTime) -> Result<(), u64> {
        let seconds = now.unix_timestamp();
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = counted.minute == seconds.div_euclid(MINUTE);
        let is_full = counted.by_key.len() >= self.max_keys;
        let calls = counted.by_key.get(key).copied();
        if most > 0 && is_current && calls.map_or(is_full, |calls| calls >= most) {
            return Err((MINUTE - seconds.rem_euclid(MINUTE)).unsigned_abs());
        }
        Ok(())
    }

    /// Counts a call; `most` is the limit per minute, 0 for none.
    ///
    /// # Errors
    /// The key has reached its limit. The value is the number of seconds until the next minute, at least 1.
    pub(crate) fn admit(&self, key: K, most: u32, now: OffsetDateTime) -> Result<(), u64> {
        if most == 0 {
            return Ok(());
        }
        let seconds = now.unix_timestamp();
        let minute = seconds.div_euclid(MINUTE);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.minute != minute {
            counted.minute = minute;
            counted.by_key.clear();
        }
        let is_full = counted.by_key.len() >= self.max_keys;
        let known = counted.by_key.get(&key).copied();
        let calls = known.unwrap_or_default();
        if calls >= most || (is_full && known.is_none()) {
            return Err((MINUTE - seconds.rem_euclid(MINUTE)).unsigned_abs());
        }
        counted.by_key.insert(key, calls + 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn calls_are_bounded_per_key_and_minute() {
        let limit = MinuteLimit::new(2);
        let now = datetime!(2026-01-15 08:00:58 UTC);
        assert_eq!(
            [limit.admit('a', 2, now), limit.admit('a', 2, now)],
            [Ok(()); 2]
        );
        assert_eq!(limit.admit('a', 2, now), Err(2));
        assert_eq!(limit.admit('b', 2, now), Ok(()), "another key");
        assert_eq!(
            limit.admit('c', 2, now),
            Err(2),
            "more keys than are counted"
        );
        assert_eq!(limit.check(&'a', 2, now), Err(2));
        assert_eq!(limit.check(&'b', 2, now), Ok(()));
        assert_eq!(limit.check(&'b', 1, now), Err(2), "it was counted before");
        let next = datetime!(2026-01-15 08:01:00 UTC);
        assert_eq!(limit.admit('a', 2, next), Ok(()));
        assert!((0..1_000).all(|_| limit.admit('c', 0, next).is_ok()));
    }
}
