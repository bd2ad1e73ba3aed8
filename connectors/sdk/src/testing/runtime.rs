//! The test host's runtime: settings, the clock and the log.

use super::HOST;
use crate::runtime::{Level, Remaining};

pub fn log(level: Level, message: &str) {
    HOST.with(|host| host.borrow_mut().log.push(format!("{level:?} {message}")));
}

pub fn setting(name: &str) -> Option<String> {
    HOST.with(|host| host.borrow().settings.get(name).cloned())
}

pub fn now() -> String {
    HOST.with(|host| host.borrow().now.clone())
        .unwrap_or_else(|| "2026-01-15T08:00:00Z".to_owned())
}

pub fn left() -> Remaining {
    Remaining {
        wall_ms: 15_000,
        cpu_ms: 2_000,
        requests: 20,
        bytes: 20 << 20,
        details: Vec::new(),
    }
}
