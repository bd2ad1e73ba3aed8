//! When a delivery is tried again.

use std::time::Duration;

use super::webhook::GONE;
use crate::store::Outcome;

/// Claims of one delivery that nobody finished, beyond its attempts, until it is given up.
const UNFINISHED: i64 = 3;

/// The longest wait that a receiver may ask for.
const LONGEST: Duration = Duration::from_secs(24 * 3_600);

/// How far the wait is spread, so that what failed together does not come back together.
pub const SPREAD: std::ops::Range<f64> = 0.8..1.2;

/// The wait after as many attempts, by the waits of the settings. None: that was the last one.
///
/// `spread` is a factor from [`SPREAD`]; `asked` is what the receiver asked for (`Retry-After`), which only ever makes
/// the wait longer.
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

/// What follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It arrived.
    Delivered,
    /// It is tried again after a wait.
    Again(Duration),
    /// It is given up.
    Failed,
}

/// What an attempt came to, and what came before it.
#[derive(Debug, Clone, Copy)]
pub struct Attempted {
    pub outcome: Outcome,
    /// The HTTP status of the answer.
    pub status: Option<u16>,
    /// Attempts before this one, unfinished ones too.
    pub before: i64,
    /// The wait that the receiver asked for.
    pub asked: Option<Duration>,
}

/// Whether claims of a delivery ended without an attempt so often that it is given up.
#[must_use]
pub fn is_exhausted(before: i64, waits: &[u64]) -> bool {
    let most = i64::try_from(waits.len()).unwrap_or(i64::MAX - UNFINISHED - 1) + 1;
    before >= most + UNFINISHED
}

/// What follows from an attempt, by the waits of the settings; `spread` as in [`wait`]. A receiver that is gone and a
/// mail server that refuses for good are not asked again.
#[must_use]
pub fn next(attempted: &Attempted, waits: &[u64], spread: f64) -> Next {
    if attempted.outcome == Outcome::Success {
        return Next::Delivered;
    }
    let is_final = attempted.outcome == Outcome::Refused
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
    fn what_follows_from_an_attempt() {
        let waits = [5, 300];
        let seconds = |seconds| Next::Again(Duration::from_secs(seconds));
        for (outcome, status, before, expected) in [
            (Outcome::Success, Some(200), 0, Next::Delivered),
            (Outcome::Success, None, 9, Next::Delivered),
            (Outcome::HttpError, Some(500), 0, seconds(5)),
            (Outcome::HttpError, Some(500), 1, seconds(300)),
            (Outcome::HttpError, Some(500), 2, Next::Failed),
            (Outcome::HttpError, Some(429), 0, seconds(5)),
            (Outcome::HttpError, Some(404), 0, seconds(5)),
            (Outcome::HttpError, Some(GONE), 0, Next::Failed),
            (Outcome::Timeout, None, 1, seconds(300)),
            (Outcome::Connect, None, 0, seconds(5)),
            (Outcome::Unknown, None, 0, seconds(5)),
            (Outcome::Refused, None, 0, Next::Failed),
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
            outcome: Outcome::HttpError,
            status: Some(503),
            before: 0,
            asked: Some(Duration::from_secs(60)),
        };
        assert_eq!(next(&asked, &waits, 1.0), seconds(60));
    }

    #[test]
    fn unfinished_claims_end_after_three_beyond_all_attempts() {
        // Two waits are three attempts.
        for (before, expected) in [(0, false), (5, false), (6, true), (7, true)] {
            assert_eq!(is_exhausted(before, &[5, 300]), expected, "{before}");
        }
        assert!(!is_exhausted(3, &[]));
        assert!(is_exhausted(4, &[]));
    }

    const GUIDE: &str = include_str!("../../docs/notifications.md");

    #[test]
    fn the_documented_waits_are_those_of_the_settings() {
        let waits = Notifications::default().retry_seconds;
        let told: Vec<String> = waits.iter().map(|seconds| words(*seconds)).collect();
        let line = format!("at once, then after {}", told.join(", "));
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
