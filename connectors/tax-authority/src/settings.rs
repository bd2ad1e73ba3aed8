//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::{Failure, runtime};

pub use lustra_sdk::tax_lists::{ListSettings, api_key};

/// The settings of VIES.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vies {
    /// Number of days for which a definite answer is reused; 0 queries each time.
    pub cache_days: u32,
    /// The member state whose numbers are checked: two upper-case letters.
    pub member_state: String,
}

impl Vies {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for settings of another shape.
    pub fn read() -> Result<Self, Failure> {
        let cache_days = runtime::setting("vies_cache_days")?.unwrap_or(7);
        let member_state: String =
            runtime::setting("vies_member_state")?.unwrap_or_else(|| "SK".to_owned());
        if member_state.len() != 2 || !member_state.bytes().all(|b| b.is_ascii_uppercase()) {
            return Err(Failure::Misconfigured(
                "the setting vies_member_state must be two upper-case letters".to_owned(),
            ));
        }
        Ok(Self {
            cache_days,
            member_state,
        })
    }
}
