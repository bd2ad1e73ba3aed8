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

use moka::ops::compute::Op;
use time::OffsetDateTime;

use super::assemble::Profile;
use crate::config::FreshnessConfig;

type Profiles = Arc<Mutex<BTreeMap<String, CachedProfile>>>;

/// Approximate memory of a company's slot and of a profile, without its body.
const OVERHEAD: usize = 512;

/// The cache slot of a company, taken before its parts are read. After the company has been dropped, writes to
/// the old slot have no effect.
#[derive(Clone)]
pub struct CacheSlot {
    ico: String,
    profiles: Profiles,
}

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
    pub bytes: u64,
    pub max_bytes: u64,
}

impl ProfileCache {
    /// A cache with the configured size.
    pub fn new(freshness: &FreshnessConfig) -> Self {
        let span = Duration::from_secs(freshness.cache_seconds);
        let profiles = moka::sync::Cache::builder()
            .weigher(|_, profiles| weight(profiles))
            .max_capacity(freshness.cache_mib.saturating_mul(1 << 20))
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
        CacheState {
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            companies: self.profiles.entry_count(),
            bytes: self.profiles.weighted_size(),
            max_bytes: self.profiles.policy().max_capacity().unwrap_or_default(),
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
    pub fn slot(&self, ico: &str) -> CacheSlot {
        CacheSlot {
            ico: ico.to_owned(),
            profiles: self.profiles.get_with(ico.to_owned(), Profiles::default),
        }
    }

    /// Caches a profile until a part of it becomes stale, at most for the configured time.
    pub fn put(
        &self,
        slot: &CacheSlot,
        scopes: &str,
        profile: &Profile,
        fresh_until: OffsetDateTime,
        now: OffsetDateTime,
    ) {
        if self.span.is_zero() || fresh_until <= now {
            return;
        }
        let cached = CachedProfile {
            profile: Arc::new(profile.cached()),
            until: fresh_until.min(now + self.span),
        };
        // Putting the slot back makes the cache weigh it again.
        let entry = self.profiles.entry_by_ref(&slot.ico);
        entry.and_compute_with(|entry| {
            let profiles = entry.map(moka::Entry::into_value);
            match profiles.filter(|profiles| Arc::ptr_eq(profiles, &slot.profiles)) {
                Some(profiles) => {
                    insert(&profiles, scopes, cached);
                    Op::Put(profiles)
                }
                None => Op::Nop,
            }
        });
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

fn insert(slot: &Profiles, scopes: &str, cached: CachedProfile) {
    let mut profiles = slot.lock().unwrap_or_else(PoisonError::into_inner);
    // Bounds the memory of one company if a caller keeps varying the scopes.
    if profiles.len() >= 16 {
        profiles.clear();
    }
    profiles.insert(scopes.to_owned(), cached);
}

/// Approximate memory of a company's profiles in bytes.
fn weight(slot: &Profiles) -> u32 {
    let profiles = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = profiles.values().map(|kept| kept.profile.body.len());
    let bytes = kept.map(|body| body + OVERHEAD).sum::<usize>() + OVERHEAD;
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn profile_read_before_a_change_is_not_kept() {
        let cache = ProfileCache::new(&FreshnessConfig::default());
        let profile = Profile::with_data("{}");
        let now = datetime!(2026-01-15 08:00 UTC);
        let until = datetime!(2026-01-16 08:00 UTC);
        let keep = |slot: &CacheSlot| cache.put(slot, "tax", &profile, until, now);
        let before = cache.slot("99999994");
        cache.forget("99999994");
        keep(&before);
        assert!(cache.get("99999994", "tax", now).is_none());
        let after = cache.slot("99999994");
        keep(&after);
        assert!(cache.get("99999994", "tax", now).is_some());
        let state = cache.state();
        assert_eq!((state.hits, state.misses, state.companies), (1, 0, 1));
        cache.forget_all();
        keep(&after);
        assert!(cache.get("99999994", "tax", now).is_none());
    }

    #[test]
    fn cache_takes_at_most_its_memory() {
        let settings = FreshnessConfig {
            cache_mib: 1,
            ..FreshnessConfig::default()
        };
        let cache = ProfileCache::new(&settings);
        let profile = Profile::with_data(&format!("\"{}\"", "x".repeat(200_000)));
        let now = datetime!(2026-01-15 08:00 UTC);
        let until = datetime!(2026-01-16 08:00 UTC);
        for scopes in 0..30 {
            let slot = cache.slot("99999994");
            cache.put(&slot, &scopes.to_string(), &profile, until, now);
            for ico in ["88888882", "77777770"] {
                cache.put(&cache.slot(ico), "tax", &profile, until, now);
            }
            let state = cache.state();
            let of_scopes = (0..30).map(|scopes| cache.get("99999994", &scopes.to_string(), now));
            let others = ["88888882", "77777770"].map(|ico| cache.get(ico, "tax", now));
            let kept = of_scopes.chain(others).flatten();
            let kept: usize = kept.map(|profile| profile.body.len()).sum();
            assert!(kept <= 1 << 20, "{kept} bytes, {state:?}");
            assert!(state.bytes >= kept as u64, "{kept} bytes, {state:?}");
        }
    }
}
