//! The operator's settings of proceedings.

use lustra_sdk::Failure;

use crate::codes::{ACTIVE_STATES, ENDED_STATES};

lustra_sdk::settings! {
    /// The settings of the section.
    pub struct Settings {
        /// States (`StavKonania`) of a proceeding that is under way. The register publishes no list of states; these
        /// were observed.
        active_states: Vec<String> = ACTIVE_STATES,
        /// States of a proceeding that is over. If a state is in neither list, it is unknown whether the proceeding is
        /// under way.
        ended_states: Vec<String> = ENDED_STATES,
        /// Address of a proceeding's public page, without the number at its end.
        proceeding_page: String =
            "https://replik.justice.sk/ru-verejnost-web/pages/konanieDetail.xhtml?konanieId=",
    }
    check Self::checked;
}

lustra_sdk::settings! {
    /// The settings of the import of changes.
    pub struct Changes {
        /// Administrators are collected from proceedings that changed on this day or later. By default the day on which
        /// the register replaced its predecessor. A day later than the import has reached skips the changes before it.
        since: String = "2025-10-01",
        /// Number of changes requested at once; up to sixteen times as many if all have the same time. The service
        /// limits the number, but does not publish the limit.
        changes_at_once: u32 [1..=1_000] = 100,
    }
}

impl Settings {
    /// Refuses a state that is in both lists.
    fn checked(self) -> Result<Self, Failure> {
        let settings = self.without_overridden_defaults();
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
