//! Limits the lines that one call of a connector may write to the host's log.
//!
//! Lines of the contract's `log` and of WASI's standard error share one allowance, so that a guest that uses both gets
//! no more. Excess lines are counted and reported in one line at the end of the call.
//! Invariant: a guest cannot start a new line of the log, because control characters are removed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use lustra_store::ConnectorId;

use super::limits::Limits;
use crate::plain_text;

/// Most characters of a line.
const MAX_LINE_CHARS: usize = 4 * 1024;

/// Log level of a guest's line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Debug,
    Info,
    /// A problem that needs attention eventually.
    Warn,
    /// A problem that needs attention.
    Error,
}

impl Level {
    /// The level's lower-case name.
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

/// Whether lines are logged, kept for the call's recording, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Lines are only logged.
    Nothing,
    /// Lines are logged and kept.
    Lines,
    /// Lines are only kept, because a replay repeats what was logged before.
    LinesOnly,
}

/// The log of one call.
#[derive(Debug)]
pub struct GuestLog {
    connector: ConnectorId,
    lines: AtomicU64,
    bytes: AtomicU64,
    suppressed: AtomicU64,
    keeping: Keeping,
    kept: Mutex<Vec<(&'static str, String)>>,
}

impl GuestLog {
    /// A log with a full allowance.
    #[must_use]
    pub fn new(connector: &ConnectorId, limits: &Limits, keeping: Keeping) -> Self {
        Self {
            connector: connector.clone(),
            lines: AtomicU64::new(limits.log_lines),
            bytes: AtomicU64::new(limits.log_bytes),
            suppressed: AtomicU64::new(0),
            keeping,
            kept: Mutex::default(),
        }
    }

    /// Logs a line, or counts it as suppressed when the allowance is used up.
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

    /// Takes the kept lines.
    #[must_use]
    pub fn take_kept(&self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Number of lines over the limits.
    #[must_use]
    pub fn suppressed(&self) -> u64 {
        self.suppressed.load(Ordering::Relaxed)
    }

    /// The cleaned line, or `None` if the remaining lines or bytes do not suffice.
    fn take(&self, text: &str) -> Option<String> {
        // A guest is single-threaded, so these operations are not interleaved.
        let lines = self.lines.load(Ordering::Relaxed).checked_sub(1)?;
        let bytes = self
            .bytes
            .load(Ordering::Relaxed)
            .checked_sub(text.len() as u64)?;
        self.lines.store(lines, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
        Some(plain_text::one_line(text, MAX_LINE_CHARS))
    }
}

impl Drop for GuestLog {
    fn drop(&mut self) {
        let suppressed = self.suppressed();
        if suppressed > 0 {
            tracing::warn!(connector.id = %self.connector, "the connector exceeded its log limit; {suppressed} log lines suppressed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_lines_and_bytes_are_suppressed_and_counted() {
        let limits = Limits {
            log_lines: 3,
            log_bytes: 10,
            ..Limits::lookup()
        };
        let log = GuestLog::new(
            &lustra_store::testing::connector_id("x"),
            &limits,
            Keeping::Nothing,
        );
        assert_eq!(log.take("1234"), Some("1234".to_owned()));
        assert_eq!(log.take("12345678"), None, "more bytes than are left");
        assert_eq!(log.take("a\n\x1b["), Some("a  [".to_owned()));
        assert_eq!(log.take(""), Some(String::new()));
        assert_eq!(log.take(""), None, "three lines");
        log.line(Level::Info, "too many");
        assert_eq!(log.suppressed(), 1);
    }
}
