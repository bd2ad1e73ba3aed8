//! Reduces repeated warnings: each distinct one is logged once and then counted.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Maximum number of distinct warnings. When it is reached, counting starts again.
const MAX_WARNINGS: usize = 256;

/// How often each distinct warning occurred.
#[derive(Debug, Default)]
pub struct WarningLimiter(Mutex<Option<HashMap<String, u64>>>);

impl WarningLimiter {
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Counts a warning. `Some(count)` if it is to be logged: the first time, the tenth, the hundredth and so
    /// on.
    pub fn count(&self, warning: &str) -> Option<u64> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = counts.get_or_insert_default();
        if counts.len() >= MAX_WARNINGS && !counts.contains_key(warning) {
            counts.clear();
        }
        let count = counts.entry(warning.to_owned()).or_default();
        *count += 1;
        let mut step = 1;
        while step < *count {
            step *= 10;
        }
        (step == *count).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::WarningLimiter;

    #[test]
    fn same_warning_is_logged_at_powers_of_ten() {
        let limiter = WarningLimiter::new();
        let logged: Vec<u64> = (0..1_500).filter_map(|_| limiter.count("a")).collect();
        assert_eq!(logged, [1, 10, 100, 1_000]);
        assert_eq!(limiter.count("b"), Some(1));
    }
}
