//! Keeping a watched company up to date without anybody asking: as a question for all its parts, but with time.

use std::collections::BTreeSet;
use std::time::Duration;

use time::OffsetDateTime;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::fetch::FetchError;
use super::freshness::{self, Due};
use super::known::Known;
use super::profile::Part;
use super::refresh::{Ended, REFRESH_LEASE};
use super::{AllowedScopes, Companies};
use crate::store::{StoreError, StoredCompany};

/// Between two looks at least, so that a part that stays due is not asked for all the time.
const SHORTEST: Duration = Duration::from_secs(60);

/// Looks at what is due, one after the other, until something that is always due is left to the next time.
const LOOKS: u32 = 5;

impl Companies {
    /// Fetches every part of a company that is out of date, of those that these plans have, and gives when the company
    /// is to be looked at again. What live registers say is read again when it is older than `oldest`, however long an
    /// answer may go on with it.
    ///
    /// # Errors
    /// The store failed. A part that cannot be read is none: it is tried again.
    pub async fn refresh_watched(
        &self,
        ico: &str,
        plans: &[String],
        oldest: Duration,
    ) -> Result<OffsetDateTime, StoreError> {
        let asked_at = self.now();
        let retry = Duration::from_secs(self.0.freshness.failed_retry_seconds);
        let company = match self.0.store.companies().find_by_ico(ico).await? {
            Some(company) => company,
            None => match self.fetch_base(ico).await {
                Ok(Some(found)) => found.company,
                Ok(None) => return Ok(freshness::later(asked_at, oldest)),
                Err(FetchError::Store(error)) => return Err(error),
                Err(FetchError::Call(failure)) => {
                    tracing::info!(%failure, "a watched company could not be looked up");
                    return Ok(freshness::later(asked_at, retry.max(SHORTEST)));
                }
            },
        };
        let config = self.config();
        let plans: Vec<_> = plans
            .iter()
            .filter_map(|plan| config.plans.get(plan))
            .collect();
        let scopes = AllowedScopes::of_plans(&plans, &self.connectors().catalogue());
        let datasets = self.0.store.datasets().states().await?;
        // Details say which sections apply, and time passes while registers answer: another look may find more. What
        // failed is not found again at once.
        for _look in 0..LOOKS {
            let known =
                Known::read_no_older(self, &company, &scopes, &datasets, asked_at, oldest).await?;
            let due: Vec<Part> = [Due::Now, Due::Refresh]
                .into_iter()
                .flat_map(|due| known.due_parts(due))
                .collect();
            if due.is_empty() {
                break;
            }
            self.fetch_all(&company, due).await;
        }
        let known =
            Known::read_no_older(self, &company, &scopes, &datasets, asked_at, oldest).await?;
        let now = self.now();
        let next = known.due_again(now, &self.0.freshness);
        Ok(next.clamp(now + SHORTEST, freshness::later(now, oldest.max(SHORTEST))))
    }

    /// Fetches parts side by side and waits for all of them. One that somebody else is at is left to them.
    async fn fetch_all(&self, company: &StoredCompany, parts: Vec<Part>) {
        let mut fetches = JoinSet::new();
        let mut names = BTreeSet::new();
        for part in parts {
            let name = format!("{}:{}", company.base.ico, part.name());
            if !names.insert(name.clone()) {
                continue;
            }
            let (this, company) = (self.clone(), company.clone());
            let fetch = async move {
                // A question that is under way is waited for: it answers this one too.
                let mut arrived = this.0.arrived.subscribe();
                while !this.begin(&name) {
                    if arrived.changed().await.is_err() {
                        return;
                    }
                }
                let _ended = Ended {
                    companies: this.clone(),
                    name: name.clone(),
                };
                let lease = format!("refresh:{name}");
                let (leases, host) = (this.0.store.leases(), &this.0.host);
                let leased = leases
                    .acquire(&lease, host, REFRESH_LEASE, this.now())
                    .await;
                if !matches!(leased, Ok(true)) {
                    return;
                }
                if let Err(error) = this.fetch(&company, part).await {
                    tracing::info!(part = %name, %error, "a part of a watched company could not be read");
                }
                if let Err(error) = leases.release(&lease, host).await {
                    tracing::warn!(%error, "a refresh's lease could not be given back; it ends by itself");
                }
            };
            fetches.spawn(fetch.in_current_span());
        }
        while fetches.join_next().await.is_some() {}
    }
}
