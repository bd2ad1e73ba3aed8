//! Assembled profiles in memory, by company, so that a company's are dropped together when one of its parts changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use time::OffsetDateTime;

use super::assemble::Profile;
use crate::config::Freshness;

type Profiles = Arc<Mutex<BTreeMap<String, Kept>>>;

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

    /// Keeps a profile until a part of it goes stale, at most for the configured span.
    pub fn put(
        &self,
        ico: &str,
        scopes: &str,
        profile: Arc<Profile>,
        fresh_until: OffsetDateTime,
        now: OffsetDateTime,
    ) {
        if self.span.is_zero() || fresh_until <= now {
            return;
        }
        let until = fresh_until.min(now + self.span);
        let profiles = self.profiles.get_with(ico.to_owned(), Profiles::default);
        let mut profiles = profiles
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
