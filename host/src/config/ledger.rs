//! Settings of the ledger of credits.

use serde::Deserialize;

/// When the host's clock is not believed for bookings. Only the machine's clock is watched; what `clock_ahead_hours`
/// adds is meant.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ledger {
    /// The most that the clock may jump, forward or back, beside the time that passes: minutes, at least 1. What is
    /// more is not booked by until it is confirmed. Default 10.
    pub clock_jump_minutes: u32,
    /// The longest time after the newest booking at which a host on `SQLite` believes its clock when it starts: days, at
    /// least 1. On `PostgreSQL` the database's clock is asked instead. Default 92.
    pub longest_pause_days: u32,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            clock_jump_minutes: 10,
            longest_pause_days: 92,
        }
    }
}
