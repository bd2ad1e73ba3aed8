//! Refreshes watched companies in the background, without the time budget of a request.

use std::collections::BTreeSet;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::fetch::FetchError;
use super::freshness::{self, Freshness};
use super::part::Part;
use super::refresh::{FetchGuard, REFRESH_LEASE};
use super::stored_profile::StoredProfile;
use super::{AllowedScopes, Companies};
use crate::store::{StoreError, StoredCompany};

/// Shortest interval between two refreshes of a company. Limits the requests for a part that stays due.
const MIN_INTERVAL: Duration = Duration::from_secs(60);

/// How often one refresh re-evaluates what is due. A part that is always due waits for the next refresh.
const MAX_PASSES: u32 = 5;

impl Companies {
    /// Fetches all stale parts of a company that these plans include. Returns when the company is due next.
    /// Data of live registers older than `oldest` is read again, even if responses may still use it.
    ///
    /// # Errors
    /// The store failed. A part that cannot be read is not an error: it is retried later.
    pub async fn refresh_watched(
        &self,
        ico: &str,
        plans: &[String],
        oldest: Duration,
    ) -> Result<OffsetDateTime, StoreError> {
        let asked_at = self.now();
        let retry = Duration::from_secs(self.0.freshness.failed_retry_seconds);
        let company = match self.0.context.store.companies().find_by_ico(ico).await? {
            Some(company) => company,
            None => match self.fetch_base(ico).await {
                Ok(Some(found)) => found.company,
                Ok(None) => return Ok(freshness::later(asked_at, oldest)),
                Err(FetchError::Store(error)) => return Err(error),
                Err(FetchError::Call(failure)) => {
                    tracing::info!(%failure, "look-up of a watched company failed; retrying later");
                    return Ok(freshness::later(asked_at, retry.max(MIN_INTERVAL)));
                }
            },
        };
        let config = self.context().config();
        let plans: Vec<_> = plans
            .iter()
            .filter_map(|plan| config.plans.get(plan))
            .collect();
        let scopes = AllowedScopes::of_plans(&plans, &self.connectors().catalogue());
        let companies = self.0.context.store.companies();
        // Fetched details decide which sections apply, and time passes while registers answer, so evaluate
        // again. Failed parts are not due again immediately.
        for _pass in 0..MAX_PASSES {
            let parts = companies.parts(ico, scopes.iter()).await?;
            let stored = StoredProfile::no_older(self, &company, &scopes, parts, asked_at, oldest);
            let due: Vec<Part> = [Freshness::Missing, Freshness::Stale]
                .into_iter()
                .flat_map(|due| stored.due_parts(due))
                .collect();
            if due.is_empty() {
                break;
            }
            self.fetch_all(&company, due).await;
        }
        let parts = companies.parts(ico, scopes.iter()).await?;
        let stored = StoredProfile::no_older(self, &company, &scopes, parts, asked_at, oldest);
        let now = self.now();
        let next = stored.due_again(now, &self.0.freshness);
        Ok(next.clamp(
            now + MIN_INTERVAL,
            freshness::later(now, oldest.max(MIN_INTERVAL)),
        ))
    }

    /// Fetches parts concurrently and waits for all of them. Skips a part that a request or another host is fetching.
    async fn fetch_all(&self, company: &StoredCompany, parts: Vec<Part>) {
        let mut fetches = JoinSet::new();
        let mut names = BTreeSet::new();
        for part in parts {
            let name = format!("{}:{}", company.base.ico, part.name());
            if !names.insert(name.clone()) {
                continue;
            }
            let (this, company) = (self.clone(), company.clone());
            if !self.begin(&name) {
                // A request is fetching the part: wait for its result.
                fetches.spawn(async move { this.fetch_ended(&name).await });
                continue;
            }
            let guard = FetchGuard {
                companies: this.clone(),
                name: name.clone(),
            };
            let fetch = async move {
                let _guard = guard;
                let lease = format!("refresh:{name}");
                let (leases, host) = (this.0.context.store.leases(), &this.0.host);
                let leased = leases
                    .acquire(&lease, host, REFRESH_LEASE, this.now())
                    .await;
                if !matches!(leased, Ok(true)) {
                    return;
                }
                if let Err(error) = this.fetch(&company, part).await {
                    tracing::info!(part = %name, %error, "refresh of a watched company's part failed");
                }
                if let Err(error) = leases.release(&lease, host).await {
                    tracing::warn!(%error, "lease of a refresh could not be released; it expires by itself");
                }
            };
            let background = &self.connectors().services.background;
            fetches.spawn_on(fetch.in_current_span(), background.handle());
        }
        while fetches.join_next().await.is_some() {}
    }
}
