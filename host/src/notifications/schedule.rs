//! When a delivery is tried again.

use std::time::Duration;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Notifications;

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
