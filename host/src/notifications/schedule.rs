//! Retry schedule of deliveries.

use std::time::Duration;

use super::webhook::GONE;
use crate::store::AttemptOutcome;

/// How many claims of a delivery may end without a recorded attempt, beyond its regular attempts, before it
/// fails.
const UNFINISHED: i64 = 3;

/// The longest accepted `Retry-After`.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// Jitter factor of a retry delay. It spreads deliveries that failed at the same time.
pub const SPREAD: std::ops::Range<f64> = 0.8..1.2;

/// The delay before the next attempt, from the configured delays. `None` after the last attempt.
///
/// `spread` is a factor from [`SPREAD`]. `asked` is the receiver's `Retry-After`; it can only lengthen the
/// delay.
#[must_use]
pub fn wait(
    attempts: i64,
    waits: &[u64],
    spread: f64,
    asked: Option<Duration>,
) -> Option<Duration> {
    let place = usize::try_from(attempts - 1).ok()?;
    let wait = Duration::from_secs(*waits.get(place)?).mul_f64(spread);
    Some(wait.max(asked.unwrap_or_default().min(LONGEST)))
}

/// What happens to a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    Delivered,
    /// Retried after a delay.
    Again(Duration),
    Failed,
}

/// An attempt's result and the delivery's history.
#[derive(Debug, Clone, Copy)]
pub struct Attempted {
    pub outcome: AttemptOutcome,
    pub status: Option<u16>,
    /// Attempts before this one, including unfinished claims.
    pub before: i64,
    /// Delay that the receiver requested with `Retry-After`.
    pub asked: Option<Duration>,
}

/// Whether so many claims ended without an attempt that the delivery fails.
#[must_use]
pub fn is_exhausted(before: i64, waits: &[u64]) -> bool {
    let most = i64::try_from(waits.len()).unwrap_or(i64::MAX - UNFINISHED - 1) + 1;
    before >= most + UNFINISHED
}

/// Decides what follows an attempt, from the configured delays; `spread` as in [`wait`]. Status 410 and a mail
/// server's permanent refusal end the retries.
#[must_use]
pub fn next(attempted: &Attempted, waits: &[u64], spread: f64) -> Next {
    if attempted.outcome == AttemptOutcome::Success {
        return Next::Delivered;
    }
    let is_final = attempted.outcome == AttemptOutcome::Refused
        || attempted.status == Some(GONE)
        || is_exhausted(attempted.before, waits);
    let wait = wait(attempted.before + 1, waits, spread, attempted.asked);
    wait.filter(|_| !is_final).map_or(Next::Failed, Next::Again)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Notifications;

    #[test]
    fn outcome_and_history_decide_the_next_step() {
        let waits = [5, 300];
        let seconds = |seconds| Next::Again(Duration::from_secs(seconds));
        for (outcome, status, before, expected) in [
            (AttemptOutcome::Success, Some(200), 0, Next::Delivered),
            (AttemptOutcome::Success, None, 9, Next::Delivered),
            (AttemptOutcome::HttpError, Some(500), 0, seconds(5)),
            (AttemptOutcome::HttpError, Some(500), 1, seconds(300)),
            (AttemptOutcome::HttpError, Some(500), 2, Next::Failed),
            (AttemptOutcome::HttpError, Some(429), 0, seconds(5)),
            (AttemptOutcome::HttpError, Some(404), 0, seconds(5)),
            (AttemptOutcome::HttpError, Some(GONE), 0, Next::Failed),
            (AttemptOutcome::Timeout, None, 1, seconds(300)),
            (AttemptOutcome::Connect, None, 0, seconds(5)),
            (AttemptOutcome::Unknown, None, 0, seconds(5)),
            (AttemptOutcome::Refused, None, 0, Next::Failed),
        ] {
            let attempted = Attempted {
                outcome,
                status,
                before,
                asked: None,
            };
            assert_eq!(next(&attempted, &waits, 1.0), expected, "{attempted:?}");
        }
        let asked = Attempted {
            outcome: AttemptOutcome::HttpError,
            status: Some(503),
            before: 0,
            asked: Some(Duration::from_secs(60)),
        };
        assert_eq!(next(&asked, &waits, 1.0), seconds(60));
    }

    #[test]
    fn delivery_fails_after_three_extra_unfinished_claims() {
        // Two delays mean three attempts.
        for (before, expected) in [(0, false), (5, false), (6, true), (7, true)] {
            assert_eq!(is_exhausted(before, &[5, 300]), expected, "{before}");
        }
        assert!(!is_exhausted(3, &[]));
        assert!(is_exhausted(4, &[]));
    }

    const GUIDE: &str = include_str!("../../docs/notifications.md");

    #[test]
    fn documented_delays_match_the_settings() {
        let waits = Notifications::default().retry_seconds;
        let delays: Vec<String> = waits.iter().map(|seconds| words(*seconds)).collect();
        let line = format!("retried after {}", delays.join(", "));
        assert!(GUIDE.contains(&line), "the guide lacks: {line}");
    }

    fn words(seconds: u64) -> String {
        match seconds {
            3_600.. => format!("{} h", seconds / 3_600),
            60.. => format!("{} min", seconds / 60),
            _ => format!("{seconds} s"),
        }
    }

    #[test]
    fn waits_follow_the_settings_and_end() {
        let waits = [5, 300];
        let seconds = |attempts, spread, asked| {
            wait(attempts, &waits, spread, asked).map(|wait| wait.as_secs())
        };
        assert_eq!(seconds(1, 1.0, None), Some(5));
        assert_eq!(seconds(2, 0.8, None), Some(240));
        assert_eq!(seconds(3, 1.0, None), None);
        assert_eq!(seconds(0, 1.0, None), None);
        let asked = |seconds| Some(Duration::from_secs(seconds));
        assert_eq!(seconds(1, 1.0, asked(60)), Some(60));
        assert_eq!(seconds(2, 1.0, asked(60)), Some(300));
        assert_eq!(seconds(1, 1.0, asked(1 << 40)), Some(86_400));
        assert_eq!(seconds(3, 1.0, asked(60)), None);
    }
}
