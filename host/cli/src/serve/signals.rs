//! The signals of a serving host.
//!
//! Handlers are installed before the host reports that it is ready: until then, a signal ends the process at once.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGHUP, which asks for a reload.
#[cfg(unix)]
pub(super) struct Hangups(Signal);

/// SIGTERM and SIGINT, which ask the host to end.
#[cfg(unix)]
pub(super) struct Endings {
    terminate: Signal,
    interrupt: Signal,
}

#[cfg(unix)]
impl Hangups {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::hangup())?))
    }

    pub(super) async fn next(&mut self) {
        if self.0.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
impl Endings {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

/// Other systems have no SIGHUP.
#[cfg(not(unix))]
pub(super) struct Hangups;

#[cfg(not(unix))]
pub(super) struct Endings;

#[cfg(not(unix))]
impl Hangups {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
impl Endings {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(super) async fn next(&mut self) -> &'static str {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "SIGINT"
    }
}
