//! The time that bookings are made by: the host's clock as long as it can be believed.
//!
//! Months that were opened and grants that expired stay so, so that a clock that is a year ahead for a second must not be
//! booked by. The clock is compared with a measure of the time that passes; a jump beyond a bound is refused, and
//! bookings go on by the time that has passed, until the jump is confirmed: by the database's clock on `PostgreSQL`, by
//! an operator on `SQLite`, or by the clock coming back.
//! A clock that is turned on purpose (demo, tests) is believed always.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use time::{Duration, OffsetDateTime};

use crate::clock::{Clock, rfc3339};
use crate::config;
use crate::store::{Store, StoreError};

/// The time of one ledger. Clones share everything.
#[derive(Clone)]
pub struct BookingTime(Arc<Inner>);

struct Inner {
    clock: Clock,
    /// The most that the clock may jump.
    bound: Duration,
    longest_pause: Duration,
    state: Mutex<State>,
}

struct State {
    /// The last time that was believed.
    anchor: Option<Anchor>,
    trust: Trust,
    /// The newest booking when this host started, where the clock was behind it.
    behind: Option<OffsetDateTime>,
}

#[derive(Clone, Copy)]
struct Anchor {
    at: OffsetDateTime,
    passed: std::time::Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// The clock is believed.
    Trusted,
    /// It jumped. It is believed again when it comes back.
    Jumped,
    /// The database's clock or the ledger says otherwise. It is believed again when they agree.
    Contradicted,
}

/// What operators are told of the time of bookings.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ClockState {
    /// Whether the host's clock is believed.
    pub trusted: bool,
    /// Seconds by which the host's clock is ahead of the time of bookings.
    pub ahead_seconds: f64,
}

impl BookingTime {
    /// The time of a ledger by a clock, which is believed until [`Self::settle`] says otherwise or it jumps.
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

    /// Now, for bookings.
    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        let host = self.0.clock.now();
        let Some(passed) = self.0.clock.passed() else {
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
                tell_refused(host, expected, "it jumped");
            }
            return expected;
        }
        if state.trust == Trust::Jumped {
            state.trust = Trust::Trusted;
            tracing::info!("the host's clock has come back: bookings are made by it again");
        }
        state.anchor = Some(here);
        host
    }

    /// Whether the clock is believed, and how far it is from the time of bookings.
    #[must_use]
    pub fn clock_state(&self) -> ClockState {
        let now = self.now();
        let ahead = self.0.clock.now() - now;
        ClockState {
            trusted: self.state().trust == Trust::Trusted,
            ahead_seconds: ahead.as_seconds_f64(),
        }
    }

    /// Compares the clock when a host starts: with the database's, where it has one, else with the newest booking.
    ///
    /// # Errors
    /// The store failed.
    pub async fn begin(&self, store: &Store) -> Result<(), StoreError> {
        let is_meant = self.0.clock.passed().is_none();
        if is_meant || self.compare_with_database(store).await? {
            return Ok(());
        }
        // On a trial's clock the newest booking says nothing.
        if !self.0.clock.is_ahead_by().is_zero() {
            return Ok(());
        }
        let Some(newest) = store.billing().newest_booking().await? else {
            return Ok(());
        };
        let host = self.0.clock.now();
        if host - newest > self.0.longest_pause {
            self.contradict(newest, "the newest booking is too long ago");
        } else if newest - host > self.0.bound {
            // The time of an account never goes back, so its bookings are right; the operator must know all the same.
            self.state().behind = Some(newest);
            tracing::error!(
                "the host's clock says {}, which is before the newest booking at {}: set the clock",
                rfc3339(host),
                rfc3339(newest)
            );
        }
        Ok(())
    }

    /// Looks whether a clock that is not believed can be, and on `PostgreSQL` whether one that is can still be.
    ///
    /// # Errors
    /// The store failed; nothing has changed.
    pub async fn settle(&self, store: &Store) -> Result<(), StoreError> {
        if self.0.clock.passed().is_none() || self.compare_with_database(store).await? {
            return Ok(());
        }
        let (trust, behind) = {
            let state = self.state();
            (state.trust, state.behind)
        };
        let host = self.0.clock.now();
        // It was behind the ledger when the host started and has been set since.
        if let Some(newest) = behind.filter(|_| trust == Trust::Jumped)
            && newest - host <= self.0.bound
            && host - newest <= self.0.longest_pause
        {
            self.believe("it fits the newest booking");
        }
        Ok(())
    }

    /// An operator says that the clock is right. False: the database's clock says otherwise, and that decides.
    ///
    /// # Errors
    /// The store failed.
    pub async fn confirm(&self, store: &Store) -> Result<bool, StoreError> {
        if self.0.clock.passed().is_some() && !self.compare_with_database(store).await? {
            self.believe("an operator confirmed it");
        }
        Ok(self.state().trust == Trust::Trusted)
    }

    /// Compares the clock with the database's. False: the database has none of its own.
    async fn compare_with_database(&self, store: &Store) -> Result<bool, StoreError> {
        let Some(of_database) = store.database_time().await? else {
            return Ok(false);
        };
        let of_database = of_database + self.0.clock.is_ahead_by();
        let host = self.0.clock.now();
        if (host - of_database).abs() <= self.0.bound {
            self.believe("the database's clock confirms it");
        } else {
            // Neither is known to be right; the earlier one opens no month too early.
            self.contradict(host.min(of_database), "the database's clock says otherwise");
        }
        Ok(true)
    }

    fn believe(&self, why: &str) {
        let Some(passed) = self.0.clock.passed() else {
            return;
        };
        let at = self.0.clock.now();
        let mut state = self.state();
        if state.trust != Trust::Trusted {
            tracing::info!("the host's clock is believed again: {why}");
        }
        state.trust = Trust::Trusted;
        state.behind = None;
        state.anchor = Some(Anchor { at, passed });
    }

    /// Goes on by the time that has passed, from `at` where no time was believed before.
    fn contradict(&self, at: OffsetDateTime, why: &str) {
        let Some(passed) = self.0.clock.passed() else {
            return;
        };
        let host = self.0.clock.now();
        let mut state = self.state();
        let anchor = *state.anchor.get_or_insert(Anchor { at, passed });
        if state.trust != Trust::Contradicted {
            tell_refused(host, anchor.expected(passed), why);
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

fn tell_refused(host: OffsetDateTime, expected: OffsetDateTime, why: &str) {
    tracing::error!(
        "the host's clock says {} and is not believed: {why}. Credits are booked as at {} until the clock is set, \
        or confirmed with `lustra ledger confirm-clock`",
        rfc3339(host),
        rfc3339(expected)
    );
}
