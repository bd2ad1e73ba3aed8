//! The operator's settings, with the defaults of the manifest for hosts that fill in none.

use lustra_sdk::{Failure, runtime};

use crate::codes::{ACTIVE_STATES, ENDED_STATES};

/// Before the number of a proceeding: its public page.
pub const PROCEEDING_PAGE: &str =
    "https://replik.justice.sk/ru-verejnost-web/pages/konanieDetail.xhtml?konanieId=";

/// The register took over from its predecessor on this day.
pub const SINCE: &str = "2025-10-01";

/// How many changes the service gives at once unless it is asked for another number.
pub const CHANGES_AT_ONCE: u32 = 100;

/// What a section is made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// States of a proceeding that is under way, as the register writes them.
    pub active_states: Vec<String>,
    /// States of a proceeding that is over.
    pub ended_states: Vec<String>,
    /// The address of a proceeding's public page, but for the number at its end.
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
    /// The settings of this call.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a value that does not fit, and for a state that is said to be both.
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

    /// A default list gives way to the other list: an operator may have put a state there before it became known.
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

    /// Whether a proceeding in this state is under way; `None` for a state that neither list has.
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
