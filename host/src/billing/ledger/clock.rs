//! The clock of a ledger's bookings, for the operator and for background work.

use time::OffsetDateTime;

use super::Ledger;
use crate::billing::ClockState;
use crate::store::StoreError;

impl Ledger {
    /// Whether the host's clock is trusted for bookings.
    #[must_use]
    pub fn clock_state(&self) -> ClockState {
        self.0.time.clock_state()
    }

    /// Accepts the host's clock on an operator's request. `false`: the database's clock disagrees and takes precedence.
    ///
    /// # Errors
    /// The store failed.
    pub async fn confirm_clock(&self) -> Result<bool, StoreError> {
        self.0.time.confirm(&self.0.store).await
    }

    /// Checks whether the host's clock can be trusted.
    ///
    /// # Errors
    /// The store failed; nothing changed.
    pub async fn settle_clock(&self) -> Result<(), StoreError> {
        self.0.time.recheck(&self.0.store).await
    }

    /// The current time for bookings.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.0.time.now()
    }
}
