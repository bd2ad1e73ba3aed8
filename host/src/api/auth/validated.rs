//! Keys that were validated within the last second, and their last use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use time::OffsetDateTime;

use crate::api::App;
use crate::store::{KeyOfAccount, Store, StoreError};

/// How long a validated key is cached. A revocation takes effect on every host within this time.
const TRUSTED: Duration = Duration::from_secs(1);

/// Interval at which the last use of keys is written, outside of requests.
const USED_PAUSE: Duration = Duration::from_secs(5);

/// Minimum time between two stored uses of a key by one host.
const USED_INTERVAL: time::Duration = time::Duration::minutes(1);

/// Cache of validated keys, and uses that are not stored yet.
#[derive(Clone)]
pub struct ValidatedKeys {
    keys: moka::sync::Cache<[u8; 32], Option<Arc<KeyOfAccount>>>,
    used: Arc<Mutex<HashMap<i64, OffsetDateTime>>>,
    /// The last use of each key that this host has stored, or is about to store.
    noted: moka::sync::Cache<i64, OffsetDateTime>,
}

impl Default for ValidatedKeys {
    fn default() -> Self {
        Self {
            keys: moka::sync::Cache::builder()
                .max_capacity(10_000)
                .time_to_live(TRUSTED)
                .build(),
            used: Arc::default(),
            noted: moka::sync::Cache::new(10_000),
        }
    }
}

impl ValidatedKeys {
    pub(super) fn note_used(&self, key_id: i64, now: OffsetDateTime) {
        let is_recent = |noted: OffsetDateTime| (now - noted).abs() < USED_INTERVAL;
        if self.noted.get(&key_id).is_some_and(is_recent) {
            return;
        }
        self.noted.insert(key_id, now);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.insert(key_id, now);
    }

    /// Makes this host read every key again, after a change of a key or a plan. Other hosts do so within a second.
    pub(in crate::api) fn forget(&self) {
        self.keys.invalidate_all();
    }

    /// Stores when keys were last used.
    ///
    /// # Errors
    /// The store failed. The values are kept for the next run.
    pub async fn write_used(&self, store: &Store) -> Result<(), StoreError> {
        let taken = std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner));
        let used: Vec<(i64, OffsetDateTime)> = taken.iter().map(|(key, at)| (*key, *at)).collect();
        let written = store.keys().touch_keys(&used).await;
        if written.is_err() {
            let mut newer = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            for (key, at) in taken {
                newer.entry(key).or_insert(at);
            }
        }
        written
    }

    /// Worker loop that stores the last use of keys.
    pub async fn run(self, store: Store) {
        loop {
            tokio::time::sleep(USED_PAUSE).await;
            if let Err(error) = self.write_used(&store).await {
                tracing::warn!(%error, "last use of keys could not be stored; retrying");
            }
        }
    }
}

/// Looks up a key that is neither expired nor revoked.
pub(super) async fn valid_key(
    app: &App,
    hash: &[u8; 32],
) -> Result<Option<Arc<KeyOfAccount>>, StoreError> {
    let known = match app.keys.keys.get(hash) {
        Some(known) => known,
        None => {
            let found = app.context.store.keys().find_key(hash).await?.map(Arc::new);
            app.keys.keys.insert(*hash, found.clone());
            found
        }
    };
    let now = app.context.now();
    let ended = |at: Option<OffsetDateTime>| at.is_some_and(|at| at <= now);
    Ok(known.filter(|key| {
        let ends = [key.expires_at, key.revoked_at, key.former_ends_at];
        !ends.into_iter().any(ended)
    }))
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn last_use_is_noted_once_a_minute() {
        let keys = ValidatedKeys::default();
        let start = datetime!(2026-01-15 08:00 UTC);
        let mut written = Vec::new();
        for seconds in [0, 1, 59, 60, 61, 130] {
            keys.note_used(1, start + time::Duration::seconds(seconds));
            let used = std::mem::take(&mut *keys.used.lock().expect("no holder panics"));
            written.extend(used.into_values().map(|at| (at - start).whole_seconds()));
        }
        assert_eq!(written, [0, 60, 130]);
    }
}
