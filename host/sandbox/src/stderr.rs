//! Standard error of WASI: forwards the lines of guests in other languages to the host's log.
//!
//! A Rust guest uses the contract's `log`. An interpreter writes its traceback to standard error before it traps;
//! without it, the failure would be a bare `unreachable`. Lines count against the call's log allowance.
//! Invariant: a guest never waits here, and at most one piece of a line is buffered.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use super::guest_log::{GuestLog, Level};

/// Longer lines are broken at this length.
const MAX_LINE_BYTES: usize = 4 * 1024;

/// Most bytes per write; WASI's own adapters write no more.
const PIECE: usize = 4 * 1024;

/// Standard error of one call. All its streams share one line buffer.
#[derive(Clone)]
pub struct Stderr(Arc<Line>);

struct Line {
    log: Arc<GuestLog>,
    begun: Mutex<Vec<u8>>,
}

impl Stderr {
    #[must_use]
    pub fn new(log: Arc<GuestLog>) -> Self {
        Self(Arc::new(Line {
            log,
            begun: Mutex::default(),
        }))
    }

    fn take(&self, bytes: &[u8]) {
        let mut begun = self.0.begun.lock().unwrap_or_else(PoisonError::into_inner);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ended) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            for part in text.chunks(MAX_LINE_BYTES) {
                if begun.len() + part.len() > MAX_LINE_BYTES {
                    self.0.log_line(&mut begun);
                }
                begun.extend_from_slice(part);
            }
            if ended {
                self.0.log_line(&mut begun);
            }
        }
    }
}

impl Line {
    /// Logs the line. Empty lines are skipped and not counted.
    fn log_line(&self, line: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if !text.is_empty() {
            self.log.line(Level::Warn, text);
        }
        line.clear();
    }
}

impl Drop for Line {
    /// Logs the rest, because a guest's last line may lack a line break.
    fn drop(&mut self) {
        let begun = self.begun.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut line = std::mem::take(begun);
        self.log_line(&mut line);
    }
}

impl IsTerminal for Stderr {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Stderr {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    /// Only WASI 0.3 calls this; the contract does not include it.
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }
}

#[wasmtime_wasi::async_trait]
impl Pollable for Stderr {
    async fn ready(&mut self) {}
}

#[wasmtime_wasi::async_trait]
impl OutputStream for Stderr {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if bytes.len() > PIECE {
            return Err(StreamError::trap("wrote more than `check-write` permits"));
        }
        self.take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PIECE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest_log::Keeping;
    use crate::limits::Limits;

    fn stderr(lines: u64) -> (Stderr, Arc<GuestLog>) {
        let limits = Limits {
            log_lines: lines,
            ..Limits::lookup()
        };
        let log = Arc::new(GuestLog::new(
            &lustra_store::testing::connector_id("x"),
            &limits,
            Keeping::Nothing,
        ));
        (Stderr::new(Arc::clone(&log)), log)
    }

    #[test]
    fn partial_lines_are_joined_and_last_line_is_flushed() {
        let (stderr, log) = stderr(0);
        stderr.take(b"Trace");
        stderr.take(b"back\n\n  File\nlast");
        assert_eq!(log.suppressed(), 2, "an empty line is none");
        drop(stderr);
        assert_eq!(log.suppressed(), 3);
    }

    #[test]
    fn endless_line_is_broken_and_not_buffered() {
        let (stderr, log) = stderr(0);
        for _ in 0..100 {
            stderr.take(&[b'x'; 1_000]);
        }
        let kept = stderr.0.begun.lock().expect("no thread panicked").len();
        assert!(kept <= MAX_LINE_BYTES, "{kept}");
        assert_eq!(log.suppressed(), 24);
    }
}
