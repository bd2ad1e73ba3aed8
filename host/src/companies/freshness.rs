//! Freshness rules: how old a part of a profile may be. Pure decisions over times.

use std::time::Duration;

use time::OffsetDateTime;

use crate::config::FreshnessConfig;
use crate::connectors::manifest::{CompanySourceManifest, ScopeManifest};
use crate::store::{StoredDetails, StoredSection};

/// For a base record whose register no connector serves.
const DEFAULT_DAYS: f64 = 30.0;

/// How often a section is made again from lists that are too old and unchanged. It states their age in days, which
/// changes once a day.
pub const UNCHANGED_LISTS_REBUILD_INTERVAL: Duration = Duration::from_secs(86_400);

/// What to do about a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Fresh: nothing to do.
    Fresh,
    /// Stale: return the stored part, mark it stale and start a refresh.
    Stale,
    /// Like `Stale`, but no refresh starts yet: the last attempt failed recently.
    RetryLater,
    /// Like `Stale`, but no refresh starts yet: the section was made of these lists within the last day.
    AwaitsImport,
    /// Missing: fetch it now, within the response's budget.
    Missing,
}

impl Freshness {
    /// Whether the stored part is stale.
    #[must_use]
    pub fn is_stale(self) -> bool {
        self != Self::Fresh
    }
}

/// A maximum age in days as a duration. Values too large for a duration mean no limit.
#[must_use]
pub fn days(days: f64) -> Duration {
    Duration::try_from_secs_f64(days * 86_400.0).unwrap_or(Duration::MAX)
}

/// Adds a duration to a time. An overflow gives the latest representable time.
#[must_use]
pub fn later(at: OffsetDateTime, age: Duration) -> OffsetDateTime {
    time::Duration::try_from(age).map_or(FOREVER, |age| at.checked_add(age).unwrap_or(FOREVER))
}

/// The last second that RFC 3339 can represent.
const FOREVER: OffsetDateTime = time::macros::datetime!(9999-12-31 23:59:59 UTC);

fn older(at: OffsetDateTime, age: Duration, now: OffsetDateTime) -> bool {
    time::Duration::try_from(age).is_ok_and(|age| now - at > age)
}

fn retry(
    failed_at: Option<OffsetDateTime>,
    freshness: &FreshnessConfig,
    now: OffsetDateTime,
) -> Freshness {
    match failed_at {
        Some(failed_at)
            if !older(
                failed_at,
                Duration::from_secs(freshness.failed_retry_seconds),
                now,
            ) =>
        {
            Freshness::RetryLater
        }
        _ => Freshness::Stale,
    }
}

/// Like [`retry`], for a part that a response waits for.
fn retry_missing(
    failed_at: Option<OffsetDateTime>,
    freshness: &FreshnessConfig,
    now: OffsetDateTime,
) -> Freshness {
    match retry(failed_at, freshness, now) {
        Freshness::RetryLater => Freshness::RetryLater,
        Freshness::Fresh | Freshness::Stale | Freshness::AwaitsImport | Freshness::Missing => {
            Freshness::Missing
        }
    }
}

/// Maximum age of a company register's records: the operator's setting, or the manifest's value.
#[must_use]
pub fn register_age(
    source: Option<&CompanySourceManifest>,
    freshness: &FreshnessConfig,
) -> Duration {
    let of_manifest = source.map_or(DEFAULT_DAYS, |source| source.max_age_days);
    days(freshness.details_days.unwrap_or(of_manifest))
}

/// Decides about a base record last confirmed at `seen_at` and last attempted, successfully or not, at
/// `tried_at`.
#[must_use]
pub fn base(
    seen_at: OffsetDateTime,
    max_age: Duration,
    tried_at: Option<OffsetDateTime>,
    freshness: &FreshnessConfig,
    now: OffsetDateTime,
) -> Freshness {
    if older(seen_at, max_age, now) {
        retry(tried_at, freshness, now)
    } else {
        Freshness::Fresh
    }
}

/// Decides about a register's details.
#[must_use]
pub fn details(
    stored: Option<&StoredDetails>,
    max_age: Duration,
    freshness: &FreshnessConfig,
    now: OffsetDateTime,
) -> Freshness {
    let Some(stored) = stored else {
        return Freshness::Missing;
    };
    match stored.fetched_at {
        None => retry_missing(stored.failed_at, freshness, now),
        Some(fetched_at) if older(fetched_at, max_age, now) => {
            retry(stored.failed_at, freshness, now)
        }
        Some(_) => Freshness::Fresh,
    }
}

/// The time at which a section's facts were valid. For a section made from imported lists this is the oldest of their
/// imports, otherwise the time of the fetch.
#[must_use]
pub fn section_as_of(
    stored: &StoredSection,
    scope: &ScopeManifest,
    oldest_import: Option<OffsetDateTime>,
) -> Option<OffsetDateTime> {
    let fetched_at = stored.fetched_at?;
    if scope.live {
        return Some(fetched_at);
    }
    Some(oldest_import.unwrap_or(fetched_at))
}

/// Decides about a section made from lists with this oldest import, if any. `max_age` comes from the operator or the
/// manifest. A maximum age of zero means that the section must have been fetched since `asked_at`, the time of the
/// request.
#[must_use]
pub fn section(
    stored: Option<&StoredSection>,
    scope: &ScopeManifest,
    max_age: Duration,
    oldest_import: Option<OffsetDateTime>,
    freshness: &FreshnessConfig,
    asked_at: OffsetDateTime,
    now: OffsetDateTime,
) -> Freshness {
    let Some(stored) = stored else {
        return Freshness::Missing;
    };
    let Some(as_of) = section_as_of(stored, scope, oldest_import) else {
        return retry_missing(stored.failed_at, freshness, now);
    };
    if max_age.is_zero() {
        let fetched = stored
            .fetched_at
            .is_some_and(|fetched_at| fetched_at >= asked_at);
        let failed = stored
            .failed_at
            .is_some_and(|failed_at| failed_at >= asked_at);
        return match (fetched, failed) {
            (true, _) => Freshness::Fresh,
            (false, true) => Freshness::RetryLater,
            (false, false) => Freshness::Missing,
        };
    }
    if stored.dirty {
        // Rebuilding it from records alone takes no longer than reading it.
        return if scope.live {
            retry(stored.failed_at, freshness, now)
        } else {
            Freshness::Missing
        };
    }
    let made_at = stored.fetched_at.unwrap_or(as_of);
    if !scope.live && older(made_at, max_age, now) {
        // Its lists may be newer and unchanged, but what it says about the present day is old.
        return retry_missing(stored.failed_at, freshness, now);
    }
    if older(as_of, max_age, now) {
        let lists = if scope.live { None } else { oldest_import };
        let is_of_these_lists = lists.is_some_and(|imported_at| {
            made_at >= imported_at && !older(made_at, UNCHANGED_LISTS_REBUILD_INTERVAL, now)
        });
        return if is_of_these_lists {
            Freshness::AwaitsImport
        } else {
            retry(stored.failed_at, freshness, now)
        };
    }
    let retry_unread = Duration::from_secs(freshness.unread_retry_seconds);
    if stored.unread
        && stored
            .fetched_at
            .is_some_and(|fetched_at| older(fetched_at, retry_unread, now))
    {
        return retry(stored.failed_at, freshness, now);
    }
    Freshness::Fresh
}

#[cfg(test)]
mod tests;
