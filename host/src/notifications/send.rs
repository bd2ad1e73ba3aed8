//! Sends deliveries and writes down every attempt.
//!
//! Who is told what was decided earlier. Invariant: no transaction is open while somebody else's server answers.

use std::collections::HashMap;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::mpsc;
use tracing::Instrument;

use super::letter::notice;
use super::sign::{self, Message};
use super::webhook::{GONE, Reply};
use super::{Notifier, schedule};
use crate::config::Secret;
use crate::mail::NewLetter;
use crate::store::{Attempt, ClaimedDelivery, Outcome, State, StoreError};

/// How much longer than an attempt its claim holds: time to write down what became of it.
const MARGIN: Duration = Duration::from_secs(45);

/// Queues that one claim takes from.
const QUEUES: u32 = 64;

/// Attempts that are written together at most.
const GROUP: usize = 256;

/// Claims of one delivery that nobody finished, beyond its attempts, until it is given up.
const UNFINISHED: i64 = 3;

/// Between two claims while attempts are under way: what arrives meanwhile is claimed together.
const BREATH: Duration = Duration::from_millis(4);

/// Secrets of subscriptions by their number; none: it cannot be opened.
type Secrets = HashMap<i64, Option<Vec<Secret>>>;

impl Notifier {
    /// Claims what is due, sends it, and writes what became of it; how many attempts. 0: nothing was due.
    ///
    /// # Errors
    /// The store failed; what was claimed is due again when its claim ends.
    pub async fn send_due(&self) -> Result<usize, StoreError> {
        let (claimed, secrets) = self.claim().await?;
        let attempts = join_all(
            claimed
                .into_iter()
                .map(|delivery| self.attempt(delivery, &secrets)),
        )
        .await;
        self.record(&attempts).await?;
        Ok(attempts.len())
    }

    /// Claims what there is room for.
    async fn claim(&self) -> Result<(Vec<ClaimedDelivery>, Secrets), StoreError> {
        let health = self.health();
        let free = health.free();
        if free == 0 {
            return Ok((Vec::new(), Secrets::new()));
        }
        let full = health.full();
        let full: Vec<&str> = full.iter().map(String::as_str).collect();
        let left = std::sync::atomic::AtomicU32::new(free);
        let room = |endpoint: &str| {
            use std::sync::atomic::Ordering::Relaxed;
            let room = health.room(endpoint).min(left.load(Relaxed));
            left.fetch_sub(room, Relaxed);
            room
        };
        let lease = self.webhooks().attempt().max(self.mailer().attempt()) + MARGIN;
        let deliveries = self.store().deliveries();
        let claimed = deliveries
            .claim(&full, QUEUES, &room, lease, self.now())
            .await?;
        for delivery in &claimed {
            health.begin(&delivery.endpoint);
        }
        match self.secrets(&claimed).await {
            Ok(secrets) => Ok((claimed, secrets)),
            Err(error) => {
                for delivery in &claimed {
                    health.end(&delivery.endpoint, Outcome::Unknown);
                }
                Err(error)
            }
        }
    }

    async fn secrets(&self, claimed: &[ClaimedDelivery]) -> Result<Secrets, StoreError> {
        let webhooks = claimed
            .iter()
            .filter(|delivery| delivery.channel == "webhook");
        let mut numbers: Vec<i64> = webhooks.map(|delivery| delivery.subscription).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            return Ok(Secrets::new());
        }
        let stored = self.store().subscriptions().secrets(&numbers).await?;
        let now = self.now();
        let opened = stored.into_iter().map(|sealed| {
            let former = sealed
                .former_secret
                .filter(|_| sealed.former_secret_until.is_some_and(|until| until > now));
            let all = std::iter::once(sealed.secret).chain(former);
            let opened: Result<Vec<Secret>, _> = all
                .map(|text| self.sealer().open_sealed(&text, SEALED_FOR))
                .collect();
            let opened = opened.map_err(|error| tracing::error!(subscription = sealed.number, %error, "nothing can be signed"));
            (sealed.number, opened.ok())
        });
        Ok(opened.collect())
    }

    /// Tries one delivery.
    async fn attempt(&self, delivery: ClaimedDelivery, secrets: &Secrets) -> Attempt {
        let at = self.now();
        let most = i64::try_from(self.settings().retry_seconds.len()).unwrap_or(i64::MAX) + 1;
        let span = tracing::debug_span!("delivery", delivery.id = %delivery.id, attempt = delivery.attempts + 1);
        let reply = if delivery.tried >= most + UNFINISHED {
            Reply {
                outcome: Outcome::Unknown,
                status: None,
                answer: Some("it was begun again and again and never finished".to_owned()),
                retry_after: None,
                took: Duration::ZERO,
            }
        } else if delivery.channel == "email" {
            self.mail(&delivery).instrument(span).await
        } else {
            match secrets
                .get(&delivery.subscription)
                .and_then(Option::as_deref)
            {
                Some(secrets) => self.post(&delivery, secrets).instrument(span).await,
                None => Reply {
                    outcome: Outcome::Unknown,
                    status: None,
                    answer: Some("the signing secret cannot be opened here".to_owned()),
                    retry_after: None,
                    took: Duration::ZERO,
                },
            }
        };
        let spread = rand::random_range(schedule::SPREAD);
        let waits = &self.settings().retry_seconds;
        let is_final = reply.outcome == Outcome::Refused
            || reply.status == Some(GONE)
            || delivery.tried >= most + UNFINISHED;
        let wait = schedule::wait(delivery.tried + 1, waits, spread, reply.retry_after)
            .filter(|_| !is_final);
        let (state, next_at) = match (reply.outcome, wait) {
            (Outcome::Success, _) => (State::Delivered, None),
            (_, Some(wait)) => (State::Waiting, Some(self.now() + wait)),
            (_, None) => (State::Failed, None),
        };
        Attempt {
            delivery,
            at,
            duration_ms: i64::try_from(reply.took.as_millis()).unwrap_or(i64::MAX),
            outcome: reply.outcome,
            status: reply.status,
            answer: reply.answer,
            state,
            next_at,
        }
    }

    async fn post(&self, delivery: &ClaimedDelivery, secrets: &[Secret]) -> Reply {
        let body = delivery.event.payload.as_bytes();
        let message = Message {
            id: &delivery.id,
            kind: &delivery.event.kind,
            body,
            at: self.now(),
        };
        let headers = sign::headers(&message, secrets);
        self.webhooks()
            .post(&delivery.target, headers, body.to_vec())
            .await
    }

    async fn mail(&self, delivery: &ClaimedDelivery) -> Reply {
        let begun = std::time::Instant::now();
        let payload: Value = serde_json::from_str(&delivery.event.payload).unwrap_or_default();
        let page = self.unsubscribe_page(delivery.subscription, &delivery.target);
        let notice = notice(&delivery.event.kind, &payload, page.as_deref());
        let letter = NewLetter {
            name: delivery.id.clone(),
            recipient: &delivery.target,
            subject: notice.subject,
            text: notice.text,
            html: Some(notice.html),
            unsubscribe: page,
        };
        let (outcome, answer) = match self.mailer().send_letter(&letter).await {
            Ok(()) => (Outcome::Success, None),
            Err((error, why)) if error.is_final() => (Outcome::Refused, Some(why)),
            Err((error, why)) => (mail_outcome(&error), Some(why)),
        };
        Reply {
            outcome,
            status: None,
            answer,
            retry_after: None,
            took: begun.elapsed(),
        }
    }

    /// Writes what became of attempts, and what follows from it.
    async fn record(&self, attempts: &[Attempt]) -> Result<(), StoreError> {
        if attempts.is_empty() {
            return Ok(());
        }
        let now = self.now();
        let mut resting = HashMap::new();
        for attempt in attempts {
            let endpoint = &attempt.delivery.endpoint;
            if let Some(rest) = self.health().end(endpoint, attempt.outcome) {
                resting.insert(endpoint.clone(), now + rest);
            }
        }
        let resting: Vec<_> = resting.into_iter().collect();
        self.write(attempts, &resting).await?;
        for attempt in attempts {
            let delivery = &attempt.delivery;
            let subscriptions = self.store().subscriptions();
            let (number, target) = (delivery.subscription, delivery.target.as_str());
            if attempt.status == Some(GONE) {
                let why = "the receiver answered that it is gone (410)";
                subscriptions.end_webhook(number, target, why, now).await?;
            } else if attempt.outcome == Outcome::Refused {
                let why = attempt
                    .answer
                    .as_deref()
                    .unwrap_or("the mail server refused it");
                subscriptions.end_email(number, target, why, now).await?;
            }
        }
        Ok(())
    }

    /// A store that is away for a moment is waited for: what was sent would otherwise be sent again.
    async fn write(
        &self,
        attempts: &[Attempt],
        resting: &[(String, time::OffsetDateTime)],
    ) -> Result<(), StoreError> {
        let mut pauses = [50, 200, 1_000, 3_000].into_iter();
        loop {
            let deliveries = self.store().deliveries();
            let written = deliveries.record(attempts, resting, self.now()).await;
            match (written, pauses.next()) {
                (Ok(written), _) => {
                    if written < attempts.len() {
                        tracing::warn!(
                            "{} attempts took longer than their claims",
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

    /// Sends for ever: claims as there is room, and writes what became of attempts in groups.
    pub(super) async fn send(self) {
        let (done, ended) = mpsc::channel::<Attempt>(4 * GROUP);
        let writing = tokio::spawn(self.clone().write_ended(ended));
        let poll = Duration::from_millis(self.settings().poll_ms);
        loop {
            let claimed = match self.claim().await {
                Ok((claimed, secrets)) => {
                    let secrets = std::sync::Arc::new(secrets);
                    let count = claimed.len();
                    for delivery in claimed {
                        let (this, done) = (self.clone(), done.clone());
                        let secrets = std::sync::Arc::clone(&secrets);
                        tokio::spawn(async move {
                            let attempt = this.attempt(delivery, &secrets).await;
                            // The end of the host: the claim ends by itself.
                            drop(done.send(attempt).await);
                        });
                    }
                    count
                }
                Err(error) => {
                    tracing::error!(%error, "deliveries could not be claimed");
                    tokio::time::sleep(poll).await;
                    0
                }
            };
            if writing.is_finished() {
                tracing::error!("attempts are not written any more; no further ones are made");
                return;
            }
            if claimed > 0 {
                tokio::time::sleep(BREATH).await;
            } else {
                let woken = self.store().signals().deliveries.notified();
                let ended = self.0.ended.notified();
                tokio::select! {
                    () = woken => {}
                    () = ended => tokio::time::sleep(BREATH).await,
                    () = tokio::time::sleep(poll) => {}
                }
            }
        }
    }

    async fn write_ended(self, mut ended: mpsc::Receiver<Attempt>) {
        let mut group = Vec::new();
        while ended.recv_many(&mut group, GROUP).await > 0 {
            if let Err(error) = self.record(&group).await {
                tracing::error!(%error, "attempts could not be written; they are made again when their claims end");
            }
            group.clear();
            self.0.ended.notify_one();
        }
    }
}

/// What secrets of subscriptions are sealed for.
pub(super) const SEALED_FOR: &str = "webhook";

fn mail_outcome(error: &crate::mail::SendError) -> Outcome {
    use crate::mail::SendError;
    match error {
        SendError::Late(_) => Outcome::Timeout,
        SendError::Server(_) => Outcome::Connect,
        SendError::Message(error) if error.status().is_none() => Outcome::Reset,
        SendError::Message(_) | SendError::File { .. } => Outcome::HttpError,
        SendError::Recipient(_) | SendError::Unwritable(_) | SendError::Letters => Outcome::Refused,
    }
}
