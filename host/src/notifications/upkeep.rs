//! What is done now and then: watched companies are refreshed, webhooks that only fail are paused, what is old is
//! deleted.

use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument;

use super::Notifier;
use super::phrases::Phrases;
use crate::clock::rfc3339;
use crate::store::{ClaimedWatch, Consent, FailingWebhook, NewMail, StoreError};

/// How long a watched company may take to be refreshed, before another host may do it.
const LEASE: Duration = Duration::from_secs(300);

/// Between two looks at what only happens in days.
const PAUSE: Duration = Duration::from_secs(60);

impl Notifier {
    /// Refreshes watched companies that are due, a few of them, and waits for it; how many. 0: none is due.
    ///
    /// # Errors
    /// The store failed; what was claimed is due again when its claim ends.
    pub async fn refresh_due(&self) -> Result<usize, StoreError> {
        let turns = self.settings().refresh_at_once;
        let claimed = self.claim_watched(turns).await?;
        let count = claimed.len();
        let refreshes = claimed
            .into_iter()
            .map(|(watch, until)| self.refresh(watch, until));
        for refreshed in futures_util::future::join_all(refreshes).await {
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

    /// Refreshes watched companies for ever.
    pub(super) async fn watch(self) {
        let poll = Duration::from_millis(self.settings().poll_ms);
        loop {
            let Ok(turn) = Arc::clone(&self.0.refreshing).acquire_owned().await else {
                return;
            };
            match self.claim_watched(1).await {
                Ok(claimed) if claimed.is_empty() => drop(turn),
                Ok(claimed) => {
                    let this = self.clone();
                    tokio::spawn(async move {
                        let _turn = turn;
                        for (watch, until) in claimed {
                            if let Err(error) = this.refresh(watch, until).await {
                                tracing::error!(%error, "a watched company could not be refreshed");
                            }
                        }
                    });
                    continue;
                }
                Err(error) => {
                    tracing::error!(%error, "watched companies could not be claimed");
                    drop(turn);
                }
            }
            tokio::select! {
                () = self.store().signals().watches.notified() => {}
                () = tokio::time::sleep(poll) => {}
            }
        }
    }

    /// Pauses webhooks of which every attempt has failed for too long, and tells their account by e-mail; how many.
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
            // The notice first: a host that dies in between tells of what is done a moment later.
            self.tell_of_pause(webhook).await?;
            let subscriptions = self.store().subscriptions();
            paused += usize::from(subscriptions.pause(webhook, &why, self.now()).await?);
        }
        Ok(paused)
    }

    async fn tell_of_pause(&self, webhook: &FailingWebhook) -> Result<(), StoreError> {
        let mut emails = self.store().subscriptions().emails(webhook.number).await?;
        let thresholds = self
            .store()
            .billing()
            .thresholds(webhook.account_id)
            .await?;
        emails.extend(thresholds.emails);
        emails.sort();
        emails.dedup();
        let consents = self.store().recipients();
        let consents = consents.consents(webhook.account_id, &emails).await?;
        let mut consents = consents.into_iter();
        emails.retain(|_| {
            !matches!(
                consents.next().flatten(),
                Some(Consent::Unsubscribed | Consent::Asked)
            )
        });
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
                created_at: self.now(),
            };
            self.store().mail().add(&mail).await?;
        }
        Ok(())
    }

    /// Deletes what is older than the settings want it kept, a slice of it. False: nothing is.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sweep(&self) -> Result<bool, StoreError> {
        let days = u64::from(self.settings().keep_days);
        // No window of a limit is longer.
        let two_days = Duration::from_secs(2 * 86_400);
        self.store().sendings().sweep(self.now() - two_days).await?;
        let before = self.now() - Duration::from_secs(days * 86_400);
        self.store().events().sweep(before).await
    }

    /// Does both for ever.
    pub(super) async fn keep_up(self) {
        loop {
            match self.pause_failing().await {
                Ok(0) => {}
                Ok(paused) => tracing::warn!(
                    "{paused} webhooks were paused: every attempt had failed for too long"
                ),
                Err(error) => tracing::error!(%error, "failing webhooks could not be paused"),
            }
            loop {
                match self.sweep().await {
                    Ok(true) => tokio::task::yield_now().await,
                    Ok(false) => break,
                    Err(error) => {
                        tracing::error!(%error, "old events could not be deleted");
                        break;
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
