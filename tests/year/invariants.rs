//! The invariants that are checked, and what was found.

use std::collections::BTreeMap;

const ARCHITECTURE: &str = include_str!("../../ARCHITECTURE.md");

/// An invariant of `ARCHITECTURE.md`, by the name of the test that it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Invariant(&'static str);

impl Invariant {
    /// Its number and its sentence.
    ///
    /// # Panics
    /// If `ARCHITECTURE.md` has no such invariant.
    pub fn line(self) -> &'static str {
        let test = format!("`{}`", self.0);
        ARCHITECTURE
            .lines()
            .filter(|line| line.starts_with(|first: char| first.is_ascii_digit()))
            .find_map(|line| line.strip_suffix(test.as_str()))
            .unwrap_or_else(|| panic!("no invariant has the test {test}"))
            .trim_end()
    }
}

/// A failed register never produces a statement of absence.
pub const NO_FALSE_ABSENCE: Invariant = Invariant("first_answer_names_what_was_not_read");
/// A failure never removes what was read earlier.
pub const NOTHING_READ_IS_LOST: Invariant = Invariant("failure_keeps_earlier_content");
/// *Not found* requires that every base register was read.
pub const NO_FALSE_NOT_FOUND: Invariant = Invariant("unreadable_register_is_never_a_404");
/// A rejected new version changes nothing about what serves.
pub const BAD_VERSION_CHANGES_NOTHING: Invariant =
    Invariant("invalid_new_version_keeps_the_old_one_serving");
/// An empty list, or one that shrank too much, is not published.
pub const LISTS_DO_NOT_SHRINK: Invariant = Invariant("shrunken_list_is_refused");
/// Only one claim of a run writes, so a list is imported once for each due time.
pub const IMPORTED_ONCE: Invariant = Invariant("concurrent_claims_of_a_dataset_have_one_winner");
/// A host recovers from faults of its database connections.
pub const HOSTS_RECOVER: Invariant = Invariant("hosts_recover_from_database_faults_without_loss");
/// A frozen host holds locks for seconds only.
pub const LOCKS_ARE_RELEASED: Invariant =
    Invariant("lock_of_a_silent_host_is_released_after_timeout");
/// Every answered charge is in the ledger once.
pub const CHARGED_ONCE: Invariant = Invariant("killed_host_has_booked_every_answered_call");
/// A request without an answer is not charged.
pub const ERRORS_ARE_FREE: Invariant = Invariant("caller_that_leaves_is_not_charged");
/// Credits are never spent below zero.
pub const NO_OVERSPENDING: Invariant = Invariant("concurrent_hosts_never_overspend_credits");
/// Every balance can be recomputed from the entries.
pub const LEDGER_ADDS_UP: Invariant = Invariant("million_operations_match_the_model");
/// A jump of the clock opens no month.
pub const JUMPS_GRANT_NOTHING: Invariant = Invariant("brief_clock_jump_grants_no_credits");
/// No section outside the plan is returned.
pub const SCOPES_OF_THE_PLAN: Invariant = Invariant("scope_outside_plan_is_forbidden");
/// A change in the registers is found and announced.
pub const CHANGES_ARE_FOUND: Invariant = Invariant("finding_and_section_are_stored_atomically");
/// Events are numbered without gaps.
pub const LOG_HAS_NO_GAPS: Invariant = Invariant("log_reader_sees_every_event_once_during_writes");
/// Every attempt of a delivery has the same bytes.
pub const SAME_BYTES: Invariant = Invariant("attempts_follow_the_schedule_and_send_the_same_bytes");
/// Nothing is sent for an ended subscription.
pub const NOTHING_AFTER_THE_END: Invariant =
    Invariant("ended_subscription_gets_no_more_deliveries");
/// Every event has one delivery, which succeeds.
pub const DELIVERED_ONCE: Invariant = Invariant("killed_hosts_deliver_the_same_events");
/// Every error has the one form.
pub const ONE_FORM_OF_ERRORS: Invariant = Invariant("every_error_has_a_message_and_a_code");
/// A batch whose id its account does not know is neither kept nor charged.
pub const BATCH_OR_NOTHING: Invariant = Invariant("batch_without_answer_is_rolled_back");
/// A batch is visible to its account only.
pub const BATCHES_ARE_PRIVATE: Invariant = Invariant("batch_is_visible_only_to_its_account");
/// Search finds the companies of the store.
pub const SEARCH_FINDS: Invariant = Invariant("search_fails_until_the_index_has_caught_up");
/// No secret is readable in the database.
pub const NO_SECRET_IN_THE_DATABASE: Invariant =
    Invariant("secrets_are_not_readable_in_the_database");
/// A revoked key is refused by every host.
pub const REVOKED_KEYS_ARE_REFUSED: Invariant =
    Invariant("revoked_key_is_refused_by_all_hosts_in_a_second");

/// Violations that are kept; more of them say nothing new.
const MOST: usize = 20;

/// The results of the checks.
#[derive(Default)]
pub struct Findings {
    pub checks: BTreeMap<Invariant, u64>,
    pub violations: Vec<String>,
}

impl Findings {
    /// Counts a check. If it does not hold, keeps what `what` says about it.
    pub fn check(&mut self, day: u32, of: Invariant, holds: bool, what: impl FnOnce() -> String) {
        *self.checks.entry(of).or_default() += 1;
        if !holds && self.violations.len() < MOST {
            let line = format!("day {day}: {} But: {}", of.line(), what());
            self.violations.push(line);
        }
    }

    /// Adds other results.
    pub fn append(&mut self, other: Self) {
        for (of, count) in other.checks {
            *self.checks.entry(of).or_default() += count;
        }
        let room = MOST.saturating_sub(self.violations.len());
        self.violations
            .extend(other.violations.into_iter().take(room));
    }
}
