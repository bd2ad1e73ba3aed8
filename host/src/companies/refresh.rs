//! Fetches parts: immediately and within a request's budget, or in the background once a part is stale.
//!
//! At most one fetch of a part runs at a time: in this process by its name, across hosts by a lease.

use std::collections::BTreeSet;
use std::slice;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::Companies;
use super::fetch::FetchError;
use super::part::Part;
use crate::store::{StoreError, StoredCompany};

/// Lease on a refresh; afterwards another host may take it over.
pub(super) const REFRESH_LEASE: Duration = Duration::from_secs(120);

impl Companies {
    /// Fetches parts and waits for them up to the budget. Slower fetches continue in the background. Returns
    /// whether a register was asked.
    pub(super) async fn fetch_within_budget(
        &self,
        company: &StoredCompany,
        parts: Vec<Part>,
    ) -> bool {
        let (extending, others): (Vec<Part>, Vec<Part>) =
            parts.into_iter().partition(Part::extends_details);
        let mut requests = 0;
        let all = async {
            for parts in [others, extending] {
                let mut fetches = self.start_fetches(company, parts);
                while let Some(made) = fetches.join_next().await {
                    requests += made.unwrap_or_default();
                }
            }
        };
        let budget = Duration::from_millis(self.0.freshness.live_budget_ms);
        // Dropping the set of fetches only stops the waiting; the fetches are separate tasks.
        let in_time = tokio::time::timeout(budget, all).await.is_ok();
        requests > 0 || !in_time
    }

    /// Starts to fetch parts, unless other requests are fetching them. The results are the numbers of requests.
    fn start_fetches(&self, company: &StoredCompany, parts: Vec<Part>) -> JoinSet<u64> {
        let mut fetches = JoinSet::new();
        for part in parts {
            let name = format!("{}:{}", company.base.ico, part.name());
            let (this, company) = (self.clone(), company.clone());
            if self.begin(&name) {
                let fetch = async move {
                    let _guard = FetchGuard {
                        companies: this.clone(),
                        name,
                    };
                    this.fetch(&company, part).await.unwrap_or_default()
                };
                let background = &self.connectors().services.background;
                let fetching = background.spawn(fetch.in_current_span());
                fetches.spawn(async move { fetching.await.unwrap_or_default() });
            } else {
                // Another request is already fetching this part: wait for its result.
                fetches.spawn(async move {
                    this.fetch_ended(&name).await;
                    1
                });
            }
        }
        fetches
    }

    /// Starts a background refresh of a part, unless this or another host is already refreshing it.
    ///
    /// `asked_at` is when the caller read the part's age from the store.
    pub(super) fn start_refresh(
        &self,
        company: &StoredCompany,
        part: Part,
        asked_at: OffsetDateTime,
    ) {
        let name = format!("{}:{}", company.base.ico, part.name());
        if !self.begin(&name) {
            return;
        }
        let (this, company) = (self.clone(), company.clone());
        let refresh = async move {
            let _guard = FetchGuard {
                companies: this.clone(),
                name: name.clone(),
            };
            let lease = format!("refresh:{name}");
            let leases = this.0.context.store.leases();
            match leases
                .acquire(&lease, &this.0.host, REFRESH_LEASE, this.now())
                .await
            {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "lease of a refresh could not be acquired");
                    return;
                }
            }
            // Another host may have finished between reading the store and acquiring the lease.
            let tried = this.tried_since(&company.base.ico, &part, asked_at).await;
            if matches!(tried, Ok(true)) {
                tracing::debug!(part = %name, "another refresh came first");
            } else if let Err(error) = this.fetch(&company, part).await {
                tracing::info!(company.ico = %company.base.ico, part = %name, %error, "refresh failed; the stored part stays in use");
            }
            if let Err(error) = leases.release(&lease, &this.0.host).await {
                tracing::warn!(%error, "lease of a refresh could not be released; it expires by itself");
            }
        };
        let background = &self.connectors().services.background;
        drop(background.spawn(refresh.in_current_span()));
    }

    /// Whether a fetch of the part succeeded or failed since a time.
    async fn tried_since(
        &self,
        ico: &str,
        part: &Part,
        since: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let store = &self.0.context.store;
        let times = match part {
            Part::Base => {
                let company = store.companies().find_by_ico(ico).await?;
                [company.map(|company| company.fetched_at), None]
            }
            Part::Details(loaded) => {
                let details = store.details().find(ico).await?;
                let own = details
                    .iter()
                    .find(|details| details.connector == loaded.manifest.id);
                [
                    own.and_then(|details| details.fetched_at),
                    own.and_then(|details| details.failed_at),
                ]
            }
            Part::Section { scope, .. } => {
                let sections = store.sections().find(ico, slice::from_ref(scope)).await?;
                let own = sections.first();
                [
                    own.and_then(|section| section.fetched_at),
                    own.and_then(|section| section.failed_at),
                ]
            }
        };
        Ok(times.into_iter().flatten().any(|tried| tried >= since))
    }

    /// Fetches and stores one part. Returns the number of requests to registers.
    pub(super) async fn fetch(
        &self,
        company: &StoredCompany,
        part: Part,
    ) -> Result<u64, FetchError> {
        let fetched = match &part {
            Part::Base => self.refresh_base(company).await.map(|()| 1),
            Part::Details(loaded) => self.fetch_details(loaded, company).await,
            Part::Section {
                loaded,
                scope,
                previous,
            } => {
                self.fetch_section(loaded, company, scope, previous.as_deref())
                    .await
            }
        };
        self.0.cache.forget(&company.base.ico);
        fetched
    }

    pub(super) fn begin(&self, name: &str) -> bool {
        self.under_way().insert(name.to_owned())
    }

    /// Waits until a fetch of this name ends in this process.
    pub(super) async fn fetch_ended(&self, name: &str) {
        let mut arrived = self.0.arrived.subscribe();
        while self.under_way().contains(name) {
            if arrived.changed().await.is_err() {
                return;
            }
        }
    }

    fn under_way(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0
            .under_way
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Waits until no fetch is running, for tests and a graceful shutdown.
    pub async fn wait_idle(&self) {
        let mut arrived = self.0.arrived.subscribe();
        while !self.under_way().is_empty() {
            if arrived.changed().await.is_err() {
                return;
            }
        }
    }
}

/// Marks a fetch as finished when dropped.
pub(super) struct FetchGuard {
    pub(super) companies: Companies,
    pub(super) name: String,
}

impl Drop for FetchGuard {
    fn drop(&mut self) {
        self.companies.under_way().remove(&self.name);
        self.companies.0.arrived.send_modify(|count| *count += 1);
    }
}
