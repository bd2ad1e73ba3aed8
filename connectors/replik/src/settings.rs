//! The operator's settings. Their defaults equal those of the manifest, for hosts that fill in none.

use lustra_sdk::{Failure, runtime};

use crate::codes::{ACTIVE_STATES, ENDED_STATES};

/// The public page of a proceeding, to which the number is appended.
pub const PROCEEDING_PAGE: &str =
    "https://replik.justice.sk/ru-verejnost-web/pages/konanieDetail.xhtml?konanieId=";

/// The day on which the register replaced its predecessor.
pub const SINCE: &str = "2025-10-01";

/// Number of changes that the service returns by default.
pub const CHANGES_AT_ONCE: u32 = 100;

/// The settings of the section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// States of a proceeding that is under way, as the register writes them.
    pub active_states: Vec<String>,
    /// States of a proceeding that is over.
    pub ended_states: Vec<String>,
    /// The address of a proceeding's public page, without the number at its end.
    pub proceeding_page: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            active_states: ACTIVE_STATES.map(str::to_owned).to_vec(),
            ended_states: ENDED_STATES.map(str::to_owned).to_vec(),
            proceeding_page: PROCEEDING_PAGE.to_owned(),
        }
    }
}

impl Settings {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a value of the wrong type, and for a state in both lists.
    pub fn read() -> Result<Self, Failure> {
        let defaults = Self::default();
        let settings = Self {
            active_states: runtime::setting("active_states")?.unwrap_or(defaults.active_states),
            ended_states: runtime::setting("ended_states")?.unwrap_or(defaults.ended_states),
            proceeding_page: runtime::setting("proceeding_page")?
                .unwrap_or(defaults.proceeding_page),
        };
        let settings = settings.without_overridden_defaults();
        let both = settings
            .active_states
            .iter()
            .find(|state| settings.ended_states.contains(state));
        match both {
            None => Ok(settings),
            Some(state) => Err(Failure::Misconfigured(format!(
                "the state {state} is in active_states and in ended_states"
            ))),
        }
    }

    /// Removes a state from a default list if the operator put it into the other list.
    fn without_overridden_defaults(mut self) -> Self {
        let defaults = Self::default();
        if self.active_states == defaults.active_states {
            let ended = &self.ended_states;
            self.active_states.retain(|state| !ended.contains(state));
        } else if self.ended_states == defaults.ended_states {
            let active = &self.active_states;
            self.ended_states.retain(|state| !active.contains(state));
        }
        self
    }

    /// True if a proceeding in this state is active; `None` for a state in neither list.
    #[must_use]
    pub fn is_active(&self, state: &str) -> Option<bool> {
        let has = |states: &[String]| states.iter().any(|known| known == state);
        if has(&self.active_states) {
            Some(true)
        } else if has(&self.ended_states) {
            Some(false)
        } else {
            None
        }
    }
}
