//! Calls that cost nothing, counted in memory and written together.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use time::Date;

use crate::store::{AccountId, Store, StoreError, UsageOfDay};

/// Counts that are not written yet.
#[derive(Default)]
pub struct Uncharged {
    counts: Mutex<HashMap<Key, Counts>>,
    /// Held while counts are written, so that a second writer returns only when they can be read.
    writing: tokio::sync::Mutex<()>,
}

type Key = (AccountId, Date, &'static str);

#[derive(Clone, Copy, Default)]
struct Counts {
    requests: i64,
    cached: i64,
}

impl Uncharged {
    pub fn count(&self, account_id: AccountId, day: Date, endpoint: &'static str, cached: bool) {
        let one = Counts {
            requests: 1,
            cached: i64::from(cached),
        };
        self.add((account_id, day, endpoint), one);
    }

    fn add(&self, key: Key, counts: Counts) {
        let mut all = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = all.entry(key).or_default();
        sum.requests += counts.requests;
        sum.cached += counts.cached;
    }

    /// Writes the counts. Must not be cancelled: counts that were taken and not written would be lost.
    ///
    /// # Errors
    /// The store failed; the counts are kept.
    pub async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let _writing = self.writing.lock().await;
        let taken =
            std::mem::take(&mut *self.counts.lock().unwrap_or_else(PoisonError::into_inner));
        let row = |(&(account_id, day, endpoint), counts): (&Key, &Counts)| UsageOfDay {
            account_id,
            day,
            endpoint: endpoint.to_owned(),
            requests: counts.requests,
            cached: counts.cached,
            credits: 0,
            overage: 0,
        };
        let rows: Vec<UsageOfDay> = taken.iter().map(row).collect();
        let written = store.billing().add_usage(&rows).await;
        if written.is_err() {
            for (key, counts) in taken {
                self.add(key, counts);
            }
        }
        written
    }
}
