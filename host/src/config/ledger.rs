//! Settings of the ledger of credits.

use schemars::JsonSchema;
use serde::Deserialize;

/// When the host's clock is not trusted for bookings. Only the machine's clock is checked; `clock_ahead_hours` is
/// intentional and accepted.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ledger {
    /// A jump of the clock by more than this, forward or back, is not booked until it is confirmed. At least 1.
    pub clock_jump_minutes: u32,
    /// On SQLite a host trusts its clock at the start up to this long after the newest booking. On PostgreSQL it
    /// compares its clock with the database's clock instead. At least 1.
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
