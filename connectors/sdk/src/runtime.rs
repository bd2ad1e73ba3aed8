//! The connector's environment: settings, the clock, the log and the remaining limits of a call.

use serde::de::DeserializeOwned;

use crate::Failure;
pub use crate::bindings::base::lustra::connector::runtime::{Level, Remaining};

#[cfg(target_family = "wasm")]
use crate::bindings::base::lustra::connector::runtime as host;
#[cfg(not(target_family = "wasm"))]
use crate::testing::runtime as host;

/// Writes a line to the host's log. It must not contain personal data or secrets.
pub fn log(level: Level, message: &str) {
    host::log(level, message);
}

/// Reads one setting. `None` if neither the operator nor the schema sets a value.
///
/// # Errors
/// [`Failure::Misconfigured`] if the value does not fit the type.
pub fn setting<T: DeserializeOwned>(name: &str) -> Result<Option<T>, Failure> {
    host::setting(name)
        .map(|value| {
            serde_json::from_str(&value).map_err(|error| {
                Failure::Misconfigured(format!("the setting {name} does not fit: {error}"))
            })
        })
        .transpose()
}

/// The current time: RFC 3339, UTC.
#[must_use]
pub fn now() -> String {
    host::now()
}

/// Today's date in UTC: `YYYY-MM-DD`.
#[must_use]
pub fn today() -> String {
    now().chars().take(10).collect()
}

/// The remaining limits of this call.
#[must_use]
pub fn left() -> Remaining {
    host::left()
}

/// Logs a panic as readable text before it becomes a trap. The export macro calls this.
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
