//! WASI's standard error: what a guest of another language writes there goes line by line to the host's log.
//!
//! A Rust guest has the contract's `log`; an interpreter writes its traceback to standard error before it traps, and
//! without it a failure of such a guest is a bare `unreachable`. Lines come out of the call's allowance for the log.
//! Invariant: a guest is never made to wait here, and no more than one piece of a line is kept.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError, StreamResult};

use super::guest_log::{GuestLog, Level};

/// A line that is longer is broken here.
const LONGEST_LINE: usize = 4 * 1024;

/// What a guest may write at once; WASI's own adapters write no more.
const PIECE: usize = 4 * 1024;

/// The standard error of one call. All its streams write into the same line.
#[derive(Clone)]
pub struct Stderr(Arc<Line>);

/// The line that has not ended yet.
struct Line {
    log: Arc<GuestLog>,
    begun: Mutex<Vec<u8>>,
}

impl Stderr {
    /// The standard error of a call with this log.
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
            for part in text.chunks(LONGEST_LINE) {
                if begun.len() + part.len() > LONGEST_LINE {
                    self.0.say(&mut begun);
                }
                begun.extend_from_slice(part);
            }
            if ended {
                self.0.say(&mut begun);
            }
        }
    }
}

impl Line {
    /// Empty lines say nothing and are not counted.
    fn say(&self, line: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end();
        if !text.is_empty() {
            self.log.line(Level::Warn, text);
        }
        line.clear();
    }
}

impl Drop for Line {
    /// The last words of a guest need not end their line.
    fn drop(&mut self) {
        let begun = self.begun.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut line = std::mem::take(begun);
        self.say(&mut line);
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

    /// Only WASI 0.3 asks for this one, which the contract does not have.
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
        let log = Arc::new(GuestLog::new("x", &limits, Keeping::Nothing));
        (Stderr::new(Arc::clone(&log)), log)
    }

    #[test]
    fn a_line_may_come_in_pieces_and_the_last_need_not_end() {
        let (stderr, log) = stderr(0);
        stderr.take(b"Trace");
        stderr.take(b"back\n\n  File\nlast");
        assert_eq!(log.suppressed(), 2, "an empty line is none");
        drop(stderr);
        assert_eq!(log.suppressed(), 3);
    }

    #[test]
    fn a_line_without_an_end_is_broken_and_not_kept() {
        let (stderr, log) = stderr(0);
        for _ in 0..100 {
            stderr.take(&[b'x'; 1_000]);
        }
        let kept = stderr.0.begun.lock().expect("nobody panicked").len();
        assert!(kept <= LONGEST_LINE, "{kept}");
        assert_eq!(log.suppressed(), 24);
    }
}
