//! The time for bookings: the host's clock, as long as it is trusted.
//!
//! Opened months and expired grants are permanent, so the ledger must not follow a clock that is a year ahead for a
//! second. The clock is compared with a monotonic measure of elapsed time. A jump beyond a bound is rejected, and
//! bookings continue by elapsed time until the jump is confirmed: by the database's clock on `PostgreSQL`, by an
//! operator on `SQLite`, or by the clock coming back. A clock that is set on purpose (demo, tests) is always trusted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

use crate::clock::{Clock, rfc3339};
use crate::config;
use crate::store::{Store, StoreError};

/// The booking time of one ledger. Clones share all state.
#[derive(Clone)]
pub struct BookingTime(Arc<Inner>);

struct Inner {
    clock: Clock,
    /// Largest accepted jump of the clock.
    bound: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

struct State {
    /// The last trusted time.
    anchor: Option<Anchor>,
    trust: Trust,
    /// Time of the newest booking at the start of this host, if the clock was behind it.
    behind: Option<OffsetDateTime>,
}

#[derive(Clone, Copy)]
struct Anchor {
    at: OffsetDateTime,
    passed: std::time::Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Trusted,
    /// The clock jumped. It is trusted again when it comes back.
    Jumped,
    /// The database's clock or the ledger disagrees. The clock is trusted again when they agree.
    Contradicted,
}

/// State of the booking time, for operators.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ClockState {
    /// Whether the host's clock is trusted.
    pub trusted: bool,
    /// Seconds by which the host's clock is ahead of the booking time.
    pub ahead_seconds: f64,
}

impl BookingTime {
    /// Booking time from a clock, which is trusted until it jumps or [`Self::recheck`] finds a contradiction.
    #[must_use]
    pub fn new(clock: Clock, settings: &config::Ledger) -> Self {
        Self(Arc::new(Inner {
            clock,
            bound: Duration::minutes(settings.clock_jump_minutes.into()),
            longest_pause: Duration::days(settings.longest_pause_days.into()),
            state: Mutex::new(State {
                anchor: None,
                trust: Trust::Trusted,
                behind: None,
            }),
        }))
    }

    /// The current booking time.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let host = self.0.clock.now();
        let Some(passed) = self.0.clock.monotonic() else {
            return host;
        };
        let mut state = self.state();
        let here = Anchor { at: host, passed };
        let Some(anchor) = state.anchor else {
            state.anchor = Some(here);
            return host;
        };
        let expected = anchor.expected(passed);
        let jump = host - expected;
        if state.trust == Trust::Contradicted {
            return expected;
        }
        if jump.abs() > self.0.bound {
            if state.trust == Trust::Trusted {
                state.trust = Trust::Jumped;
                log_rejected(host, expected, "it jumped");
            }
            return expected;
        }
        if state.trust == Trust::Jumped {
            state.trust = Trust::Trusted;
            tracing::info!("the host's clock is trusted again: it is back within its bound");
        }
        state.anchor = Some(here);
        host
    }

    /// Whether the clock is trusted, and its distance from the booking time.
    #[must_use]
    pub fn clock_state(&self) -> ClockState {
        let now = self.now();
        let ahead = self.0.clock.now() - now;
        ClockState {
            trusted: self.state().trust == Trust::Trusted,
            ahead_seconds: ahead.as_seconds_f64(),
        }
    }

    /// Checks the clock when a host starts: against the database's clock if it has one, otherwise against the newest
    /// booking.
    ///
    /// # Errors
    /// The store failed.
    pub async fn begin(&self, store: &Store) -> Result<(), StoreError> {
        self.check_at_start(store).await?;
        // Jumps are measured from here on, not from the first booking.
        let starts_at = self.now();
        tracing::debug!("the booking time starts at {}", rfc3339(starts_at));
        Ok(())
    }

    async fn check_at_start(&self, store: &Store) -> Result<(), StoreError> {
        let is_set_on_purpose = self.0.clock.monotonic().is_none();
        if is_set_on_purpose || self.compare_with_database(store).await? {
            return Ok(());
        }
        // With the shifted clock of a trial, the newest booking proves nothing.
        if !self.0.clock.offset().is_zero() {
            return Ok(());
        }
        let Some(newest) = store.billing().newest_booking().await? else {
            return Ok(());
        };
        let host = self.0.clock.now();
        if host - newest > self.0.longest_pause {
            self.distrust_clock(newest, "the newest booking is too long ago");
        } else if newest - host > self.0.bound {
            // An account's time never goes back, so its bookings stay correct. The operator must know nevertheless.
            self.state().behind = Some(newest);
            tracing::error!(
                "the host's clock says {}, which is before the newest booking at {}: set the clock",
                rfc3339(host),
                rfc3339(newest)
            );
        }
        Ok(())
    }

    /// Checks whether an untrusted clock can be trusted again, and on `PostgreSQL` whether a trusted one still can.
    ///
    /// # Errors
    /// The store failed; nothing changed.
    pub async fn recheck(&self, store: &Store) -> Result<(), StoreError> {
        if self.0.clock.monotonic().is_none() || self.compare_with_database(store).await? {
            return Ok(());
        }
        let (trust, behind) = {
            let state = self.state();
            (state.trust, state.behind)
        };
        let host = self.0.clock.now();
        // The clock was behind the ledger at the start and has been corrected since.
        if let Some(newest) = behind.filter(|_| trust == Trust::Jumped)
            && newest - host <= self.0.bound
            && host - newest <= self.0.longest_pause
        {
            self.trust_clock("it agrees with the newest booking");
        }
        Ok(())
    }

    /// Accepts the clock on an operator's request. `false`: the database's clock disagrees and takes precedence.
    ///
    /// # Errors
    /// The store failed.
    pub async fn confirm(&self, store: &Store) -> Result<bool, StoreError> {
        if self.0.clock.monotonic().is_some() && !self.compare_with_database(store).await? {
            self.trust_clock("an operator confirmed it");
        }
        Ok(self.state().trust == Trust::Trusted)
    }

    /// Compares the clock with the database's clock. `false`: the database has no clock of its own.
    async fn compare_with_database(&self, store: &Store) -> Result<bool, StoreError> {
        let Some(of_database) = store.database_time().await? else {
            return Ok(false);
        };
        let of_database = of_database + self.0.clock.offset();
        let host = self.0.clock.now();
        if (host - of_database).abs() <= self.0.bound {
            self.trust_clock("the database's clock confirms it");
        } else {
            // Neither clock is known to be right. With the earlier one no month opens too early.
            self.distrust_clock(host.min(of_database), "the database's clock disagrees");
        }
        Ok(true)
    }

    fn trust_clock(&self, why: &str) {
        let Some(passed) = self.0.clock.monotonic() else {
            return;
        };
        let at = self.0.clock.now();
        let mut state = self.state();
        if state.trust != Trust::Trusted {
            tracing::info!("the host's clock is trusted again: {why}");
        }
        state.trust = Trust::Trusted;
        state.behind = None;
        state.anchor = Some(Anchor { at, passed });
    }

    /// Continues by elapsed time, starting at `at` if no time was trusted before.
    fn distrust_clock(&self, at: OffsetDateTime, why: &str) {
        let Some(passed) = self.0.clock.monotonic() else {
            return;
        };
        let host = self.0.clock.now();
        let mut state = self.state();
        let anchor = *state.anchor.get_or_insert(Anchor { at, passed });
        if state.trust != Trust::Contradicted {
            log_rejected(host, anchor.expected(passed), why);
        }
        state.trust = Trust::Contradicted;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Anchor {
    fn expected(self, passed: std::time::Duration) -> OffsetDateTime {
        let since = passed.saturating_sub(self.passed);
        let since = Duration::try_from(since).unwrap_or(Duration::MAX);
        self.at.saturating_add(since)
    }
}

fn log_rejected(host: OffsetDateTime, expected: OffsetDateTime, why: &str) {
    tracing::error!(
        "the host's clock says {} and is not trusted: {why}. Credits are booked as of {} until the clock is set, \
        or confirmed with `lustra ledger confirm-clock`",
        rfc3339(host),
        rfc3339(expected)
    );
}
