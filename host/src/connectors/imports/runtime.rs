//! The interface `runtime`: log, settings, the clock, what is left.

use crate::connectors::bindings::base::lustra::connector::runtime::{Host, Level, Remaining};
use crate::connectors::state::CallState;

fn name(level: Level) -> &'static str {
    match level {
        Level::Debug => "debug",
        Level::Info => "info",
        Level::Warn => "warn",
        Level::Error => "error",
    }
}

impl Host for CallState {
    async fn log(&mut self, level: Level, message: String) -> wasmtime::Result<()> {
        let length = message.len() as u64;
        if self.log.lines == 0 || self.log.bytes < length {
            self.log.suppressed += 1;
            return Ok(());
        }
        self.log.lines -= 1;
        self.log.bytes -= length;
        let connector = self.loaded.manifest.id.as_str();
        // Control characters of a guest must not forge lines.
        let message: String = message
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        if let Some(recorder) = self.tape.recorder() {
            recorder.log.push((name(level), message.clone()));
        }
        if let Some(player) = self.tape.player() {
            // A repetition says nothing that was not said before.
            player.log.push((name(level), message));
            return Ok(());
        }
        match level {
            Level::Debug => tracing::debug!(connector.id = connector, guest = true, "{message}"),
            Level::Info => tracing::info!(connector.id = connector, guest = true, "{message}"),
            Level::Warn => tracing::warn!(connector.id = connector, guest = true, "{message}"),
            Level::Error => tracing::error!(connector.id = connector, guest = true, "{message}"),
        }
        Ok(())
    }

    async fn setting(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        let replayed = self
            .tape
            .player()
            .and_then(|player| player.settings.as_ref());
        let settings = replayed.unwrap_or(&self.loaded.settings);
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
            cpu_ms: millis(self.limits().cpu.saturating_sub(self.guard.cpu_used)),
            requests: self.allowance.requests_left(),
            bytes: self.allowance.bytes_left(),
            details: Vec::new(),
        })
    }
}
