//! The operator's settings beside those of [`lustra_sdk::tax_lists`].

use lustra_sdk::Failure;

pub use lustra_sdk::tax_lists::{ListSettings, api_key};

lustra_sdk::settings! {
    /// The settings of VIES.
    pub struct Vies {
        /// Number of days for which a definite answer of VIES is reused. 0: VIES is queried at each enrichment.
        cache_days as "vies_cache_days": u32 [0..=365] = 7,
        /// The member state whose VAT numbers are checked: two upper-case letters. Numbers of other states are not
        /// checked.
        member_state as "vies_member_state": String = "SK",
    }
    check Self::checked;
}

impl Vies {
    fn checked(self) -> Result<Self, Failure> {
        let state = self.member_state.as_bytes();
        if state.len() == 2 && state.iter().all(u8::is_ascii_uppercase) {
            return Ok(self);
        }
        Err(Failure::Misconfigured(
            "the setting vies_member_state must be two upper-case letters".to_owned(),
        ))
    }
}
