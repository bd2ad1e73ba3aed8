//! The lines that one call of a connector may write into the host's log.
//!
//! Lines of the contract's `log` and of WASI's standard error come out of one allowance, so that a guest which uses both
//! has no more than another. What is too much is counted and told in one line when the call is over.
//! Invariant: a guest never begins a line of the log, since its control characters are taken out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::limits::Limits;
use crate::plain_text;

/// The most characters of a line.
const LONGEST_LINE: usize = 4 * 1024;

/// How much a line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// For whoever looks for a mistake.
    Debug,
    /// Good to know.
    Info,
    /// Somebody should look at it some day.
    Warn,
    /// Somebody should look at it.
    Error,
}

impl Level {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// What is kept of the lines for whoever has the call's tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Nothing: they go into the log.
    Nothing,
    /// They go into the log and are kept.
    Lines,
    /// They are kept: a repetition says nothing that was not said before.
    LinesOnly,
}

/// The log of one call.
#[derive(Debug)]
pub struct GuestLog {
    connector: String,
    lines: AtomicU64,
    bytes: AtomicU64,
    suppressed: AtomicU64,
    keeping: Keeping,
    kept: Mutex<Vec<(&'static str, String)>>,
}

impl GuestLog {
    /// An untouched allowance for a call of a connector.
    #[must_use]
    pub fn new(connector: &str, limits: &Limits, keeping: Keeping) -> Self {
        Self {
            connector: connector.to_owned(),
            lines: AtomicU64::new(limits.log_lines),
            bytes: AtomicU64::new(limits.log_bytes),
            suppressed: AtomicU64::new(0),
            keeping,
            kept: Mutex::default(),
        }
    }

    /// Writes a line, or counts it when the allowance is used up.
    pub fn line(&self, level: Level, text: &str) {
        let Some(line) = self.take(text) else {
            self.suppressed.fetch_add(1, Ordering::Relaxed);
            return;
        };
        if self.keeping != Keeping::Nothing {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push((level.name(), line.clone()));
        }
        if self.keeping == Keeping::LinesOnly {
            return;
        }
        let connector = self.connector.as_str();
        match level {
            Level::Debug => tracing::debug!(connector.id = connector, guest = true, "{line}"),
            Level::Info => tracing::info!(connector.id = connector, guest = true, "{line}"),
            Level::Warn => tracing::warn!(connector.id = connector, guest = true, "{line}"),
            Level::Error => tracing::error!(connector.id = connector, guest = true, "{line}"),
        }
    }

    /// The lines that were kept.
    #[must_use]
    pub fn take_kept(&self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lines that came too late or were too long.
    #[must_use]
    pub fn suppressed(&self) -> u64 {
        self.suppressed.load(Ordering::Relaxed)
    }

    /// The line as it may be shown; none when lines or bytes do not reach.
    fn take(&self, text: &str) -> Option<String> {
        // A guest runs one thing at a time, so nothing comes in between these.
        let lines = self.lines.load(Ordering::Relaxed).checked_sub(1)?;
        let bytes = self
            .bytes
            .load(Ordering::Relaxed)
            .checked_sub(text.len() as u64)?;
        self.lines.store(lines, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        Some(plain_text::one_line(text, LONGEST_LINE))
    }
}

impl Drop for GuestLog {
    fn drop(&mut self) {
        let suppressed = self.suppressed();
        if suppressed > 0 {
            tracing::warn!(connector.id = %self.connector, "{suppressed} log lines suppressed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_bytes_are_limited_and_what_is_too_much_is_counted() {
        let limits = Limits {
            log_lines: 3,
            log_bytes: 10,
            ..Limits::lookup()
        };
        let log = GuestLog::new("x", &limits, Keeping::Nothing);
        assert_eq!(log.take("1234"), Some("1234".to_owned()));
        assert_eq!(log.take("12345678"), None, "more bytes than are left");
        assert_eq!(log.take("a\n\x1b["), Some("a  [".to_owned()));
        assert_eq!(log.take(""), Some(String::new()));
        assert_eq!(log.take(""), None, "three lines");
        log.line(Level::Info, "too many");
        assert_eq!(log.suppressed(), 1);
    }
}
