//! Limits of an import run as a whole: its duration, and consecutive batches without records.
//!
//! The sandbox limits memory, CPU, requests and bytes, and the time of each batch. A list of endless quick and small
//! batches would pass these limits, so the run is also limited here, between its batches.

use std::time::{Duration, Instant};

use crate::connectors::CallFailure;
use crate::connectors::limits::Limits;

/// Usage of a run against its limits.
#[derive(Debug)]
pub(super) struct Bounds {
    // Monotonic: changes of the host's clock must not end a run.
    started: Instant,
    run: Duration,
    empty_batches: u64,
    empty_in_a_row: u64,
}

impl Bounds {
    /// Starts to measure the run's duration.
    pub(super) fn begin(limits: &Limits) -> Self {
        Self {
            started: Instant::now(),
            run: limits.run,
            empty_batches: limits.empty_batches,
            empty_in_a_row: 0,
        }
    }

    /// Counts a batch with this many records. Fails if a limit of the run is exceeded.
    pub(super) fn batch(&mut self, records: usize) -> Result<(), CallFailure> {
        self.batch_after(self.started.elapsed(), records)
    }

    fn batch_after(&mut self, elapsed: Duration, records: usize) -> Result<(), CallFailure> {
        if elapsed > self.run {
            return Err(CallFailure::Limit(format!(
                "run: {:.1} s used, limit {:.1}",
                elapsed.as_secs_f64(),
                self.run.as_secs_f64()
            )));
        }
        self.empty_in_a_row = if records == 0 {
            self.empty_in_a_row + 1
        } else {
            0
        };
        if self.empty_in_a_row > self.empty_batches {
            return Err(CallFailure::Limit(format!(
                "empty batches: more than {} in a row",
                self.empty_batches
            )));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds::begin(&Limits {
            run: Duration::from_secs(3_600),
            empty_batches: 2,
            ..Limits::import()
        })
    }

    fn reason(outcome: Result<(), CallFailure>) -> String {
        outcome.expect_err("a limit").to_string()
    }

    #[test]
    fn run_fails_after_its_time_limit() {
        let mut bounds = bounds();
        assert!(bounds.batch_after(Duration::from_secs(3_600), 1).is_ok());
        assert_eq!(
            reason(bounds.batch_after(Duration::from_secs(3_660), 1)),
            "limit run: 3660.0 s used, limit 3600.0"
        );
    }

    #[test]
    fn record_resets_the_count_of_empty_batches() {
        let mut bounds = bounds();
        for records in [0, 0, 1, 0, 0] {
            assert!(bounds.batch(records).is_ok());
        }
        assert_eq!(
            reason(bounds.batch(0)),
            "limit empty batches: more than 2 in a row"
        );
    }
}
