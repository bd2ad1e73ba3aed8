//! The interface `runtime`: log, settings, clock and remaining limits.

use crate::bindings::base::lustra::connector::runtime::{Host, Level, Remaining};
use crate::guest_log;
use crate::imports::bounds;
use crate::state::CallState;

impl Host for CallState {
    async fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            Level::Debug => guest_log::Level::Debug,
            Level::Info => guest_log::Level::Info,
            Level::Warn => guest_log::Level::Warn,
            Level::Error => guest_log::Level::Error,
        };
        self.log.line(level, &message);
        Ok(())
    }

    async fn setting(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        // A longer name cannot be a setting.
        if bounds::names([&*name]).is_err() {
            return Ok(None);
        }
        let replayed = self
            .recording_mode
            .replayer()
            .and_then(|replayer| replayer.settings.as_ref());
        let settings = replayed.unwrap_or(&self.connector.settings);
        Ok(settings.get(&name).map(ToString::to_string))
    }

    async fn now(&mut self) -> wasmtime::Result<String> {
        Ok(crate::clock::rfc3339(CallState::now(self)))
    }

    async fn left(&mut self) -> wasmtime::Result<Remaining> {
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Ok(Remaining {
            wall_ms: millis(self.wall_left()),
            cpu_ms: millis(self.cpu_left()),
            requests: self.allowance.requests_left(),
            bytes: self.allowance.bytes_left(),
            details: Vec::new(),
        })
    }
}
