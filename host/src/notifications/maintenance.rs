//! Periodic work: refreshes watched companies, pauses webhooks that keep failing and deletes old events.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tracing::Instrument;

use super::Notifier;
use super::phrases::Phrases;
use crate::clock::rfc3339;
use crate::store::{ClaimedWatch, FailingWebhook, NewMail, StoreError};

/// Lease on the refresh of a watched company; afterwards another host may do it.
const LEASE: Duration = Duration::from_secs(300);

/// Counters of rate limits that one step deletes.
const COUNTERS_OF_A_SLICE: u32 = 1_000;

/// Interval of work that changes over days.
const INTERVAL: Duration = Duration::from_secs(60);

impl Notifier {
    /// Refreshes a batch of due watched companies and waits for them. Returns their number; 0 means that none
    /// was due.
    ///
    /// # Errors
    /// The store failed. Claimed companies become due again when their claims expire.
    pub async fn refresh_due(&self) -> Result<usize, StoreError> {
        let turns = self.settings().refresh_at_once;
        let claimed = self.claim_watched(turns).await?;
        let count = claimed.len();
        // Tasks of their own, as those of the worker: joined in this one, they would compute one after the other.
        let mut refreshes = JoinSet::new();
        for (watch, until) in claimed {
            let this = self.clone();
            let refresh = async move { this.refresh(watch, until).await };
            refreshes.spawn(refresh.in_current_span());
        }
        for refreshed in refreshes.join_all().await {
            refreshed?;
        }
        Ok(count)
    }

    async fn claim_watched(
        &self,
        most: u32,
    ) -> Result<Vec<(ClaimedWatch, time::OffsetDateTime)>, StoreError> {
        let now = self.now();
        let claimed = self.store().watches().claim(most, LEASE, now).await?;
        Ok(claimed
            .into_iter()
            .map(|watch| (watch, now + LEASE))
            .collect())
    }

    async fn refresh(
        &self,
        watch: ClaimedWatch,
        until: time::OffsetDateTime,
    ) -> Result<(), StoreError> {
        let span = tracing::info_span!("watch", company.ico = %watch.ico);
        let plans = self.store().watches().plans(&watch.ico).await?;
        let oldest = Duration::from_secs(u64::from(self.settings().refresh_hours) * 3_600);
        let next = self
            .companies()
            .refresh_watched(&watch.ico, &plans, oldest)
            .instrument(span)
            .await?;
        self.store().watches().finish(&watch, until, next).await
    }

    /// Worker loop that refreshes watched companies.
    pub(super) async fn watch(self) {
        let poll = Duration::from_millis(self.settings().poll_ms);
        loop {
            let Ok(permit) = Arc::clone(&self.0.refreshing).acquire_owned().await else {
                return;
            };
            match self.claim_watched(1).await {
                Ok(claimed) if claimed.is_empty() => drop(permit),
                Ok(claimed) => {
                    let this = self.clone();
                    tokio::spawn(async move {
                        let _permit = permit;
                        for (watch, until) in claimed {
                            if let Err(error) = this.refresh(watch, until).await {
                                tracing::error!(%error, "refresh of a watched company failed");
                            }
                        }
                    });
                    continue;
                }
                Err(error) => {
                    tracing::error!(%error, "watched companies could not be claimed; retrying");
                    drop(permit);
                }
            }
            tokio::select! {
                () = self.store().signals().watches.notified() => {}
                () = tokio::time::sleep(poll) => {}
            }
        }
    }

    /// Pauses webhooks whose attempts have all failed for too long, and notifies their accounts by e-mail.
    /// Returns their number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn pause_failing(&self) -> Result<usize, StoreError> {
        let hours = self.settings().pause_after_hours;
        let span = Duration::from_secs(u64::from(hours) * 3_600);
        let failing = self.store().subscriptions().failing_for(span, 100).await?;
        let mut paused = 0;
        for webhook in &failing {
            let began = rfc3339(webhook.failing_since);
            let why = format!("every attempt has failed since {began}");
            // Queue the notice first: after a crash in between, the pause follows on the next run.
            self.send_pause_notice(webhook).await?;
            let subscriptions = self.store().subscriptions();
            paused += usize::from(subscriptions.pause(webhook, &why, self.now()).await?);
        }
        Ok(paused)
    }

    async fn send_pause_notice(&self, webhook: &FailingWebhook) -> Result<(), StoreError> {
        let mut emails = self.store().subscriptions().emails(webhook.number).await?;
        let thresholds = self
            .store()
            .billing()
            .thresholds(webhook.account_id)
            .await?;
        emails.extend(thresholds.emails);
        emails.sort();
        emails.dedup();
        let language = self.language_of(webhook.account_id).await?;
        let (subject, body) = Phrases(language).paused(webhook);
        for recipient in emails {
            let mail = NewMail {
                occasion: format!(
                    "webhook paused: {} since {}",
                    webhook.id,
                    rfc3339(webhook.failing_since)
                ),
                recipient,
                subject: subject.clone(),
                body: body.clone(),
                sealed: false,
                account: Some(webhook.account_id),
                created_at: self.now(),
            };
            self.store().mail().add(&mail).await?;
        }
        Ok(())
    }

    /// Deletes events, changes and counters past their retention time.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let send_limits = self.store().send_limits();
        // No rate limit has a longer window.
        let unused = self.now() - Duration::from_secs(2 * 86_400);
        while send_limits.sweep(unused, COUNTERS_OF_A_SLICE).await?
            >= u64::from(COUNTERS_OF_A_SLICE)
        {}
        let kept = Duration::from_secs(u64::from(self.settings().keep_days) * 86_400);
        self.store().events().sweep(self.now() - kept).await?;
        Ok(())
    }

    /// Worker loop of pausing and deleting.
    pub(super) async fn maintain(self) {
        loop {
            match self.pause_failing().await {
                Ok(0) => {}
                Ok(paused) => {
                    tracing::warn!("{paused} webhooks were paused after failing for too long");
                }
                Err(error) => {
                    tracing::error!(%error, "failing webhooks could not be paused; retrying");
                }
            }
            if let Err(error) = self.sweep().await {
                tracing::error!(%error, "old events could not be deleted; retrying");
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }
}
