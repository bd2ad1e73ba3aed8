//! The connector's surroundings: settings, the clock, the log and what is left of a call's allowance.

use serde::de::DeserializeOwned;

use crate::Failure;
pub use crate::bindings::base::lustra::connector::runtime::{Level, Remaining};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::runtime as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::runtime as host;

/// Writes a line into the host's log. Never personal data, never secrets.
pub fn log(level: Level, message: &str) {
    host::log(level, message);
}

/// One setting, read into a type. `None`: neither the operator nor the schema gives a value.
///
/// # Errors
/// [`Failure::Misconfigured`] when the value does not fit the type.
pub fn setting<T: DeserializeOwned>(name: &str) -> Result<Option<T>, Failure> {
    host::setting(name)
        .map(|value| {
            serde_json::from_str(&value).map_err(|error| {
                Failure::Misconfigured(format!("the setting {name} does not fit: {error}"))
            })
        })
        .transpose()
}

/// Now: RFC 3339, UTC.
#[must_use]
pub fn now() -> String {
    host::now()
}

/// Today's date in UTC: `YYYY-MM-DD`.
#[must_use]
pub fn today() -> String {
    now().chars().take(10).collect()
}

/// What this call may still use.
#[must_use]
pub fn left() -> Remaining {
    host::left()
}

/// Makes a panic readable in the host's log before it becomes a trap. The export macro calls it.
#[doc(hidden)]
pub fn install_panic_hook() {
    #[cfg(target_family = "wasm")]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        ONCE.call_once(|| {
            std::panic::set_hook(Box::new(|panic| log(Level::Error, &panic.to_string())))
        });
    }
}
