//! In-memory cache of assembled profiles, grouped by company, so that a change of one part drops all profiles
//! of the company.
//!
//! Cached responses are free, so reading and writing are separate: only callers that know the profile was paid
//! for store it. Invariant: a profile that was assembled before its company was dropped is never stored
//! afterwards.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;

use super::assemble::Profile;
use crate::config::FreshnessConfig;

type Profiles = Arc<Mutex<BTreeMap<String, CachedProfile>>>;

/// The cache slot of a company, taken before its parts are read. After the company has been dropped, writes to
/// the old slot have no effect.
#[derive(Clone)]
pub struct Place(Profiles);

#[derive(Clone)]
struct CachedProfile {
    profile: Arc<Profile>,
    until: OffsetDateTime,
}

/// The cache. It accepts only fresh profiles and removes them before a part becomes stale.
pub struct ProfileCache {
    profiles: moka::sync::Cache<String, Profiles>,
    span: Duration,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// Use and size of the cache, for metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheState {
    /// Answers from the cache.
    pub hits: u64,
    /// Answers that were assembled.
    pub misses: u64,
    pub companies: u64,
    pub max_companies: u64,
    /// Bytes of the bodies.
    pub bytes: u64,
}

impl ProfileCache {
    /// A cache with the configured size.
    pub fn new(freshness: &FreshnessConfig) -> Self {
        let span = Duration::from_secs(freshness.cache_seconds);
        // A profile with all scopes takes about 10 kB. Counting companies instead of bytes keeps the accounting
        // cheap.
        let companies = freshness.cache_mib.saturating_mul(1 << 20) / 16_384;
        let profiles = moka::sync::Cache::builder()
            .max_capacity(companies.max(1))
            .time_to_live(span.max(Duration::from_secs(1)))
            .build();
        Self {
            profiles,
            span,
            hits: AtomicU64::default(),
            misses: AtomicU64::default(),
        }
    }

    pub fn state(&self) -> CacheState {
        self.profiles.run_pending_tasks();
        let bytes = |profiles: &Profiles| {
            let profiles = profiles.lock();
            let profiles = profiles.unwrap_or_else(PoisonError::into_inner);
            let kept = profiles.values();
            kept.map(|kept| kept.profile.body.len() + kept.profile.cached_body.len())
                .sum::<usize>() as u64
        };
        CacheState {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            companies: self.profiles.entry_count(),
            max_companies: self.profiles.policy().max_capacity().unwrap_or_default(),
            bytes: self.profiles.iter().map(|(_, one)| bytes(&one)).sum(),
        }
    }

    /// A company's cached profile with these scopes. Counts a hit.
    pub fn get(&self, ico: &str, scopes: &str, now: OffsetDateTime) -> Option<Arc<Profile>> {
        let found = self.find(ico, scopes, now)?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(found)
    }

    /// Counts an answer that had to be assembled. A request may look into the cache more than once before.
    pub fn count_miss(&self) {
        self.misses.fetch_add(1, Ordering::Relaxed);
    }

    fn find(&self, ico: &str, scopes: &str, now: OffsetDateTime) -> Option<Arc<Profile>> {
        let profiles = self.profiles.get(ico)?;
        let profiles = profiles.lock().unwrap_or_else(PoisonError::into_inner);
        profiles
            .get(scopes)
            .filter(|kept| now < kept.until)
            .map(|kept| Arc::clone(&kept.profile))
    }

    /// The slot of a company's profiles. Take it before reading anything of the company.
    pub fn place(&self, ico: &str) -> Place {
        Place(self.profiles.get_with(ico.to_owned(), Profiles::default))
    }

    /// Caches a profile until a part of it becomes stale, at most for the configured time.
    pub fn put(
        &self,
        place: &Place,
        scopes: &str,
        profile: Arc<Profile>,
        fresh_until: OffsetDateTime,
        now: OffsetDateTime,
    ) {
        if self.span.is_zero() || fresh_until <= now {
            return;
        }
        let until = fresh_until.min(now + self.span);
        let mut profiles = place.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Bounds the memory of one company if a caller keeps varying the scopes.
        if profiles.len() >= 16 {
            profiles.clear();
        }
        profiles.insert(scopes.to_owned(), CachedProfile { profile, until });
    }

    /// Drops a company's profiles.
    pub fn forget(&self, ico: &str) {
        self.profiles.invalidate(ico);
    }

    /// Drops all profiles, after an import.
    pub fn forget_all(&self) {
        self.profiles.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use time::macros::datetime;

    use super::*;
    use crate::companies::Source;

    #[test]
    fn profile_read_before_a_change_is_not_kept() {
        let cache = ProfileCache::new(&FreshnessConfig::default());
        let profile = Arc::new(Profile {
            body: Bytes::new(),
            cached_body: Bytes::new(),
            etag: String::new(),
            stale: false,
            source: Source::Database,
        });
        let now = datetime!(2026-01-15 08:00 UTC);
        let until = datetime!(2026-01-16 08:00 UTC);
        let keep = |place: &Place| cache.put(place, "tax", Arc::clone(&profile), until, now);
        let before = cache.place("99999994");
        cache.forget("99999994");
        keep(&before);
        assert!(cache.get("99999994", "tax", now).is_none());
        let after = cache.place("99999994");
        keep(&after);
        assert!(cache.get("99999994", "tax", now).is_some());
        let state = cache.state();
        assert_eq!((state.hits, state.misses, state.companies), (1, 0, 1));
        cache.forget_all();
        keep(&after);
        assert!(cache.get("99999994", "tax", now).is_none());
    }
}
