//! Assembled profiles in memory, by company, so that a company's are dropped together when one of its parts changes.
//!
//! Answers from here cost nothing, so that reading and keeping are apart: a profile is kept only by callers that know
//! that it was paid for. Invariant: a profile that was assembled before its company was dropped is not kept after.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use time::OffsetDateTime;

use super::assemble::Profile;
use crate::config::Freshness;

type Profiles = Arc<Mutex<BTreeMap<String, Kept>>>;

/// Where the profiles of a company are kept, taken before its parts are read. Once the company has been dropped,
/// whatever is put here is not found any more.
#[derive(Clone)]
pub struct Place(Profiles);

#[derive(Clone)]
struct Kept {
    profile: Arc<Profile>,
    until: OffsetDateTime,
}

/// The cache. Only fresh profiles come in, and they leave before a part of them goes stale.
pub struct ProfileCache {
    profiles: moka::sync::Cache<String, Profiles>,
    span: Duration,
}

impl ProfileCache {
    /// A cache of the configured size.
    pub fn new(freshness: &Freshness) -> Self {
        let span = Duration::from_secs(freshness.cache_seconds);
        // A profile with all scopes takes some 10 kB; counting companies keeps the accounting cheap.
        let companies = freshness.cache_mib.saturating_mul(1 << 20) / 16_384;
        let profiles = moka::sync::Cache::builder()
            .max_capacity(companies.max(1))
            .time_to_live(span.max(Duration::from_secs(1)))
            .build();
        Self { profiles, span }
    }

    /// The profile of a company with these scopes.
    pub fn get(&self, ico: &str, scopes: &str, now: OffsetDateTime) -> Option<Arc<Profile>> {
        let profiles = self.profiles.get(ico)?;
        let profiles = profiles
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        profiles
            .get(scopes)
            .filter(|kept| now < kept.until)
            .map(|kept| Arc::clone(&kept.profile))
    }

    /// The place of a company's profiles, to be taken before anything of the company is read.
    pub fn place(&self, ico: &str) -> Place {
        Place(self.profiles.get_with(ico.to_owned(), Profiles::default))
    }

    /// Keeps a profile until a part of it goes stale, at most for the configured span.
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
        let mut profiles = place
            .0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // A caller who varies the scopes must not fill the memory of one company.
        if profiles.len() >= 16 {
            profiles.clear();
        }
        profiles.insert(scopes.to_owned(), Kept { profile, until });
    }

    /// Drops a company's profiles.
    pub fn forget(&self, ico: &str) {
        self.profiles.invalidate(ico);
    }

    /// Drops everything, after an import.
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
        let cache = ProfileCache::new(&Freshness::default());
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
        cache.forget_all();
        keep(&after);
        assert!(cache.get("99999994", "tax", now).is_none());
    }
}
