//! Claims due deliveries, has them attempted, and records every attempt.
//!
//! Recipients are selected earlier, when the event is fanned out. Invariant: no database transaction is open
//! during a network request.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::{mpsc, watch};

use super::subscription_data::SubscriptionData;
use super::webhook::GONE;
use super::{Notifier, Stopping};
use crate::store::{Attempt, AttemptOutcome, ClaimedDelivery, StoreError};

/// Time for recording the result: a claim lasts this much longer than the attempt's timeout.
const MARGIN: Duration = Duration::from_secs(45);

const QUEUES: u32 = 64;

/// Attempts that one transaction records at most.
const GROUP: usize = 256;

/// Time for attempts in flight when the host stops. Later ones are interrupted.
const STOP: Duration = Duration::from_secs(2);

/// Pause between two claims while attempts are in flight. Deliveries that arrive meanwhile share one claim.
const CLAIM_PAUSE: Duration = Duration::from_millis(4);

impl Notifier {
    /// Claims due deliveries, sends them and records the attempts. Returns their number; 0 means that none was
    /// due.
    ///
    /// # Errors
    /// The store failed. Claimed deliveries become due again when their claims expire.
    pub async fn send_due(&self) -> Result<usize, StoreError> {
        let (claimed, data) = self.claim().await?;
        let attempts = join_all(
            claimed
                .into_iter()
                .map(|delivery| self.attempt(delivery, &data)),
        )
        .await;
        let attempts: Vec<Attempt> = attempts.into_iter().flatten().collect();
        self.record(&attempts).await?;
        Ok(attempts.len())
    }

    /// Claims as many due deliveries as may be in flight.
    async fn claim(&self) -> Result<(Vec<ClaimedDelivery>, SubscriptionData), StoreError> {
        let receivers = self.receivers();
        let free = receivers.free_total();
        if free == 0 {
            return Ok((Vec::new(), SubscriptionData::default()));
        }
        let full = receivers.full_hosts(free);
        let full: Vec<&str> = full.iter().map(String::as_str).collect();
        let left = std::sync::atomic::AtomicU32::new(free);
        let free_of_host = |endpoint: &str| {
            use std::sync::atomic::Ordering::Relaxed;
            let free = receivers.free_of(endpoint, left.load(Relaxed));
            left.fetch_sub(free, Relaxed);
            free
        };
        let lease = self.webhooks().attempt().max(self.mailer().attempt()) + MARGIN;
        let deliveries = self.store().deliveries();
        let claimed = deliveries
            .claim(&full, QUEUES, &free_of_host, lease, self.now())
            .await?;
        let endpoints = claimed.iter().map(|delivery| delivery.endpoint.clone());
        let begun = receivers.begin_all(endpoints.collect());
        let data = self.subscription_data(&claimed).await?;
        begun.keep();
        Ok((claimed, data))
    }

    /// Records attempts, opens the circuits of unresponsive hosts, and ends targets that are gone or reject messages
    /// permanently.
    async fn record(&self, attempts: &[Attempt]) -> Result<(), StoreError> {
        if attempts.is_empty() {
            return Ok(());
        }
        let now = self.now();
        let mut open_until = HashMap::new();
        for attempt in attempts {
            let endpoint = &attempt.delivery.endpoint;
            if let Some(cooldown) = self.receivers().end(endpoint, attempt.outcome) {
                open_until.insert(endpoint.clone(), now + cooldown);
            }
        }
        let open_until: Vec<_> = open_until.into_iter().collect();
        self.write(attempts, &open_until).await?;
        for attempt in attempts {
            let delivery = &attempt.delivery;
            let subscriptions = self.store().subscriptions();
            let (number, target) = (delivery.subscription, delivery.target.as_str());
            if attempt.status == Some(GONE) {
                let why = "the receiver answered 410 Gone";
                subscriptions.end_webhook(number, target, why, now).await?;
            } else if attempt.outcome == AttemptOutcome::Refused {
                let why = attempt
                    .answer
                    .as_deref()
                    .unwrap_or("the mail server rejected it permanently");
                subscriptions.end_email(number, target, why, now).await?;
            }
        }
        Ok(())
    }

    /// Records attempts and retries while the store is unavailable. Unrecorded attempts would be sent again.
    async fn write(
        &self,
        attempts: &[Attempt],
        open_until: &[(String, time::OffsetDateTime)],
    ) -> Result<(), StoreError> {
        let mut pauses = [50, 200, 1_000, 3_000].into_iter();
        loop {
            let deliveries = self.store().deliveries();
            let written = deliveries.record(attempts, open_until, self.now()).await;
            match (written, pauses.next()) {
                (Ok(written), _) => {
                    if written < attempts.len() {
                        tracing::warn!(
                            "{} attempts took longer than their claims; their results were discarded",
                            attempts.len() - written
                        );
                    }
                    return Ok(());
                }
                (Err(error), Some(pause)) if error.is_unavailable() => {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
                (Err(error), _) => return Err(error),
            }
        }
    }

    /// Stops sending, before the workers end: no delivery is claimed any more, attempts that take too long are
    /// interrupted, and all of them are recorded. So other hosts need not wait until the claims expire.
    pub async fn leave(&self) {
        self.0.stopping.send_replace(Stopping::Claims);
        drop(tokio::time::timeout(STOP, self.0.recording.closed()).await);
        self.0.stopping.send_replace(Stopping::Attempts);
        self.0.recording.closed().await;
    }

    /// Waits until the host stops and has reached at least this step.
    pub(super) async fn until_stopping(&self, step: Stopping) {
        let mut stopping = self.0.stopping.subscribe();
        // The sender lives as long as this notifier.
        drop(stopping.wait_for(|reached| *reached >= step).await);
    }

    /// Worker loop: claims deliveries while capacity is free, and records finished attempts in groups. It completes
    /// when the host stops.
    pub(super) async fn send(self) {
        let (done, ended) = mpsc::channel::<Attempt>(4 * GROUP);
        let writing = tokio::spawn(
            self.clone()
                .write_ended(ended, self.0.recording.subscribe()),
        );
        let poll = Duration::from_millis(self.settings().poll_ms);
        while *self.0.stopping.borrow() == Stopping::Nothing {
            let claimed = match self.claim().await {
                Ok((claimed, data)) => {
                    let data = std::sync::Arc::new(data);
                    let count = claimed.len();
                    for delivery in claimed {
                        let (this, done) = (self.clone(), done.clone());
                        let data = std::sync::Arc::clone(&data);
                        tokio::spawn(async move {
                            match this.attempt(delivery, &data).await {
                                Some(attempt) => drop(done.send(attempt).await),
                                None => this.0.ended.notify_one(),
                            }
                        });
                    }
                    count
                }
                Err(error) => {
                    tracing::error!(%error, "due deliveries could not be claimed; retrying");
                    tokio::time::sleep(poll).await;
                    0
                }
            };
            if writing.is_finished() {
                // It only ends by a panic, because this function holds a sender. Passing the panic on makes the
                // supervisor restart both.
                if let Err(stopped) = writing.await
                    && let Ok(panic) = stopped.try_into_panic()
                {
                    std::panic::resume_unwind(panic);
                }
                return;
            }
            if claimed > 0 {
                tokio::time::sleep(CLAIM_PAUSE).await;
            } else {
                let woken = self.store().signals().deliveries.notified();
                let ended = self.0.ended.notified();
                tokio::select! {
                    () = woken => {}
                    () = ended => tokio::time::sleep(CLAIM_PAUSE).await,
                    () = tokio::time::sleep(poll) => {}
                    () = self.until_stopping(Stopping::Claims) => {}
                }
            }
        }
    }

    /// Records attempts in groups until all their senders are gone. Drops `_recording` after the last one.
    async fn write_ended(
        self,
        mut ended: mpsc::Receiver<Attempt>,
        _recording: watch::Receiver<()>,
    ) {
        let mut group = Vec::new();
        while ended.recv_many(&mut group, GROUP).await > 0 {
            if let Err(error) = self.record(&group).await {
                tracing::error!(%error, "attempts could not be recorded; their deliveries are sent again when the claims expire");
            }
            group.clear();
            self.0.ended.notify_one();
        }
    }
}
